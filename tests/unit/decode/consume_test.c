/* consume_test.c - formats/iotap.h: handlers, batches, filters, several inputs, blocks alone */
#include "formats/iotap.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/json.h"
#include "formats/base/io.h"
#include "formats/kernel_record.h"
#include "formats/reader.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

#define FOUR_CALLS \
	"target id=1 origin=call kind=file flags=16 text=\"/a\"\n" \
	"target id=2 origin=call kind=socket flags=16 family=inet sock_type=1 device=\"eth0\"\n" \
	"exec time_ns=5000000300 pid=10 start_ns=100 comm=\"next\" path=\"/bin/next\"\n" \
	"block calls\n" \
	"call key=5000000100 duration=10 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result=1\n" \
	"call key=5000000200 duration=10 tid=11 tgid=11 call=sendto flags=fd fd=4 id=2 result=2\n" \
	"call key=5000000300 duration=10 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result=-4\n" \
	"call key=5000000400 tid=10 tgid=10 call=read flags=fd|unfinished fd=3 id=1\n"

/* What handlers saw, as text: "e0 e1 nexec e2 ". */
struct seen {
	char text[4000];
	int stop_at;		/* after so many things; 0 = never */
	int answer;		/* then */
	int n;
};

static int
see(struct seen *s, const char *what, uint64_t number)
{
	const size_t used = strlen(s->text);

	(void)snprintf(s->text + used, sizeof(s->text) - used, "%s%llu ", what, (unsigned long long)number);
	return ++s->n == s->stop_at ? s->answer : IOTAP_NEXT;
}

static int
on_event(const struct iotap_event *e, void *arg)
{
	assert_int_equal(e->size, sizeof(*e));
	assert_non_null(e->target);
	assert_non_null(e->process);
	return see(arg, "e", e->number);
}

static int
on_notice(const struct iotap_notice *n, void *arg)
{
	return see(arg, "n", n->type);
}

static int
on_drop(const struct iotap_drop *d, void *arg)
{
	return see(arg, "d", d->cause);
}

static const struct iotap_handlers handlers = {
	.size = sizeof(handlers), .event = on_event, .notice = on_notice, .drop = on_drop,
};

static void
expect_seen(const char *story, const struct iotap_filter *filter, const char *expected)
{
	iotap_t *const h = story_open(story, filter);
	struct seen seen = {.n = 0};

	assert_int_equal(iotap_consume(h, &handlers, &seen), 0);
	assert_string_equal(seen.text, expected);
	iotap_close(h);
}

static void
all_in_order_unfinished_calls_are_no_events(void **state)
{
	(void)state;
	expect_seen(STORY_BEGIN FOUR_CALLS STORY_END, NULL, "n1 e0 e1 n3 e2 n9 ");
}

static void
a_handler_that_is_null_is_not_interested(void **state)
{
	const struct iotap_handlers only_notices = {.size = sizeof(handlers), .notice = on_notice};
	iotap_t *const h = story_open(STORY_BEGIN FOUR_CALLS STORY_END, NULL);
	struct seen seen = {.n = 0};

	(void)state;
	assert_int_equal(iotap_consume(h, &only_notices, &seen), 0);
	assert_string_equal(seen.text, "n1 n3 n9 ");
	iotap_close(h);
}

/* Stopping after any of the things and going on loses and repeats nothing. */
static void
stop_can_be_gone_on_from(void **state)
{
	(void)state;
	for (int stop_at = 1; stop_at <= 6; stop_at++) {
		iotap_t *const h = story_open(STORY_BEGIN FOUR_CALLS STORY_END, NULL);
		struct seen seen = {.stop_at = stop_at, .answer = IOTAP_STOP};

		assert_int_equal(iotap_consume(h, &handlers, &seen), 0);
		assert_int_equal(seen.n, stop_at);
		assert_int_equal(iotap_errno(h), 0);
		assert_int_equal(iotap_consume(h, &handlers, &seen), 0);
		assert_string_equal(seen.text, "n1 e0 e1 n3 e2 n9 ");
		iotap_close(h);
	}
}

