/* sandbox_reader_test.c - what a reader may still do: its open files, and names in its output's folder */
#include "formats/base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/draft.h"
#include "tests/lib/unit.h"

static char folder[] = "/tmp/sandbox_reader_test-XXXXXX";
static char out[64], beside[64], other[64];

static void
touch(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
}

static int
setup(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	assert_non_null(mkdtemp(folder));
	(void)snprintf(out, sizeof(out), "%s/out", folder);
	(void)snprintf(beside, sizeof(beside), "%s/beside", folder);
	(void)snprintf(other, sizeof(other), "%s-other", folder);
	touch(beside);
	touch(other);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	(void)unlink(out);
	(void)unlink(beside);
	(void)unlink(other);
	return rmdir(folder);
}

static bool
refused(long r)
{
	return r == -1 && (errno == EPERM || errno == EACCES);
}

/* What neither of them may do: which step went through, 0 = none. */
static int
steps_refused(void)
{
	if (!refused(open("/etc/passwd", O_RDONLY)) || !refused(open(beside, O_RDWR)))
		return 1;
	if (!refused(open(out, O_WRONLY | O_CREAT, 0600)) || !refused(mkdir(out, 0700)))
		return 2;
	if (!refused(socket(AF_INET, SOCK_STREAM, 0)) || !refused(socket(AF_UNIX, SOCK_STREAM, 0)))
		return 3;
	if (!refused(execl("/bin/true", "true", (char *)NULL)) || !refused(fork()))
		return 4;
	if (!refused(unlinkat(AT_FDCWD, other, 0)) || !refused(renameat(AT_FDCWD, other, AT_FDCWD, "/tmp/x")))
		return 5;
	if (!refused(chmod(beside, 0777)) || !refused(symlink(other, out)) || !refused(truncate(beside, 0)))
		return 6;
	return 0;
}

static int
reads_only(void)
{
	const int fd = open(beside, O_RDWR);

	if (!sandbox_reader())
		return 10;
	if (write(fd, "x", 1) != 1 || !refused(unlinkat(AT_FDCWD, beside, 0)))
		return 11;
	return steps_refused();
}

static int
removes(void)
{
	struct draft d;
	const int fd = draft_folder(&d, out) ? draft_open(&d) : -1;

	if (!sandbox_reader_in(d.dir, SANDBOX_REMOVE_FILE))
		return 10;
	if (write(fd, "x", 1) != 1 || draft_publish(&d, NULL))
		return 11;
	draft_fini(&d);
	return steps_refused();
}

static int
renames(void)
{
	struct draft d;
	const int fd = draft_folder(&d, out) ? draft_open(&d) : -1;

	if (!sandbox_reader_in(d.dir, SANDBOX_REMOVE_FILE | SANDBOX_MAKE_FILE))
		return 10;
	if (write(fd, "x", 1) != 1 || !draft_publish(&d, NULL))
		return 11;
	draft_fini(&d);
	return steps_refused();
}

static int
status_of(int (*steps)(void))
{
	const pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(steps());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void
need_it(void)
{
	if (!sandbox_is_built() || syscall(444, NULL, 0, 1) < 1) {	/* landlock_create_ruleset: its version */
		print_message("not in this build, or no landlock\n");
		skip();
	}
}

static void
who_reads_only(void **state)
{
	(void)state;
	need_it();
	assert_int_equal(status_of(reads_only), 0);
}

static void
who_may_take_a_name_away(void **state)
{
	(void)state;
	need_it();
	assert_int_equal(status_of(removes), 0);
	assert_int_equal(access(out, F_OK), -1);
}

static void
who_may_give_a_name(void **state)
{
	(void)state;
	need_it();
	assert_int_equal(status_of(renames), 0);
	assert_int_equal(access(out, F_OK), 0);
}

/* A build without it says that all is well, and takes nothing away. */
static void
where_it_is_not_built(void **state)
{
	const int dir = open(folder, O_PATH | O_DIRECTORY);
	int fd;

	(void)state;
	assert_true(dir >= 0);
	assert_true(sandbox_reader());
	assert_true(sandbox_reader_in(dir, SANDBOX_REMOVE_FILE | SANDBOX_MAKE_FILE));
	assert_true(sandbox_reader_in(dir, 0));
	fd = open(beside, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(close(dir), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_reads_only),
		TEST(who_may_take_a_name_away),
		TEST(who_may_give_a_name),
	};
	const struct CMUnitTest without[] = {
		TEST(where_it_is_not_built),
	};
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	return failed + (sandbox_is_built() ? 0 : cmocka_run_group_tests(without, NULL, NULL));
}
