/* check_test.c - decode/check.h: a law that is broken is found, what is only missing is no lie */
#include "decode/check.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/mend.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

static int
check(const char *story, size_t cut, struct check *c, struct buf *out)
{
	struct buf recording = {.data = NULL};
	struct reader *reader;
	int r;

	memset(c, 0, sizeof(*c));
	story_assemble(story, &recording);
	reader = reader_new_memory(recording.data, recording.len - cut, "story");
	r = check_recording(c, reader, out);
	reader_free(reader);
	buf_free(&recording);
	return r;
}

static void
expect(const char *story, bool broken, bool incomplete, const char *line)
{
	struct buf out = {.data = NULL};
	struct check c;

	assert_int_equal(check(story, 0, &c, &out), 0);
	if (c.broken != broken || c.incomplete != incomplete || !strstr(buf_cstr(&out), line))
		fail_msg("no \"%s\", broken %d, incomplete %d:\n%s", line, c.broken, c.incomplete,
			 buf_cstr(&out));
	buf_free(&out);
}

/* Two calls: one that ended, one in flight. The order of the values is that of KR_COUNTERS: enters, exits,
 * paired, restart_waits, joined, interrupted, not_selected, before ... */
#define CALLS \
	"block calls\n" \
	"call key=5000000100 duration=1 tid=10 tgid=10 call=read\n" \
	"call key=5000000200 tid=10 tgid=10 call=read flags=unfinished\n"
#define COUNTERS(values, members) \
	"block end\n" \
	"counters time_ns=8000000000 final=1 " members " values=[" values "]\n" \
	"end time_ns=9000000000 reason=1 calls=2 blocks=5\n"
#define WHOLE_VALUES "3,2,1,0,0,0,1,0,0,0,0,0,0,0,0,1,0"

static void
a_whole_recording(void **state)
{
	(void)state;
	expect(STORY_BEGIN CALLS COUNTERS(WHOLE_VALUES, "in_flight=1 written=1"), false, false,
	       "the recording is whole\n");
}

