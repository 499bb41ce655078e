/* tui_view_test.c - report/tui_view.h, tui_model.h, tui_order.h: what keys do to what is shown */
#include "report/tui_view.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "report/tui_draw.h"
#include "tests/lib/unit.h"

#define SECOND UINT64_C(1000000000)
#define BEGIN (UINT64_C(1700000000) * SECOND)

struct screen {
	struct buf names;
	struct tui_model model, frozen;
	struct tui_order order;
	struct tui_view view;
	struct tui_canvas canvas;
};

static const struct iotap_process somebody = {.pid = 7, .id = 1, .name = "cat", .name_len = 3};

/* A call on the file /N, moving so many bytes, at so many seconds. */
static void
add(struct screen *s, unsigned int file, uint64_t bytes, unsigned int second)
{
	char name[16];
	const size_t n = (size_t)snprintf(name, sizeof(name), "/%u", file);
	const struct iotap_target target = {.id = file + 1, .kind = IOTAP_KIND_FILE, .klass = IOTAP_CLASS_FILE,
					    .text = name, .text_len = n, .key = name, .key_len = n};
	const struct iotap_event event = {
		.size = sizeof(event), .time_ns = BEGIN + second * SECOND, .duration_ns = 1000, .requested = bytes,
		.bytes = bytes, .messages = IOTAP_UNKNOWN, .pid = 7, .fd = 3, .call = 1, .dir = IOTAP_DIR_READ,
		.klass = IOTAP_CLASS_FILE, .target = &target, .process = &somebody,
	};

	assert_true(model_event(&s->model, &event));
}

static struct screen *
begin(bool quiet)
{
	struct screen *const s = test_calloc(1, sizeof(*s));

	assert_true(model_init(&s->model, &s->names, !quiet));
	s->model.begin_ns = s->model.now_ns = BEGIN;
	view_init(&s->view, quiet);
	assert_true(canvas_size(&s->canvas, 100, 20));
	return s;
}

static void
end(struct screen *s)
{
	model_free(&s->model);
	model_free(&s->frozen);
	order_free(&s->order);
	canvas_free(&s->canvas);
	buf_free(&s->names);
	test_free(s);
}

static const struct tui_model *
shown(const struct screen *s)
{
	return s->view.paused ? &s->frozen : &s->model;
}

static void
draw(struct screen *s)
{
	assert_true(canvas_size(&s->canvas, s->canvas.width, s->canvas.height));
	if (s->view.tab != TAB_EVENTS)
		assert_true(order_rows(&s->order, shown(s), s->view.tab, s->view.sort));
	tui_draw(&s->canvas, &s->view, shown(s), &s->order);
}

static enum tui_action
key(struct screen *s, int k)
{
	const enum tui_action action = view_key(&s->view, shown(s), &s->order, k);

	if (action == ACTION_PAUSE && s->view.paused)
		assert_true(model_copy(&s->frozen, &s->model));
	if (action == ACTION_RESET) {
		model_reset(&s->model);
		if (s->view.paused)
			model_reset(&s->frozen);
	}
	draw(s);
	return action;
}

static bool
sees(const struct screen *s, const char *text)
{
	bool yes = false;

	for (unsigned int y = 0; y < s->canvas.height; y++) {
		struct buf row = {.data = NULL};

		canvas_row(&s->canvas, y, &row);
		yes = yes || strstr(buf_cstr(&row), text);
		buf_free(&row);
	}
	return yes;
}

static const char *
selected(const struct screen *s)
{
	static char name[32];
	const uint32_t row = s->view.selected[s->view.tab];

	if (row == NOTHING_SELECTED)
		return "";
	(void)snprintf(name, sizeof(name), "%.*s", (int)shown(s)->rows[row].name.n,
		       model_text(shown(s), shown(s)->rows[row].name));
	return name;
}

