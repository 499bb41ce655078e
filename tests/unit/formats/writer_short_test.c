/* writer_short_test.c - formats/writer.h over a descriptor that takes a part of what it is given
 *
 * write(2) of this program is the one below: it really writes what it says. At the n-th time, for each n:
 * once, from then on, and once with nothing after it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/reader.h"
#include "formats/writer.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

enum { N_CALLS = 3000, EACH = 300 };
enum how { NEVER, ONCE, EVER, LAST };

/* The test's own; there is one thread. */
static struct {
	int fd;
	enum how how;
	unsigned int at, n;
} plan = {.fd = -1};

ssize_t write(int fd, const void *p, size_t n);
ssize_t
write(int fd, const void *p, size_t n)
{
	size_t take = n;

	if (fd == plan.fd && plan.how != NEVER) {
		plan.n++;
		if (plan.how == LAST && plan.n > plan.at) {
			errno = ENOSPC;
			return -1;
		}
		if (n > 1 && (plan.how == EVER ? plan.n >= plan.at : plan.n == plan.at))
			take = n / 3 + 1;
	} else if (fd == plan.fd) {
		plan.n++;
	}
	return syscall(SYS_write, fd, p, take);
}

/* A recording; 0 or the first failure. */
static int
record(int fd)
{
	const struct writer_options o = {.fd = fd, .codec = CODEC_NONE, .session = 9, .keeps_room = true};
	const struct rec_host host = {.os = 1, .arch = 1};
	const struct rec_clock clock = {.boot_ns = 1};
	const struct rec_end end = {.time_ns = 99, .reason = 1};
	struct writer *const w = writer_new(&o, NULL);
	int r = writer_header(w, &host, &clock, NULL, 0);

	if (r == 0)
		r = writer_epoch(w, &clock, NULL);
	for (uint32_t i = 0; r == 0 && i < N_CALLS; i++) {
		struct kr_call call = sample_call(i);

		call.id = call.id2 = 0;
		call.flags &= ~(uint32_t)(KF_IDENTITY | KF_SECOND);
		r = writer_calls(w, &call, 1);
		if (r == 0 && i % EACH == EACH - 1)
			r = writer_flush(w);
	}
	if (r == 0)
		r = writer_end(w, &clock, NULL, &end);
	if (r < 0)
		assert_true(writer_give_up(w));
	writer_free(w);
	return r;
}

static struct buf
recorded(enum how how, unsigned int at, int *result)
{
	struct buf all = {0};
	const int fd = memfd_create("recording", 0);

	assert_true(fd >= 0);
	plan.fd = fd;
	plan.how = how;
	plan.at = at;
	plan.n = 0;
	*result = record(fd);
	plan.fd = -1;
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_true(io_read_rest(fd, &all));
	assert_int_equal(close(fd), 0);
	return all;
}

static unsigned int
same_as_whole(enum how how)
{
	int r;
	struct buf whole = recorded(NEVER, 0, &r);
	const unsigned int n = plan.n;

	assert_int_equal(r, 0);
	assert_true(n > 10);
	for (unsigned int at = 1; at <= n; at++) {
		struct buf got = recorded(how, at, &r);

		assert_int_equal(r, 0);
		assert_int_equal(got.len, whole.len);
		assert_memory_equal(got.data, whole.data, whole.len);
		buf_free(&got);
	}
	buf_free(&whole);
	return n;
}

static void
a_short_write_once(void **state)
{
	(void)state;
	(void)same_as_whole(ONCE);
}

static void
every_write_is_short(void **state)
{
	(void)state;
	(void)same_as_whole(EVER);
}

/* What is there is whole blocks, the same as ever, and one block less each time. */
static void
a_short_write_and_no_more(void **state)
{
	int r;
	struct buf whole = recorded(NEVER, 0, &r);
	const unsigned int n = plan.n;

	(void)state;
	for (unsigned int at = 1; at <= n; at++) {
		struct buf got = recorded(LAST, at, &r);
		struct reader *const reader = reader_new_memory(got.data, got.len, "x");
		struct reader_item item;
		unsigned int blocks = 0;

		assert_int_equal(r, IOTAP_EIO);
		assert_true(got.len < whole.len);
		assert_memory_equal(got.data, whole.data, got.len);
		while (got.len > 0 && reader_next(reader, &item) == 0 && item.what == READER_BLOCK)
			blocks++;
		assert_int_equal(blocks, at - 1);
		if (got.len > 0)
			assert_true(item.what == READER_TRUNCATED && item.bytes == 0);
		reader_free(reader);
		buf_free(&got);
	}
	buf_free(&whole);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_write_once),
		cmocka_unit_test(every_write_is_short),
		cmocka_unit_test(a_short_write_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
