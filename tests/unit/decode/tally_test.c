/* tally_test.c - decode/tally.h by way of formats/iotap.h: sums, rows, bounds, sums of the kernel's */
#include "formats/iotap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/buf.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

static iotap_t *
read_all(const char *story, size_t max_rows, struct iotap_summary *s)
{
	const struct iotap_handlers none = {.size = sizeof(none)};
	iotap_t *const h = story_open(story, NULL);

	assert_int_equal(iotap_keep_summary(h, max_rows), 0);
	assert_int_equal(iotap_consume(h, &none, NULL), 0);
	assert_int_equal(iotap_get_summary(h, s), 0);
	return h;
}

/* situation: 78 */
static void
byte_sums_stay_at_the_top(void **state)
{
	struct iotap_summary s;
	iotap_t *const h = read_all(STORY_BEGIN
		"target id=1 origin=call kind=file flags=16 text=\"/a\"\n"
		"block calls\n"
		"call key=5000000100 tid=10 tgid=10 call=read id=1 result=9223372036854775807\n"
		"call key=5000000200 tid=10 tgid=10 call=read id=1 result=9223372036854775807\n"
		"call key=5000000300 tid=10 tgid=10 call=read id=1 result=9223372036854775807\n" STORY_END, 0, &s);

	(void)state;
	assert_true(s.read[IOTAP_CLASS_FILE].bytes == UINT64_MAX);
	assert_true(s.rows[0].read.bytes == UINT64_MAX);
	assert_int_equal(s.rows[0].read.calls, 3);
	iotap_close(h);
}

static void
targets_beyond_the_bound_share_a_row(void **state)
{
	struct buf story = {.data = NULL};
	struct iotap_summary s;
	iotap_t *h;

	(void)state;
	(void)buf_puts(&story, STORY_BEGIN);
	for (int i = 1; i <= 10; i++)
		(void)buf_printf(&story, "target id=%d origin=call kind=file flags=16 text=\"/f%d\"\n", i, i);
	(void)buf_puts(&story, "block calls\n");
	for (int i = 1; i <= 20; i++)
		(void)buf_printf(&story, "call key=%d tid=10 tgid=10 call=write id=%d result=100\n", 2000 + i,
				 1 + (i - 1) % 10);
	(void)buf_puts(&story, STORY_END);
	h = read_all(buf_cstr(&story), 4, &s);
	assert_int_equal(s.n_rows, 5);
	assert_int_equal(s.rows_refused, 6);
	assert_string_equal(s.rows[0].target->text, "<targets beyond the limit>");
	assert_int_equal(s.rows[0].write.bytes, 1200);
	assert_int_equal(s.write[IOTAP_CLASS_FILE].bytes, 2000);
	iotap_close(h);
	buf_free(&story);
}

/* A target that makes room for others and is used again is the same: what was counted of it counts once,
 * what comes then goes on. */
static void
what_comes_back_counts_on(void **state)
{
	struct buf story = {.data = NULL};
	struct iotap_summary s;
	iotap_t *h;

	(void)state;
	(void)buf_puts(&story, STORY_BEGIN
		"target id=1 origin=call kind=file flags=16 text=\"/a\"\n"
		"target id=2 origin=call kind=file flags=16 text=\"/b\"\n"
		"block calls\n"
		"call key=5000000001 tid=10 tgid=10 call=fsync id=1\n"
		"call key=5000000002 tid=10 tgid=10 call=read id=1 result=1\n"
		"call key=5000000003 tid=10 tgid=10 call=read id=2 result=1\n");
	for (uint32_t id = 3; id < 3 + EPOCH_TARGETS_MAX; id++)
		(void)buf_printf(&story, "%starget id=%u kind=file text=\"/x\"\n",
				 id % 30000 == 3 ? "block records\n" : "", id);
	(void)buf_puts(&story, "block calls\n"
		"call key=5000000004 tid=10 tgid=10 call=fsync id=1\n"
		"call key=5000000005 tid=10 tgid=10 call=read id=1 result=1\n"
		"call key=5000000006 tid=10 tgid=10 call=close id=1\n"
		"call key=5000000007 tid=10 tgid=10 call=read id=2 result=1\n" STORY_END);
	h = read_all(buf_cstr(&story), 1, &s);
	assert_int_equal(s.n_rows, 2);
	assert_string_equal(s.rows[0].target->text, "/a");
	assert_int_equal(s.rows[0].read.calls, 2);
	assert_int_equal(s.rows[0].ops, 3);
	assert_int_equal(s.rows_refused, 1);
	iotap_close(h);
	buf_free(&story);
}