/* situation: 131 */
static void
the_selection_is_a_target_not_a_place(void **state)
{
	static const int first[] = {TUI_KEY_DOWN, TUI_KEY_UP, TUI_KEY_HOME, TUI_KEY_PAGE_UP, TUI_KEY_PAGE_DOWN};
	struct screen *const s = begin(false);

	(void)state;
	for (unsigned int i = 0; i < 5; i++)
		add(s, i, 100 - i, 1);
	draw(s);
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		assert_string_equal(selected(s), "");
		(void)key(s, first[i]);
		assert_string_equal(selected(s), "/0");
		(void)key(s, TUI_KEY_ESCAPE);
	}
	(void)key(s, TUI_KEY_END);
	assert_string_equal(selected(s), "/4");
	add(s, 4, 1000, 2);			/* to the top it goes */
	draw(s);
	assert_string_equal(selected(s), "/4");
	assert_int_equal(order_find(&s->order, s->view.selected[TAB_FILES]), 0);
	(void)key(s, TUI_KEY_DOWN);
	assert_string_equal(selected(s), "/0");
	(void)key(s, 'r');			/* gone: let go */
	assert_string_equal(selected(s), "");
	end(s);
}

/* situation: 132 */
static void
escape_goes_back_step_by_step(void **state)
{
	struct screen *const s = begin(false);

	(void)state;
	add(s, 1, 10, 1);
	draw(s);
	assert_int_equal(key(s, TUI_KEY_ENTER), ACTION_NONE);
	assert_string_equal(selected(s), "/1");
	assert_true(s->view.details);
	assert_true(sees(s, "read 10 B in 1"));
	assert_int_equal(key(s, TUI_KEY_ESCAPE), ACTION_NONE);
	assert_false(s->view.details);
	assert_int_equal(key(s, TUI_KEY_ESCAPE), ACTION_NONE);
	assert_string_equal(selected(s), "");
	assert_int_equal(key(s, TUI_KEY_ESCAPE), ACTION_QUIT);
	(void)key(s, '3');
	(void)key(s, TUI_KEY_ENTER);
	assert_false(s->view.details);
	end(s);
}

/* situation: 133 */
static void
events_follow_the_newest(void **state)
{
	struct screen *const s = begin(false);

	(void)state;
	for (unsigned int i = 0; i < 100; i++)
		add(s, i, i, 1);
	(void)key(s, '3');
	assert_true(sees(s, "/99"));
	(void)key(s, TUI_KEY_UP);
	assert_true(sees(s, "1 newer below"));
	add(s, 500, 1, 2);
	draw(s);
	assert_true(sees(s, "2 newer below"));
	assert_false(sees(s, "/500"));
	(void)key(s, TUI_KEY_HOME);
	assert_int_equal(view_last_event(&s->view, &s->model), s->view.page);	/* a full page */
	assert_true(sees(s, "/0"));
	(void)key(s, TUI_KEY_PAGE_UP);
	assert_int_equal(view_last_event(&s->view, &s->model), s->view.page);
	(void)key(s, TUI_KEY_END);
	assert_true(sees(s, "/500"));
	assert_false(sees(s, "newer below"));
	for (unsigned int i = 0; i < 2 * TUI_EVENTS; i++)	/* more than are kept */
		add(s, 1, 1, 3);
	(void)key(s, TUI_KEY_HOME);
	assert_int_equal(view_last_event(&s->view, &s->model), s->model.n_events - TUI_EVENTS + s->view.page);
	end(s);
}

/* situation: 134 */
static void
a_pause_freezes_the_picture_alone(void **state)
{
	struct screen *const s = begin(false);

	(void)state;
	add(s, 1, 10, 1);
	draw(s);
	assert_int_equal(key(s, 'p'), ACTION_PAUSE);
	add(s, 2, 20, 90);
	draw(s);
	assert_true(sees(s, "PAUSED"));
	assert_true(sees(s, "1 Files (1)"));
	assert_true(sees(s, "0:00:01"));
	(void)key(s, 'r');
	add(s, 3, 30, 91);
	draw(s);
	assert_true(sees(s, "PAUSED"));
	assert_true(sees(s, "nothing yet"));
	(void)key(s, 'p');
	assert_false(sees(s, "PAUSED"));
	assert_true(sees(s, "/3"));
	assert_false(sees(s, "/2"));
	end(s);
}

