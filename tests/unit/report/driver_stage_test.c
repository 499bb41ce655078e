/* driver_stage_test.c - report/driver_stage.h, driver_signals.h, driver_user.h: what a child has and has not */
#include "report/driver_stage.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/unit.h"

static void
say_on_stdout(const struct iotap_error *err)
{
	(void)dprintf(STDOUT_FILENO, "%s", err->text);
}

static void
say_nothing(const struct iotap_error *err)
{
	(void)err;
}

struct fixture {
	struct driver_signals signals;
	struct driver_user user;
	struct driver_launch launch;
	struct iotap_error err;
};

static int
setup(void **state)
{
	struct fixture *const f = test_calloc(1, sizeof(*f));

	*state = f;
	(void)sigprocmask(SIG_SETMASK, NULL, &f->signals.mask);
	(void)sigaction(SIGCHLD, NULL, &f->signals.child);
	f->user = (struct driver_user){.uid = geteuid(), .gid = getegid()};
	f->launch = (struct driver_launch){.signals = &f->signals, .user = &f->user, .say = say_nothing};
	return pipe2(f->launch.gate, O_CLOEXEC);
}

static int
teardown(void **state)
{
	struct fixture *const f = *state;

	(void)close(f->launch.gate[0]);
	(void)close(f->launch.gate[1]);
	test_free(f);
	return 0;
}

/* Waits for a stage; its exit status as a shell gives it. */
static int
ended(struct driver_stage *s)
{
	struct driver_stage *const stages[] = {s};

	for (int i = 0; i < 50000 && !driver_stage_reap(stages, 1); i++)
		(void)usleep(1000);
	assert_true(s->ended && s->pid == 0);
	return driver_stage_status(s);
}

static int
run_shell(struct fixture *f, const char *script, int out, int stdout_fd)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};
	struct driver_stage s = {.name = "sh"};

	assert_int_equal(driver_stage_start(&s, &f->launch, argv, out, stdout_fd, false, &f->err), 0);
	assert_true(s.pid > 0);
	return ended(&s);
}

static void
statuses(void **state)
{
	struct fixture *const f = *state;
	char *argv[] = {(char *)"/no/such/program", NULL};
	struct driver_stage s = {.name = "none"};

	assert_int_equal(run_shell(f, "exit 7", -1, STDOUT_FILENO), 7);
	assert_int_equal(run_shell(f, "kill -TERM $$", -1, STDOUT_FILENO), 128 + SIGTERM);
	assert_int_equal(driver_stage_start(&s, &f->launch, argv, -1, STDOUT_FILENO, false, &f->err), 0);
	assert_int_equal(ended(&s), 1);
}

/* The descriptor it is told of stays open over exec, and standard output is what it was given. */
static void
descriptors_of_a_program(void **state)
{
	struct fixture *const f = *state;
	char script[100], got[16] = "";
	int raw[2], out[2];

	assert_int_equal(pipe2(raw, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	(void)snprintf(script, sizeof(script), "echo raw >/dev/fd/%d; echo out; [ ! -e /dev/fd/%d ]", raw[1], raw[0]);
	assert_int_equal(run_shell(f, script, raw[1], out[1]), 0);
	assert_int_equal(read(raw[0], got, sizeof(got)), 4);
	assert_memory_equal(got, "raw\n", 4);
	assert_int_equal(read(out[0], got, sizeof(got)), 4);
	assert_memory_equal(got, "out\n", 4);
	for (int i = 0; i < 2; i++) {
		(void)close(raw[i]);
		(void)close(out[i]);
	}
}

/* A stage that waits has its descriptors and the gate, and no other. */
static int
count_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 200; fd++)
		n += fcntl(fd, F_GETFD) != -1;
	return n;
}

static void
a_stage_at_the_gate(void **state)
{
	struct fixture *const f = *state;
	struct driver_stage s = {.name = "fork"};
	int out[2], fds[4];
	char got[2] = "";
	int r;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	fds[0] = -1;
	fds[1] = out[1];
	fds[2] = STDERR_FILENO;
	fds[3] = f->launch.gate[0];
	r = driver_stage_fork(&s, &f->launch, fds, 4, &f->err);
	if (r == 0) {
		const bool others = count_descriptors() != 2;	/* 1 and 2: the gate is closed by now */

		_exit(write(1, others ? "x" : "y", 1) == 1 ? 5 : 6);
	}
	assert_int_equal(r, 1);
	(void)close(out[1]);
	(void)usleep(20000);
	assert_int_equal(waitpid(s.pid, NULL, WNOHANG), 0);	/* it waits */
	driver_stage_open_gate(&f->launch, 1);
	assert_int_equal(ended(&s), 5);
	assert_int_equal(read(out[0], got, 1), 1);
	assert_string_equal(got, "y");
	(void)close(out[0]);
}

