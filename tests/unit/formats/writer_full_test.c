/* writer_full_test.c - formats/writer.h over a file that takes no more, and what is due when
 *
 * write(2) and fallocate(2) of this program are the ones below: from the n-th write on they fail as the test
 * says. What was written before stays a recording, and says it ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/reader.h"
#include "formats/writer.h"
#include "tests/lib/sample.h"
#include "tests/lib/starve.h"
#include "tests/lib/unit.h"

/* The test's own; there is one thread. */
static struct {
	int fd, error;			/* of writes after the first `good` ones */
	unsigned int good, n;
	int reserve_error;
} plan = {.fd = -1};

ssize_t write(int fd, const void *p, size_t n);
ssize_t
write(int fd, const void *p, size_t n)
{
	if (fd == plan.fd && plan.n++ >= plan.good && plan.error) {
		errno = plan.error;
		return -1;
	}
	return syscall(SYS_write, fd, p, n);
}

int fallocate(int fd, int mode, off_t at, off_t n);
int
fallocate(int fd, int mode, off_t at, off_t n)
{
	errno = plan.reserve_error;
	return errno ? -1 : (int)syscall(SYS_fallocate, fd, mode, at, n);
}

static const struct rec_clock clock_now = {.boot_ns = 1000};
static const struct rec_end end = {.time_ns = 9, .reason = 1};

/* A writer that has written a header and an epoch to a new file, which stays open in plan.fd. */
static struct writer *
begun(bool keeps_room)
{
	const struct rec_host host = {.os = 1};
	const struct writer_options o = {.fd = memfd_create("recording", 0), .codec = CODEC_NONE, .session = 9,
					 .keeps_room = keeps_room, .index = true};
	struct writer *const w = writer_new(&o, NULL);

	plan = (typeof(plan)){.fd = o.fd};
	assert_int_equal(writer_header(w, &host, &clock_now, NULL, 0), 0);
	assert_int_equal(writer_epoch(w, &clock_now, NULL), 0);
	return w;
}

static void
finished(struct writer *w)
{
	writer_free(w);
	(void)close(plan.fd);
	plan = (typeof(plan)){.fd = -1};
}

static int
calls(struct writer *w, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct kr_call call = sample_call(i);
		int r;

		call.id = call.id2 = 0;
		call.flags &= ~(uint32_t)(KF_IDENTITY | KF_SECOND);
		r = writer_calls(w, &call, 1);
		if (r < 0)
			return r;
	}
	return writer_flush(w);
}

/* The calls of what is in the file, which must be whole and have its end. */
static uint32_t
calls_read(void)
{
	struct reader *r;
	struct reader_item item;
	uint32_t n = 0;
	int got;

	assert_int_equal(lseek(plan.fd, 0, SEEK_SET), 0);
	r = reader_new_fd(plan.fd, "x");
	while ((got = reader_next(r, &item)) == 0) {
		assert_int_equal(item.what, READER_BLOCK);
		n += item.head.type == BLOCK_CALLS ? item.head.count : 0;
	}
	assert_int_equal(got, 1);
	reader_free(r);
	return n;
}

static void
each_error_has_its_words(void **state)
{
	static const struct {
		int error, code;
		const char *words;
	} rows[] = {{ENOSPC, IOTAP_EIO, "make room"}, {EDQUOT, IOTAP_EIO, "make room"}, {EFBIG, IOTAP_EIO, "make room"},
		    {EIO, IOTAP_EIO, "can be read"}, {EPIPE, IOTAP_EPIPE, "the reader has gone"}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct writer *const w = begun(false);

		plan.error = rows[i].error;
		assert_int_equal(calls(w, 5), rows[i].code);
		assert_non_null(strstr(writer_error(w)->text, rows[i].words));
		assert_int_equal(!!strstr(writer_error(w)->text, "make room"), i < 3);
		assert_false(writer_give_up(w));
		finished(w);
	}
}

/* No room for a block: it is not even begun; given up, the end finds the room that was kept. */
static void
the_end_finds_its_room(void **state)
{
	struct writer *const w = begun(true);
	struct writer_totals totals;

	(void)state;
	assert_int_equal(calls(w, 20), 0);
	plan.reserve_error = ENOSPC;
	for (int i = 0; i < 5000 && writer_error(w)->code == 0; i++)
		(void)calls(w, 500);
	assert_int_equal(writer_error(w)->code, IOTAP_EIO);
	assert_non_null(strstr(writer_error(w)->text, "make room"));
	assert_true(writer_give_up(w));
	writer_get_totals(w, &totals);
	assert_int_equal(totals.pending_calls, 0);
	assert_int_equal(writer_end(w, &clock_now, NULL, &end), 0);
	assert_int_equal(calls_read(), totals.calls);
	finished(w);
}