static void
abort_and_answers_that_are_none_are_errors(void **state)
{
	static const int answers[][2] = {{IOTAP_ABORT, IOTAP_EABORT}, {42, IOTAP_EUSAGE}, {-7, IOTAP_EUSAGE}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		iotap_t *const h = story_open(STORY_BEGIN FOUR_CALLS STORY_END, NULL);
		struct seen seen = {.stop_at = 2, .answer = answers[i][0]};

		assert_int_equal(iotap_consume(h, &handlers, &seen), answers[i][1]);
		assert_int_equal(iotap_errno(h), answers[i][1]);
		assert_true(iotap_errmsg(h)[0] != '\0');
		iotap_close(h);
	}
}

static void
filters_leave_out_and_keep_the_numbers(void **state)
{
	(void)state;
	expect_seen(STORY_BEGIN FOUR_CALLS STORY_END, &(struct iotap_filter){.pid = 11}, "n1 e1 n9 ");
	expect_seen(STORY_BEGIN FOUR_CALLS STORY_END, &(struct iotap_filter){.target = 1},
		    "n1 e0 n3 e2 n9 ");
	expect_seen(STORY_BEGIN FOUR_CALLS STORY_END,
		    &(struct iotap_filter){.classes = 1u << IOTAP_CLASS_NETWORK}, "n1 e1 n3 n9 ");
	expect_seen(STORY_BEGIN FOUR_CALLS STORY_END,
		    &(struct iotap_filter){.from_ns = 5000000200, .to_ns = 5000000200}, "n1 e1 n9 ");
	expect_seen(STORY_BEGIN FOUR_CALLS STORY_END,
		    &(struct iotap_filter){.from_ns = 6000000000}, "n1 n9 ");
}

static void
what_is_lost_is_told_whatever_the_filter(void **state)
{
	(void)state;
	expect_seen(STORY_BEGIN "loss from_ns=5000000150 until_ns=5000000160 count=3 cause=1\n" FOUR_CALLS,
		    &(struct iotap_filter){.pid = 999}, "n1 d1 d17 ");
}

static void
a_batch_has_the_columns_asked_for(void **state)
{
	iotap_t *const h = story_open(STORY_BEGIN FOUR_CALLS STORY_END, NULL);
	struct iotap_batch b;

	(void)state;
	assert_int_equal(iotap_keep_summary(h, 0), 0);
	assert_int_equal(iotap_next_batch(h, IOTAP_COL_TIME | IOTAP_COL_CALL, NULL, NULL, &b), 1);
	assert_int_equal(b.n, 2);		/* up to the exec */
	assert_int_equal(b.time_ns[1], 5000000200);
	assert_int_equal(b.unix_offset_ns, UINT64_C(1700000000000000000) - 5000000000);
	assert_non_null(b.call);
	assert_null(b.duration_ns);
	assert_null(b.flags);
	assert_null(b.tid);
	assert_null(b.process);
	assert_null(b.target);
	assert_null(b.result);
	assert_null(b.fd2);
	assert_null(b.arg0);
	assert_null(b.number);
	assert_int_equal(iotap_next_batch(h, IOTAP_COL_ALL, NULL, NULL, &b), 1);
	assert_int_equal(b.n, 2);
	assert_int_equal(b.first_number, 2);
	assert_int_equal(b.flags[1] & KF_UNFINISHED, KF_UNFINISHED);
	assert_int_equal(iotap_next_batch(h, IOTAP_COL_ALL, NULL, NULL, &b), 0);
	assert_int_equal(iotap_next_batch(h, IOTAP_COL_ALL, NULL, NULL, &b), 0);
	iotap_close(h);
}

