/* sandbox_calls_test.c - formats/base/sandbox.h: what is not allowed is refused, in children of the test */
#include "formats/base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/unit.h"

/* Runs a step in a child: 0, the number of what went wrong, 77 = cannot be here, 128 + a signal. */
static void
in_child(int (*step)(void), int expected)
{
	pid_t pid;
	int status;

	if (!sandbox_is_built())
		skip();
	pid = fork();
	if (pid == 0)
		syscall(SYS_exit_group, step());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
			 expected);
}

static int
refused(long result)
{
	return result == -1 && errno == EPERM;
}

static int
only_what_is_on_the_list(void)
{
	static const struct sandbox_call calls[] = {
		{.number = SYS_exit_group}, {.number = SYS_getppid}, {.number = SYS_write}};

	if (!sandbox_calls(calls, 3))
		return 77;
	if (syscall(SYS_getppid) <= 0)
		return 1;
	if (!refused(syscall(SYS_getpid)) || !refused(syscall(SYS_socket, 1, 1, 0)) ||
	    !refused(syscall(SYS_openat, -1, "/", O_RDONLY, 0)))
		return 2;
	if (!refused(syscall(5000)) || !refused(syscall(-1L)))
		return 3;
	return refused(syscall(0x40000000 | SYS_getppid)) ? 0 : 4; /* x32's numbers, or nobody's */
}

static int
values_of_the_first_argument(void)
{
	static const struct sandbox_call calls[] = {
		{.number = SYS_close, .value = 100, .only = true},
		{.number = SYS_close, .value = 101, .only = true},
		{.number = SYS_exit_group},
		{.number = SYS_dup, .value = 0, .only = true},
	};

	(void)dup2(0, 100);
	(void)dup2(0, 101);
	(void)dup2(0, 102);
	if (!sandbox_calls(calls, 4))
		return 77;
	if (syscall(SYS_close, 100) != 0 || syscall(SYS_close, 101) != 0)
		return 1;
	if (!refused(syscall(SYS_close, 102)) || !refused(syscall(SYS_close, 0)))
		return 2;
	if (!refused(syscall(SYS_dup, 102)))
		return 3;
	return syscall(SYS_dup, 0) > 0 ? 0 : 4;
}

/* Another calling convention: i386's on x86-64. */
static int
other_machines_numbers(void)
{
#ifdef __x86_64__
	static const struct sandbox_call calls[] = {{.number = SYS_exit_group}, {.number = 20}};
	long result = 20; /* getpid there */

	if (!sandbox_calls(calls, 2))
		return 77;
	__asm__ volatile("int $0x80" : "+a"(result) : : "memory");
	return 1;
#else
	return 77;
#endif
}

static int
no_file_by_name(void)
{
	char path[] = "/tmp/iotap-sandbox.XXXXXX";
	const int fd = mkstemp(path), nul = open("/dev/null", O_RDWR);

	if (fd < 0 || !sandbox_files())
		return 1;
	if (open(path, O_RDONLY) >= 0) {
		(void)unlink(path);
		return 77; /* a kernel without landlock */
	}
	if (open("/tmp/iotap-sandbox-new", O_WRONLY | O_CREAT, 0600) >= 0 || unlink(path) == 0)
		return 2;
	if (write(fd, "x", 1) != 1 || write(nul, "x", 1) != 1)
		return 3; /* what is open stays so */
	return 0;
}

static void
list_without_end(void **state)
{
	static const struct sandbox_call calls[SANDBOX_CALLS_MAX + 1];

	(void)state;
	assert_false(sandbox_calls(calls, SANDBOX_CALLS_MAX + 1));
}

#define CHILD(name, expected)                 \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		in_child(name, expected);     \
	}

CHILD(only_what_is_on_the_list, 0)
CHILD(values_of_the_first_argument, 0)
CHILD(other_machines_numbers, 128 + SIGSYS)
CHILD(no_file_by_name, 0)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_is_on_the_list),
		cmocka_unit_test(test_values_of_the_first_argument),
		cmocka_unit_test(test_other_machines_numbers),
		cmocka_unit_test(test_no_file_by_name),
		cmocka_unit_test(list_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