/* situation: 135 */
static void
reset_begins_again_from_nothing(void **state)
{
	struct screen *const s = begin(false);
	const struct iotap_drop lost = {.size = sizeof(lost), .cause = IOTAP_DROP_RING, .count = 5};

	(void)state;
	add(s, 1, 1000, 1);
	model_drop(&s->model, &lost);
	draw(s);
	assert_true(sees(s, "5 calls lost"));
	(void)key(s, 'r');
	assert_false(sees(s, "calls lost"));
	assert_true(sees(s, "since reset"));
	assert_true(sees(s, "3 Events (0)"));
	add(s, 1, 7, 2);
	draw(s);
	assert_int_equal(s->model.totals[IOTAP_CLASS_FILE][0].bytes, 7);
	assert_int_equal(s->model.n_rows, 1);
	end(s);
}

/* situation: 137 */
static void
quiet_has_no_events(void **state)
{
	struct screen *const s = begin(true);

	(void)state;
	add(s, 1, 10, 1);
	(void)key(s, '3');
	assert_int_equal(s->view.tab, TAB_FILES);
	(void)key(s, TUI_KEY_TAB);
	assert_int_equal(s->view.tab, TAB_NETWORK);
	(void)key(s, TUI_KEY_TAB);
	assert_int_equal(s->view.tab, TAB_FILES);
	(void)key(s, TUI_KEY_BACK_TAB);
	assert_int_equal(s->view.tab, TAB_NETWORK);
	assert_false(sees(s, "Events"));
	(void)key(s, '1');
	(void)key(s, TUI_KEY_ENTER);
	assert_true(sees(s, "read 10 B"));
	assert_int_equal(s->model.n_events, 0);
	end(s);
}

/* situation: 138 */
static void
what_y_copies(void **state)
{
	static const struct { enum iotap_kind kind; const char *key, *copied; } rows[] = {
		{IOTAP_KIND_FILE, "/a b", "/a b"}, {IOTAP_KIND_SOCKET, "tcp 1.2.3.4:5", "1.2.3.4:5"},
		{IOTAP_KIND_SOCKET, "unix /run/x", "/run/x"}, {IOTAP_KIND_PIPE, "<pipe>", ""},
		{IOTAP_KIND_SOCKET, "netlink", ""}, {IOTAP_KIND_UNKNOWN, "<unknown>", ""},
	};
	struct screen *const s = begin(false);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tui_row row = {.kind = rows[i].kind,
					    .name = {.at = s->names.len, .n = (uint32_t)strlen(rows[i].key)}};
		struct buf out = {.data = NULL};

		assert_true(buf_puts(&s->names, rows[i].key));
		tui_copied(&out, &s->model, &row);
		assert_string_equal(buf_cstr(&out), rows[i].copied);
		buf_free(&out);
	}
	draw(s);
	assert_int_equal(key(s, 'y'), ACTION_NONE);
	add(s, 1, 1, 1);
	draw(s);
	(void)key(s, TUI_KEY_HOME);
	assert_int_equal(key(s, 'y'), ACTION_COPY);
	end(s);
}

/* situation: 139, 141 */
static void
every_size_of_a_screen(void **state)
{
	struct screen *const s = begin(false);

	(void)state;
	for (unsigned int i = 0; i < 50; i++)
		add(s, i, i, 1);
	s->view.ended = "ended";
	for (unsigned int tab = 0; tab < N_TABS; tab++) {
		(void)key(s, '1' + (int)tab);
		(void)key(s, TUI_KEY_HOME);
		(void)key(s, TUI_KEY_ENTER);
		for (unsigned int height = 1; height < 32; height++) {
			for (unsigned int width = 1; width < 140; width += width < 20 ? 1 : 13) {
				assert_true(canvas_size(&s->canvas, width, height));
				draw(s);
				(void)key(s, TUI_KEY_DOWN);
				assert_true(s->view.page >= 1);
				if (tab == TAB_FILES && height >= 12)
					assert_true(s->view.page >= 3);
			}
		}
		(void)key(s, TUI_KEY_END);
	}
	for (unsigned int width = 90; width < 130; width++) {
		assert_true(canvas_size(&s->canvas, width, 24));
		draw(s);
		assert_true(sees(s, " FD ") == (width >= 99));
		assert_true(sees(s, "REQUESTED") == (width >= 119));
	}
	end(s);
}