/* Rows are of keys, not of ids: a file opened twice is one, a peer connected to twice is one with two
 * connections, names that differ in a byte are two. */
/* situation: 125, 126 */
static void
rows_are_of_keys(void **state)
{
	struct iotap_summary s;
	iotap_t *const h = read_all(STORY_BEGIN
		"target id=1 origin=call kind=file flags=16 text=\"/a\"\n"
		"target id=2 origin=call kind=file flags=16 text=\"/a\"\n"
		"target id=3 origin=call kind=file flags=16 text=\"/\xff\"\n"
		"target id=4 origin=call kind=file flags=16 text=\"/\xfe\"\n"
		"target id=5 kind=socket family=inet sock_type=1 local=1.1.1.1 local_port=1 "
		"remote=2.2.2.2 remote_port=2\n"
		"target id=6 kind=socket family=inet sock_type=1 local=1.1.1.1 local_port=3 "
		"remote=2.2.2.2 remote_port=2\n"
		"target id=7 kind=socket family=inet sock_type=1 local=1.1.1.1 local_port=3 "
		"remote=2.2.2.2 remote_port=2\n"
		"block calls\n"
		"call key=5000000101 duration=7 tid=10 tgid=10 call=read id=1 result=1\n"
		"call key=5000000102 duration=9 tid=10 tgid=10 call=read id=2 result=-5\n"
		"call key=5000000103 tid=10 tgid=10 call=read id=3 result=1\n"
		"call key=5000000104 tid=10 tgid=10 call=read id=4 result=1\n"
		"call key=5000000105 tid=10 tgid=10 call=recvfrom id=5 result=1\n"
		"call key=5000000106 tid=10 tgid=10 call=recvfrom id=6 result=1\n"
		"call key=5000000107 tid=10 tgid=10 call=recvfrom id=7 result=1\n" STORY_END, 0, &s);

	(void)state;
	assert_int_equal(s.n_rows, 4);
	assert_string_equal(s.rows[0].target->key, "tcp 2.2.2.2:2");
	assert_int_equal(s.rows[0].connections, 2);
	assert_string_equal(s.rows[1].target->key, "/a");
	assert_int_equal(s.rows[1].read.calls, 2);
	assert_int_equal(s.rows[1].errors, 1);
	assert_int_equal(s.rows[1].latency_ns, 16);
	assert_int_equal(s.rows[1].latency_max_ns, 9);
	iotap_close(h);
}

#define SUMMED(calls, bytes, first, last) \
	"aggregate level=1 pid=10 call=2 id=1 calls=" calls " bytes=" bytes " first_ns=" first " last_ns=" last "\n"

static void
sums_of_the_kernel_count_once(void **state)
{
	struct iotap_summary s;
	iotap_t *const h = read_all(STORY_BEGIN
		"target id=1 origin=call kind=file flags=16 text=\"/a\"\n"
		SUMMED("10", "100", "5000000100", "5000000200")
		SUMMED("10", "100", "5000000100", "5000000200")
		SUMMED("25", "250", "5000000100", "5000000300")
		"block state\n"
		"clock boot_ns=5000001000 real_ns=1700000000000001000\n"
		"block records\n"
		"target id=1 origin=call kind=file flags=16 text=\"/a\"\n"
		SUMMED("26", "260", "5000000100", "5000001300") STORY_END, 0, &s);

	(void)state;
	assert_int_equal(s.aggregated_calls, 26);
	assert_int_equal(s.write[IOTAP_CLASS_FILE].bytes, 260);
	assert_int_equal(s.events, 26);
	assert_int_equal(s.n_rows, 1);
	assert_int_equal(s.rows[0].write.calls, 26);
	assert_int_equal(s.aggregated_unknown_target, 0);
	iotap_close(h);
}

