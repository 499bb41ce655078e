/* reader_input_test.c - formats/reader_input.h: the window over files, pipes and memory */
#include "formats/reader_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/error.h"
#include "tests/lib/unit.h"

enum { N = 500000 };

/* The byte at each place of the input. */
static uint8_t
byte_at(uint64_t i)
{
	return (uint8_t)(i * 31 >> 3);
}

static int
a_file(void)
{
	uint8_t *const bytes = test_malloc(N);
	const int fd = memfd_create("input", MFD_CLOEXEC);

	for (uint64_t i = 0; i < N; i++)
		bytes[i] = byte_at(i);
	assert_true(fd >= 0 && io_write_all(fd, bytes, N));
	(void)lseek(fd, 0, SEEK_SET);
	test_free(bytes);
	return fd;
}

/* The window begins at offset and its bytes are those of there. */
static void
expect_window(const struct reader_input *in, uint64_t offset, size_t at_least)
{
	assert_true(in->offset == offset);
	assert_true(reader_input_have(in) >= at_least);
	for (size_t i = 0; i < reader_input_have(in); i++) {
		if (reader_input_p(in)[i] != byte_at(offset + i))
			fail_msg("byte %zu of the window at %llu", i, (unsigned long long)offset);
	}
}

static void
fill_and_pass(struct reader_input *in)
{
	uint64_t offset = 0;
	size_t n = 1;

	while (offset < N) {
		const size_t want = n < N - offset ? n : (size_t)(N - offset);

		assert_int_equal(reader_input_fill(in, n), 0);
		expect_window(in, offset, want);
		reader_input_pass(in, want);
		offset += want;
		n = n * 3 % 200000 + 1;
	}
	assert_int_equal(reader_input_fill(in, 1), 0);
	assert_true(in->ended);
	assert_int_equal(reader_input_have(in), 0);
}

static void
a_file_from_end_to_end(void **state)
{
	const int fd = a_file();
	struct reader_input in;

	(void)state;
	for (int sparing = 0; sparing < 2; sparing++) {
		(void)lseek(fd, 0, SEEK_SET);
		reader_input_init_fd(&in, fd);
		assert_true(in.seekable && in.left == N);
		in.sparing = sparing;
		fill_and_pass(&in);
		reader_input_fini(&in);
	}
	(void)close(fd);
}

/* Bytes that come one at a time. */
static void
a_pipe_in_small_pieces(void **state)
{
	struct reader_input in;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	reader_input_init_fd(&in, fds[0]);
	assert_false(in.seekable);
	for (uint64_t i = 0; i < 1000; i++) {
		const uint8_t byte = byte_at(i);

		assert_int_equal(write(fds[1], &byte, 1), 1);
		assert_int_equal(reader_input_fill(&in, 1), 0);
		expect_window(&in, i, 1);
		reader_input_pass(&in, 1);
	}
	assert_false(reader_input_seek(&in, 1));
	(void)close(fds[1]);
	assert_int_equal(reader_input_fill(&in, 100), 0);
	assert_true(in.ended);
	assert_int_equal(in.offset, 1000);
	reader_input_fini(&in);
	(void)close(fds[0]);
}

static void
memory(void **state)
{
	static const uint8_t bytes[] = {0, 3, 7};	/* as byte_at */
	struct reader_input in;

	(void)state;
	reader_input_init_memory(&in, bytes, 3);
	assert_int_equal(reader_input_fill(&in, 100), 0);
	expect_window(&in, 0, 3);
	assert_ptr_equal(reader_input_p(&in), bytes);
	assert_false(reader_input_seek(&in, 4));
	assert_int_equal(in.offset, 0);			/* nothing was done */
	assert_true(reader_input_seek(&in, 3));
	assert_int_equal(reader_input_have(&in), 0);
	assert_int_equal(in.offset, 3);
	reader_input_fini(&in);
	reader_input_init_memory(&in, NULL, 0);
	assert_int_equal(reader_input_fill(&in, 1), 0);
	assert_int_equal(reader_input_have(&in), 0);
	reader_input_fini(&in);
}

