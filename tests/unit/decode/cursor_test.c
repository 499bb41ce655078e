/* cursor_test.c - decode/cursor.h: in which order a recording is told, and what each epoch may know */
#include "decode/cursor.h"

#include <string.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/block.h"
#include "formats/reader.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

#define BOOT UINT64_C(5000000000)
#define UNIX UINT64_C(1700000000000000000)

/* A cursor over the recording of a text, with all that it borrows. */
struct told {
	struct buf recording, text;
	struct iotap_error err;
	struct select select;
	struct processes processes;
	struct notices notices;
	struct cursor cursor;
};

static void
told_open(struct told *t, struct reader *reader, const struct iotap_filter *filter)
{
	assert_int_equal(select_init(&t->select, filter), 0);
	processes_init(&t->processes);
	reader_set_range(reader, t->select.f.from_ns, t->select.f.to_ns);
	assert_int_equal(cursor_open(&t->cursor, reader, &t->select, &t->err), 0);
	t->cursor.processes = &t->processes;
	t->cursor.columns = IOTAP_COL_ALL;
}

/* Over a recording, which becomes the struct's. */
static void
told_begin_bytes(struct told *t, const struct buf *recording, const struct iotap_filter *filter)
{
	*t = (struct told){.recording = *recording};
	told_open(t, reader_new_memory(recording->data, recording->len, "story"), filter);
}

static void
told_begin(struct told *t, const char *story, const struct iotap_filter *filter)
{
	struct buf recording = {.data = NULL};

	story_assemble(story, &recording);
	told_begin_bytes(t, &recording, filter);
}

static void
told_end(struct told *t)
{
	cursor_close(&t->cursor);
	processes_fini(&t->processes);
	notices_fini(&t->notices);
	select_fini(&t->select);
	buf_free(&t->recording);
	buf_free(&t->text);
}

static void
tell_rows(struct told *t)
{
	struct iotap_batch b;

	assert_int_equal(cursor_rows(&t->cursor, UINT64_MAX, &b), 0);
	assert_int_equal(b.first_ns, b.time_ns[0]);
	assert_int_equal(b.last_ns, b.time_ns[b.n - 1]);
	for (uint32_t i = 0; i < b.n; i++)
		(void)buf_printf(&t->text, "%llu:%s:%s ",
				 (unsigned long long)(b.number ? b.number[i] : b.first_number + i),
				 b.process[i]->name, b.target[i]->text);
}

static void
tell_item(struct told *t)
{
	struct cursor_item item;
	const int r = cursor_item(&t->cursor, &t->notices, &item);

	assert_in_range(r, 0, 1);
	if (r == 1 && item.notice)
		(void)buf_printf(&t->text, "n%d ", item.notice->type);
	if (r == 1 && item.drop)
		(void)buf_printf(&t->text, "d%d ", item.drop->cause);
}

/* All of it as text: "n1 0:prog:/a n9 ". */
static const char *
tell_all(struct told *t)
{
	uint64_t time_ns;
	int r;

	while ((r = cursor_ready(&t->cursor, &time_ns)) != CURSOR_END) {
		uint64_t again;

		assert_int_equal(cursor_ready(&t->cursor, &again), r);
		assert_int_equal(again, time_ns);
		if (r == CURSOR_ROWS)
			tell_rows(t);
		else if (r == CURSOR_ITEM)
			tell_item(t);
		else
			fail_msg("%d: %s", r, t->err.text);
	}
	assert_int_equal(cursor_ready(&t->cursor, &time_ns), CURSOR_END);
	return buf_cstr(&t->text);
}

static void
expect_told(const char *story, const struct iotap_filter *filter, const char *expected)
{
	struct told t;

	told_begin(&t, story, filter);
	assert_string_equal(tell_all(&t), expected);
	told_end(&t);
}

#define CALL(key, tid, id) \
	"call key=" key " duration=1 tid=" tid " tgid=" tid " call=read flags=fd fd=3 id=" id " result=1\n"

/* A record of the same nanosecond comes before the call: it belongs to the state the call saw. */
/* situation: 47 */
static void
a_record_comes_before_the_calls_at_its_time(void **state)
{
	(void)state;
	expect_told(STORY_BEGIN
		    "target id=1 origin=call kind=file text=\"/a\"\n"
		    "rename time_ns=5000000200 pid=10 tid=10 comm=\"two\"\n"
		    "rename time_ns=5000000201 pid=10 tid=10 comm=\"three\"\n"
		    "block calls\n"
		    CALL("5000000199", "10", "1") CALL("5000000200", "10", "1") CALL("5000000201", "10", "1")
		    STORY_END, NULL,
		    "n1 0:prog:/a n4 1:two:/a n4 2:three:/a n9 ");
}