/* Not even the end has room: whole blocks go, the newest first, until there is none of this epoch. */
static void
blocks_are_taken_back(void **state)
{
	struct writer *const w = begun(true);
	struct writer_totals totals;

	(void)state;
	assert_false(writer_take_back(w));
	assert_int_equal(calls(w, 20), 0);
	assert_int_equal(calls(w, 30), 0);
	plan.error = ENOSPC;
	assert_int_equal(calls(w, 5), IOTAP_EIO);
	assert_true(writer_give_up(w));
	assert_int_equal(writer_end(w, NULL, NULL, &end), IOTAP_EIO);
	assert_true(writer_take_back(w));
	assert_true(writer_give_up(w));
	writer_get_totals(w, &totals);
	assert_int_equal(totals.calls, 20);
	plan.error = 0;
	assert_int_equal(writer_end(w, NULL, NULL, &end), 0);
	assert_int_equal(calls_read(), 20);
	finished(w);
}

/* Without memory for a new encoder the old one goes on: nothing is lost of what is there. */
static void
giving_up_without_memory(void **state)
{
	struct writer *const w = begun(true);

	(void)state;
	assert_int_equal(calls(w, 20), 0);
	plan.error = EIO;
	assert_int_equal(calls(w, 5), IOTAP_EIO);
	starve_at(1, STARVE_EVER);
	assert_true(writer_give_up(w));
	(void)starve_stop();
	plan.error = 0;
	assert_int_equal(writer_end(w, NULL, NULL, &end), 0);
	assert_int_equal(calls_read(), 20);
	finished(w);
}

/* The next file of a series keeps room too; what is not a header cannot be said again. */
static void
the_next_file(void **state)
{
	struct writer *w = begun(true);
	const int first = plan.fd, second = memfd_create("second", 0);
	const struct writer_options o = {.fd = -1, .session = 9};

	(void)state;
	assert_int_equal(writer_end(w, NULL, NULL, &end), 0);
	plan.fd = second;
	assert_int_equal(writer_reopen(w, second, &clock_now, NULL), 0);
	assert_int_equal(calls(w, 20), 0);
	assert_int_equal(writer_end(w, NULL, NULL, &end), 0);
	assert_int_equal(calls_read(), 20);
	(void)close(first);
	finished(w);
	w = writer_new(&o, NULL);
	assert_int_equal(writer_reopen(w, -1, &clock_now, NULL), IOTAP_EUSAGE);
	assert_non_null(strstr(writer_error(w)->text, "no header was given"));
	writer_free(w);
}

/* Before the first tick nothing is due; then what waits is, and a word that nothing has come. */
static void
what_is_due(void **state)
{
	struct writer *const w = begun(false);
	struct kr_call call = sample_call(1);

	(void)state;
	call.id = call.id2 = 0;
	call.flags &= ~(uint32_t)(KF_IDENTITY | KF_SECOND);
	assert_int_equal(writer_next_due_ns(w), UINT64_MAX);
	assert_false(writer_epoch_due(w, 1));
	assert_int_equal(writer_tick(w, 5000), 0);
	assert_int_equal(writer_next_due_ns(w), WRITER_PROGRESS_NS);
	assert_int_equal(writer_calls(w, &call, 1), 0);
	assert_int_equal(writer_next_due_ns(w), WRITER_SLOW_NS);
	assert_int_equal(writer_tick(w, 5000 + WRITER_SLOW_NS - 1), 0);
	assert_int_equal(writer_next_due_ns(w), 1);
	assert_int_equal(writer_tick(w, 4000), 0);
	assert_int_equal(writer_next_due_ns(w), 1);
	for (uint32_t i = 1; i < WRITER_FULL_CALLS; i++)
		assert_int_equal(writer_calls(w, &call, 1), 0);
	assert_int_equal(writer_next_due_ns(w), 0);
	finished(w);
}

/* Requests without end are kept up to a limit; the header is written with those. */
static void
requests_are_bounded(void **state)
{
	enum { N = 100 };
	static char text[REC_BYTES_MAX];
	struct rec_request requests[N];
	const struct rec_host host = {.os = 1};
	const struct writer_options o = {.fd = memfd_create("recording", 0), .session = 9};
	struct writer *const w = writer_new(&o, NULL);

	(void)state;
	plan.fd = o.fd;
	memset(text, 'r', sizeof(text));
	for (size_t i = 0; i < N; i++)
		requests[i] = (struct rec_request){.kind = 2, .text = rec_bytes(text, sizeof(text))};
	assert_int_equal(writer_header(w, &host, &clock_now, requests, N), 0);
	assert_int_equal(writer_epoch(w, &clock_now, NULL), 0);
	assert_int_equal(writer_end(w, NULL, NULL, &end), 0);
	assert_int_equal(calls_read(), 0);
	finished(w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_error_has_its_words),
		cmocka_unit_test(the_end_finds_its_room),
		cmocka_unit_test(blocks_are_taken_back),
		cmocka_unit_test(giving_up_without_memory),
		cmocka_unit_test(the_next_file),
		cmocka_unit_test(what_is_due),
		cmocka_unit_test(requests_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