static void
seeking_over_bytes(void **state)
{
	const int fd = a_file();
	struct reader_input in;

	(void)state;
	reader_input_init_fd(&in, fd);
	in.sparing = true;
	assert_int_equal(reader_input_fill(&in, 100), 0);
	assert_true(reader_input_seek(&in, 50));		/* within the window */
	expect_window(&in, 50, 50);
	assert_true(reader_input_seek(&in, 300000));		/* beyond it */
	assert_int_equal(reader_input_fill(&in, 10), 0);
	expect_window(&in, 300050, 10);
	assert_false(reader_input_seek(&in, N - 300050 + 1));	/* beyond the end */
	expect_window(&in, 300050, 10);
	assert_true(reader_input_seek(&in, N - 300050));		/* to the very end */
	assert_int_equal(reader_input_fill(&in, 1), 0);
	assert_true(in.ended);
	assert_int_equal(in.offset, N);
	reader_input_fini(&in);
	(void)close(fd);
}

/* What the size said need not be what is there: a file that is cut while it is read. */
static void
a_file_that_shrinks(void **state)
{
	const int fd = a_file();
	struct reader_input in;

	(void)state;
	reader_input_init_fd(&in, fd);
	assert_int_equal(ftruncate(fd, 1000), 0);
	assert_int_equal(reader_input_fill(&in, N), 0);
	assert_true(in.ended);
	expect_window(&in, 0, 1000);
	assert_int_equal(reader_input_have(&in), 1000);
	reader_input_fini(&in);
	(void)close(fd);
}

static void
from_the_middle_of_a_file(void **state)
{
	const int fd = a_file();
	struct reader_input in;

	(void)state;
	(void)lseek(fd, N - 10, SEEK_SET);
	reader_input_init_fd(&in, fd);
	assert_int_equal(in.left, 10);
	assert_int_equal(in.offset, 0);			/* from where reading began */
	assert_int_equal(reader_input_fill(&in, 20), 0);
	assert_int_equal(reader_input_have(&in), 10);
	reader_input_fini(&in);
	(void)close(fd);
}

static int
count_idle(void *arg)
{
	int *const n = arg;

	return ++*n == 2 ? -5 : 0;
}

/* Asked only when a read would block, and again while it does; a result stops the reading, for now. */
static void
the_idle_function(void **state)
{
	struct reader_input in;
	uint8_t byte = byte_at(0);
	int fds[2], n = 0;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	reader_input_init_fd(&in, fds[0]);
	in.idle = count_idle;
	in.idle_arg = &n;
	assert_int_equal(write(fds[1], &byte, 1), 1);
	assert_int_equal(reader_input_fill(&in, 1), 0);
	assert_int_equal(n, 0);
	assert_int_equal(reader_input_fill(&in, 2), 2);
	assert_int_equal(n, 2);
	expect_window(&in, 0, 1);				/* nothing is lost */
	byte = byte_at(1);
	assert_int_equal(write(fds[1], &byte, 1), 1);
	assert_int_equal(reader_input_fill(&in, 2), 0);
	expect_window(&in, 0, 2);
	(void)close(fds[1]);
	reader_input_fini(&in);
	(void)close(fds[0]);
}

static void
a_read_that_fails(void **state)
{
	const int fd = open("/", O_RDONLY | O_DIRECTORY);
	struct reader_input in;

	(void)state;
	reader_input_init_fd(&in, fd);
	assert_int_equal(reader_input_fill(&in, 1), IOTAP_EIO);
	assert_int_equal(errno, EISDIR);
	reader_input_fini(&in);
	(void)close(fd);
}

/* Whoever shares the descriptor may move it: then nobody knows where the input began. */
static void
where_a_file_begins_and_ends(void **state)
{
	const int fd = a_file();
	struct reader_input in;
	uint64_t begin, end;

	(void)state;
	assert_int_equal(lseek(fd, 100, SEEK_SET), 100);
	reader_input_init_fd(&in, fd);
	assert_int_equal(reader_input_fill(&in, 10), 0);
	reader_input_pass(&in, 5);
	assert_true(reader_input_extent(&in, &begin, &end));
	assert_int_equal(begin, 100);
	assert_int_equal(end, N);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_false(reader_input_extent(&in, &begin, &end));
	reader_input_fini(&in);
	reader_input_init_memory(&in, "abc", 3);
	assert_false(reader_input_extent(&in, &begin, &end));
	reader_input_fini(&in);
	(void)close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_from_end_to_end),
		cmocka_unit_test(a_pipe_in_small_pieces),
		cmocka_unit_test(memory),
		cmocka_unit_test(seeking_over_bytes),
		cmocka_unit_test(a_file_that_shrinks),
		cmocka_unit_test(from_the_middle_of_a_file),
		cmocka_unit_test(the_idle_function),
		cmocka_unit_test(a_read_that_fails),
		cmocka_unit_test(where_a_file_begins_and_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
