/* json_supply_test.c - analyze/supply.h over JSON Lines, analyze/json_target.h */
#include "analyze/supply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/calls.h"
#include "tests/lib/unit.h"

static int
open_bytes(struct supply **s, const char *text, size_t n, struct iotap_error *err)
{
	const int fd = memfd_create("lines", MFD_CLOEXEC);

	assert_true(fd >= 0 && io_write_all(fd, text, n));
	(void)lseek(fd, 0, SEEK_SET);
	return json_supply_open(s, fd, "lines", err);
}

static struct supply *
open_text(const char *text)
{
	struct iotap_error err = {.code = 0};
	struct supply *s;

	if (open_bytes(&s, text, strlen(text), &err) < 0)
		fail_msg("%s", err.text);
	return s;
}

/* All of it as text: "e0:read:/a:5 n3 d1 ". */
struct seen {
	struct buf text;
	uint64_t calls;
};

static int
on_notice(const struct iotap_notice *n, void *arg)
{
	(void)buf_printf(&((struct seen *)arg)->text, "n%d ", n->type);
	return IOTAP_NEXT;
}

static int
on_drop(const struct iotap_drop *d, void *arg)
{
	(void)buf_printf(&((struct seen *)arg)->text, "d%d ", d->cause);
	return IOTAP_NEXT;
}

static int
see_all(struct supply *s, struct seen *seen, struct iotap_error *err)
{
	const struct iotap_handlers handlers = {
		.size = sizeof(handlers), .notice = on_notice, .drop = on_drop};
	struct iotap_batch b;
	int r;

	*seen = (struct seen){.calls = 0};
	while ((r = supply_next(s, IOTAP_COL_ALL, &handlers, seen, &b, err)) > 0) {
		for (uint32_t i = 0; i < b.n; i++)
			(void)buf_printf(&seen->text, "e%llu:%s:%s:%lld ",
					 (unsigned long long)(b.first_number + i),
					 call_name(b.call[i]), b.target[i]->text,
					 (long long)b.result[i]);
		seen->calls += b.n;
	}
	return r;
}

