/* accounted.c - calls that the kernel accounts for in /proc/PID/io, and calls that it does not
 *
 * accounted STATEMENTS DIRECTORY N
 *
 * States "sum" twice, before and after N rounds: the kernel's own rchar and wchar.
 */
#include <sys/sendfile.h>
#include <sys/uio.h>

#include "tests/live/work/say.h"

static char bytes[65536];

static void
one_round(int fd, int ends[2], int sockets[2], unsigned int i)
{
	const struct iovec two[2] = { { bytes, i % 100 + 1 }, { bytes + 500, i % 7 + 1 } };
	off_t from = 0;
	const int null = open("/dev/null", O_RDWR);

	(void)!write(fd, bytes, i % 3000 + 1);
	(void)!pread(fd, bytes, i % 5000 + 1, i % 2000);
	(void)!pwritev(fd, two, 2, i);
	(void)!preadv2(fd, two, 2, i, 0);
	(void)!write(null, bytes, 60000);
	(void)!sendfile(null, fd, &from, i % 999 + 1);
	(void)!write(ends[1], bytes, i % 4000 + 1);
	(void)!read(ends[0], bytes, 2000);
	(void)!read(ends[0], bytes, 4000);
	(void)!write(sockets[1], bytes, i % 800 + 1);
	(void)!read(sockets[0], bytes, 1000);
	(void)!write(-1, bytes, 123);
	(void)!read(fd, NULL, 0);
	(void)syscall(SYS_pread64, fd, 8L, 100L, 0L);	/* EFAULT */
	close(null);
}

int
main(int argc, char **argv)
{
	int fd, ends[2], sockets[2];
	struct say *say;

	if (argc != 4)
		die("usage: accounted STATEMENTS DIRECTORY N");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0)
		die("%s", argv[2]);
	fd = open("accounted", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || pipe2(ends, O_NONBLOCK) != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
		die("set-up");
	say_begin(say);
	say_io(say, "sum");
	for (int i = 0; i < atoi(argv[3]); i++)
		one_round(fd, ends, sockets, (unsigned int)i);
	say_io(say, "sum");
	say_end(say);
	return 0;
}