/* Called off: it ends in silence. Signals that are the driver's affair do not reach it meanwhile. */
static void
a_gate_that_stays_shut(void **state)
{
	struct fixture *const f = *state;
	struct driver_stage s = {.name = "fork"};
	int fds[4] = {-1, STDOUT_FILENO, STDERR_FILENO, f->launch.gate[0]};
	const int r = driver_stage_fork(&s, &f->launch, fds, 4, &f->err);

	if (r == 0)
		_exit(9);
	assert_int_equal(r, 1);
	(void)usleep(20000);
	driver_stage_signal(&s, SIGTERM);
	driver_stage_signal(&s, SIGHUP);
	(void)usleep(20000);
	assert_int_equal(waitpid(s.pid, NULL, WNOHANG), 0);
	(void)close(f->launch.gate[1]);
	assert_int_equal(ended(&s), 0);
	driver_stage_signal(&s, SIGKILL);			/* nobody is there any more */
	assert_int_equal(pipe2(f->launch.gate, O_CLOEXEC), 0);
}

/* The kernel calls a number beyond the limit an invalid argument. */
static void
a_limit_of_descriptors_is_named(void **state)
{
	struct fixture *const f = *state;
	const struct rlimit few = {.rlim_cur = 8, .rlim_max = 8};
	int fds[1] = {STDERR_FILENO};
	char got[128] = "";
	int out[2];
	pid_t pid;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		struct driver_stage s = {.name = "fork"};

		f->launch.say = say_on_stdout;
		if (dup2(out[1], STDOUT_FILENO) < 0 || setrlimit(RLIMIT_NOFILE, &few) != 0)
			_exit(1);
		if (driver_stage_fork(&s, &f->launch, fds, 1, &f->err) == 0)
			_exit(2);	/* it was to fail */
		_exit(ended(&s));
	}
	(void)close(out[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(read(out[0], got, sizeof(got) - 1) > 0);
	assert_string_equal(got, "cannot connect fork: Too many open files");
	(void)close(out[0]);
}

static void
the_program_beside_ours(void **state)
{
	struct fixture *const f = *state;
	char path[PATH_MAX], longer[PATH_MAX];

	assert_int_equal(driver_stage_find("driver_stage_test", path, &f->err), 0);
	assert_int_equal(access(path, X_OK), 0);
	assert_int_equal(driver_stage_find("no-such-program", path, &f->err), IOTAP_ENOTFOUND);
	assert_non_null(strstr(f->err.text, "no-such-program must stand beside iotap"));
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(driver_stage_find(longer, path, &f->err), IOTAP_ELIMIT);
}

/* -- signals -- */

static void
signals_by_descriptor(void **state)
{
	struct fixture *const f = *state;
	struct driver_signals s;
	struct signalfd_siginfo info;
	sigset_t now;

	assert_int_equal(driver_signals_take(&s, &f->err), 0);
	assert_false(driver_signals_next(&s, &info));
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	assert_int_equal(kill(getpid(), SIGINT), 0);
	assert_true(driver_signals_next(&s, &info));
	assert_true(driver_signals_next(&s, &info));
	assert_false(driver_signals_next(&s, &info));
	(void)close(s.fd);
	driver_signals_restore(&s);
	(void)sigprocmask(SIG_SETMASK, NULL, &now);
	assert_int_equal(sigismember(&now, SIGTERM), 0);
}

/* nohup's doing is respected. */
static void
a_hangup_that_was_ignored(void **state)
{
	struct fixture *const f = *state;
	struct driver_signals s;
	sigset_t now;

	(void)signal(SIGHUP, SIG_IGN);
	assert_int_equal(driver_signals_take(&s, &f->err), 0);
	(void)sigprocmask(SIG_SETMASK, NULL, &now);
	assert_int_equal(sigismember(&now, SIGHUP), 0);
	assert_int_equal(sigismember(&now, SIGTERM), 1);
	(void)close(s.fd);
	driver_signals_restore(&s);
	(void)signal(SIGHUP, SIG_DFL);
}

/* -- the user behind sudo -- */

static int
find_user(const char *uid, const char *gid, struct driver_user *user)
{
	struct iotap_error err = {.code = 0};
	int r;

	(void)(uid ? setenv("SUDO_UID", uid, 1) : unsetenv("SUDO_UID"));
	(void)(gid ? setenv("SUDO_GID", gid, 1) : unsetenv("SUDO_GID"));
	r = driver_user_find(user, &err);
	(void)unsetenv("SUDO_UID");
	(void)unsetenv("SUDO_GID");
	return r;
}

/* Half of a user, or none that could be: better no start than the wrong owner. */
static void
who_is_behind_sudo(void **state)
{
	static const char *const wrong[] = {"", "x", "-1", "4294967295", "99999999999", "1 2"};
	struct driver_user user;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(find_user(NULL, NULL, &user), 0);
	assert_false(user.other);
	assert_int_equal(find_user("0", "0", &user), 0);
	assert_false(user.other);
	assert_int_equal(find_user("1234", "56", &user), 0);
	assert_true(user.other && user.uid == 1234 && user.gid == 56);
	assert_int_equal(find_user("1234", NULL, &user), IOTAP_EUSAGE);
	assert_int_equal(find_user(NULL, "56", &user), IOTAP_EUSAGE);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(find_user(wrong[i], "56", &user), IOTAP_EUSAGE);
		assert_int_equal(find_user("1234", wrong[i], &user), IOTAP_EUSAGE);
	}
}