/* Each law by itself: one number is wrong. */
static void
every_law_can_be_broken(void **state)
{
	static const struct {
		const char *counters, *line;
	} rows[] = {
		{COUNTERS("3,3,1,0,0,0,1,0,0,0,0,0,0,0,0,1,0", "in_flight=1 written=1"), "BROKEN exits"},
		{COUNTERS("4,2,1,0,0,0,1,0,0,0,0,0,0,0,0,1,0", "in_flight=1 written=1"), "BROKEN enters"},
		{COUNTERS("3,2,1,0,0,0,1,0,0,0,0,0,0,0,0,2,0", "in_flight=1 written=2"),
		 "BROKEN paired + before"},
		{COUNTERS("3,2,1,0,1,0,1,0,0,0,0,0,0,0,0,1,0", "in_flight=1 written=1"),
		 "BROKEN restart waits"},
		{COUNTERS(WHOLE_VALUES, "in_flight=1"), "BROKEN recorded = written"},
		{COUNTERS("4,3,2,0,0,0,1,0,0,0,0,0,0,0,0,1,1", "in_flight=1 written=1"),
		 "BROKEN aggregated = sum"},
		{COUNTERS("4,3,2,0,0,0,1,0,0,0,0,0,0,0,0,2,0", "in_flight=1 written=2"),
		 "BROKEN written = calls here"},
		{"block end\nend time_ns=1 reason=1 calls=3 blocks=5\n", "BROKEN calls here"},
		{"block end\nend time_ns=1 reason=1 calls=2 blocks=6\n", "BROKEN blocks here"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char story[2000];
		struct buf out = {.data = NULL};
		struct check c;

		(void)snprintf(story, sizeof(story), "%s%s", STORY_BEGIN CALLS, rows[i].counters);
		assert_int_equal(check(story, 0, &c, &out), 0);
		if (!c.broken || !strstr(buf_cstr(&out), rows[i].line) ||
		    !strstr(buf_cstr(&out), "the recording contradicts itself"))
			fail_msg("not \"%s\":\n%s", rows[i].line, buf_cstr(&out));
		buf_free(&out);
	}
}

/* Of each key the last value counts, whatever it was before. */
static void
aggregates_are_cumulative_per_key(void **state)
{
	(void)state;
	expect(STORY_BEGIN
	       "aggregate level=1 pid=10 call=1 id=3 calls=5\n"
	       "aggregate level=2 pid=10 call=1 calls=1\n"
	       "aggregate level=1 pid=10 call=1 id=3 calls=7\n" CALLS
	       COUNTERS("11,10,9,0,0,0,1,0,0,0,0,0,0,0,0,1,8", "in_flight=1 written=1"), false, false,
	       "ok     aggregated = sum of the aggregates: 8 = 8");
}

/* Of a rotation's later file: what was written before it began is not here. */
static void
the_first_state_says_where_counting_begins(void **state)
{
	(void)state;
	expect("block header session=1\n"
	       "host format_major=1 os=1 arch=x86_64\n"
	       "block state\n"
	       "counters time_ns=1 written=10 values=[12,11,10,0,0,0,1,0,0,0,0,0,0,0,0,10,0]\n"
	       CALLS
	       "block end\n"
	       "counters time_ns=2 final=1 in_flight=1 written=11 "
	       "values=[13,12,11,0,0,0,1,0,0,0,0,0,0,0,0,11,0]\n"
	       "end time_ns=3 reason=1 calls=2 blocks=4\n", false, false,
	       "ok     written = calls here that finished: 1 = 1");
}

static void
calls_out_of_order_across_blocks(void **state)
{
	(void)state;
	expect(STORY_BEGIN
	       "block calls\ncall key=5000000200 duration=1 tid=10 tgid=10 call=read\n"
	       "block calls\ncall key=5000000199 duration=1 tid=10 tgid=10 call=read\n"
	       STORY_END, true, true, "bad    1 calls out of the order of time");
}

static void
stated_losses_make_it_incomplete_not_wrong(void **state)
{
	(void)state;
	expect(STORY_BEGIN "loss from_ns=1 until_ns=2 count=9 cause=3\nloss from_ns=1 until_ns=2 count=5 cause=1\n"
	       CALLS COUNTERS(WHOLE_VALUES, "in_flight=1 written=1"), false, true,
	       "note   2 losses stated, 9 calls without a trace");
}

static void
without_final_counters_nothing_is_proved(void **state)
{
	(void)state;
	expect(STORY_BEGIN CALLS "block end\nend time_ns=1 reason=1 calls=2 blocks=5\n", false, true,
	       "the laws cannot be proved");
	expect("block header session=1\nhost format_major=1 os=1 arch=x86_64 stream=1\n"
	       "block state\nclock boot_ns=1 real_ns=1\n" CALLS
	       "block end\nend time_ns=1 reason=1 calls=2 blocks=4\n", false, false,
	       "a filtered event stream has none");
}

/* Wherever it is cut, that is said and nothing is called whole. */
static void
cut_off(void **state)
{
	struct buf whole = {.data = NULL};

	(void)state;
	story_assemble(STORY_BEGIN CALLS COUNTERS(WHOLE_VALUES, "in_flight=1 written=1"), &whole);
	for (size_t cut = 1; cut + 64 < whole.len; cut += 7) {
		struct buf out = {.data = NULL};
		struct check c;

		assert_int_equal(check(STORY_BEGIN CALLS COUNTERS(WHOLE_VALUES, "in_flight=1 written=1"), cut,
				       &c, &out), 0);
		if (!c.incomplete || strstr(buf_cstr(&out), "is whole"))
			fail_msg("%zu bytes less:\n%s", cut, buf_cstr(&out));
		buf_free(&out);
	}
	buf_free(&whole);
}

/* What a reader finds broken is counted and said where it is; laws about the whole are not tried then. */
static void
damage_is_said_with_its_place(void **state)
{
	struct buf recording = {.data = NULL};
	struct buf out = {.data = NULL};
	struct check c = {.broken = false};
	struct reader *reader;

	(void)state;
	story_assemble(STORY_BEGIN CALLS COUNTERS(WHOLE_VALUES, "in_flight=1 written=1"), &recording);
	recording.data[recording.len / 2] ^= 1;
	reader = reader_new_memory(recording.data, recording.len, "story");
	assert_int_equal(check_recording(&c, reader, &out), 0);
	assert_int_equal(c.damages, 1);
	assert_true(c.incomplete);
	assert_non_null(strstr(buf_cstr(&out), "bad    at "));
	assert_non_null(strstr(buf_cstr(&out), "bad    1 places, "));
	assert_null(strstr(buf_cstr(&out), "calls here = calls of the end block"));
	assert_null(strstr(buf_cstr(&out), "written = calls here"));
	reader_free(reader);
	buf_free(&recording);
	buf_free(&out);
}

/* Checksums are right, what is in the block is not. */
static void
a_block_that_contradicts_itself(void **state)
{
	struct buf recording = {.data = NULL};
	struct buf out = {.data = NULL};
	struct check c = {.broken = false};
	struct reader *reader;

	(void)state;
	story_assemble(STORY_BEGIN "record type=99 body=\"0123456789\"\n" CALLS STORY_END, &recording);
	for (size_t i = 0; i + 12 < recording.len; i++) {
		if (memcmp(recording.data + i, "\x63\x0a" "0123456789", 12) == 0)
			recording.data[i + 1] = 11;	/* longer than the block */
	}
	mend(recording.data, recording.len);
	reader = reader_new_memory(recording.data, recording.len, "story");
	assert_int_equal(check_recording(&c, reader, &out), 0);
	assert_int_equal(c.bad_blocks, 1);
	assert_true(c.broken);
	assert_non_null(strstr(buf_cstr(&out), "bad    block "));
	reader_free(reader);
	buf_free(&recording);
	buf_free(&out);
}

/* A file of a series has no final counters: what was written is proved all the same. */
static void
a_file_that_goes_on_in_the_next(void **state)
{
	(void)state;
	expect(STORY_BEGIN CALLS "block end\n"
	       "counters time_ns=8000000000 written=1 values=[" WHOLE_VALUES "]\n"
	       "end time_ns=9000000000 reason=9 calls=2 blocks=5\n", false, false,
	       "note   one of several: the counters are closed in the last one");
	expect(STORY_BEGIN CALLS "block end\n"
	       "counters time_ns=8000000000 written=2 values=[" WHOLE_VALUES "]\n"
	       "end time_ns=9000000000 reason=10 calls=2 blocks=5\n", true, false,
	       "BROKEN written = calls here that finished: 2 != 1");
	expect(STORY_BEGIN CALLS "block end\n"
	       "counters time_ns=8000000000 written=1 values=[" WHOLE_VALUES "]\n"
	       "end time_ns=9000000000 reason=1 calls=2 blocks=5\n", false, true, "the laws cannot be proved");
}

static void
what_it_cost(void **state)
{
	(void)state;
	expect(STORY_BEGIN "cost time_ns=1 user_ns=3000000 system_ns=2000000 resident_bytes=4096000 bytes=77 "
	       "batches_waiting=6\n" CALLS COUNTERS(WHOLE_VALUES, "in_flight=1 written=1"), false, false,
	       "note   capture took 5 ms of CPU (2 of them in the kernel), 4000 KiB of memory, wrote 77 bytes, had "
	       "at most 6 pieces waiting");
}

static void
what_is_no_recording_is_an_error(void **state)
{
	struct buf out = {.data = NULL};
	struct check c = {.broken = false};
	struct reader *const reader = reader_new_memory("hello, world", 12, "text");

	(void)state;
	assert_int_equal(check_recording(&c, reader, &out), IOTAP_ENOTREC);
	assert_int_equal(c.err.code, IOTAP_ENOTREC);
	assert_non_null(strstr(c.err.text, "text"));
	assert_int_equal(out.len, 0);
	reader_free(reader);
	buf_free(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_recording),
		cmocka_unit_test(every_law_can_be_broken),
		cmocka_unit_test(aggregates_are_cumulative_per_key),
		cmocka_unit_test(the_first_state_says_where_counting_begins),
		cmocka_unit_test(calls_out_of_order_across_blocks),
		cmocka_unit_test(stated_losses_make_it_incomplete_not_wrong),
		cmocka_unit_test(without_final_counters_nothing_is_proved),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(damage_is_said_with_its_place),
		cmocka_unit_test(a_block_that_contradicts_itself),
		cmocka_unit_test(a_file_that_goes_on_in_the_next),
		cmocka_unit_test(what_it_cost),
		cmocka_unit_test(what_is_no_recording_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
