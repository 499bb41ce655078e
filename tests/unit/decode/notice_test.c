/* notice_test.c - decode/notice.h: what lies between calls, in words */
#include "decode/notice.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/unit.h"

static void
add(struct processes *p, uint32_t pid, uint32_t how, const char *comm)
{
	struct process *process;
	const struct rec_process rec = {.pid = pid, .start_ns = pid, .how = how, .comm = rec_str(comm)};

	assert_int_equal(processes_process(p, &rec, &process), 0);
}

static const char *
start_of(const struct processes *p, bool followed, const char *names, const char *scopes)
{
	static struct notices n;
	static char text[2000];
	struct buf asked = {.data = NULL}, whose = {.data = NULL};

	(void)buf_puts(&asked, names);
	(void)buf_puts(&whose, scopes);
	(void)snprintf(text, sizeof(text), "%s", notice_start(&n, p, 5, followed, &asked, &whose)->message);
	assert_int_equal(n.notice.type, IOTAP_NOTICE_START);
	assert_int_equal(n.notice.boot_ns, 5);
	buf_free(&asked);
	buf_free(&whose);
	notices_fini(&n);
	n = (struct notices){.notice = {.size = 0}};
	return text;
}

static const char *
start(const struct processes *p, bool followed, const char *names)
{
	return start_of(p, followed, names, "");
}

static void
the_start_names_whom_it_is_about(void **state)
{
	struct processes p;

	(void)state;
	processes_init(&p);
	assert_string_equal(start(&p, true, ""), "no process");
	assert_string_equal(start(&p, true, "\"curl\""), "new processes named \"curl\"");
	assert_string_equal(start_of(&p, false, "", " of the machine"),
			    "every process of the machine");
	add(&p, 1, 1, "a");
	assert_string_equal(start(&p, false, ""), "1 (a)");
	assert_string_equal(start(&p, true, ""), "1 (a), and its descendants");
	add(&p, 2, 4, "child");
	assert_string_equal(start(&p, true, ""), "1 (a), and its descendants (1 running now)");
	add(&p, 3, 2, "\x1b[1m");
	assert_string_equal(start(&p, true, ""),
			    "2 processes: 1 (a), 3 (?[1m), and their descendants (1 running now)");
	for (uint32_t i = 10; i < 20; i++)
		add(&p, i, 1, "b");
	assert_non_null(strstr(start(&p, false, ""), "12 processes: 1 (a), 3 (?[1m), 10 (b), "));
	assert_non_null(strstr(start(&p, false, ""), "17 (b) and 2 more"));
	processes_fini(&p);
}

/* A recording that knows of descendants only names these. */
static void
descendants_alone(void **state)
{
	struct processes p;

	(void)state;
	processes_init(&p);
	add(&p, 2, 4, "x");
	add(&p, 3, 4, "y");
	assert_string_equal(start(&p, true, ""), "2 processes: 2 (x), 3 (y)");
	processes_fini(&p);
}

/* situation: 54, 73, 116 */
static void
life(void **state)
{
	struct notices n = {.notice = {.size = 0}};
	struct processes p;
	struct process *process;
	const struct rec_process born = {.time_ns = 7, .pid = 5, .start_ns = 1, .parent = 4, .comm = rec_str("a\nb")};
	const struct rec_exec exec = {.time_ns = 8, .pid = 5, .path = rec_str("/bin/x\x9b"), .comm = rec_str("x")};
	const struct iotap_notice *said;

	(void)state;
	processes_init(&p);
	assert_int_equal(processes_process(&p, &born, &process), 0);
	said = notice_attached(&n, process, &born);
	assert_string_equal(said->message, "now tracing 5 (a?b), child of 4");
	assert_int_equal(said->parent, 4);
	assert_int_equal(said->boot_ns, 7);
	assert_int_equal(processes_exec(&p, &exec, &process), 0);
	said = notice_exec(&n, process, &exec);
	assert_string_equal(said->message, "5 is now running /bin/x\xef\xbf\xbd");
	assert_int_equal(said->path_len, 7);		/* as it is, for JSON */
	said = notice_exited(&n, NULL, &(struct rec_exit){.pid = 99, .time_ns = 9});
	assert_string_equal(said->message, "99 exited");
	assert_int_equal(said->pid, 99);
	said = notice_untraced(&n, &(struct rec_untraced){.pid = 6, .parent = 5, .reason = 1});
	assert_string_equal(said->message, "child 6 of 5 ended before it could be traced");
	said = notice_untraced(&n, &(struct rec_untraced){.pid = 6, .reason = 2});
	assert_string_equal(said->message, "child 6 is not traced: as many processes as possible are");
	notices_fini(&n);
	processes_fini(&p);
}

/* A rename is no news for people, but its name is handed on as it is. */
static void
renames_are_silent(void **state)
{
	struct notices n = {.notice = {.size = 0}};
	const struct iotap_notice *const said =
		notice_renamed(&n, NULL, &(struct rec_rename){.pid = 5, .tid = 6, .comm = rec_bytes("a\0b", 3)});

	(void)state;
	assert_string_equal(said->message, "");
	assert_int_equal(said->tid, 6);
	assert_int_equal(said->name_len, 3);
	assert_memory_equal(said->name, "a\0b", 4);
	notices_fini(&n);
}