/* Files are made as the user would, and afterwards we are who we were, groups included. */
static void
borrowed_rights(void **state)
{
	struct fixture *const f = *state;
	const gid_t ours[] = {0, 4, 20};
	struct driver_user user = {.other = true, .uid = 1234, .gid = 56};
	char path[] = "/tmp/iotap-borrow.XXXXXX";
	gid_t groups[8];
	struct stat st;
	int fd;

	if (geteuid() != 0 || setgroups(3, ours) != 0)
		skip();
	assert_int_equal(driver_user_borrow(&user, &f->err), 0);
	assert_true(geteuid() == 1234 && getegid() == 56);
	assert_int_equal(getgroups(8, groups), 1);
	assert_int_equal(groups[0], 56);
	fd = mkstemp(path);
	assert_int_equal(open("/proc/1/environ", O_RDONLY), -1);
	assert_int_equal(driver_user_return(&user, &f->err), 0);
	assert_true(geteuid() == 0 && getegid() == 0);
	assert_int_equal(getgroups(8, groups), 3);
	assert_true(groups[1] == 4 && groups[2] == 20);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_uid == 1234 && st.st_gid == 56);
	(void)close(fd);
	(void)unlink(path);
	/* Where there is nobody else, nothing happens. */
	user.other = false;
	assert_int_equal(driver_user_borrow(&user, &f->err), 0);
	assert_int_equal(geteuid(), 0);
}

static void
becoming_the_user_is_for_good(void **state)
{
	const struct driver_user user = {.other = true, .uid = 1234, .gid = 56};
	pid_t pid;
	int status;

	(void)state;
	if (geteuid() != 0)
		skip();
	pid = fork();
	if (pid == 0) {
		struct iotap_error err = {.code = 0};
		gid_t groups[8];

		if (driver_user_become(&user, &err) != 0)
			_exit(1);
		if (getuid() != 1234 || getgid() != 56 || getgroups(8, groups) != 1 || groups[0] != 56)
			_exit(2);
		if (setuid(0) == 0 || seteuid(0) == 0 || driver_user_may_trace())
			_exit(3);
		_exit(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 4);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(statuses),
		TEST(descriptors_of_a_program),
		TEST(a_stage_at_the_gate),
		TEST(a_gate_that_stays_shut),
		TEST(a_limit_of_descriptors_is_named),
		TEST(the_program_beside_ours),
		TEST(signals_by_descriptor),
		TEST(a_hangup_that_was_ignored),
		TEST(who_is_behind_sudo),
		TEST(borrowed_rights),
		TEST(becoming_the_user_is_for_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
