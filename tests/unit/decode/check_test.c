/* check_test.c - decode/check.h: a law that is broken is found, what is only missing is no lie */
#include "decode/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/kernel_record.h"
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
	       STORY_END, true, true, "bad    1 call out of the order of time");
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
	assert_non_null(strstr(buf_cstr(&out), "bad    1 place, "));
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

/* Values by name: what a later version adds behind them is passed over. */
static void
put_values(struct buf *out, const uint64_t values[KC_N], unsigned int further)
{
	(void)buf_puts(out, "values=[");
	for (unsigned int i = 0; i < KC_N + further; i++)
		(void)buf_printf(out, "%s%" PRIu64, i > 0 ? "," : "", i < KC_N ? values[i] : 77);
	(void)buf_puts(out, "]\n");
}

static void
expect_values(const uint64_t values[KC_N], const char *members, bool broken, const char *line)
{
	struct buf story = {.data = NULL};

	(void)buf_printf(&story, "%sblock end\ncounters time_ns=8000000000 final=1 %s ", STORY_BEGIN CALLS, members);
	put_values(&story, values, 9);
	(void)buf_puts(&story, "end time_ns=9000000000 reason=1 calls=2 blocks=5\n");
	expect(buf_cstr(&story), broken, false, line);
	buf_free(&story);
}

/* The law of requests is there when there were some, and calls that a filter left out count where there were. */
static void
requests_and_filtered_calls(void **state)
{
	uint64_t k[KC_N] = {[KC_enters] = 3, [KC_exits] = 2, [KC_paired] = 1, [KC_not_selected] = 1, [KC_recorded] = 1};

	(void)state;
	expect_values(k, "in_flight=1 written=1", false,
		      "ok     paired + before + interrupted = recorded + aggregated: 1 = 1");
	k[KC_enters] = 8;
	k[KC_exits] = 7;
	k[KC_paired] = 6;
	k[KC_filtered] = 5;
	expect_values(k, "in_flight=1 written=1", false,
		      "ok     paired + before + interrupted = recorded + aggregated + filtered: 6 = 6");
	k[KC_requests] = 4;
	k[KC_requests_more] = 2;
	k[KC_requests_done] = 3;
	k[KC_filtered] = 8;
	k[KC_requests_replaced] = 1;
	expect_values(k, "in_flight=1 written=1 requests_in_flight=2", false,
		      "ok     requests + more results + results of older requests = requests done "
		      "+ in flight + replaced + without room: 6 = 6");
	expect_values(k, "in_flight=1 written=1 requests_in_flight=3", true,
		      "BROKEN requests + more results + results of older requests = requests done "
		      "+ in flight + replaced + without room: 6 != 7");
	k[KC_requests] = 0;
	k[KC_requests_before] = 4;	/* requests of before tracing alone */
	expect_values(k, "in_flight=1 written=1 requests_in_flight=2", false, "ok     requests + more results");
}

/* Parts of calls are recorded beside them: the law counts them where there are some. */
static void
parts_of_calls(void **state)
{
	uint64_t k[KC_N] = {[KC_enters] = 2, [KC_exits] = 1, [KC_paired] = 1, [KC_recorded] = 1, [KC_parts] = 2,
			    [KC_aggregated] = 0, [KC_filtered] = 2, [KC_parts_left_out] = 9};

	(void)state;
	expect_values(k, "in_flight=1 written=1", false,
		      "ok     paired + before + interrupted + parts = recorded + aggregated + filtered: 3 = 3");
	k[KC_parts] = 3;
	expect_values(k, "in_flight=1 written=1", true,
		      "BROKEN paired + before + interrupted + parts = recorded + aggregated + filtered: 4 != 3");
}

/* Sets a byte of the i-th block of a whole recording and puts the checksums right. */
static void
expect_changed(int i, size_t byte, uint8_t value, const char *line)
{
	struct buf recording = {.data = NULL}, out = {.data = NULL};
	struct check c = {.broken = false};
	struct reader *reader;

	story_assemble(STORY_BEGIN CALLS COUNTERS(WHOLE_VALUES, "in_flight=1 written=1"), &recording);
	recording.data[story_block_at(&recording, i) + byte] = value;
	mend(recording.data, recording.len);
	reader = reader_new_memory(recording.data, recording.len, "story");
	assert_int_equal(check_recording(&c, reader, &out), 0);
	if (!c.broken || c.bad_blocks != 1 || !strstr(buf_cstr(&out), line))
		fail_msg("no \"%s\", broken %d, %d bad blocks:\n%s", line, c.broken, (int)c.bad_blocks,
			 buf_cstr(&out));
	reader_free(reader);
	buf_free(&recording);
	buf_free(&out);
}

/* Another number of records than the block's header says; a block of calls whose columns do not add up. */
static void
blocks_that_are_not_what_they_say(void **state)
{
	(void)state;
	expect_changed(2, 48, 9, "bad    block 2 at");
	expect_changed(2, 48, 9, "another number of records than it says");
	expect_changed(3, BLOCK_HEAD_BYTES, 0xff, "bad    block 3 at");
}

