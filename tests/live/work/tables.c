/* tables.c - every way a descriptor number comes to mean something, and failures
 *
 * tables STATEMENTS DIRECTORY
 */
#include "tests/live/work/say.h"

static char bytes[256];

static void
copies(struct say *say)
{
	const int fd = MADE(say, "openat", open("original", O_RDWR | O_CREAT, 0600));
	const int other = MADE(say, "openat", open("other", O_RDWR | O_CREAT, 0600));
	const int one = MADE(say, "dup", dup(fd));
	const int two = MADE(say, "dup2", dup2(fd, 40));
	const int three = MADE(say, "dup3", dup3(fd, 41, O_CLOEXEC));
	const int four = MADE(say, "fcntl", fcntl(fd, F_DUPFD_CLOEXEC, 50));

	DID(say, "write", one, write(one, bytes, 1));
	DID(say, "write", two, write(two, bytes, 2));
	DID(say, "write", three, write(three, bytes, 3));
	DID(say, "write", four, write(four, bytes, 4));
	MADE(say, "dup2", dup2(other, 40));		/* takes the place of a copy */
	DID(say, "write", 40, write(40, bytes, 5));
	MADE(say, "dup2", dup2(fd, fd));
	DID(say, "write", fd, write(fd, bytes, 6));
	DID(say, "close", fd, close(fd));
	DID(say, "write", one, write(one, bytes, 7));
	DID(say, "write", fd, write(fd, bytes, 8));	/* EBADF */
	DID(say, "close_range", -1, syscall(SYS_close_range, 40, 60, 0));
	DID(say, "write", four, write(four, bytes, 9));	/* EBADF */
	DID(say, "close", one, close(one));
	DID(say, "close", other, close(other));
}

static void
nameless(struct say *say)
{
	char link[64];
	const int fd = MADE(say, "openat", open(".", O_RDWR | O_TMPFILE, 0600));
	int gone, again;

	DID(say, "write", fd, write(fd, bytes, 10));
	DID(say, "close", fd, close(fd));
	gone = MADE(say, "openat", open("gone", O_RDWR | O_CREAT, 0600));
	unlink("gone");
	DID(say, "write", gone, write(gone, bytes, 11));
	snprintf(link, sizeof(link), "/proc/self/fd/%d", gone);
	again = MADE(say, "openat", open(link, O_RDONLY));
	DID(say, "read", again, read(again, bytes, 5));
	DID(say, "close", again, close(again));
	DID(say, "close", gone, close(gone));
}

static void
roundabout(struct say *say)
{
	int directory, fd;

	mkdir("sub", 0700);
	(void)!symlink("sub", "linked");
	fd = MADE(say, "openat", open("linked/../linked/./real", O_RDWR | O_CREAT, 0600));
	DID(say, "write", fd, write(fd, bytes, 20));
	close(fd);
	directory = MADE(say, "openat", open("linked", O_PATH | O_DIRECTORY));
	fd = MADE(say, "openat", openat(directory, "real", O_WRONLY));
	DID(say, "write", fd, write(fd, bytes, 21));
	close(fd);
	if (fchdir(directory) != 0)
		die("fchdir");
	fd = MADE(say, "openat", open("real", O_WRONLY));
	DID(say, "write", fd, write(fd, bytes, 22));
	rename("real", "renamed");
	DID(say, "write", fd, write(fd, bytes, 23));
	close(fd);
	close(directory);
	fd = MADE(say, "creat", (int)syscall(SYS_creat, "br\303\244ve\nnew %=\001", 0600));
	DID(say, "write", fd, write(fd, bytes, 24));
	close(fd);
	fd = MADE(say, "openat", open("not \377 utf-8", O_WRONLY | O_CREAT, 0600));
	DID(say, "write", fd, write(fd, bytes, 25));
	close(fd);
}

static void
deep(struct say *say)
{
	char name[201];
	int fd;

	memset(name, 'd', 200);
	name[200] = '\0';
	for (int i = 0; i < 15; i++)
		if (mkdir(name, 0700) != 0 || chdir(name) != 0)
			die("mkdir");
	fd = MADE(say, "openat", open("bottom", O_WRONLY | O_CREAT, 0600));
	DID(say, "write", fd, write(fd, bytes, 30));
	close(fd);
}

static void
failures(struct say *say)
{
	struct sockaddr_in nobody = { .sin_family = AF_INET, .sin_port = htons(1) };
	struct sockaddr_un nowhere = { .sun_family = AF_UNIX, .sun_path = "/no/such/socket" };
	int fd;

	if (open("/no/such/file", O_RDONLY) < 0)
		say_failed_path(say, "openat", errno, "/no/such/file");
	if (open("no such relative", O_RDONLY) < 0)
		say_failed_path(say, "openat", errno, "no such relative");
	if (open("/proc/self/mem/x", O_RDONLY) < 0)
		say_failed_path(say, "openat", errno, "/proc/self/mem/x");
	nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (void *)&nobody, sizeof(nobody)) < 0)
		say_line(say, "expect tid=%d pid=%d call=connect fd=%d result=-1 err=%d proto=tcp "
			 "remote=127.0.0.1:1", say_tid(), getpid(), fd, errno);
	close(fd);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(fd, (void *)&nowhere, sizeof(nowhere)) < 0)
		say_line(say, "expect tid=%d pid=%d call=connect fd=%d result=-1 err=%d proto=unix "
			 "path=/no/such/socket", say_tid(), getpid(), fd, errno);
	close(fd);
	DID(say, "read", -1, read(-1, bytes, 1));
	DID(say, "write", 999, write(999, bytes, 1));
}

int
main(int argc, char **argv)
{
	struct say *say;

	if (argc != 3)
		die("usage: tables STATEMENTS DIRECTORY");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0)
		die("%s", argv[2]);
	say_begin(say);
	copies(say);
	nameless(say);
	roundabout(say);
	deep(say);
	failures(say);
	say_end(say);
	return 0;
}
