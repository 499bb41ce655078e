/* io_test.c - formats/base/io.h over pipes that give little, block, are interrupted or have no reader */
#include "formats/base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/unit.h"

#define BIG ((size_t)1 << 20)	/* much more than a pipe holds */

static void
nap_ms(long ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	(void)nanosleep(&t, NULL);
}

static uint8_t
byte_at(size_t i)
{
	return (uint8_t)(i * 31 + (i >> 8));
}

/* Writes BIG bytes into the pipe *arg in odd pieces, with pauses at first. */
static void *
dribble(void *arg)
{
	const int fd = *(const int *)arg;
	uint8_t piece[777];

	for (size_t at = 0; at < BIG;) {
		const size_t n = BIG - at < sizeof(piece) ? BIG - at : sizeof(piece);

		for (size_t i = 0; i < n; i++)
			piece[i] = byte_at(at + i);
		if (!io_write_all(fd, piece, n))
			break;
		at += n;
		if (at < 10 * sizeof(piece))
			nap_ms(2);
	}
	(void)close(fd);
	return NULL;
}

static void
read_full_gathers_pieces(void **state)
{
	static uint8_t all[BIG + 10];
	int fds[2];
	pthread_t writer;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pthread_create(&writer, NULL, dribble, &fds[1]), 0);
	assert_int_equal(io_read_full(fds[0], all, 5000), 5000);
	assert_int_equal(io_read_full(fds[0], all + 5000, sizeof(all) - 5000), BIG - 5000);
	for (size_t i = 0; i < BIG; i++) {
		if (all[i] != byte_at(i))
			fail_msg("byte %zu", i);
	}
	assert_int_equal(io_read_full(fds[0], all, 1), 0);
	assert_int_equal(io_read_some(fds[0], all, 1), 0);
	(void)pthread_join(writer, NULL);
	(void)close(fds[0]);
}

static void
nonblocking_descriptors_are_waited_for(void **state)
{
	static uint8_t all[BIG];
	int fds[2];
	pthread_t writer;

	(void)state;
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	assert_int_equal(pthread_create(&writer, NULL, dribble, &fds[1]), 0);
	assert_int_equal(io_read_full(fds[0], all, BIG), BIG);
	assert_int_equal(all[BIG - 1], byte_at(BIG - 1));
	(void)pthread_join(writer, NULL);
	(void)close(fds[0]);
}

static void
on_alarm(int sig)
{
	(void)sig;
}

static void
signals_do_not_cut_a_read_short(void **state)
{
	static uint8_t all[BIG];
	const struct sigaction act = {.sa_handler = on_alarm};	/* no SA_RESTART */
	timer_t timer;
	const struct itimerspec often = {.it_value.tv_nsec = 500000, .it_interval.tv_nsec = 500000};
	int fds[2];
	pthread_t writer;

	(void)state;
	assert_int_equal(sigaction(SIGALRM, &act, NULL), 0);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, NULL, &timer), 0);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(timer_settime(timer, 0, &often, NULL), 0);
	assert_int_equal(pthread_create(&writer, NULL, dribble, &fds[1]), 0);
	assert_int_equal(io_read_full(fds[0], all, BIG), BIG);
	(void)timer_delete(timer);
	assert_int_equal(all[BIG - 1], byte_at(BIG - 1));
	(void)pthread_join(writer, NULL);
	(void)close(fds[0]);
}

static void
a_gone_reader_is_told(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	(void)close(fds[0]);
	(void)signal(SIGPIPE, SIG_IGN);
	assert_false(io_write_all(fds[1], "x", 1));
	assert_int_equal(errno, EPIPE);
	assert_true(io_write_all(fds[1], NULL, 0));
	(void)close(fds[1]);
}

static void
a_place_is_read_without_moving_there(void **state)
{
	const int fd = memfd_create("file", MFD_CLOEXEC);
	char text[8] = "";

	(void)state;
	assert_true(fd >= 0 && io_write_all(fd, "abcdef", 6));
	assert_int_equal(lseek(fd, 1, SEEK_SET), 1);
	assert_int_equal(io_read_at(fd, 2, text, 3), 3);
	assert_memory_equal(text, "cde", 3);
	assert_int_equal(io_read_at(fd, 4, text, sizeof(text)), 2);	/* what there is */
	assert_memory_equal(text, "ef", 2);
	assert_int_equal(io_read_at(fd, 6, text, 1), 0);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 1);
	(void)close(fd);
	assert_int_equal(io_read_at(fd, 0, text, 1), -1);
	assert_int_equal(errno, EBADF);
}

static void
a_file_has_a_name_until_it_is_removed(void **state)
{
	char path[] = "/tmp/io_test.XXXXXX";
	const int fd = mkstemp(path);
	int pair[2];

	(void)state;
	assert_true(fd >= 0 && io_is_named(fd));
	assert_int_equal(unlink(path), 0);
	assert_false(io_is_named(fd));
	(void)close(fd);
	assert_int_equal(pipe(pair), 0);
	assert_false(io_is_named(pair[0]));
	(void)close(pair[0]);
	(void)close(pair[1]);
	assert_false(io_is_named(-1));
}

static void
files_come_whole_or_hit_the_limit(void **state)
{
	char name[] = "/tmp/iotap-io-test.XXXXXX";
	const int fd = mkstemp(name);
	struct buf b;

	(void)state;
	assert_true(fd >= 0);
	for (int i = 0; i < 10000; i++)
		assert_true(io_write_all(fd, "0123456789", 10));
	(void)close(fd);
	buf_init(&b, 100000);
	assert_true(io_read_file(name, &b));
	assert_int_equal(b.len, 100000);
	buf_free(&b);
	buf_init(&b, 99999);
	assert_false(io_read_file(name, &b));
	assert_int_equal(errno, ENOBUFS);
	assert_true(b.len <= 99999);
	buf_free(&b);
	buf_init(&b, 0);
	assert_true(io_read_file("/proc/self/status", &b));	/* size 0 in stat(2) */
	assert_non_null(strstr(buf_cstr(&b), "VmRSS"));
	buf_free(&b);
	assert_false(io_read_file("/nowhere/at/all", &b));
	assert_int_equal(errno, ENOENT);
	(void)unlink(name);
}

static void
readable_asks_without_reading(void **state)
{
	int fds[2];
	char c;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_false(io_readable(fds[0], 0));
	assert_false(io_readable(fds[0], 5));
	assert_true(io_write_all(fds[1], "x", 1));
	assert_true(io_readable(fds[0], 0));
	assert_true(io_readable(fds[0], -1));
	assert_int_equal(io_read_some(fds[0], &c, 1), 1);
	assert_false(io_readable(fds[0], 0));
	(void)close(fds[1]);
	assert_true(io_readable(fds[0], 0));	/* the end can be read */
	(void)close(fds[0]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_full_gathers_pieces),
		cmocka_unit_test(nonblocking_descriptors_are_waited_for),
		cmocka_unit_test(signals_do_not_cut_a_read_short),
		cmocka_unit_test(a_gone_reader_is_told),
		cmocka_unit_test(a_place_is_read_without_moving_there),
		cmocka_unit_test(a_file_has_a_name_until_it_is_removed),
		cmocka_unit_test(files_come_whole_or_hit_the_limit),
		cmocka_unit_test(readable_asks_without_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
