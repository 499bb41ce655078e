/* tally_bounds_test.c - how much a summary may hold, whatever a recording says: bounds of tables, odd numbers */
#include <string.h>

#include "formats/base/buf.h"
#include "formats/iotap.h"
#include "formats/kernel_record.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

/* Reads a story to its end; the result of reading. The handle is for the summary. */
static int
read_story(struct buf *story, const struct iotap_filter *filter, iotap_t **h)
{
	const struct iotap_handlers none = {.size = sizeof(none)};

	*h = story_open(buf_cstr(story), filter);
	assert_int_equal(iotap_keep_summary(*h, 0), 0);
	return iotap_consume(*h, &none, NULL);
}

static iotap_t *
summed(const char *lines, const struct iotap_filter *filter, struct iotap_summary *s)
{
	struct buf story = {.data = NULL};
	iotap_t *h;

	(void)buf_printf(&story, "%s%s%s", STORY_BEGIN, lines, STORY_END);
	assert_int_equal(read_story(&story, filter, &h), 0);
	assert_int_equal(iotap_get_summary(h, s), 0);
	buf_free(&story);
	return h;
}

/* Of 300 interfaces 255 have a row; what goes over the others counts as over one that is not known. */
static void
many_interfaces(void **state)
{
	struct buf story = {.data = NULL};
	struct iotap_summary s;
	uint64_t bytes = 0, unknown = 0;
	iotap_t *h;

	(void)state;
	(void)buf_puts(&story, STORY_BEGIN);
	for (int i = 1; i <= 300; i++)
		(void)buf_printf(&story, "target id=%d origin=call kind=socket flags=16 family=inet sock_type=1 "
				 "device=\"if%d\"\n", i, i);
	(void)buf_puts(&story, "block calls\n");
	for (int i = 1; i <= 300; i++)
		(void)buf_printf(&story, "call key=%d tid=10 tgid=10 call=sendto id=%d result=7\n", 2000 + i, i);
	(void)buf_puts(&story, STORY_END);
	assert_int_equal(read_story(&story, NULL, &h), 0);
	assert_int_equal(iotap_get_summary(h, &s), 0);
	assert_in_range(s.n_interfaces, 255, 256);
	for (size_t i = 0; i < s.n_interfaces; i++) {
		bytes += s.interfaces[i].write.bytes;
		if (!s.interfaces[i].interface || strcmp(s.interfaces[i].interface, "?") == 0)
			unknown += s.interfaces[i].write.bytes;
	}
	assert_int_equal(bytes, 2100);
	assert_in_range(unknown, 7 * 45, 7 * 46);
	iotap_close(h);
	buf_free(&story);
}

/* More keys of sums than any capture keeps: the recording is refused, in words. */
static void
a_made_up_number_of_sums(void **state)
{
	static const char *const lines[] = {
		"aggregate level=2 call=read calls=1 first_ns=5000000001 last_ns=5000000001 pid=",
		"mapped dev=5 ino=77 generation=1 in_by_faults=4096 last_ns=9 pid=",
		"process time_ns=5000000000 start_ns=5 how=1 pid=",
	};

	(void)state;
	for (size_t k = 0; k < sizeof(lines) / sizeof(lines[0]); k++) {
		struct buf story = {.data = NULL};
		iotap_t *h;

		(void)buf_puts(&story, STORY_BEGIN);
		for (int i = 1; i <= 131072 + 2; i++)
			(void)buf_printf(&story, "%s%s%d\n", i % 10000 == 0 ? "block records\n" : "", lines[k], i);
		(void)buf_puts(&story, STORY_END);
		assert_int_equal(read_story(&story, NULL, &h), IOTAP_ELIMIT);
		assert_true(iotap_errmsg(h)[0] != '\0');
		iotap_close(h);
		buf_free(&story);
	}
}

/* Rows and their targets lie in chunks: more than one of them. */
static void
many_rows_with_long_names(void **state)
{
	enum { N = 200 };
	struct buf story = {.data = NULL};
	struct iotap_summary s;
	char name[3001];
	iotap_t *h;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	(void)buf_puts(&story, STORY_BEGIN);
	for (int i = 1; i <= N; i++)
		(void)buf_printf(&story, "target id=%d origin=call kind=file flags=16 text=\"/%s%03d\"\n", i, name, i);
	(void)buf_puts(&story, "block calls\n");
	for (int i = 1; i <= N; i++)
		(void)buf_printf(&story, "call key=%d tid=10 tgid=10 call=read id=%d result=%d\n", 2000 + i, i, i);
	(void)buf_puts(&story, STORY_END);
	assert_int_equal(read_story(&story, NULL, &h), 0);
	assert_int_equal(iotap_get_summary(h, &s), 0);
	assert_int_equal(s.n_rows, N);
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(s.rows[i].read.bytes, N - i);		/* the largest first */
		assert_int_equal(s.rows[i].target->text_len, 3004);
	}
	iotap_close(h);
	buf_free(&story);
}