static void
names_change_between_batches(void **state)
{
	iotap_t *const h = story_open(STORY_BEGIN FOUR_CALLS STORY_END, NULL);
	struct iotap_batch b;

	(void)state;
	assert_int_equal(iotap_next_batch(h, IOTAP_COL_THREAD, NULL, NULL, &b), 1);
	assert_string_equal(b.process[0]->name, "prog");
	assert_string_equal(b.process[1]->name, "?");
	assert_int_equal(iotap_next_batch(h, IOTAP_COL_THREAD, NULL, NULL, &b), 1);
	assert_string_equal(b.process[0]->name, "next");
	iotap_close(h);
}

static void
summary_and_filter_are_asked_for_before_reading(void **state)
{
	iotap_t *const h = story_open(STORY_BEGIN FOUR_CALLS STORY_END, NULL);
	const struct iotap_filter filter = {.pid = 1};
	struct iotap_summary summary;
	struct iotap_batch b;

	(void)state;
	assert_int_equal(iotap_get_summary(h, &summary), IOTAP_EUSAGE);
	assert_null(iotap_summary_text(h, 0, 0));
	assert_int_equal(iotap_next_batch(h, 0, NULL, NULL, &b), 1);
	assert_int_equal(iotap_keep_summary(h, 0), IOTAP_EUSAGE);
	assert_int_equal(iotap_set_filter(h, &filter), IOTAP_EUSAGE);
	iotap_close(h);
}

static void
info_says_what_the_header_says(void **state)
{
	iotap_t *const h = story_open(STORY_BEGIN STORY_END, NULL);
	struct iotap_info info;

	(void)state;
	iotap_get_info(h, &info);
	assert_int_equal(info.session, 1);
	assert_int_equal(info.start_boot_ns, 5000000000);
	assert_int_equal(info.start_time_ns, UINT64_C(1700000000000000000));
	assert_string_equal(info.tool, "t");
	assert_string_equal(info.hostname, "");
	iotap_close(h);
}

static void
what_is_no_recording_is_refused(void **state)
{
	char why[256] = "", small[8];
	const int fd = memfd_create("text", 0);

	(void)state;
	assert_true(io_write_all(fd, "{\"type\":\"event\"}\n", 17));
	(void)lseek(fd, 0, SEEK_SET);
	assert_null(iotap_open(fd, "some\nfile", NULL, why, sizeof(why)));
	assert_non_null(strstr(why, "JSON Lines"));
	assert_null(strchr(why, '\n'));
	assert_null(iotap_open(-1, "x", NULL, small, sizeof(small)));
	assert_int_equal(strlen(small), sizeof(small) - 1);
	assert_null(iotap_open_many(NULL, NULL, 0, NULL, why, sizeof(why)));
}

/* -- several inputs -- */

#define INPUT(boot_id, offset, pid, calls) INPUT_OF("1", boot_id, offset, pid, calls)
#define INPUT_OF(session, boot_id, offset, pid, calls) \
	"block header session=" session "\n" \
	"host format_major=1 os=1 arch=x86_64 boot_id=\"" boot_id "\"\n" \
	"clock boot_ns=1000 real_ns=" offset "\n" \
	"block state\n" \
	"clock boot_ns=1000 real_ns=" offset "\n" \
	"process time_ns=1000 pid=" pid " start_ns=5 how=1 restated=1 comm=\"p" pid "\"\n" \
	"block calls\n" calls \
	"block end\n" \
	"end time_ns=100000 reason=1\n"

static int
on_time(const struct iotap_event *e, void *arg)
{
	return see(arg, e->process->name, e->time_ns);
}

static void
expect_merged(const char *a, const char *b, const char *expected, size_t n_processes)
{
	const struct iotap_handlers times = {.size = sizeof(times), .event = on_time};
	const int fds[] = {story_fd(a), story_fd(b)};
	const char *const names[] = {"a", "b"};
	const struct iotap_process *const *processes;
	struct seen seen = {.n = 0};
	char why[256];
	iotap_t *const h = iotap_open_many(fds, names, 2, NULL, why, sizeof(why));

	assert_non_null(h);
	assert_int_equal(iotap_consume(h, &times, &seen), 0);
	assert_string_equal(seen.text, expected);
	assert_int_equal(iotap_get_processes(h, &processes), n_processes);
	iotap_close(h);
}