/* A record that is written ahead of earlier calls waits for them, across blocks. */
static void
a_record_waits_for_calls_of_later_blocks(void **state)
{
	(void)state;
	expect_told(STORY_BEGIN
		    "rename time_ns=5000000500 pid=10 tid=10 comm=\"two\"\n"
		    "block calls\n" CALL("5000000100", "10", "0")
		    "block calls\n" CALL("5000000400", "10", "0") CALL("5000000600", "10", "0")
		    STORY_END, NULL,
		    "n1 0:prog:<unknown> 1:prog:<unknown> n4 2:two:<unknown> n9 ");
}

/* Without rows a record is due when a progress block says that nothing earlier comes any more. */
static void
progress_makes_records_due(void **state)
{
	struct told t;
	uint64_t time_ns;

	(void)state;
	told_begin(&t, STORY_BEGIN
		   "exit time_ns=5000000500 pid=10 start_ns=100\n"
		   "block progress\nprogress time_ns=5000000499\n"
		   "block progress\nprogress time_ns=5000000500\n"
		   "block calls\n" CALL("5000000700", "11", "0") STORY_END, NULL);
	assert_int_equal(cursor_ready(&t.cursor, &time_ns), CURSOR_ITEM);
	tell_item(&t);
	assert_string_equal(buf_cstr(&t.text), "n1 ");
	assert_int_equal(cursor_ready(&t.cursor, &time_ns), CURSOR_ITEM);
	assert_int_equal(time_ns, UNIX + 500);
	assert_int_equal(t.cursor.due_ns, BOOT + 500);	/* by the second block, not by the rows */
	tell_item(&t);
	assert_string_equal(buf_cstr(&t.text), "n1 n5 ");
	told_end(&t);
}

/* At a STATE block all that waited is told, then definitions are forgotten: an id of the epoch before
 * means nothing. */
static void
an_epoch_forgets_what_the_one_before_defined(void **state)
{
	(void)state;
	expect_told(STORY_BEGIN
		    "target id=1 origin=call kind=file text=\"/a\"\n"
		    "rename time_ns=5000000900 pid=10 tid=10 comm=\"late\"\n"
		    "block calls\n" CALL("5000000100", "10", "1")
		    "block state\nclock boot_ns=5000001000 real_ns=1700000000000001000\n"
		    "block calls\n"
		    "entry id=1 kind=file dev=8388609 ino=12\n"
		    CALL("5000001100", "10", "1")
		    "block records\ntarget id=1 origin=call kind=file text=\"/b\"\n"
		    "block calls\n" CALL("5000001200", "10", "1") STORY_END, NULL,
		    "n1 0:prog:/a n4 1:late:<file 8:1 inode 12> 2:late:/b n9 ");
}

/* Restated processes are not news; a process that comes later is. */
static void
restated_processes_need_no_notice(void **state)
{
	(void)state;
	expect_told(STORY_BEGIN
		    "block calls\n" CALL("5000000100", "10", "0")
		    "block state\nclock boot_ns=5000001000 real_ns=1700000000000001000\n"
		    "process time_ns=5000000000 pid=10 start_ns=100 how=1 restated=1 comm=\"again\"\n"
		    "process time_ns=5000000900 pid=11 start_ns=900 how=5 parent=10 comm=\"child\"\n"
		    "block calls\n" CALL("5000001100", "10", "0") CALL("5000001200", "11", "0")
		    STORY_END, NULL,
		    "n1 0:prog:<unknown> n2 1:again:<unknown> 2:child:<unknown> n9 ");
}

/* Clocks drift apart by microseconds; only a step is worth a word, and later times follow it. */
static void
the_clock_is_followed_and_steps_are_told(void **state)
{
	struct told t;
	uint64_t time_ns;

	(void)state;
	told_begin(&t, STORY_BEGIN
		   "clock boot_ns=5000000100 real_ns=1700000000000000050\n"	/* slewed by 50 ns */
		   "clock boot_ns=5000000200 real_ns=1700000001000000150\n"	/* set by 1 s */
		   "block calls\n" CALL("5000000300", "10", "0") STORY_END, NULL);
	while (cursor_ready(&t.cursor, &time_ns) == CURSOR_ITEM)
		tell_item(&t);
	assert_string_equal(buf_cstr(&t.text), "n1 n8 ");
	assert_int_equal(t.notices.notice.step_ns, 1000000000);
	assert_int_equal(time_ns, UNIX + 1000000250);
	told_end(&t);
}

/* A clock that no kernel has is said to be damage, and the one before it holds on; so are calls behind the
 * year 2262, or before 1970. Notices stay at the end that they pass. */
