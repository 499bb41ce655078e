/* sandbox_test.c - only calls of the list, in every thread; no file by name */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/sandbox.h"

static const struct sandbox_call few[] = {
	{.number = __NR_write}, {.number = __NR_exit}, {.number = __NR_exit_group},
	{.number = __NR_futex}, {.number = __NR_read}, {.number = __NR_close},
	{.number = __NR_lseek, .value = 7, .only = true},
	{.number = __NR_lseek, .value = 9, .only = true},
	{.number = __NR_fcntl},
};
enum { N_FEW = sizeof(few) / sizeof(few[0]) };

/* Runs it in a child; its exit status, or minus the signal. */
static int
status_of(int (*check)(void))
{
	const pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(check());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Which of the steps failed, 0 = none. */
static int
calls(void)
{
	if (!sandbox_calls(few, N_FEW))
		return 1;
	if (socket(AF_INET, SOCK_STREAM, 0) != -1 || errno != EPERM)
		return 2;
	if (open("/etc/passwd", O_RDONLY) != -1 || errno != EPERM)
		return 3;
	if (write(-1, "", 1) != -1 || errno != EBADF)
		return 4;
	if (lseek(7, 0, SEEK_SET) != -1 || errno == EPERM || lseek(9, 0, SEEK_SET) != -1 || errno == EPERM)
		return 5;
	if (lseek(8, 0, SEEK_SET) != -1 || errno != EPERM)
		return 6;
	if (fcntl(-1, F_GETFL) != -1 || errno != EBADF)	/* a row behind those with values */
		return 7;
	if (execl("/bin/true", "true", (char *)NULL) != -1 || errno != EPERM)
		return 8;
	return 0;
}

static int go[2], told[2];

static void *
other_thread(void *arg)
{
	char c = 'b';

	(void)arg;
	(void)!write(told[1], &c, 1);	/* it runs: to begin needs more calls too */
	c = read(go[0], &c, 1) == 1 && socket(AF_INET, SOCK_STREAM, 0) == -1 && errno == EPERM ? 'y' : 'n';
	(void)!write(told[1], &c, 1);
	(void)!read(go[0], &c, 1);	/* until the process ends: the end of a thread needs more calls */
	return NULL;
}

static int
threads(void)
{
	pthread_t thread;
	char c = 0;

	if (pipe(go) != 0 || pipe(told) != 0 || pthread_create(&thread, NULL, other_thread, NULL) != 0)
		return 1;
	if (read(told[0], &c, 1) != 1 || !sandbox_calls(few, N_FEW))
		return 2;
	(void)!write(go[1], "g", 1);
	return read(told[0], &c, 1) == 1 && c == 'y' ? 0 : 3;
}

#if defined(__x86_64__)
static int
other_convention(void)
{
	long r = 20;	/* getpid of i386 */

	if (!sandbox_calls(few, N_FEW))
		return 1;
	__asm__ volatile("int $0x80" : "+a"(r) : : "memory");
	return 2;
}
#endif

static int
files(void)
{
	if (!sandbox_files())
		return 1;
	if (open("/etc/passwd", O_RDONLY) != -1 || errno != EACCES)
		return 2;
	if (open("/tmp/sandbox_test", O_WRONLY | O_CREAT, 0600) != -1 || errno != EACCES)
		return 3;
	return write(STDOUT_FILENO, "", 0) == 0 ? 0 : 4;
}

static char folder[] = "/tmp/sandbox_test-XXXXXX";

/* One folder to work in, one file to read, nothing else. */
static int
places(void)
{
	char in[64], out[64];
	struct sandbox_place all[2];
	int pipes[2];
	int fd;

	if (pipe(pipes) < 0)
		return 1;
	(void)snprintf(in, sizeof(in), "%s/in", folder);
	(void)snprintf(out, sizeof(out), "/proc/self/fd/%d", pipes[0]);
	all[0] = (struct sandbox_place){open(folder, O_PATH), SANDBOX_MAKE_FILE | SANDBOX_REMOVE_FILE |
					SANDBOX_WRITE | SANDBOX_REMOVE_FOLDER};
	all[1] = (struct sandbox_place){pipes[0], SANDBOX_READ};
	if (!sandbox_files_except(all, 2))
		return 2;
	fd = open(in, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || close(fd) < 0 || open(in, O_RDONLY) != -1 || errno != EACCES || unlink(in) < 0)
		return 3;
	if (open("/etc/passwd", O_RDONLY) != -1 || errno != EACCES)
		return 4;
	if (open("/tmp/sandbox_test", O_WRONLY | O_CREAT, 0600) != -1 || errno != EACCES)
		return 5;
	if (open(out, O_RDONLY) < 0)
		return 6;
	return rmdir(folder) == -1 && errno == EACCES ? 0 : 7;	/* it is not below itself */
}

static void
need_it(void)
{
	if (!sandbox_is_built()) {
		print_message("not in this build\n");
		skip();
	}
}

static void
only_calls_of_the_list(void **state)
{
	(void)state;
	need_it();
	assert_int_equal(status_of(calls), 0);
}

static void
in_every_thread(void **state)
{
	(void)state;
	need_it();
	assert_int_equal(status_of(threads), 0);
}

static void
another_calling_convention_ends_it(void **state)
{
	(void)state;
	need_it();
#if defined(__x86_64__)
	assert_int_equal(status_of(other_convention), -SIGSYS);
#endif
}

static void
no_file_by_name(void **state)
{
	(void)state;
	need_it();
	if (syscall(444, NULL, 0, 1) < 1) {	/* landlock_create_ruleset: its version */
		print_message("this kernel has no landlock\n");
		skip();
	}
	assert_int_equal(status_of(files), 0);
}

static void
only_files_of_the_places(void **state)
{
	(void)state;
	need_it();
	if (syscall(444, NULL, 0, 1) < 1) {
		print_message("this kernel has no landlock\n");
		skip();
	}
	assert_non_null(mkdtemp(folder));
	assert_int_equal(status_of(places), 0);
	assert_int_equal(rmdir(folder), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_calls_of_the_list),
		cmocka_unit_test(in_every_thread),
		cmocka_unit_test(another_calling_convention_ends_it),
		cmocka_unit_test(no_file_by_name),
		cmocka_unit_test(only_files_of_the_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
