/* flight_test.c - the flight recorder holds whole epochs, the newest, and writes a recording of them */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/flight.h"
#include "formats/dump.h"
#include "formats/writer.h"

static struct writer *
begin(struct flight *f)
{
	const struct writer_options o = {.fd = -1, .sink = flight_sink, .sink_arg = f};
	const struct rec_host host = {.os = OS_LINUX, .arch = 1, .series = 5};
	const struct rec_clock clock = {.boot_ns = 1};
	struct iotap_error err = {0};
	struct writer *const w = writer_new(&o, &err);

	assert_non_null(w);
	assert_int_equal(writer_header(w, &host, &clock, NULL, 0), 0);
	assert_int_equal(writer_epoch(w, &clock, NULL), 0);
	return w;
}

/* One epoch of n calls on a target that was defined in the first. */
static void
epoch(struct writer *w, uint64_t from_ns, unsigned int n)
{
	const struct rec_clock clock = {.boot_ns = from_ns};

	assert_int_equal(writer_epoch(w, &clock, NULL), 0);
	for (unsigned int i = 0; i < n; i++) {
		const struct kr_call call = {.key_ns = from_ns + i, .tid = 7, .tgid = 7, .call = 2, .fd = 3,
					     .id = 4, .result = rand(), .flags = KF_FD};

		assert_int_equal(writer_calls(w, &call, 1), 0);
	}
	assert_int_equal(writer_flush(w), 0);
}

static void
finish(struct writer *w, uint64_t time_ns)
{
	const struct rec_end end = {.time_ns = time_ns, .reason = 10};

	assert_int_equal(writer_end(w, NULL, NULL, &end), 0);
}

/* The memory as text; a reader that finds fault says so in it. */
static struct buf
written(struct flight *f)
{
	char path[] = "/tmp/flight_test.XXXXXX";
	const int fd = mkstemp(path);
	struct iotap_error err = {0};
	struct reader *const reader = reader_new_fd(fd, path);
	struct buf text = {0};

	assert_int_equal(flight_write(f, fd, &err), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(dump_all(reader, true, &text, &err), 0);
	reader_free(reader);
	assert_int_equal(unlink(path), 0);
	close(fd);
	return text;
}

static unsigned int
count(struct buf *text, const char *what)
{
	unsigned int n = 0;

	for (const char *at = buf_cstr(text); (at = strstr(at, what)) != NULL; at++)
		n++;
	return n;
}

static void
define(struct writer *w)
{
	const struct rec_target target = {.id = 4, .kind = KR_KIND_FILE, .text = rec_str("/etc/hosts")};

	assert_int_equal(writer_record(w, REC_target, &target), 0);
}

static void
the_newest_epochs_are_a_recording(void **state)
{
	struct flight *const f = flight_new(40000);
	struct writer *const w = begin(f);
	struct buf text;

	(void)state;
	define(w);
	for (unsigned int i = 1; i <= 100; i++)
		epoch(w, i * 1000, 100);
	assert_true(flight_bytes(f) <= 40000);
	assert_true(flight_bytes(f) > 20000);
	finish(w, 200000);
	text = written(f);
	assert_int_equal(count(&text, "call key=1000 "), 0);
	assert_int_equal(count(&text, "call key=100099 "), 1);
	/* The name of the first epoch is in each that is left. */
	assert_int_equal(count(&text, "/etc/hosts"), count(&text, "block state"));
	assert_true(count(&text, "block state") > 2);
	assert_int_equal(count(&text, "call key=") % 100, 0);
	assert_int_equal(count(&text, "reason=dumped"), 1);
	assert_int_equal(count(&text, "part=1"), 1);
	assert_int_equal(count(&text, "damage") + count(&text, "gap") + count(&text, "truncated") +
			 count(&text, "repeated") + count(&text, "foreign"), 0);
	buf_free(&text);
	writer_free(w);
	flight_free(f);
}

static void
after_a_copy_it_goes_on_empty(void **state)
{
	const struct rec_clock clock = {.boot_ns = 3000};
	struct flight *const f = flight_new(1 << 20);
	struct writer *const w = begin(f);
	struct buf text;

	(void)state;
	define(w);
	epoch(w, 1000, 10);
	finish(w, 2000);
	text = written(f);
	assert_int_equal(count(&text, "call key="), 10);
	buf_free(&text);
	assert_int_equal(flight_bytes(f), 0);
	assert_int_equal(writer_reopen(w, -1, &clock, NULL), 0);
	epoch(w, 4000, 5);
	finish(w, 5000);
	text = written(f);
	assert_int_equal(count(&text, "call key="), 5);
	assert_int_equal(count(&text, "/etc/hosts"), 1);
	assert_int_equal(count(&text, "part=2"), 1);
	assert_int_equal(count(&text, "calls=5"), 1);
	buf_free(&text);
	writer_free(w);
	flight_free(f);
}

/* One epoch larger than the memory: nothing of it is of use; the next one is. */
static void
an_epoch_that_is_too_large_is_given_up(void **state)
{
	struct flight *const f = flight_new(4000);
	struct writer *const w = begin(f);
	struct buf text;

	(void)state;
	define(w);
	epoch(w, 1000, 16000);
	assert_true(flight_wants_epoch(f));
	epoch(w, 100000, 10);
	finish(w, 200000);
	text = written(f);
	assert_int_equal(count(&text, "call key="), 10);
	assert_int_equal(count(&text, "calls=10"), 1);
	assert_int_equal(count(&text, "damage") + count(&text, "gap"), 0);
	buf_free(&text);
	writer_free(w);
	flight_free(f);
}

static void
a_full_disk_is_said(void **state)
{
	struct flight *const f = flight_new(1 << 20);
	struct writer *const w = begin(f);
	const int fd = open("/dev/full", O_WRONLY);
	struct iotap_error err = {0};

	(void)state;
	finish(w, 2000);
	assert_int_equal(flight_write(f, fd, &err), IOTAP_EIO);
	assert_non_null(strstr(err.text, "No space left"));
	close(fd);
	writer_free(w);
	flight_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_epochs_are_a_recording),
		cmocka_unit_test(after_a_copy_it_goes_on_empty),
		cmocka_unit_test(an_epoch_that_is_too_large_is_given_up),
		cmocka_unit_test(a_full_disk_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