static void
sorted_as_asked(void **state)
{
	struct screen *const s = begin(false);
	unsigned int firsts[N_SORTS];

	(void)state;
	add(s, 1, 1000, 1);
	add(s, 2, 10, 2);
	add(s, 2, 10, 2);
	add(s, 3, 10, 9);
	for (unsigned int i = 0; i < N_SORTS; i++) {
		draw(s);
		firsts[s->view.sort] = s->order.places[0].row + 1;
		(void)key(s, 's');
	}
	assert_int_equal(firsts[SORT_BYTES], 1);
	assert_int_equal(firsts[SORT_READ], 1);
	assert_int_equal(firsts[SORT_CALLS], 2);
	assert_int_equal(firsts[SORT_RECENT], 3);
	assert_int_equal(s->view.sort, SORT_BYTES);
	end(s);
}

/* situation: 127 */
static void
rates_are_of_whole_seconds(void **state)
{
	struct screen *const s = begin(false);

	(void)state;
	add(s, 1, 100, 5);
	add(s, 1, 11, 5);
	assert_int_equal(s->model.last.bytes[0][0], 0);
	add(s, 1, 7, 6);
	assert_int_equal(s->model.last.bytes[0][0], 111);
	model_now(&s->model, BEGIN + 8 * SECOND);	/* a second without anything */
	assert_int_equal(s->model.last.bytes[0][0], 0);
	end(s);
}

static void
rows_have_a_bound(void **state)
{
	struct screen *const s = begin(true);
	uint64_t bytes = 0;

	(void)state;
	for (unsigned int i = 0; i < TUI_ROWS_MAX + 100; i++)
		add(s, i, 1, 1);
	add(s, 0, 1, 2);
	assert_true(s->model.n_rows <= TUI_ROWS_MAX);
	for (size_t i = 0; i < s->model.n_rows; i++)
		bytes += s->model.rows[i].read.bytes;
	assert_int_equal(bytes, TUI_ROWS_MAX + 101);
	end(s);
}

/* A call of the peer with that port, which came to that end of ours. */
static void
add_peer(struct screen *s, const char *local, unsigned int port, unsigned int second)
{
	char text[64], key[32];
	const size_t n = (size_t)snprintf(text, sizeof(text), "tcp %s -> 10.0.0.1:%u", local, port);
	const size_t n_key = (size_t)snprintf(key, sizeof(key), "tcp 10.0.0.1:%u", port);
	const struct iotap_target target = {
		.id = port, .kind = IOTAP_KIND_SOCKET, .klass = IOTAP_CLASS_NETWORK, .local_port = 80, .remote_len = 4,
		.text = text, .text_len = n, .key = key, .key_len = n_key,
	};
	const struct iotap_event event = {
		.size = sizeof(event), .time_ns = BEGIN + second * SECOND, .duration_ns = 1000, .requested = 10,
		.bytes = 10, .messages = IOTAP_UNKNOWN, .pid = 7, .fd = 3, .call = 1, .dir = IOTAP_DIR_READ,
		.klass = IOTAP_CLASS_NETWORK, .target = &target, .process = &somebody,
	};

	assert_true(model_event(&s->model, &event));
}