static void
inputs_are_merged_by_unix_time(void **state)
{
	(void)state;
	expect_merged(INPUT("one", "50000", "7",	/* boot time + 49000 */
			    "call key=2000 duration=1 tid=7 tgid=7 call=read\n"
			    "call key=4000 duration=1 tid=7 tgid=7 call=read\n"
			    "call key=9000 duration=1 tid=7 tgid=7 call=read\n"),
		      INPUT_OF("2", "two", "51000", "7",	/* another machine: boot time + 50000 */
			    "call key=2000 duration=1 tid=7 tgid=7 call=read\n"
			    "call key=7000 duration=1 tid=7 tgid=7 call=read\n"),
		      "p751000 p752000 p753000 p757000 p758000 ", 2);
}

/* Boot times of a filter are the first input's: 52000 to 57000 by Unix time. */
static void
a_filter_means_the_same_time_in_every_input(void **state)
{
	const struct iotap_handlers times = {.size = sizeof(times), .event = on_time};
	const struct iotap_filter filter = {.from_ns = 3000, .to_ns = 8000};
	const int fds[] = {
		story_fd(INPUT("one", "50000", "7", "call key=2000 duration=1 tid=7 tgid=7 call=read\n"
			       "call key=4000 duration=1 tid=7 tgid=7 call=read\n")),
		story_fd(INPUT_OF("2", "two", "51000", "7", "call key=2000 duration=1 tid=7 tgid=7 call=read\n"
			       "call key=7000 duration=1 tid=7 tgid=7 call=read\n"
			       "call key=7001 duration=1 tid=7 tgid=7 call=read\n")),
	};
	const char *const names[] = {"a", "b"};
	struct seen seen = {.n = 0};
	char why[256];
	iotap_t *const h = iotap_open_many(fds, names, 2, &filter, why, sizeof(why));

	(void)state;
	assert_non_null(h);
	assert_int_equal(iotap_consume(h, &times, &seen), 0);
	assert_string_equal(seen.text, "p752000 p753000 p757000 ");
	iotap_close(h);
}

/* The second file restates a process under the name it has by then: the first one's calls are not to
 * know it yet. */
static void
files_of_a_rotation_are_read_one_after_the_other(void **state)
{
	(void)state;
	expect_merged(INPUT("one", "50000", "7",
			    "call key=2000 duration=1 tid=7 tgid=7 call=read\n"
			    "call key=3000 duration=1 tid=7 tgid=7 call=read\n"),
		      "block header\n"
		      "host format_major=1 os=1 arch=x86_64 boot_id=\"one\"\n"
		      "clock boot_ns=3500 real_ns=52500\n"
		      "block state\n"
		      "clock boot_ns=3500 real_ns=52500\n"
		      "process time_ns=1000 pid=7 start_ns=5 how=1 restated=1 comm=\"renamed\"\n"
		      "block calls\n"
		      "call key=4000 duration=1 tid=7 tgid=7 call=read\n"
		      "block end\nend time_ns=100000 reason=1\n",
		      "p751000 p752000 renamed53000 ", 1);
}

/* -- every block of calls by itself -- */

static void
json_of(const struct buf *recording, struct buf *json)
{
	const int fd = memfd_create("blocks", MFD_CLOEXEC);
	struct iotap_batch b;
	struct iotap_event e;
	char why[256];
	iotap_t *h;

	assert_true(io_write_all(fd, recording->data, recording->len));
	(void)lseek(fd, 0, SEEK_SET);
	h = iotap_open(fd, "blocks", NULL, why, sizeof(why));
	assert_non_null(h);
	while (iotap_next_batch(h, IOTAP_COL_ALL, NULL, NULL, &b) > 0) {
		for (uint32_t i = 0; i < b.n; i++) {
			iotap_batch_event(h, &b, i, &e);
			json_event(json, &e);
		}
	}
	iotap_close(h);
}

