/* thread_test.c - capture/sync.h, capture/thread.h, capture/cost.h: what goes on beside the recording */
#include "capture/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/cost.h"
#include "capture/thread.h"
#include "formats/base/io.h"
#include "tests/lib/unit.h"

static int
a_file(void)
{
	const int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	assert_true(fd >= 0 && io_write_all(fd, "bytes", 5));
	return fd;
}

/* The caller may close his descriptors at once: copies are kept, and closed in the end. */
static void
files_one_after_the_other(void **state)
{
	struct iotap_error err = {.code = 0};
	struct sync *const s = sync_new(UINT64_C(3600000000000), true, &err);
	const int before = dup(0);

	(void)state;
	(void)close(before);
	assert_non_null(s);
	assert_int_equal(sync_finish(s, &err), 0);		/* of nothing */
	for (int i = 0; i < 50; i++) {
		const int fd = a_file();

		assert_int_equal(sync_file(s, fd, &err), 0);
		sync_wrote(s, (uint64_t)i);
		(void)close(fd);
	}
	assert_int_equal(sync_finish(s, &err), 0);
	assert_int_equal(sync_failed(s, &err), 0);
	sync_free(s);
	sync_free(NULL);
	assert_int_equal(dup(0), before);			/* none is left open */
	(void)close(before);
}

/* What cannot be synchronised is no failure of the disk. */
static void
a_pipe(void **state)
{
	struct iotap_error err = {.code = 0};
	struct sync *const s = sync_new(1000000, true, &err);
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(sync_file(s, fds[1], &err), 0);
	assert_int_equal(sync_finish(s, &err), 0);
	assert_int_equal(sync_file(s, -1, &err), IOTAP_EIO);
	sync_free(s);
	(void)close(fds[0]);
	(void)close(fds[1]);
}

/* Freed while it waits for an hour: at once. */
static void
no_waiting_at_the_end(void **state)
{
	struct iotap_error err = {.code = 0};
	const int fd = a_file();

	(void)state;
	(void)alarm(100);
	for (int i = 0; i < 100; i++) {
		struct sync *const s = sync_new(UINT64_C(3600000000000), true, &err);

		assert_int_equal(sync_file(s, fd, &err), 0);
		if (i % 2 == 0)
			assert_int_equal(sync_finish(s, &err), 0);
		sync_free(s);
	}
	(void)alarm(0);
	(void)close(fd);
}

struct seen {
	sigset_t mask;
	char name[16];
	int nice;
	int answer;
};

static void *
look(void *arg)
{
	struct seen *const seen = arg;

	(void)pthread_sigmask(SIG_SETMASK, NULL, &seen->mask);
	for (int i = 0; i < 20000 && strcmp(seen->name, "iotap-test") != 0; i++) {
		(void)usleep(1000);		/* the name is given from outside */
		(void)prctl(PR_GET_NAME, seen->name, 0, 0, 0);
	}
	seen->nice = getpriority(PRIO_PROCESS, (id_t)gettid());
	return &seen->answer;
}

/* Signals are the main thread's affair, whose own mask is as before. */
static void
a_thread_takes_no_signal(void **state)
{
	struct iotap_error err = {.code = 0};
	const int own = getpriority(PRIO_PROCESS, 0);
	const struct thread_options o = {.name = "iotap-test", .nice = own + 1};
	struct seen seen = {.answer = 0};
	sigset_t before, after;
	pthread_t thread;
	void *result;

	(void)state;
	(void)sigprocmask(SIG_SETMASK, NULL, &before);
	assert_int_equal(thread_start(&thread, &o, look, &seen, &err), 0);
	(void)sigprocmask(SIG_SETMASK, NULL, &after);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, &seen.answer);
	assert_string_equal(seen.name, "iotap-test");
	assert_int_equal(seen.nice, own < 19 ? own + 1 : own);
	assert_int_equal(getpriority(PRIO_PROCESS, 0), own);
	for (int signo = 1; signo < 32; signo++) {
		if (signo != SIGKILL && signo != SIGSTOP)
			assert_int_equal(sigismember(&seen.mask, signo), 1);
		assert_int_equal(sigismember(&before, signo), sigismember(&after, signo));
	}
}

static void
costs_go_up(void **state)
{
	struct rec_cost a, b;
	volatile uint64_t work = 0;

	(void)state;
	cost_read(&a);
	do {
		for (int i = 0; i < 1000000; i++)
			work += (uint64_t)i;
		cost_read(&b);
	} while (b.user_ns + b.system_ns - a.user_ns - a.system_ns < 20000000);
	assert_true(b.user_ns >= a.user_ns && b.system_ns >= a.system_ns);
	assert_true(b.resident_bytes >= 500000 && b.resident_bytes < UINT64_C(1) << 40);
	assert_int_equal(b.resident_bytes % 1024, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_one_after_the_other),
		cmocka_unit_test(a_pipe),
		cmocka_unit_test(no_waiting_at_the_end),
		cmocka_unit_test(a_thread_takes_no_signal),
		cmocka_unit_test(costs_go_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