/* That is enough, where no law is left that it breaks. */
static void
a_bad_block_without_an_end(void **state)
{
	struct buf recording = {.data = NULL}, out = {.data = NULL};
	struct check c = {.broken = false};
	struct reader *reader;

	(void)state;
	story_assemble(STORY_BEGIN CALLS, &recording);
	recording.data[story_block_at(&recording, 2) + 48] = 9;
	mend(recording.data, recording.len);
	reader = reader_new_memory(recording.data, recording.len, "story");
	assert_int_equal(check_recording(&c, reader, &out), 0);
	assert_true(c.broken && c.truncated);
	assert_null(strstr(buf_cstr(&out), "BROKEN"));
	assert_non_null(strstr(buf_cstr(&out), "the recording contradicts itself"));
	reader_free(reader);
	buf_free(&recording);
	buf_free(&out);
}

/* Calls out of order are enough, though every number is right. */
static void
disorder_alone(void **state)
{
	(void)state;
	expect(STORY_BEGIN
	       "block calls\ncall key=5000000200 duration=1 tid=10 tgid=10 call=read\n"
	       "block calls\ncall key=5000000199 duration=1 tid=10 tgid=10 call=read\n"
	       "block end\nend time_ns=9000000000 reason=1 calls=2 blocks=6\n", true, true,
	       "the recording contradicts itself");
}

/* A stream that is cut proves nothing and contradicts nothing. */
static void
a_stream_that_is_cut(void **state)
{
	struct buf out = {.data = NULL};
	struct check c;

	(void)state;
	assert_int_equal(check("block header session=1\nhost format_major=1 os=1 arch=x86_64 stream=1\n"
			       "block state\nclock boot_ns=1 real_ns=1\n" CALLS
			       "block end\nend time_ns=1 reason=1 calls=2 blocks=4\n", 3, &c, &out), 0);
	assert_false(c.broken);
	assert_true(c.incomplete && c.truncated);
	assert_non_null(strstr(buf_cstr(&out), "bad    the recording ends abruptly"));
	assert_non_null(strstr(buf_cstr(&out), "sound as far as it goes, but incomplete"));
	buf_free(&out);
}

/* Final counters in a recording whose end is not there: written calls are not compared with what is left. */
static void
final_counters_without_an_end(void **state)
{
	struct buf out = {.data = NULL};
	struct check c;

	(void)state;
	assert_int_equal(check(STORY_BEGIN "counters time_ns=8000000000 final=1 in_flight=1 written=1 "
			       "values=[" WHOLE_VALUES "]\n" CALLS, 5, &c, &out), 0);
	assert_true(c.truncated && c.incomplete);
	assert_false(c.broken);
	assert_non_null(strstr(buf_cstr(&out), "ok     exits"));
	assert_null(strstr(buf_cstr(&out), "written = calls here"));
	buf_free(&out);
}

/* Times are part of what a recording says. */
static void
times_that_no_kernel_has(void **state)
{
	(void)state;
	expect(STORY_BEGIN "clock boot_ns=1 real_ns=-1\n" CALLS COUNTERS(WHOLE_VALUES, "in_flight=1 written=1"), true,
	       false, ": a clock that no kernel has\n");
	expect("block header session=1\nhost format_major=1 os=1 arch=x86_64\n"
	       "clock boot_ns=1 real_ns=9223372036854775807\nblock state\nblock records\n"
	       CALLS COUNTERS(WHOLE_VALUES, "in_flight=1 written=1"), true, false,
	       ": calls at times that no kernel has\n");
}

/* Blocks of a type that this version does not know, and may do without. */
static void
blocks_of_a_later_version(void **state)
{
	struct buf recording = {.data = NULL}, out = {.data = NULL};
	struct check c = {.broken = false};
	struct reader *reader;
	size_t at;

	(void)state;
	story_assemble(STORY_BEGIN "block progress\nprogress time_ns=5000000001\n" CALLS
		       "block end\nend time_ns=9000000000 reason=1 calls=2 blocks=6\n", &recording);
	at = story_block_at(&recording, 3);
	assert_int_equal(recording.data[at + 4], BLOCK_PROGRESS);
	recording.data[at + 4] = 99;
	mend(recording.data, recording.len);
	reader = reader_new_memory(recording.data, recording.len, "story");
	assert_int_equal(check_recording(&c, reader, &out), 0);
	if (c.broken || c.bad_blocks > 0 || c.blocks != 6)
		fail_msg("%s", buf_cstr(&out));
	reader_free(reader);
	buf_free(&recording);
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
		cmocka_unit_test(requests_and_filtered_calls),
		cmocka_unit_test(parts_of_calls),
		cmocka_unit_test(blocks_that_are_not_what_they_say),
		cmocka_unit_test(a_bad_block_without_an_end),
		cmocka_unit_test(disorder_alone),
		cmocka_unit_test(a_stream_that_is_cut),
		cmocka_unit_test(final_counters_without_an_end),
		cmocka_unit_test(times_that_no_kernel_has),
		cmocka_unit_test(blocks_of_a_later_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
