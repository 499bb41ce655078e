/* outlet_test.c - capture/outlet.h: rotation, flight recorder, limits, with a writer as the encoder has it */
#include "capture/outlet.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "formats/reader.h"
#include "formats/writer.h"
#include "tests/lib/unit.h"

enum {
	N = 60000,
	AT_ONCE = 500,
	NO_ROOM = 30000
};

static int
enter_folder(void **state)
{
	char *const folder = strdup("/tmp/iotap-outlet.XXXXXX");

	*state = folder;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int
leave_folder(void **state)
{
	char command[64];

	(void)snprintf(command, sizeof(command), "rm -rf '%s'", (const char *)*state);
	(void)chdir("/");
	free(*state);
	return system(command);
}

static struct kr_call
call(uint64_t i)
{
	return (struct kr_call){.key_ns = 1000 + i,
				.duration_ns = 5,
				.tid = 7,
				.tgid = 7,
				.call = 2,
				.flags = KF_FD,
				.fd = 3,
				.result = i == NO_ROOM ? -28 : (int64_t)(i * 7919 % 5000)};
}

static void
limit(rlim_t bytes)
{
	struct rlimit now;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
	now.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
}

/* What the encoder does with N calls, 500 a nanosecond and batch; ends when there is enough. The calls
 * that were given to the writer. *why: what could not be done at the end. */
static uint64_t
capture_why(const struct outlet_options *options, struct iotap_error *why)
{
	struct iotap_error err = {.code = 0};
	struct rec_clock clock = {.boot_ns = 999, .real_ns = 1700000000};
	const struct rec_host host = {.os = OS_LINUX, .arch = 1};
	struct rec_end end = {.reason = 1};
	struct writer_options w_options = {.fd = -1, .codec = CODEC_NONE, .session = 9, .keeps_room = true};
	struct kr_call calls[AT_ONCE];
	struct outlet o;
	struct writer *w;
	uint64_t n = 0;

	assert_int_equal(outlet_init(&o, options, "x", &err), 0);
	if (o.flight) {
		w_options.sink = flight_sink;
		w_options.sink_arg = o.flight;
	} else {
		if (outlet_rotates(options))
			assert_int_equal(series_next(&o.series, &o.fd, &err), 0);
		else
			o.fd = open("x", O_WRONLY | O_CREAT | O_TRUNC, 0600);
		w_options.fd = o.fd;
		assert_int_equal(outlet_sync(&o, o.fd, true, &err), 0);
	}
	w = writer_new(&w_options, &err);
	assert_int_equal(writer_header(w, &host, &clock, NULL, 0), 0);
	assert_int_equal(writer_epoch(w, &clock, NULL), 0);
	while (n < N && end.reason == 1) {
		enum outlet_due due;

		for (size_t i = 0; i < AT_ONCE; i++)
			calls[i] = call(n++);
		clock.boot_ns = 1000 + n;
		outlet_calls(&o, calls, AT_ONCE, clock.boot_ns);
		assert_int_equal(writer_calls(w, calls, AT_ONCE), 0);
		assert_int_equal(writer_flush(w), 0);
		due = outlet_due(&o, w, clock.boot_ns);
		if (due != OUTLET_NOTHING && outlet_turn(&o, w, due, &clock, NULL, &err) < 0)
			fail_msg("%s", err.text);
		if (outlet_limit(&o, w) != 0)
			end.reason = outlet_limit(&o, w);
	}
	assert_int_equal(writer_end(w, &clock, NULL, &end), 0);
	(void)outlet_finish(&o, why);
	writer_free(w);
	outlet_fini(&o);
	return n;
}

static uint64_t
capture(const struct outlet_options *options)
{
	struct iotap_error why = {.code = 0};
	const uint64_t n = capture_why(options, &why);

	if (why.code != 0)
		fail_msg("%s", why.text);
	return n;
}

struct found {
	uint64_t bytes, calls, first, last, reason;
	uint64_t warnings;
};

/* Reads file x.NUMBER: a whole recording by itself. False when there is no such file. */
static bool
read_file(unsigned int number, struct found *found)
{
	struct iotap_error err = {.code = 0};
	struct reader_item item;
	struct reader *reader;
	char name[32];
	bool ended = false;
	int fd, r;

	*found = (struct found){.first = UINT64_MAX};
	(void)snprintf(name, sizeof(name), "x.%u", number);
	fd = open(number == 0 ? "x" : name, O_RDONLY);
	if (fd < 0)
		return false;
	reader = reader_new_fd(fd, name);
	while ((r = reader_next(reader, &item)) == 0) {
		struct bytes_in in = bytes_in(item.payload, item.payload_bytes);
		struct record rec;

		if (item.what != READER_BLOCK)
			fail_msg("%s: %s", name, item.text);
		if (item.head.type == BLOCK_CALLS) {
			found->calls += item.head.count;
			found->first = item.head.first_ns < found->first ? item.head.first_ns
									 : found->first;
			assert_true(item.head.last_ns > found->last);
			found->last = item.head.last_ns;
		}
		while (item.head.type == BLOCK_RECORDS && record_next(&in, &rec, &err) == 0)
			found->warnings += rec.type == REC_notice && rec.u.notice.level == 2;
		while (item.head.type == BLOCK_END && record_next(&in, &rec, &err) == 0) {
			if (rec.type == REC_end) {
				ended = true;
				found->reason = rec.u.end.reason;
				assert_int_equal(rec.u.end.calls, found->calls);
			}
		}
	}
	assert_int_equal(r, 1);
	assert_true(ended);
	found->bytes = reader_offset(reader);
	reader_free(reader);
	(void)close(fd);
	return true;
}

/* One after the other, without a call missing or twice. */
static void
files_of_a_size(void **state)
{
	const uint64_t size = 20000;
	uint64_t calls = 0, last = 999;
	unsigned int n = 0;
	struct found found;

	(void)state;
	(void)capture(&(struct outlet_options){.rotate_bytes = size});
	while (read_file(n + 1, &found)) {
		if (found.calls > 0) {
			assert_int_equal(found.first, last + 1);
			assert_int_equal(found.last - found.first + 1, found.calls);
			last = found.last;
		}
		calls += found.calls;
		n++;
	}
	assert_true(n > 2);
	assert_int_equal(calls, N);
	assert_int_equal(access("x", F_OK), -1);
}

static void
only_the_latest_are_kept(void **state)
{
	unsigned int n = 0, first = 0;
	struct found found, last_one = {.calls = 0};

	(void)state;
	(void)capture(&(struct outlet_options){.rotate_bytes = 20000, .keep = 2});
	for (unsigned int i = 1; i < 200; i++) {
		if (read_file(i, &found)) {
			first = first ? first : i;
			n++;
			last_one = found;
		}
	}
	assert_int_equal(n, 2);
	assert_true(first > 1);
	assert_true(last_one.calls == 0 || last_one.last == 1000 + N - 1);
}

/* The memory holds the end of it, and no more than was asked for. */
static void
a_flight_recorder(void **state)
{
	struct found found;

	(void)state;
	(void)capture(&(struct outlet_options){.flight_bytes = 100000});
	assert_true(read_file(1, &found));
	assert_true(found.calls > 0 && found.calls < N);
	assert_int_equal(found.last, 1000 + N - 1);
	assert_int_equal(found.calls, found.last - found.first + 1);
	assert_true(found.bytes <= 110000);
	assert_int_equal(access("x", F_OK), -1);
}

/* A rule that is met has a copy written, then it goes on. */
static void
a_rule_that_is_met(void **state)
{
	struct trigger_rule rule;
	struct found first, second;

	(void)state;
	assert_true(trigger_parse("errno=ENOSPC", &rule));
	(void)capture(
		&(struct outlet_options){.flight_bytes = 64 << 20, .rules = &rule, .n_rules = 1});
	assert_true(read_file(1, &first));
	assert_true(read_file(2, &second));
	assert_true(first.first <= 1000 + NO_ROOM && first.last >= 1000 + NO_ROOM);
	assert_int_equal(second.last, 1000 + N - 1);
	assert_false(read_file(3, &second));
}

static void
enough_is_enough(void **state)
{
	struct found found;

	(void)state;
	assert_int_equal(capture(&(struct outlet_options){.max_calls = 10000}), 10000);
	assert_true(read_file(0, &found));
	assert_int_equal(found.calls, 10000);
	assert_int_equal(found.reason, 8);
	assert_true(capture(&(struct outlet_options){.max_bytes = 20000}) < N);
	assert_true(read_file(0, &found));
	assert_true(found.bytes >= 20000 && found.bytes < 60000);
	assert_int_equal(found.reason, 7);
}

/* The bytes of all files together count. */
static void
enough_over_several_files(void **state)
{
	struct found found;
	uint64_t bytes = 0;

	(void)state;
	assert_true(capture(&(struct outlet_options){.max_bytes = 100000, .rotate_bytes = 20000}) <
		    N);
	for (unsigned int i = 1; read_file(i, &found); i++)
		bytes += found.bytes;
	assert_true(bytes >= 100000 && bytes < 160000);
}

static void
files_of_a_time(void **state)
{
	struct found found;
	unsigned int n = 0;

	(void)state;
	(void)capture(&(struct outlet_options){.rotate_ns = 10000});
	for (; read_file(n + 1, &found); n++)
		assert_true(found.calls <= 10000 + AT_ONCE);
	assert_true(n >= 6 && n <= 7);
}

/* The old file goes on, and says why. */
static void
no_room_for_the_next_file(void **state)
{
	struct found found;
	uint64_t n;

	(void)state;
	limit(65000);
	n = capture(&(struct outlet_options){.rotate_bytes = 20000, .max_bytes = 40000});
	limit(RLIM_INFINITY);
	assert_true(read_file(1, &found));
	assert_int_equal(found.calls, n);
	assert_int_equal(found.warnings, 1);
	assert_int_equal(access("x.2", F_OK), -1);
}

/* Its newest epochs are written, and it is said that there were more. */
static void
no_room_for_the_whole_flight(void **state)
{
	struct iotap_error why = {.code = 0};
	struct found found;

	(void)state;
	limit(60000);
	(void)capture_why(&(struct outlet_options){.flight_bytes = 100000}, &why);
	limit(RLIM_INFINITY);
	assert_int_equal(why.code, IOTAP_EIO);
	assert_non_null(strstr(why.text, "x.1: the copy begins later than it should: "));
	assert_true(read_file(1, &found));
	assert_int_equal(found.last, 1000 + N - 1);
	assert_int_equal(found.calls, found.last - found.first + 1);
	assert_true(found.bytes > 20000 && found.bytes <= 60000);
}

static void
no_room_for_any_flight(void **state)
{
	struct iotap_error why = {.code = 0};

	(void)state;
	limit(1000);
	(void)capture_why(&(struct outlet_options){.flight_bytes = 100000}, &why);
	limit(RLIM_INFINITY);
	assert_int_equal(why.code, IOTAP_EIO);
	assert_int_equal(access("x.1", F_OK), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(files_of_a_size),	 TEST(only_the_latest_are_kept),
		TEST(a_flight_recorder), TEST(a_rule_that_is_met),
		TEST(enough_is_enough),	 TEST(enough_over_several_files),
		TEST(files_of_a_time),	 TEST(no_room_for_the_next_file),
		TEST(no_room_for_any_flight), TEST(no_room_for_the_whole_flight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