#define SUM "aggregate level=1 pid=10 call=read id=1 calls=%d bytes=%d first_ns=5000000100 last_ns=5000000200\n"

/* What the first state says twice begins at the first of both. */
static void
a_baseline_said_twice(void **state)
{
	struct buf story = {.data = NULL};
	struct iotap_summary s;
	iotap_t *h;

	(void)state;
	(void)buf_puts(&story, "block header session=1\nhost format_major=1 os=1\n"
		       "clock boot_ns=5000000000 real_ns=1700000000000000000\n"
		       "block state\nclock boot_ns=5000000000 real_ns=1700000000000000000\n");
	(void)buf_printf(&story, SUM SUM, 5, 50, 8, 80);
	(void)buf_puts(&story, "mapped pid=10 dev=5 ino=7 generation=1 in_by_faults=4096 last_ns=5000000001\n"
		       "mapped pid=10 dev=5 ino=7 generation=1 in_by_faults=8192 last_ns=5000000001\n");
	(void)buf_puts(&story, STORY_END);
	assert_int_equal(read_story(&story, NULL, &h), 0);
	assert_int_equal(iotap_get_summary(h, &s), 0);
	assert_int_equal(s.aggregated_calls, 3);
	assert_int_equal(s.n_mapped, 1);
	assert_int_equal(s.mapped[0].in_by_faults, 4096);
	iotap_close(h);
	buf_free(&story);
}

/* A sum from a time that a filter leaves out, before it and after it. */
static void
sums_of_another_time(void **state)
{
	static const struct iotap_filter filters[] = {
		{.from_ns = 5000000201}, {.to_ns = 5000000099}, {.from_ns = 5000000200}, {.to_ns = 5000000100},
	};
	static const uint64_t calls[] = {0, 0, 4, 4};
	struct buf line = {.data = NULL};

	(void)state;
	(void)buf_printf(&line, SUM, 4, 40);
	for (size_t i = 0; i < 4; i++) {
		struct iotap_summary s;
		iotap_t *const h = summed(buf_cstr(&line), &filters[i], &s);

		assert_int_equal(s.aggregated_calls, calls[i]);
		iotap_close(h);
	}
	buf_free(&line);
}

/* The other side of sums between two descriptors: one whose target nobody knows has no row, and under a filter
 * by target it is not counted as a sum without a place, which its own side is. */
static void
the_other_side_of_sums(void **state)
{
#define SIDE(id) \
	"aggregate_source pid=10 call=sendfile id=" #id " calls=3 bytes=30 first_ns=5000000100 last_ns=5000000200\n"
	static const struct iotap_filter files = {.classes = 1u << IOTAP_CLASS_FILE};
	struct iotap_summary s;
	iotap_t *h = summed("target id=1 origin=call kind=file flags=16 text=\"/a\"\n" SIDE(1) SIDE(2), NULL, &s);

	(void)state;
	assert_int_equal(s.n_rows, 1);
	assert_int_equal(s.rows[0].read.bytes, 30);
	iotap_close(h);
	h = summed(SIDE(2), &files, &s);
	assert_int_equal(s.aggregated_unplaced, 0);
	assert_int_equal(s.n_rows, 0);
	iotap_close(h);
	h = summed("aggregate level=2 pid=10 call=read calls=3 first_ns=5000000100 last_ns=5000000200\n", &files, &s);
	assert_int_equal(s.aggregated_unplaced, 3);
	iotap_close(h);
}

/* Counters of a later version are more than this one knows; those that are cut off end where they are whole. */
static void
counters_that_are_more_or_cut(void **state)
{
	struct buf story = {.data = NULL};
	struct iotap_summary s;
	iotap_t *h;

	(void)state;
	(void)buf_puts(&story, STORY_BEGIN "block end\ncounters final=1 program_misses=3 values=[");
	for (int i = 0; i < KC_N + 9; i++)
		(void)buf_printf(&story, "%s%d", i > 0 ? "," : "", i == KC_x32_or_unknown ? 7 : 0);
	(void)buf_puts(&story, "]\nend time_ns=9000000000 reason=1\n");
	assert_int_equal(read_story(&story, NULL, &h), 0);
	assert_int_equal(iotap_get_summary(h, &s), 0);
	assert_int_equal(s.unknown_numbers, 7);
	assert_int_equal(s.program_misses, 3);
	iotap_close(h);
	buf_free(&story);
}

