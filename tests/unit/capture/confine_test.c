/* confine_test.c - capture/confine.h, capture/allowed.def: what a confined capture can and cannot do */
#include "capture/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/sandbox.h"
#include "tests/lib/unit.h"

static int
refused(long result)
{
	return result == -1 && errno == EPERM;
}

/* What an intruder would like: another program, another user, the network, other processes, the kernel. */
static int
what_is_refused(void)
{
	struct iotap_error err = {.code = 0};
	char *const argv[] = {(char *)"/bin/true", NULL};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	if (confine(&err) < 0)
		return 1;
	if (!refused(execve(argv[0], argv, NULL)) ||
	    !refused(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)))
		return 2;
	if (!refused(socket(AF_INET, SOCK_STREAM, 0)) || !refused(syscall(SYS_setuid, 0)))
		return 3;
	if (!refused(kill(getppid(), 0)) || !refused(syscall(SYS_ptrace, 0, 0, 0, 0)))
		return 4;
	if (!refused(syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr))) ||
	    !refused(syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr))))
		return 5;
	if (!refused(syscall(SYS_mount, 0, 0, 0, 0, 0)) || !refused(syscall(SYS_fchmod, 0, 0777)))
		return 6;
	return 0;
}

/* What goes on until the end: memory, files, /proc, maps of the kernel half, the clock. */
static int
what_is_still_possible(void)
{
	struct iotap_error err = {.code = 0};
	char name[] = "/tmp/iotap-confine.XXXXXX";
	const int pid = getpid();
	union bpf_attr attr;
	char c;
	int fd;

	(void)close(mkstemp(name));
	memset(&attr, 0, sizeof(attr));
	if (confine(&err) < 0)
		return 1;
	for (size_t n = 16; n < 64 << 20; n *= 4) {
		void *const p = malloc(n);

		if (!p)
			return 2;
		memset(p, 1, n);
		free(p);
	}
	fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, &c, 1) != 1 || close(fd) != 0)
		return 3;
	fd = openat(AT_FDCWD, name, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "x", 1) != 1 || fdatasync(fd) != 0 || ftruncate(fd, 0) != 0 ||
	    unlinkat(AT_FDCWD, name, 0) != 0)
		return 4;
	if (getpid() != pid)
		return 5;
	return refused(syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr))) ? 6 : 0;
}

static void
in_child(int (*step)(void))
{
	pid_t pid;
	int status;

	if (!sandbox_is_built())
		skip();
	pid = fork();
	if (pid == 0)
		_exit(step());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void
refusals(void **state)
{
	(void)state;
	in_child(what_is_refused);
}

static void
possibilities(void **state)
{
	(void)state;
	in_child(what_is_still_possible);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusals),
		cmocka_unit_test(possibilities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
