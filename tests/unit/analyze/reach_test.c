/* reach_test.c - what is left, and what is not, once iotap-analyze has given up the rest */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/reach.h"

struct fixture {
	char folder[64], input[96], database[96], other[96];
};

static void
touch(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	(void)close(fd);
}

static int
setup(void **state)
{
	static struct fixture f;

	strcpy(f.folder, "/tmp/reach_test-XXXXXX");
	assert_non_null(mkdtemp(f.folder));
	(void)snprintf(f.input, sizeof(f.input), "%s/in", f.folder);
	(void)snprintf(f.database, sizeof(f.database), "%s/db", f.folder);
	(void)snprintf(f.other, sizeof(f.other), "%s/other", f.folder);
	touch(f.input);
	touch(f.other);
	(void)setenv("TMPDIR", f.folder, 1);
	(void)unsetenv("SQLITE_TMPDIR");
	*state = &f;
	return 0;
}

static int
teardown(void **state)
{
	const struct fixture *const f = *state;

	(void)unlink(f->input);
	(void)unlink(f->other);
	(void)unlink(f->database);
	return rmdir(f->folder);	/* not empty: the folder of temporary files is still there */
}

static bool
refused(int r, int why)
{
	return r == -1 && errno == why;
}

/* Which step was not as it should be, 0 = all were. */
static int
steps(const struct fixture *f)
{
	struct reach c;
	char path[REACH_NAME + 16];

	if (!reach_init(&c))
		return 1;
	if (c.scratch[0] == '\0' || !sqlite3_temp_directory || strcmp(sqlite3_temp_directory, c.scratch) != 0)
		return 1;
	(void)snprintf(path, sizeof(path), "%s/temporary", c.scratch);
	if (!reach_add_input(&c, f->input) || !reach_add_input(&c, "/no/such/file") ||
	    !reach_add_names(&c, f->database) || !reach_limit(&c))
		return 2;
	if (open(f->input, O_RDONLY) < 0)
		return 3;
	if (!refused(open(f->input, O_WRONLY), EACCES) || !refused(open(f->other, O_RDONLY), EACCES) ||
	    !refused(open(f->other, O_WRONLY), EACCES) || !refused(open("/etc/passwd", O_RDONLY), EACCES))
		return 4;
	if (!refused(open("/tmp/reach_test_made", O_WRONLY | O_CREAT, 0600), EACCES))
		return 5;
	if (open(path, O_RDWR | O_CREAT | O_EXCL, 0600) < 0 || unlink(path) < 0)
		return 6;
	if (!refused(socket(AF_INET, SOCK_STREAM, 0), EPERM) || !refused(execl("/bin/true", "true", NULL), EPERM))
		return 7;
	if (rename(f->other, f->database) < 0)	/* names of its folder */
		return 8;
	reach_fini(&c);
	return access(path, F_OK) == 0 ? 9 : 0;
}

static void
only_what_is_needed(void **state)
{
	int status;
	pid_t pid;

	if (!sandbox_is_built() || syscall(444, NULL, 0, 1) < 1) {	/* landlock_create_ruleset: its version */
		print_message("not in this build, or no landlock\n");
		skip();
	}
	pid = fork();
	if (pid == 0)
		_exit(steps(*state));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void
nothing_where_it_is_not_wanted(void **state)
{
	const struct fixture *const f = *state;
	int fd;

	assert_true(reach_limit(NULL));
	fd = open(f->other, O_RDONLY);
	assert_true(fd >= 0);
	(void)close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_where_it_is_not_wanted, setup, teardown),
		cmocka_unit_test_setup_teardown(only_what_is_needed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