/* A state that comes later says nothing of where counting began. */
static void
counters_of_later_states(void **state)
{
	struct iotap_summary s;
	iotap_t *const h = summed(
		"block calls\ncall key=5000000100 duration=1 tid=10 tgid=10 call=read\n"
		"block state\nclock boot_ns=5000001000 real_ns=1700000000000001000\n"
		"counters program_misses=2 values=[0,0,0,0,0,0,10,0,0,0,0,0,0,0,0,0,0,0,0,0,3]\n", NULL, &s);

	(void)state;
	assert_int_equal(s.other_calls, 10);
	assert_int_equal(s.unknown_numbers, 3);
	assert_int_equal(s.program_misses, 2);
	iotap_close(h);
}

/* A pause that ends before it began took no time. */
static void
time_that_goes_back(void **state)
{
	struct iotap_summary s;
	iotap_t *const h = summed(
		"notice time_ns=8000000000 level=1 text=\"paused: calls from here on are not recorded\"\n"
		"notice time_ns=8000000000 level=1 text=\"recording again after a pause of 0.0 s\"\n", NULL, &s);

	(void)state;
	assert_int_equal(s.paused_ns, 0);
	iotap_close(h);
}

/* A call that this version does not know, and one whose result is a sum of nothing. */
static void
calls_of_a_later_version(void **state)
{
	struct iotap_summary s;
	iotap_t *const h = summed("aggregate level=2 pid=10 call=60000 calls=3 first_ns=5000000001 last_ns=5000000002\n"
				  "aggregate level=2 pid=10 call=mmap calls=3 errors=3 first_ns=5000000001 "
				  "last_ns=5000000002\n", NULL, &s);
	uint64_t unknown = 0;

	(void)state;
	for (size_t i = 0; i < s.n_op_rows; i++)
		unknown += iotap_call_name(s.op_rows[i].call) ? 0 : s.op_rows[i].calls;
	assert_int_equal(s.aggregated_calls, 6);
	assert_int_equal(unknown, 3);
	assert_int_equal(s.mmap_calls, 0);
	iotap_close(h);
}

/* Whose calls were not seen in full is told of 4,096 processes; the rest is counted. */
static void
many_processes_with_blind_spots(void **state)
{
	enum { ALL = 4200, KEPT = 4096 };
	struct buf story = {.data = NULL};
	struct iotap_summary s;
	uint64_t sum = 0;
	iotap_t *h;

	(void)state;
	(void)buf_puts(&story, STORY_BEGIN "block calls\n");
	for (int i = 1; i <= ALL; i++)
		(void)buf_printf(&story, "call key=%d tid=%d tgid=%d call=read flags=fd fd=3 result=1\n",
				 2000 + i, i, i);
	(void)buf_puts(&story, "call key=9000 tid=7 tgid=7 call=read flags=fd fd=3 result=1\n"
		       "call key=9001 tid=7 tgid=7 call=read flags=fd|compat fd=3 result=1\n" STORY_END);
	assert_int_equal(read_story(&story, NULL, &h), 0);
	assert_int_equal(iotap_get_summary(h, &s), 0);
	assert_int_equal(s.unresolved_calls, ALL + 2);
	assert_int_equal(s.n_blind, KEPT + 1);
	assert_int_equal(s.blind[0].pid, 7);	/* the one with most comes first */
	assert_string_equal(s.blind[0].spot, "compat_calls");
	assert_int_equal(s.blind[0].calls, 1);
	assert_string_equal(s.blind[1].spot, "unresolved_calls");
	assert_int_equal(s.blind[1].calls, 3);
	for (size_t i = 1; i < s.n_blind; i++)
		sum += s.blind[i].calls;
	assert_int_equal(sum + s.blind_further, ALL + 2);
	assert_int_equal(s.blind_further, ALL - KEPT);
	iotap_close(h);
	buf_free(&story);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_interfaces),
		cmocka_unit_test(a_made_up_number_of_sums),
		cmocka_unit_test(many_rows_with_long_names),
		cmocka_unit_test(a_baseline_said_twice),
		cmocka_unit_test(sums_of_another_time),
		cmocka_unit_test(the_other_side_of_sums),
		cmocka_unit_test(counters_that_are_more_or_cut),
		cmocka_unit_test(counters_of_later_states),
		cmocka_unit_test(time_that_goes_back),
		cmocka_unit_test(calls_of_a_later_version),
		cmocka_unit_test(many_processes_with_blind_spots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