/* Sums without a target have a row, too: rows add up to the totals. */
static void
rows_add_up_to_the_totals(void **state)
{
	struct iotap_summary s;
	uint64_t bytes = 0, calls = 0, totals = 0;
	iotap_t *const h = read_all(STORY_BEGIN
		"target id=1 origin=call kind=file flags=16 text=\"/a\"\n"
		SUMMED("10", "100", "5000000100", "5000000200")
		"aggregate level=2 pid=10 call=write calls=7 bytes=70 first_ns=5000000100 last_ns=5000000200\n"
		"aggregate level=3 call=read calls=5 bytes=50 first_ns=5000000100 last_ns=5000000200\n"
		"aggregate level=3 call=sendto calls=3 bytes=30 first_ns=5000000100 last_ns=5000000200\n"
		"aggregate level=1 pid=10 call=write id=77 calls=2 bytes=20 first_ns=5000000100 last_ns=5000000200\n"
		"block calls\n"
		"call key=5000000300 tid=10 tgid=10 call=write result=1000\n" STORY_END, 0, &s);

	(void)state;
	for (size_t i = 0; i < s.n_rows; i++) {
		bytes += s.rows[i].read.bytes + s.rows[i].write.bytes;
		calls += s.rows[i].read.calls + s.rows[i].write.calls;
	}
	for (size_t i = 0; i < 3; i++)
		totals += s.read[i].bytes + s.write[i].bytes;
	assert_int_equal(s.n_rows, 3);
	assert_string_equal(s.rows[0].target->text, "<unknown>");
	assert_int_equal(s.rows[0].write.bytes, 1090);
	assert_int_equal(s.rows[0].write.calls, 10);
	assert_int_equal(s.aggregated_unknown_target, 17);
	assert_int_equal(bytes, totals);
	assert_int_equal(bytes, 1270);
	assert_int_equal(calls, s.events);
	iotap_close(h);
}

/* What was not seen, from the kernel's counters since the beginning, from calls, and from pauses. */
static void
blind_spots_are_counted(void **state)
{
	struct iotap_summary s;
	iotap_t *const h = read_all(
		"block header session=1\nhost format_major=1 os=1\nclock boot_ns=5000000000 real_ns=1\n"
		"block state\nclock boot_ns=5000000000 real_ns=1\n"
		"counters program_misses=2 values=[0,0,0,0,0,0,10,0,1,0,0,0,0,0,0,0,0,0,0,0,3,0,4]\n"
		"block records\n"
		"notice time_ns=6000000000 level=1 text=\"paused: calls from here on are not recorded\"\n"
		"notice time_ns=6500000000 level=1 text=\"recording again after a pause of 0.500 s\"\n"
		"notice time_ns=7000000000 level=1 text=\"paused: calls from here on are not recorded\"\n"
		"block calls\n"
		"call key=5000000001 tid=10 tgid=10 call=write flags=fd fd=1 result=5\n"
		"call key=5000000002 tid=10 tgid=10 call=close flags=fd fd=1 result=0\n"
		"call key=5000000003 tid=10 tgid=10 call=sendto flags=fd fd=1 result=5\n"
		"block end\n"
		"counters final=1 program_misses=3 values=[0,0,0,0,0,0,15,0,2,0,0,0,0,0,0,0,0,0,0,0,10,0,5]\n"
		"end time_ns=9000000000 reason=1\n", 0, &s);

	(void)state;
	assert_int_equal(s.other_calls, 6);
	assert_int_equal(s.unknown_numbers, 7);
	assert_int_equal(s.lost_names, 1);
	assert_int_equal(s.program_misses, 1);
	assert_int_equal(s.unresolved_calls, 1);
	assert_int_equal(s.over_unknown_interface, 1);
	assert_true(s.paused_ns == UINT64_C(2500000000));
	iotap_close(h);
}