static void
times_that_no_kernel_has(void **state)
{
	struct told t;
	uint64_t time_ns = 0;

	(void)state;
	told_begin(&t, STORY_BEGIN
		   "clock boot_ns=5000000100 real_ns=-1\n"
		   "clock boot_ns=9223372036854775808 real_ns=1\n"
		   "block calls\n" CALL("5000000300", "10", "0")
		   "block calls\n" CALL("7600000000000000000", "10", "0")
		   "block calls\n" CALL("18000000000000000000", "10", "0")
		   "block state\nclock boot_ns=5000000400 real_ns=100\n"
		   "block calls\n" CALL("5000000299", "10", "0")
		   "block calls\n" CALL("5000000300", "10", "0")
		   "block end\nend time_ns=18000000000000000000 reason=1\n", NULL);
	assert_string_equal(tell_all(&t), "d16 d16 n1 0:prog:<unknown> d16 d16 d16 4:prog:<unknown> n8 n9 ");
	assert_int_equal(t.notices.notice.time_ns, INT64_MAX - 5000000300);
	told_end(&t);

	told_begin(&t, STORY_BEGIN "block calls\n" CALL("5000000300", "10", "0")
		   "block end\nend time_ns=9100000000000000000 reason=1\n", NULL);
	assert_string_equal(tell_all(&t), "n1 0:prog:<unknown> n9 ");
	assert_int_equal(t.notices.notice.time_ns, INT64_MAX);
	assert_int_equal(cursor_ready(&t.cursor, &time_ns), CURSOR_END);
	told_end(&t);
}

/* Numbers count all calls of the recording, whatever the filter leaves out. */
static void
blocks_passed_over_keep_the_numbers_right(void **state)
{
	(void)state;
	expect_told(STORY_BEGIN
		    "block calls\n" CALL("5000000100", "10", "0") CALL("5000000110", "10", "0")
		    "block calls\n" CALL("5000000200", "10", "0")
		    "block calls\n" CALL("5000000300", "10", "0") STORY_END,
		    &(struct iotap_filter){.from_ns = BOOT + 200, .to_ns = BOOT + 250},
		    "n1 2:prog:<unknown> n9 ");
}

/* Notices of another process or another time are left out; the end is not, nor is any drop. */
static void
notices_are_filtered_drops_are_not(void **state)
{
	static const char story[] = STORY_BEGIN
		"exit time_ns=5000000100 pid=10 start_ns=100\n"
		"untraced time_ns=5000000200 pid=12 parent=10 reason=1\n"
		"loss from_ns=5000000300 until_ns=5000000310 count=7 cause=3\n"
		"notice time_ns=5000000400 level=2 text=\"x\"\n" STORY_END;

	(void)state;
	expect_told(story, NULL, "n1 n5 n6 d3 n7 n9 ");
	expect_told(story, &(struct iotap_filter){.pid = 12}, "n1 n6 d3 n7 n9 ");
	expect_told(story, &(struct iotap_filter){.from_ns = BOOT + 150}, "n1 n6 d3 n7 n9 ");
	expect_told(story, &(struct iotap_filter){.from_ns = 1, .to_ns = BOOT + 100}, "n1 n5 d3 n7 n9 ");
}

/* A recording cut off: what waits is told, then the cut. */
/* situation: 60 */
static void
what_waits_is_told_before_the_end_that_is_missing(void **state)
{
	(void)state;
	expect_told(STORY_BEGIN
		    "rename time_ns=9999999999 pid=10 tid=10 comm=\"two\"\n"
		    "block calls\n" CALL("5000000100", "10", "0"), NULL,
		    "n1 0:prog:<unknown> n4 d17 ");
}

/* A record that runs over its block's end under a good checksum: what is before it counts, the rest is
 * damage, and the reading goes on. */
static void
damage_inside_a_block_is_a_drop(void **state)
{
	static const uint8_t bad[] = {REC_rename, 0x7f, 1};
	struct codec *const codec = codec_new(1);
	struct buf whole = {.data = NULL}, plain = {.data = NULL}, cut = {.data = NULL};
	struct block_head head;
	struct told t;
	size_t at = 0;

	(void)state;
	story_assemble(STORY_BEGIN "block records\nnotice time_ns=5000000100 level=1 text=\"a\"\n" STORY_END,
		       &whole);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(block_head_get(whole.data + at, &head, NULL), 0);
		if (i < 3)
			at += BLOCK_HEAD_BYTES + head.stored_bytes;
	}
	(void)buf_put(&cut, whole.data, at);
	(void)buf_put(&plain, whole.data + at + BLOCK_HEAD_BYTES, head.stored_bytes);
	(void)buf_put(&plain, bad, sizeof(bad));
	at += BLOCK_HEAD_BYTES + head.stored_bytes;
	assert_int_equal(block_put(codec, CODEC_NONE, &head, plain.data, plain.len, &cut, NULL), 0);
	(void)buf_put(&cut, whole.data + at, whole.len - at);
	told_begin_bytes(&t, &cut, NULL);
	assert_string_equal(tell_all(&t), "n1 d16 n7 n9 ");
	told_end(&t);
	buf_free(&whole);
	buf_free(&plain);
	codec_free(codec);
}

