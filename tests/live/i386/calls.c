/* calls.c - a 32-bit program without a libc: i386's own numbers, each call with a size of its own
 *
 * Built by tests/live/32bit.sh with -m32 -nostdlib, so that no 32-bit library is needed. Run in an
 * empty directory it makes "file32" and, by a call of another number in 64-bit programs each:
 * open (5), write (4) 71 bytes, writev (146) 9 + 4, pwrite64 (181) 20 at 100, lseek (19), read (3)
 * 30; of those that take 64 bits in two registers pwrite64 20 at 4 GiB + 100, _llseek (140) to 4 GiB + 5,
 * ftruncate64 (194) to 4 GiB + 7; stat64 (195), mmap (90, "mmap" with its arguments in memory) of 4096 bytes
 * and "mmap2" (192, six registers) of 8192, munmap (91) of the former, close (6); then a unix socket pair (360)
 * and 40 bytes by sendto (369) and recvfrom (371). By socketcall (102): socket, setsockopt, bind to an
 * abstract name, listen, shutdown. By ipc (117): a queue, 24 bytes to it and twice from it, both
 * versions of receiving, the queue removed.
 */
struct part {
	const void *base;
	unsigned int length;
};

static char bytes[256];

static long
call6(long nr, long a, long b, long c, long d, long e)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
			 : "memory");
	return result;
}

static long
call3(long nr, long a, const void *b, long c)
{
	return call6(nr, a, (long)b, c, 0, 0);
}

static long
socketcall(long which, long a, long b, long c, long d, long e)
{
	long arguments[5];

	arguments[0] = a;
	arguments[1] = b;
	arguments[2] = c;
	arguments[3] = d;
	arguments[4] = e;
	return call3(102, which, arguments, 0);
}

static long
ipc(long which, long first, long second, long third, const void *at, long fifth)
{
	long result;

	/* The sixth argument is in a register that the compiler may need for the frame. */
	__asm__ volatile("push %%ebp\n\tmov %[fifth], %%ebp\n\tint $0x80\n\tpop %%ebp"
			 : "=a"(result)
			 : "a"(117), "b"(which), "c"(first), "d"(second), "S"(third), "D"(at),
			   [fifth] "m"(fifth)
			 : "memory");
	return result;
}

static void
sockets(void)
{
	static const char name[] = "\1\0\0iotap-32";	/* family 1, then an abstract name */
	const int on = 1;
	const long fd = socketcall(1, 1, 1, 0, 0, 0);

	socketcall(14, fd, 1, 2, (long)&on, sizeof(on));
	socketcall(2, fd, (long)name, sizeof(name) - 1, 0, 0);
	socketcall(4, fd, 7, 0, 0, 0);
	socketcall(13, fd, 2, 0, 0, 0);
}

static void
messages(void)
{
	static struct {
		long type;
		char text[64];
	} message = { 5, "" };
	const struct {
		void *at;
		long type;
	} kludge = { &message, 5 };
	const long queue = ipc(13, 0, 0600, 0, 0, 0);	/* IPC_PRIVATE */

	ipc(11, queue, 24, 0, &message, 0);
	ipc(11, queue, 25, 0, &message, 0);
	ipc(12, queue, 60, 0, &kludge, 0);
	ipc(12 | 1 << 16, queue, 61, 0, &message, 5);
	ipc(14, queue, 0, 0, 0, 0);			/* IPC_RMID */
}

/* mmap2 takes its sixth argument in ebp. */
static long
map(const long *arguments)
{
	long result;

	__asm__ volatile("pushl %%ebp\n\t"
			 "movl (%%eax), %%ebx\n\t"
			 "movl 4(%%eax), %%ecx\n\t"
			 "movl 8(%%eax), %%edx\n\t"
			 "movl 12(%%eax), %%esi\n\t"
			 "movl 16(%%eax), %%edi\n\t"
			 "movl 20(%%eax), %%ebp\n\t"
			 "movl $192, %%eax\n\t"
			 "int $0x80\n\t"
			 "popl %%ebp"
			 : "=a"(result)
			 : "a"(arguments)
			 : "ebx", "ecx", "edx", "esi", "edi", "memory");
	return result;
}

void
_start(void)
{
	long arguments[6] = { 0, 4096, 1, 2, -1, 0 };
	long mapped;
	const struct part parts[2] = { { bytes, 9 }, { bytes + 20, 4 } };
	int ends[2] = { -1, -1 };
	long long place;
	const long fd = call3(5, (long)"file32", (const void *)(0100 | 02 | 0100000), 0600);

	call3(4, fd, bytes, 71);
	call3(146, fd, parts, 2);
	call6(181, fd, (long)bytes, 20, 100, 0);
	call3(19, fd, 0, 0);
	call3(3, fd, bytes, 30);
	call6(181, fd, (long)bytes, 20, 100, 1);
	call6(140, fd, 1, 5, (long)&place, 0);
	call3(194, fd, (const void *)7, 1);
	call3(195, (long)"file32", bytes, 0);
	arguments[4] = fd;
	mapped = call3(90, (long)arguments, 0, 0);
	arguments[1] = 8192;
	map(arguments);
	call3(91, mapped, (const void *)4096, 0);
	call3(6, fd, 0, 0);
	call6(360, 1, 1, 0, (long)ends, 0);
	call6(369, ends[0], (long)bytes, 40, 0, 0);
	call6(371, ends[1], (long)bytes, 100, 0, 0);
	sockets();
	messages();
	call3(20, 0, 0, 0);
	call3(1, 0, 0, 0);
	for (;;)
		;
}