/* A name that is not there is counted, whyever; what has none is not. */
static void
calls_on_nameless_targets_are_counted(void **state)
{
	struct iotap_summary s;
	iotap_t *const h = read_all(STORY_BEGIN
		"target id=1 kind=file dev=1 ino=1 text=\"/named\"\n"
		"target id=2 kind=file dev=1 ino=2 flags=256\n"		/* made room */
		"target id=4 kind=pipe dev=1 ino=4 flags=256\n"
		"block calls\n"
		"entry id=1 kind=file dev=1 ino=1\nentry id=2 kind=file dev=1 ino=2\n"
		"entry id=3 kind=file dev=1 ino=3\n"			/* no definition */
		"entry id=4 kind=pipe dev=1 ino=4\nentry id=5 kind=pipe dev=1 ino=5\nentry id=6 kind=socket\n"
		"call key=5000000001 tid=10 tgid=10 call=write flags=fd|identity fd=1 id=1 result=5\n"
		"call key=5000000002 tid=10 tgid=10 call=write flags=fd|identity fd=1 id=2 result=5\n"
		"call key=5000000003 tid=10 tgid=10 call=write flags=fd|identity fd=1 id=3 result=5\n"
		"call key=5000000004 tid=10 tgid=10 call=close flags=fd|identity fd=1 id=3 result=0\n"
		"call key=5000000005 tid=10 tgid=10 call=write flags=fd|identity fd=1 id=4 result=5\n"
		"call key=5000000006 tid=10 tgid=10 call=write flags=fd|identity fd=1 id=5 result=5\n"
		"call key=5000000007 tid=10 tgid=10 call=write flags=fd|identity fd=1 id=6 result=5\n"
		"call key=5000000008 tid=10 tgid=10 call=write fd=1 result=5\n" STORY_END, 0, &s);

	(void)state;
	assert_int_equal(s.undefined, 4);
	assert_int_equal(s.n_blind, 3);		/* of one process: the unknown descriptor, the socket's interface */
	assert_string_equal(s.blind[0].spot, "undefined_calls");
	assert_int_equal(s.blind[0].calls, 4);
	iotap_close(h);
}

/* A file of a rotation: the sums began to grow before it. */
static void
sums_from_before_the_recording_are_not_its_own(void **state)
{
	struct iotap_summary s;
	/* Restated as the file begins: where counting starts. A key first told of later is all its own. */
	iotap_t *const h = read_all("block header session=1\n"
		"host format_major=1 os=1 arch=x86_64 tool=\"t\" boot_id=\"b\"\n"
		"clock boot_ns=5000000000 real_ns=1700000000000000000\n"
		"block state\n"
		"clock boot_ns=5000000000 real_ns=1700000000000000000\n"
		SUMMED("1000", "1000", "1", "4000000100")
		"block records\n"
		SUMMED("1003", "1003", "1", "5000000200")
		"aggregate level=1 pid=11 call=2 id=1 calls=7 bytes=7 first_ns=1 last_ns=4000000000\n"
		STORY_END, 0, &s);

	(void)state;
	assert_int_equal(s.aggregated_calls, 10);
	assert_int_equal(s.aggregated_unknown_target, 10);
	assert_int_equal(s.write[IOTAP_CLASS_OTHER].bytes, 10);
	iotap_close(h);
}

static void
the_summary_can_be_asked_for_while_reading(void **state)
{
	iotap_t *const h = story_open(STORY_BEGIN
		"target id=1 origin=call kind=file flags=16 text=\"/a\"\n"
		"block calls\n"
		"call key=5000000101 tid=10 tgid=10 call=read id=1 result=1\n"
		"block calls\n"
		"call key=5000000102 tid=10 tgid=10 call=read id=1 result=2\n" STORY_END, NULL);
	struct iotap_summary s;
	struct iotap_batch b;
	char *text;

	(void)state;
	assert_int_equal(iotap_keep_summary(h, 0), 0);
	for (uint64_t sum = 1; sum <= 3; sum += 2) {
		assert_int_equal(iotap_next_batch(h, 0, NULL, NULL, &b), 1);
		assert_int_equal(iotap_get_summary(h, &s), 0);
		assert_int_equal(s.rows[0].read.bytes, sum);
		assert_false(s.complete);
	}
	assert_int_equal(iotap_next_batch(h, 0, NULL, NULL, &b), 0);
	assert_int_equal(iotap_get_summary(h, &s), 0);
	assert_true(s.complete);
	assert_int_equal(s.duration_ns, 4000000000);
	text = iotap_summary_text(h, 0, IOTAP_SHOW_FILES);
	assert_non_null(strstr(text, "Files (1 target)"));
	assert_null(strstr(text, "etwork"));
	free(text);
	iotap_close(h);
}

/* Sums of calls that move messages: without a number of messages they moved what nobody counted. */
static void
sums_of_messages(void **state)
{
	struct iotap_summary s;
	iotap_t *const h = read_all(STORY_BEGIN
		"target id=1 kind=socket family=inet sock_type=2\n"
		"aggregate level=1 pid=10 call=sendmmsg id=1 calls=5 errors=2 first_ns=1 last_ns=5000000001\n"
		"aggregate level=1 pid=11 call=sendmmsg id=1 calls=5 messages=9 first_ns=1 last_ns=5000000001\n"
		"aggregate level=1 pid=12 call=sendmmsg id=1 calls=2 errors=2 first_ns=1 last_ns=5000000001\n"
		STORY_END, 0, &s);

	(void)state;
	assert_int_equal(s.n_rows, 1);
	assert_int_equal(s.rows[0].unsized_calls, 3);
	assert_int_equal(s.rows[0].messages, 9);
	assert_int_equal(s.rows[0].errors, 4);
	iotap_close(h);
}