static const char many_blocks[] =
	STORY_BEGIN FOUR_CALLS
	"block records\n"
	"target id=3 origin=call kind=pipe\n"
	"process time_ns=5000000500 pid=12 start_ns=5000000500 how=5 parent=10 comm=\"child\"\n"
	"block calls\n"
	"call key=5000000600 duration=10 tid=12 tgid=12 call=write flags=fd fd=1 id=3 result=1\n"
	"call key=5000000700 duration=10 tid=10 tgid=10 call=read flags=fd fd=1 id=1 result=2\n"
	"block state\n"
	"clock boot_ns=5000001000 real_ns=1700000000000001000\n"
	"process time_ns=5000000000 pid=10 start_ns=100 restated=1 comm=\"next\"\n"
	"block records\n"
	"target id=2 origin=call kind=socket flags=16 family=inet sock_type=1 device=\"eth0\"\n"
	"block calls\n"
	"call key=5000001100 duration=10 tid=10 tgid=10 call=recvfrom flags=fd fd=4 id=2 result=9\n"
	"block calls\n"
	"call key=5000001200 duration=10 tid=10 tgid=10 call=recvfrom flags=fd fd=4 id=2 result=8\n"
	STORY_END;

/* A block of calls needs what its epoch defined before it, and no other block of calls: decoded alone,
 * last one first, they say what they say in their row. */
/* situation: 49 */
static void
blocks_alone_and_in_reverse_order(void **state)
{
	struct buf whole = {.data = NULL}, expected = {.data = NULL}, got = {.data = NULL};
	size_t at[64], end[64];
	uint8_t type[64];
	size_t n = 0;
	struct reader *reader;
	struct reader_item item;

	(void)state;
	story_assemble(many_blocks, &whole);
	json_of(&whole, &expected);
	reader = reader_new_memory(whole.data, whole.len, "whole");
	while (reader_next(reader, &item) == 0) {
		assert_int_equal(item.what, READER_BLOCK);
		at[n] = item.offset;
		end[n] = item.offset + BLOCK_HEAD_BYTES + item.head.stored_bytes;
		type[n++] = item.head.type;
	}
	reader_free(reader);
	for (size_t i = n; i-- > 0;) {
		struct buf one = {.data = NULL}, json = {.data = NULL};
		size_t from = i;

		if (type[i] != BLOCK_CALLS)
			continue;
		while (type[from] != BLOCK_STATE)
			from--;
		(void)buf_put(&one, whole.data + at[0], end[0] - at[0]);
		for (size_t j = from; j <= i; j++) {
			if (type[j] != BLOCK_CALLS || j == i)
				(void)buf_put(&one, whole.data + at[j], end[j] - at[j]);
		}
		json_of(&one, &json);
		assert_true(json.len > 0);
		(void)buf_put(&json, got.data, got.len);	/* in front of what came after it */
		buf_free(&got);
		got = json;
		buf_free(&one);
	}
	assert_string_equal(buf_cstr(&got), buf_cstr(&expected));
	buf_free(&whole);
	buf_free(&expected);
	buf_free(&got);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_in_order_unfinished_calls_are_no_events),
		cmocka_unit_test(a_handler_that_is_null_is_not_interested),
		cmocka_unit_test(stop_can_be_gone_on_from),
		cmocka_unit_test(abort_and_answers_that_are_none_are_errors),
		cmocka_unit_test(filters_leave_out_and_keep_the_numbers),
		cmocka_unit_test(what_is_lost_is_told_whatever_the_filter),
		cmocka_unit_test(a_batch_has_the_columns_asked_for),
		cmocka_unit_test(names_change_between_batches),
		cmocka_unit_test(summary_and_filter_are_asked_for_before_reading),
		cmocka_unit_test(info_says_what_the_header_says),
		cmocka_unit_test(what_is_no_recording_is_refused),
		cmocka_unit_test(inputs_are_merged_by_unix_time),
		cmocka_unit_test(a_filter_means_the_same_time_in_every_input),
		cmocka_unit_test(files_of_a_rotation_are_read_one_after_the_other),
		cmocka_unit_test(blocks_alone_and_in_reverse_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
