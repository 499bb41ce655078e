/* sync_test.c - the thread that sees to the disk: files come and go, an error is kept */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/sync.h"

/* A disk: how long it takes at least, and when it was last asked twice. */
struct disk {
	pthread_mutex_t lock;
	uint64_t takes_ns;
	uint64_t asked_ns;
	uint64_t shortest_ns;		/* between two times, UINT64_MAX = never yet */
};

static struct disk *
disk(void)
{
	static struct disk it = {.lock = PTHREAD_MUTEX_INITIALIZER, .shortest_ns = UINT64_MAX};

	return &it;
}

static uint64_t
now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void
pause_ns(uint64_t ns)
{
	const struct timespec t = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

	(void)nanosleep(&t, NULL);
}

/* Instead of the C library's. */
int
fdatasync(int fd)
{
	struct disk *const d = disk();
	uint64_t takes;

	(void)pthread_mutex_lock(&d->lock);
	takes = d->takes_ns;
	if (d->asked_ns != 0 && now_ns() - d->asked_ns < d->shortest_ns)
		d->shortest_ns = now_ns() - d->asked_ns;
	d->asked_ns = now_ns();
	(void)pthread_mutex_unlock(&d->lock);
	if (takes > 0)
		pause_ns(takes);
	return (int)syscall(SYS_fdatasync, fd);
}

static uint64_t
shortest(void)
{
	struct disk *const d = disk();
	uint64_t ns;

	(void)pthread_mutex_lock(&d->lock);
	ns = d->shortest_ns;
	(void)pthread_mutex_unlock(&d->lock);
	return ns;
}

static int
file(void)
{
	char path[] = "/tmp/sync_test.XXXXXX";
	const int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	return fd;
}

static void
files_follow_each_other(void **state)
{
	struct iotap_error err = {0};
	struct sync *const s = sync_new(1000000, false, &err);

	(void)state;
	assert_non_null(s);
	for (uint64_t i = 1; i <= 20; i++) {
		const int fd = file();

		assert_int_equal(sync_file(s, fd, &err), 0);
		assert_int_equal(write(fd, "x", 1), 1);
		sync_wrote(s, i);
		close(fd);		/* it has its own */
	}
	assert_int_equal(sync_finish(s, &err), 0);
	assert_int_equal(sync_failed(s, &err), 0);
	sync_free(s);
	sync_free(NULL);
}

static void
a_long_interval_does_not_delay_the_end(void **state)
{
	struct iotap_error err = {0};
	struct sync *const s = sync_new(UINT64_C(3600000000000), false, &err);
	const int fd = file();

	(void)state;
	assert_non_null(s);
	assert_int_equal(sync_file(s, fd, &err), 0);
	sync_wrote(s, 1);
	assert_int_equal(sync_finish(s, &err), 0);
	close(fd);
	sync_free(s);
}

/* A pipe cannot be seen to (EINVAL): that is no failure of the disk. */
static void
what_has_no_disk_is_let_be(void **state)
{
	struct iotap_error err = {0};
	struct sync *const s = sync_new(1000000, false, &err);
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(sync_file(s, ends[1], &err), 0);
	assert_int_equal(sync_finish(s, &err), 0);
	close(ends[0]);
	close(ends[1]);
	sync_free(s);
}

/* What the disk takes does not come on top of the interval, or twice as much would be lost with the power. A
 * machine may be late each time, but not for a minute: one time in step is enough, never is too few. */
static void
a_slow_disk_does_not_stretch_the_interval(void **state)
{
	const uint64_t interval = UINT64_C(200000000), until = now_ns() + UINT64_C(60000000000);
	struct iotap_error err = {0};
	struct sync *s;
	const int fd = file();
	uint64_t bytes = 0;

	(void)state;
	*disk() = (struct disk){.lock = PTHREAD_MUTEX_INITIALIZER, .takes_ns = interval, .shortest_ns = UINT64_MAX};
	s = sync_new(interval, false, &err);
	assert_non_null(s);
	assert_int_equal(sync_file(s, fd, &err), 0);
	while (shortest() >= 2 * interval && now_ns() < until) {
		sync_wrote(s, ++bytes);
		pause_ns(1000000);
	}
	sync_free(s);
	close(fd);
	assert_true(shortest() < 2 * interval);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_follow_each_other),
		cmocka_unit_test(a_long_interval_does_not_delay_the_end),
		cmocka_unit_test(what_has_no_disk_is_let_be),
		cmocka_unit_test(a_slow_disk_does_not_stretch_the_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