static void
expect_paused(const char *notices, uint64_t paused_ns)
{
	struct buf story = {.data = NULL};
	struct iotap_summary s;
	iotap_t *h;
	char *text;

	(void)buf_printf(&story, "%s%s%s", STORY_BEGIN, notices, STORY_END);
	h = read_all(buf_cstr(&story), 0, &s);
	assert_int_equal(s.paused_ns, paused_ns);
	text = iotap_summary_text(h, 0, IOTAP_SHOW_NOTES);
	assert_true((strstr(text, "pause") != NULL) == (paused_ns > 0));
	free(text);
	iotap_close(h);
	buf_free(&story);
}

#define PAUSE(ns) "notice time_ns=" ns " level=1 text=\"paused: calls from here on are not recorded\"\n"
#define RESUME(ns) "notice time_ns=" ns " level=1 text=\"recording again after a pause of 1.5 s\"\n"

/* A pause lasts to its end, or to that of the recording; an end without a beginning is none. */
static void
pauses(void **state)
{
	(void)state;
	expect_paused("", 0);
	expect_paused(PAUSE("6000000000") RESUME("7500000000"), 1500000000);
	expect_paused(PAUSE("6000000000") RESUME("7000000000") PAUSE("8000000000"), 2000000000);
	expect_paused(RESUME("7000000000"), 0);
	expect_paused("notice time_ns=6 level=1 text=\"recording again after a pause of love\"\n", 0);
}

static int
refuse(const struct iotap_aggregate *a, void *arg)
{
	(void)a;
	return *(const int *)arg;
}

/* Sums are told while a summary is kept; a handler can end it. */
static void
who_is_told_of_sums_can_end_it(void **state)
{
	static const int said[] = {IOTAP_NEXT, IOTAP_ABORT};
	static const int results[] = {0, IOTAP_EABORT};
	const struct iotap_handlers handlers = {.size = sizeof(handlers), .aggregate = refuse};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		int answer = said[i];
		iotap_t *const h = story_open(STORY_BEGIN SUMMED("5", "5", "5000000001", "5000000002") STORY_END,
					      NULL);

		assert_int_equal(iotap_keep_summary(h, 0), 0);
		assert_int_equal(iotap_keep_summary(h, 0), IOTAP_EUSAGE);
		assert_int_equal(iotap_consume(h, &handlers, &answer), results[i]);
		iotap_close(h);
	}
}

static void
one_file_twice_is_refused(void **state)
{
	const int fd = story_fd(STORY_BEGIN STORY_END);
	const int fds[] = {fd, dup(fd)};
	static const char *const names[] = {"one", "two"};
	char why[200] = "";

	(void)state;
	assert_null(iotap_open_many(fds, names, 2, NULL, why, sizeof(why)));
	assert_non_null(strstr(why, "two: is the same file as one"));
	assert_null(iotap_open_many(NULL, NULL, 0, NULL, why, sizeof(why)));
	assert_string_equal(why, "no input");
	assert_null(iotap_open_many(NULL, NULL, 0, NULL, NULL, 0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(byte_sums_stay_at_the_top),
		cmocka_unit_test(targets_beyond_the_bound_share_a_row),
		cmocka_unit_test(what_comes_back_counts_on),
		cmocka_unit_test(rows_are_of_keys),
		cmocka_unit_test(sums_of_the_kernel_count_once),
		cmocka_unit_test(rows_add_up_to_the_totals),
		cmocka_unit_test(blind_spots_are_counted),
		cmocka_unit_test(calls_on_nameless_targets_are_counted),
		cmocka_unit_test(sums_from_before_the_recording_are_not_its_own),
		cmocka_unit_test(the_summary_can_be_asked_for_while_reading),
		cmocka_unit_test(sums_of_messages),
		cmocka_unit_test(pauses),
		cmocka_unit_test(who_is_told_of_sums_can_end_it),
		cmocka_unit_test(one_file_twice_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