static void
texts_and_ends(void **state)
{
	struct notices n = {.notice = {.size = 0}};

	(void)state;
	assert_string_equal(notice_text(&n, &(struct rec_notice){.text = rec_str("\x1b]0;x\x07"), .level = 2})->message,
			    "?]0;x?");
	assert_int_equal(n.notice.level, 2);
	assert_string_equal(notice_end(&n, &(struct rec_end){.reason = 1})->message, "");
	assert_string_equal(notice_end(&n, &(struct rec_end){.reason = 5})->message, "capture ended on an error");
	assert_string_equal(notice_clock_step(&n, 1, -1500000000)->message,
			    "the recorded machine's clock was set back by 1500.000 ms");
	assert_non_null(strstr(notice_clock_step(&n, 1, INT64_MIN)->message, "set back by 9223372036854.775 ms"));
	notices_fini(&n);
}

static void
losses(void **state)
{
	static const uint8_t pids[] = {7, 0x80, 1, 0x80};	/* 7, 128, and one that is cut off */
	struct notices n = {.notice = {.size = 0}};
	const struct iotap_drop *d;

	(void)state;
	d = notice_loss(&n, &(struct rec_loss){.from_ns = 1, .until_ns = 2, .count = 1, .cause = 1,
					       .pids = rec_bytes(pids, sizeof(pids))});
	assert_int_equal(d->cause, IOTAP_DROP_RING);
	assert_int_equal(d->n_pids, 2);
	assert_int_equal(d->pids[1], 128);
	assert_non_null(strstr(d->message, "1 call counted in the totals only"));
	/* What a later version may call a cause is a loss all the same. */
	d = notice_loss(&n, &(struct rec_loss){.count = 3, .cause = 77});
	assert_int_equal(d->cause, IOTAP_DROP_QUEUE);
	assert_string_equal(d->message, "capture could not keep up: 3 calls lost");
	d = notice_damage(&n, "a\x1b.iotap", IOTAP_DROP_DAMAGE, 64, 5, "bad \x1b");
	assert_string_equal(d->message, "a?.iotap: damage at byte 64 (5 bytes): bad ?; the rest is shown: copy the "
			    "file again, or keep what is whole with iotap-decode --salvage");
	assert_true(d->count == IOTAP_UNKNOWN && d->from_ns == IOTAP_UNKNOWN);
	d = notice_damage(&n, "b", IOTAP_DROP_TRUNCATED, 64, 5, "");
	assert_string_equal(d->message, "b ends abruptly at byte 69: capture was killed, or the file was not copied "
			    "whole; all before it is shown");
	notices_fini(&n);
}

/* More processes than a drop can name. */
static void
pids_are_bounded(void **state)
{
	static uint8_t pids[NOTICE_PIDS_MAX + 10];
	struct notices *const n = test_calloc(1, sizeof(*n));

	(void)state;
	memset(pids, 1, sizeof(pids));
	assert_int_equal(notice_loss(n, &(struct rec_loss){.cause = 2, .pids = rec_bytes(pids, sizeof(pids))})->n_pids,
			 NOTICE_PIDS_MAX);
	notices_fini(n);
	test_free(n);
}

static void
scopes_and_names_together(void **state)
{
	struct processes p;

	(void)state;
	processes_init(&p);
	assert_string_equal(start_of(&p, true, "\"curl\"", " of user \"www\""),
			    "every process of user \"www\", and those named \"curl\"");
	processes_fini(&p);
}

/* Each cause in its own words; 0 is none of them. */
static void
causes_of_losses(void **state)
{
	static const struct {
		uint64_t cause;
		enum iotap_drop_cause told;
		const char *words;
	} rows[] = {
		{0, IOTAP_DROP_QUEUE, "capture could not keep up: 2 calls lost"},
		{IOTAP_DROP_RING, IOTAP_DROP_RING, "the kernel buffer was full: 2 calls counted in the totals only"},
		{IOTAP_DROP_NOTES, IOTAP_DROP_NOTES, "2 "},
		{IOTAP_DROP_QUEUE, IOTAP_DROP_QUEUE, "capture could not keep up: 2 calls lost"},
		{IOTAP_DROP_OUTPUT, IOTAP_DROP_OUTPUT, "2 calls"},
		{IOTAP_DROP_DAMAGE, IOTAP_DROP_QUEUE, "capture could not keep up: 2 calls lost"},
	};
	struct notices n = {.notice = {.size = 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct iotap_drop *const d =
			notice_loss(&n, &(struct rec_loss){.count = 2, .cause = rows[i].cause});

		assert_int_equal(d->cause, rows[i].told);
		if (!strstr(d->message, rows[i].words))
			fail_msg("cause %d: %s", (int)rows[i].cause, d->message);
	}
	notices_fini(&n);
}

/* Without room for a name there is none, and nothing else of the notice is lost. */
static void
a_rename_without_room(void **state)
{
	struct notices n = {.message = {.limit = 4}};
	const struct iotap_notice *const said =
		notice_renamed(&n, NULL, &(struct rec_rename){.pid = 5, .tid = 6, .comm = rec_str("longer")});

	(void)state;
	assert_string_equal(said->name, "");
	assert_int_equal(said->name_len, 0);
	assert_int_equal(said->tid, 6);
	notices_fini(&n);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_start_names_whom_it_is_about),
		cmocka_unit_test(descendants_alone),
		cmocka_unit_test(life),
		cmocka_unit_test(renames_are_silent),
		cmocka_unit_test(texts_and_ends),
		cmocka_unit_test(losses),
		cmocka_unit_test(pids_are_bounded),
		cmocka_unit_test(scopes_and_names_together),
		cmocka_unit_test(causes_of_losses),
		cmocka_unit_test(a_rename_without_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