/* Few have a row each, many one together; what is selected goes along. */
static void
peers_of_a_server(void **state)
{
	struct screen *const s = begin(false);

	(void)state;
	s->view.tab = TAB_NETWORK;
	for (unsigned int i = 1; i < IOTAP_SERVER_PEERS; i++) {
		add_peer(s, "10.0.0.9:80", 40000 + i, i);
		add_peer(s, "10.0.0.9:443", 50000 + i, i);
	}
	draw(s);
	assert_int_equal(s->order.n, 14);
	s->view.selected[TAB_NETWORK] = 0;
	for (unsigned int i = IOTAP_SERVER_PEERS; i <= 100; i++)
		add_peer(s, "10.0.0.9:80", 40000 + i, 20);
	add_peer(s, "10.0.0.9:80", 40001, 21);
	draw(s);
	assert_int_equal(s->order.n, 8);
	assert_true(sees(s, "tcp 10.0.0.9:80 (100 connections)"));
	assert_true(sees(s, "1010 B      101"));
	assert_true(sees(s, " 2 Network (8) "));
	assert_false(sees(s, "tcp 10.0.0.1:40001"));
	assert_true(sees(s, "tcp 10.0.0.1:50001"));
	assert_int_equal(s->view.selected[TAB_NETWORK], s->order.places[0].row);
	assert_true(s->model.rows[s->order.places[0].row].first_ns == BEGIN + SECOND);
	model_reset(&s->model);
	add_peer(s, "10.0.0.9:80", 40001, 22);
	draw(s);
	assert_true(sees(s, "tcp 10.0.0.1:40001"));
	end(s);
}

/* Whole or not at all; what has no room is counted. */
static void
processes_of_the_title(void **state)
{
	struct screen *const s = begin(false);

	(void)state;
	for (uint32_t i = 0; i < 40; i++) {
		const struct iotap_process p = {.pid = 1000 + i, .id = i + 1, .name = "worker", .name_len = 6};

		assert_true(model_process(&s->model, &p, false));
	}
	for (unsigned int width = 1; width < 200; width++) {
		struct buf row = {.data = NULL};
		char tail[32];
		size_t named = 0;

		assert_true(canvas_size(&s->canvas, width, 20));
		draw(s);
		canvas_row(&s->canvas, 0, &row);
		for (const char *at = buf_cstr(&row); (at = strstr(at, "worker ")) != NULL; at++)
			named++;
		(void)snprintf(tail, sizeof(tail), " %zu", 999 + named);
		if (named > 0)
			assert_non_null(strstr(buf_cstr(&row), tail));
		(void)snprintf(tail, sizeof(tail), " and %zu more ", 40 - named);
		if (named > 0)
			assert_non_null(strstr(buf_cstr(&row), tail));
		if (width > 60)
			assert_true(named >= 1);
		buf_free(&row);
	}
	end(s);
}

static void
short_forms_of_times(void **state)
{
	static const struct { uint64_t ns; const char *latency, *idle; } rows[] = {
		{100, "100ns", "<1s"}, {1999, "1\xc2\xb5s", "<1s"},
		{850000, "850\xc2\xb5s", "<1s"}, {12345678, "12.3ms", "<1s"}, {999999999, "999.9ms", "<1s"},
		{1240000000, "1.24s", "1s"}, {123400000000, "123.4s", "2m"}, {10800 * SECOND, "10800s", "3h"},
		{172800 * SECOND, "172800s", "2d"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf out = {.data = NULL};

		tui_latency(&out, rows[i].ns);
		assert_string_equal(buf_cstr(&out), rows[i].latency);
		buf_clear(&out);
		tui_idle(&out, rows[i].ns);
		assert_string_equal(buf_cstr(&out), rows[i].idle);
		buf_free(&out);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_selection_is_a_target_not_a_place),
		cmocka_unit_test(escape_goes_back_step_by_step),
		cmocka_unit_test(events_follow_the_newest),
		cmocka_unit_test(a_pause_freezes_the_picture_alone),
		cmocka_unit_test(reset_begins_again_from_nothing),
		cmocka_unit_test(quiet_has_no_events),
		cmocka_unit_test(what_y_copies),
		cmocka_unit_test(every_size_of_a_screen),
		cmocka_unit_test(sorted_as_asked),
		cmocka_unit_test(rates_are_of_whole_seconds),
		cmocka_unit_test(rows_have_a_bound),
		cmocka_unit_test(peers_of_a_server),
		cmocka_unit_test(processes_of_the_title),
		cmocka_unit_test(short_forms_of_times),
	};

	(void)setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