static void
expect(const char *text, const char *expected)
{
	struct iotap_error err = {.code = 0};
	struct supply *const s = open_text(text);
	struct seen seen;

	if (see_all(s, &seen, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(buf_cstr(&seen.text), expected);
	buf_free(&seen.text);
	supply_close(s);
}

static void
expect_refused(const char *text, int code, const char *words)
{
	struct iotap_error err = {.code = 0};
	struct supply *s;
	struct seen seen = {.calls = 0};
	int r = open_bytes(&s, text, strlen(text), &err);

	if (r == 0)
		r = see_all(s, &seen, &err);
	if (r != code || !strstr(err.text, words))
		fail_msg("%d: %s", r, err.text);
	buf_free(&seen.text);
	supply_close(s);
}

#define START \
	"{\"type\":\"start\",\"time_ns\":5,\"processes\":[],\"tool\":\"t\",\"hostname\":\"h\",\"release\":\"r\"}\n"
#define READ(time, rest)                                             \
	"{\"type\":\"event\",\"time_ns\":" time                      \
	",\"pid\":1,\"tid\":2,\"op\":\"read\",\"syscall\":\"read\"," \
	"\"target\":{\"kind\":\"file\",\"path\":\"/a\"}" rest "}\n"

#define EXEC "{\"type\":\"exec\",\"pid\":1,\"path\":\"/x\",\"name\":\"x\",\"time_ns\":11}\n"
#define LOST "{\"type\":\"lost_events\",\"time_ns\":13,\"count\":3,\"cause\":\"queue\",\"pids\":[]}\n"
#define CLOSE \
	"{\"type\":\"op\",\"time_ns\":14,\"pid\":1,\"tid\":2,\"op\":\"close\",\"syscall\":\"close\"," \
	"\"result\":0,\"target\":{\"kind\":\"other\",\"fd_type\":\"pipe\"}}\n"
#define END "{\"type\":\"end\",\"time_ns\":15,\"reason\":\"exited\"}"

static void
events_notices_and_losses_in_order(void **state)
{
	(void)state;
	expect(START READ("10", ",\"bytes\":5,\"errno\":0") EXEC READ("12", ",\"bytes\":null,\"errno\":11") LOST
	       "{\"type\":\"something_new\",\"time_ns\":13}\n"
	       "\n\r\n" CLOSE END,
	       "e0:read:/a:5 n3 e1:read:/a:-11 d3 e2:close:<pipe>:0 n9 ");
	expect("", "");
	expect("\n\n", "");
}

static void
what_the_start_says(void **state)
{
	struct supply *const s = open_text(START);

	(void)state;
	assert_string_equal(s->info.tool, "t");
	assert_string_equal(s->info.release, "r");
	assert_int_equal(s->info.start_time_ns, 5);
	assert_true(s->lossy);
	supply_close(s);
}

static void
what_is_missing_or_wrong(void **state)
{
	(void)state;
	expect_refused("nonsense\n", IOTAP_ECORRUPT, "line 1: not a JSON object");
	expect_refused(START "{\"type\":\"event\"\n", IOTAP_ECORRUPT, "line 2: not a JSON object");
	expect_refused(START "[1]\n", IOTAP_ECORRUPT, "line 2");
	expect_refused(START "{\"type\":\"event\",\"pid\":1,\"syscall\":\"read\"}\n",
		       IOTAP_ECORRUPT, "without time_ns");
	expect_refused(START "{\"type\":\"event\",\"time_ns\":9223372036854775808,\"pid\":1,\"syscall\":\"read\"}\n",
		       IOTAP_ECORRUPT, "without time_ns");
	expect_refused(START "{\"type\":\"event\",\"time_ns\":1,\"syscall\":\"read\"}\n",
		       IOTAP_ECORRUPT, "without");
	expect_refused(
		START
		"{\"type\":\"event\",\"time_ns\":1,\"pid\":4294967296,\"syscall\":\"read\"}\n",
		IOTAP_ECORRUPT, "without");
	expect_refused(START "{\"type\":\"event\",\"time_ns\":-1,\"pid\":1,\"syscall\":\"read\"}\n",
		       IOTAP_ECORRUPT, "without");
	expect_refused(
		START "\n" READ(
			"10",
			"") "{\"type\":\"event\",\"time_ns\":1,\"pid\":1,\"syscall\":\"never\"}\n",
		IOTAP_ECORRUPT, "line 4: a call that this version does not know");
	expect_refused(
		START
		"{\"type\":\"event\",\"time_ns\":1,\"pid\":1,\"syscall\":\"read\",\"target\":\"/a\"}\n",
		IOTAP_ECORRUPT, "a target that is no object");
}

/* A line may be long, but not take all memory; of a summary, which has no limit, the rest is passed over. */
static void
long_lines(void **state)
{
	enum {
		LONG = 3 << 20
	};
	struct buf text = {.data = NULL};
	struct iotap_error err = {.code = 0};
	struct supply *s;
	struct seen seen;
	int r;

	(void)state;
	(void)buf_puts(&text, START "{\"type\":\"summary\",\"x\":\"");
	memset(buf_extend(&text, LONG), 'x', LONG);
	(void)buf_puts(&text, "\"}\n" READ("10", ",\"bytes\":5"));
	assert_int_equal(open_bytes(&s, (const char *)text.data, text.len, &err), 0);
	assert_int_equal(see_all(s, &seen, &err), 0);
	assert_string_equal(buf_cstr(&seen.text), "e0:read:/a:5 ");
	supply_close(s);
	buf_free(&seen.text);
	memcpy(text.data + strlen(START), "{\"type\":\"notsumm", 16);
	r = open_bytes(&s, (const char *)text.data, text.len, &err);
	if (r == 0)
		r = see_all(s, &seen, &err);
	assert_int_equal(r, IOTAP_ELIMIT);
	assert_non_null(strstr(err.text, "line 2"));
	supply_close(s);
	buf_free(&seen.text);
	buf_free(&text);
}

/* Reads all of a text; seen->text is the caller's to free, as the supply is to close. */
static struct supply *
read_through(const struct buf *text, struct seen *seen, struct iotap_summary *summary)
{
	struct iotap_error err = {.code = 0};
	struct supply *s;

	assert_int_equal(open_bytes(&s, (const char *)text->data, text->len, &err), 0);
	assert_int_equal(see_all(s, seen, &err), 0);
	assert_int_equal(supply_summary(s, summary, &err), 0);
	return s;
}

/* More events than a batch holds, told in order without a gap. */
static void
many_events(void **state)
{
	enum {
		N = 10000
	};
	struct buf text = {.data = NULL};
	struct iotap_summary summary;
	struct supply *s;
	struct seen seen;

	(void)state;
	(void)buf_puts(&text, START);
	for (int i = 0; i < N; i++)
		(void)buf_printf(
			&text,
			"{\"type\":\"event\",\"time_ns\":%d,\"pid\":1,\"tid\":2,\"syscall\":\"read\","
			"\"bytes\":%d,\"target\":{\"kind\":\"file\",\"path\":\"/%d\"}}\n",
			i + 10, i, i % 5000);
	s = read_through(&text, &seen, &summary);
	assert_int_equal(seen.calls, N);
	assert_non_null(
		strstr(buf_cstr(&seen.text), "e4095:read:/4095:4095 e4096:read:/4096:4096 "));
	assert_non_null(strstr(buf_cstr(&seen.text), "e9999:read:/4999:9999 "));
	assert_int_equal(summary.events, N);
	assert_int_equal(summary.duration_ns, N - 1);
	assert_true(summary.complete);
	supply_close(s);
	buf_free(&seen.text);
	buf_free(&text);
}

/* Without a summary the calls say how long it was, in whatever order they come. */
static void
lines_in_another_order(void **state)
{
	static const char event[] = "\"pid\":1,\"syscall\":\"read\",\"target\":{\"kind\":\"file\",\"path\":\"/\"}}\n";
	struct buf text = {.data = NULL};
	struct iotap_summary summary;
	struct supply *s;
	struct seen seen;

	(void)state;
	(void)buf_puts(&text, START);
	for (int i = 0; i < 4; i++)
		(void)buf_printf(&text, "{\"type\":\"event\",\"time_ns\":%d,%s", i % 2 ? 500 - i : 100 + i, event);
	s = read_through(&text, &seen, &summary);
	assert_int_equal(summary.duration_ns, 399);
	supply_close(s);
	buf_free(&seen.text);
	buf_free(&text);
}

/* -- blind spots -- */

/* By pid, which is a process unless two had it; what no row of the table knows is passed over. */
static void
blind_spots_by_process(void **state)
{
	static const struct { uint32_t pid; uint64_t process; const char *spot; uint64_t calls; } expected[] = {
		{7, UINT64_C(1) << 32 | 7, "unresolved_calls", 2}, {7, UINT64_C(1) << 32 | 7, "mmap_calls", 9},
		{8, 0, "io_uring_calls", 1}, {9, 0, "compat_calls", 3}, {0, 0, "undefined_calls", 4},
	};
	struct supply *const s = open_text(
		"{\"type\":\"attached\",\"pid\":7,\"name\":\"a\",\"time_ns\":1}\n"
		"{\"type\":\"attached\",\"pid\":8,\"name\":\"b\",\"time_ns\":2}\n"
		"{\"type\":\"attached\",\"pid\":8,\"name\":\"c\",\"time_ns\":3}\n"
		"{\"type\":\"summary\",\"blind_spots\":{\"mmap_calls\":9},\"blind_spots_by_process\":["
		"{\"pid\":7,\"name\":\"a\",\"mmap_calls\":9,\"unresolved_calls\":2,\"of_later\":5,\"lost_names\":0},"
		"{\"pid\":8,\"name\":\"c\",\"io_uring_calls\":1},{\"pid\":9,\"compat_calls\":3},"
		"{\"pid\":-1,\"undefined_calls\":4,\"mmap_calls\":\"x\"}]}\n");
	struct iotap_error err = {.code = 0};
	struct iotap_summary summary;
	struct iotap_batch b;

	(void)state;
	assert_int_equal(supply_next(s, IOTAP_COL_ALL, NULL, NULL, &b, &err), 0);
	assert_int_equal(supply_summary(s, &summary, &err), 0);
	assert_int_equal(summary.n_blind, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < summary.n_blind; i++) {
		assert_int_equal(summary.blind[i].pid, expected[i].pid);
		assert_int_equal(summary.blind[i].process, expected[i].process);
		assert_string_equal(summary.blind[i].spot, expected[i].spot);
		assert_int_equal(summary.blind[i].calls, expected[i].calls);
	}
	supply_close(s);
}

static void
blind_spots_that_are_no_objects(void **state)
{
	static const char *const lists[] = {"[]", "{}", "7", "null", "[7]", "[[1]]"};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct iotap_error err = {.code = 0};
		struct iotap_summary summary;
		struct iotap_batch b;
		struct supply *s;
		char line[128];
		int r;

		(void)snprintf(line, sizeof(line),
			       "{\"type\":\"summary\",\"blind_spots\":{},\"blind_spots_by_process\":%s}\n", lists[i]);
		s = open_text(line);
		r = supply_next(s, IOTAP_COL_ALL, NULL, NULL, &b, &err);
		assert_true(r == 0 || (r < 0 && err.text[0] != '\0'));
		if (r == 0) {
			assert_int_equal(supply_summary(s, &summary, &err), 0);
			assert_int_equal(summary.n_blind, 0);
		}
		supply_close(s);
	}
}

/* -- targets -- */

struct target_row {
	const char *object, *text, *key, *path;
	enum iotap_kind kind;
	enum iotap_class klass;
};

static void
expect_target(const struct target_row *row)
{
	struct iotap_error err = {.code = 0};
	struct iotap_batch b;
	struct supply *s;
	char line[1000];
	const struct iotap_target *t;

	(void)snprintf(
		line, sizeof(line),
		"{\"type\":\"event\",\"time_ns\":1,\"pid\":1,\"tid\":1,\"syscall\":\"read\"%s%s}\n",
		row->object ? ",\"target\":" : "", row->object ? row->object : "");
	s = open_text(line);
	assert_int_equal(supply_next(s, IOTAP_COL_ALL, NULL, NULL, &b, &err), 1);
	t = b.target[0];
	if (strcmp(t->text, row->text) != 0 || strcmp(t->key, row->key) != 0 ||
	    t->kind != row->kind || t->klass != row->klass ||
	    (t->path == NULL) != (row->path == NULL) ||
	    (t->path && strcmp(t->path, row->path) != 0) || strlen(t->text) != t->text_len)
		fail_msg("%s: \"%s\" \"%s\" \"%s\" %d %d", row->object, t->text, t->key,
			 t->path ? t->path : "-", t->kind, t->klass);
	supply_close(s);
}

static void
target_objects(void **state)
{
	static const struct target_row rows[] = {
		{"{\"kind\":\"file\",\"path\":\"/a\"}", "/a", "/a", "/a", IOTAP_KIND_FILE,
		 IOTAP_CLASS_FILE},
		{"{\"kind\":\"file\",\"path\":\"/\\u001b\"}", "/?", "/\x1b", "/\x1b",
		 IOTAP_KIND_FILE, IOTAP_CLASS_FILE},
		{"{\"kind\":\"file\",\"path\":\"/\\ufffd\",\"path_hex\":\"2fff\"}", "/\xef\xbf\xbd",
		 "/\xff", "/\xff", IOTAP_KIND_FILE, IOTAP_CLASS_FILE},
		{"{\"kind\":\"file\",\"path\":null,\"device\":\"8:1\",\"inode\":12}",
		 "<file 8:1 inode 12>", "<file 8:1 inode 12>", NULL, IOTAP_KIND_FILE,
		 IOTAP_CLASS_FILE},
		{"{\"kind\":\"file\",\"path\":null}", "<unnamed file>", "<unnamed file>", NULL,
		 IOTAP_KIND_FILE, IOTAP_CLASS_FILE},
		{"{\"kind\":\"socket\",\"proto\":\"tcp\",\"local\":\"1.2.3.4:5\",\"remote\":\"[::1]:80\"}",
		 "tcp 1.2.3.4:5 -> [::1]:80", "tcp [::1]:80", NULL, IOTAP_KIND_SOCKET,
		 IOTAP_CLASS_NETWORK},
		{"{\"kind\":\"socket\",\"proto\":\"udp\",\"local\":\"0.0.0.0:53\"}",
		 "udp 0.0.0.0:53", "udp 0.0.0.0:53 (local)", NULL, IOTAP_KIND_SOCKET,
		 IOTAP_CLASS_NETWORK},
		{"{\"kind\":\"socket\",\"proto\":\"tcp\"}", "tcp ?", "tcp ?", NULL,
		 IOTAP_KIND_SOCKET, IOTAP_CLASS_NETWORK},
		{"{\"kind\":\"socket\",\"proto\":\"unix\",\"path\":\"/run/x\"}", "unix /run/x",
		 "unix /run/x", "/run/x", IOTAP_KIND_SOCKET, IOTAP_CLASS_NETWORK},
		{"{\"kind\":\"socket\",\"proto\":\"sctp\"}", "socket", "socket", NULL,
		 IOTAP_KIND_SOCKET, IOTAP_CLASS_NETWORK},
		{"{\"kind\":\"other\",\"fd_type\":\"epoll\"}", "<epoll>", "<epoll>", NULL,
		 IOTAP_KIND_ANON, IOTAP_CLASS_OTHER},
		{"{\"kind\":\"unknown\"}", "<unknown>", "<unknown>", NULL, IOTAP_KIND_UNKNOWN,
		 IOTAP_CLASS_OTHER},
		{NULL, "<unknown>", "<unknown>", NULL, IOTAP_KIND_UNKNOWN, IOTAP_CLASS_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_target(&rows[i]);
}

/* Equal objects are one target; the interface and how it was learned are part of what it is. */
static void
equal_targets_are_one(void **state)
{
	struct supply *const s = open_text(READ("1", "") READ("2", "") READ(
		"3", ",\"interface\":\"eth0\"") READ("4", ",\"resolved\":\"lazy\"") READ("5", ""));
	struct iotap_error err = {.code = 0};
	struct iotap_batch b;

	(void)state;
	assert_int_equal(supply_next(s, IOTAP_COL_ALL, NULL, NULL, &b, &err), 1);
	assert_int_equal(b.n, 5);
	assert_ptr_equal(b.target[0], b.target[1]);
	assert_ptr_equal(b.target[0], b.target[4]);
	assert_ptr_not_equal(b.target[0], b.target[2]);
	assert_ptr_not_equal(b.target[0], b.target[3]);
	assert_string_equal(b.target[2]->device, "eth0");
	assert_int_equal(b.target[3]->resolved, IOTAP_RESOLVED_LAZY);
	supply_close(s);
}

/* A pid that is used again is another process; a later name is the same one's. */
static void
processes(void **state)
{
	struct supply *const s = open_text(
		"{\"type\":\"attached\",\"pid\":1,\"name\":\"a\",\"parent\":7,\"time_ns\":1}\n" READ(
			"2",
			"") "{\"type\":\"exited\",\"pid\":1,\"name\":\"a\",\"status\":256,\"time_ns\":3}\n"
			    "{\"type\":\"attached\",\"pid\":1,\"name\":\"b\",\"parent\":7,\"time_ns\":4}\n" READ(
				    "5", ""));
	struct iotap_error err = {.code = 0};
	const struct iotap_process *first;
	struct iotap_batch b;

	(void)state;
	assert_int_equal(supply_next(s, IOTAP_COL_ALL, NULL, NULL, &b, &err), 1);
	first = b.process[0];
	assert_string_equal(first->name, "a");
	assert_int_equal(first->parent, 7);
	assert_int_equal(supply_next(s, IOTAP_COL_ALL, NULL, NULL, &b, &err), 1);
	assert_true(first->exited);
	assert_int_equal(first->exit_status, 256);
	assert_string_equal(b.process[0]->name, "b");
	assert_true(first->id != b.process[0]->id);
	supply_close(s);
}

/* Integers beyond what doubles hold stay exact; what does not fit is not known. */
static void
numbers(void **state)
{
	struct supply *const s = open_text(READ(
		"9007199254740993",
		",\"bytes\":9007199254740995,\"latency_ns\":18446744073709551615,\"offset\":null,"
		"\"fd\":2147483648,\"requested\":-5"));
	struct iotap_error err = {.code = 0};
	struct iotap_batch b;

	(void)state;
	assert_int_equal(supply_next(s, IOTAP_COL_ALL, NULL, NULL, &b, &err), 1);
	assert_true(b.time_ns[0] == UINT64_C(9007199254740993));
	assert_true(b.result[0] == INT64_C(9007199254740995));
	assert_true(b.duration_ns[0] == IOTAP_UNKNOWN);
	assert_true(b.offset[0] == IOTAP_UNKNOWN);
	assert_true(b.requested[0] == IOTAP_UNKNOWN);
	assert_int_equal(b.fd[0], -1);
	supply_close(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_notices_and_losses_in_order),
		cmocka_unit_test(what_the_start_says),
		cmocka_unit_test(what_is_missing_or_wrong),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(many_events),
		cmocka_unit_test(lines_in_another_order),
		cmocka_unit_test(blind_spots_by_process),
		cmocka_unit_test(blind_spots_that_are_no_objects),
		cmocka_unit_test(target_objects),
		cmocka_unit_test(equal_targets_are_one),
		cmocka_unit_test(processes),
		cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