static int
stop_once(void *arg)
{
	bool *const stop = arg;
	const bool now = *stop;

	*stop = false;
	return now;
}

/* An idle function that says stop: the next call goes on where this one was. */
static void
stopping_while_idle_loses_nothing(void **state)
{
	static const char begin[] = STORY_BEGIN, rest[] = STORY_BEGIN
		"block calls\n" CALL("5000000100", "10", "0") STORY_END;
	struct told t = {.err = {.code = 0}};
	struct buf first = {.data = NULL};
	bool stop = true;
	uint64_t time_ns;
	int fds[2];

	(void)state;
	story_assemble(begin, &first);
	story_assemble(rest, &t.recording);
	assert_int_equal(pipe(fds), 0);
	assert_true(io_write_all(fds[1], first.data, first.len));
	told_open(&t, reader_new_fd(fds[0], "pipe"), NULL);
	reader_on_idle(t.cursor.reader, stop_once, &stop);
	assert_int_equal(cursor_ready(&t.cursor, &time_ns), CURSOR_ITEM);
	tell_item(&t);
	assert_int_equal(cursor_ready(&t.cursor, &time_ns), CURSOR_STOPPED);
	assert_true(io_write_all(fds[1], t.recording.data + first.len, t.recording.len - first.len));
	assert_int_equal(close(fds[1]), 0);
	assert_string_equal(tell_all(&t), "n1 0:prog:<unknown> n9 ");
	told_end(&t);
	buf_free(&first);
	(void)close(fds[0]);
}

/* A process that a recording tells of twice is news once; asking for what is not there is no mistake. */
static void
a_process_is_news_once(void **state)
{
	struct cursor_item item;
	struct told t;

	(void)state;
	expect_told(STORY_BEGIN
		    "block calls\n" CALL("5000000100", "10", "0")
		    "block records\n"
		    "process time_ns=5000000200 pid=11 start_ns=900 how=5 parent=10 comm=\"child\"\n"
		    "process time_ns=5000000201 pid=11 start_ns=900 how=5 parent=10 comm=\"again\"\n"
		    "block calls\n" CALL("5000000300", "11", "0") STORY_END, NULL,
		    "n1 0:prog:<unknown> n2 1:again:<unknown> n9 ");
	told_begin(&t, STORY_BEGIN STORY_END, NULL);
	assert_int_equal(cursor_item(&t.cursor, &t.notices, &item), 0);
	assert_null(item.notice);
	assert_null(item.drop);
	told_end(&t);
}

/* Progress that says nothing new makes nothing due. */
static void
progress_said_again(void **state)
{
	(void)state;
	expect_told(STORY_BEGIN
		    "exit time_ns=5000000500 pid=10 start_ns=100\n"
		    "block progress\nprogress time_ns=5000000600\n"
		    "block progress\nprogress time_ns=5000000600\n"
		    "block progress\nprogress time_ns=5000000100\n"
		    "block calls\n" CALL("5000000700", "11", "0") STORY_END, NULL,
		    "n1 n5 0:?:<unknown> n9 ");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_comes_before_the_calls_at_its_time),
		cmocka_unit_test(a_record_waits_for_calls_of_later_blocks),
		cmocka_unit_test(progress_makes_records_due),
		cmocka_unit_test(an_epoch_forgets_what_the_one_before_defined),
		cmocka_unit_test(restated_processes_need_no_notice),
		cmocka_unit_test(the_clock_is_followed_and_steps_are_told),
		cmocka_unit_test(times_that_no_kernel_has),
		cmocka_unit_test(blocks_passed_over_keep_the_numbers_right),
		cmocka_unit_test(notices_are_filtered_drops_are_not),
		cmocka_unit_test(what_waits_is_told_before_the_end_that_is_missing),
		cmocka_unit_test(damage_inside_a_block_is_a_drop),
		cmocka_unit_test(stopping_while_idle_loses_nothing),
		cmocka_unit_test(a_process_is_news_once),
		cmocka_unit_test(progress_said_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
