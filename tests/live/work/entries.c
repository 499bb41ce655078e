/* entries.c - system calls that do not come in by the front door
 *
 * entries STATEMENTS FILE
 *
 * int $0x80 from a 64-bit program: i386's numbers, of which 20 is getpid and 3 is read. seccomp:
 * calls that never run but have an exit. x32 numbers and numbers of no call. None of them moves a
 * byte but for those stated.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/live/work/say.h"

#if defined(__x86_64__)
static long
int80(long nr, long a, long b, long c)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(nr), "b"(a), "c"(b), "d"(c)
			 : "memory", "r8", "r9", "r10", "r11");
	return (int)result;
}

static void
compat(struct say *say, int fd)
{
	char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (low == MAP_FAILED)
		die("mmap");
	if (int80(20, 0, 0, 0) != getpid()) {	/* getpid; 64-bit 20 is writev */
		say_line(say, "note int80=no");
		return;
	}
	say_line(say, "note int80=yes");
	DID(say, "write", fd, int80(4, fd, (long)low, 61));	/* write; 64-bit 4 is stat */
	(void)lseek(fd, 0, SEEK_SET);
	DID(say, "read", fd, int80(3, fd, (long)low, 50));	/* read; 64-bit 3 is close */
	DID(say, "write", fd, write(fd, low, 62));
	(void)int80(1000, 1, 2, 3);
}
#else
static void
compat(struct say *say, int fd)
{
	(void)fd;
	say_line(say, "note int80=no");
}
#endif

/* Every write(2) of size is answered by action from now on, in this process. */
static void
filter_writes(unsigned int size, unsigned int action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, size, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		die("seccomp");
}

static void
on_trap(int number)
{
	(void)number;
}

/* Calls that seccomp answers may be shown, as failures or not at all: but no byte of them. */
static void
phantoms(struct say *say, int fd)
{
	static const char bytes[2048];
	pid_t child;

	filter_writes(1001, SECCOMP_RET_ERRNO | EPERM);
	say_line(say, "phantom tid=%d call=write requested=1001", say_tid());
	for (int i = 0; i < 5; i++)
		if (write(fd, bytes, 1001) != -1 || errno != EPERM)
			die("seccomp let a write through");
	signal(SIGSYS, on_trap);
	filter_writes(1002, SECCOMP_RET_TRAP);
	say_line(say, "phantom tid=%d call=write requested=1002", say_tid());
	for (int i = 0; i < 5; i++)
		(void)!write(fd, bytes, 1002);
	DID(say, "write", fd, write(fd, bytes, 63));
	child = fork();
	if (child == 0) {
		say_begin(say);
		DID(say, "write", fd, write(fd, bytes, 64));
		filter_writes(1003, SECCOMP_RET_KILL_PROCESS);
		say_line(say, "phantom tid=%d call=write requested=1003", say_tid());
		say_line(say, "end tid=%d", say_tid());
		(void)!write(fd, bytes, 1003);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

int
main(int argc, char **argv)
{
	struct say *say;
	int fd;

	if (argc != 3)
		die("usage: entries STATEMENTS FILE");
	say = say_open(argv[1]);
	fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		die("%s", argv[2]);
	say_begin(say);
	DID(say, "write", fd, write(fd, "begin", 5));
	compat(say, fd);
	(void)syscall(-1L);
	(void)syscall(1023L);
	(void)syscall(0x40000000L + 1, fd, argv[2], 10L);	/* x32's write: mostly not there */
	DID(say, "write", fd, write(fd, "middle", 6));
	phantoms(say, fd);
	DID(say, "write", fd, write(fd, "end", 3));
	say_end(say);
	return 0;
}
