/* mapped.c - files that are read and written through mappings, and what the kernel says of it otherwise
 *
 * mapped STATEMENTS DIR [PIPE]
 *
 * With PIPE: maps DIR/before, of 4 MiB on the disk, closes it and throws it out of the page cache; says
 * "note mapped", waits for a byte from PIPE and reads the mapping: a child of its
 * the second half. Else:
 *
 * DIR has the files cold and read, of 4 MiB each, on the disk. Both are thrown out of the page cache; cold is
 * then read through a mapping, read by read(2). shared and private, of 1 MiB each, are made and written
 * through a mapping of that kind. Says what mincore(2) and getrusage(2) have of it:
 *
 *   note cold=N resident=N read_resident=N majflt=N	pages before and after, in bytes; major faults
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/live/work/say.h"

enum { MIB = 1 << 20, TRIES = 500 };

static char *
map(int fd, size_t size, int access, int sharing)
{
	char *const at = mmap(NULL, size, access, sharing, fd, 0);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

/* Bytes of the file that are in the page cache. */
static size_t
resident(int fd, size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *const at = map(fd, size, PROT_READ, MAP_SHARED);
	unsigned char *const in = calloc(size / page, 1);
	size_t n = 0;

	if (!in || mincore(at, size, in) != 0)
		die("mincore");
	for (size_t i = 0; i < size / page; i++)
		n += in[i] & 1;
	free(in);
	munmap(at, size);
	return n * page;
}

/* A page that the kernel looks at in that moment stays: then once more. */
static int
cold(const char *name)
{
	const int fd = open(name, O_RDONLY);

	for (int i = 0; i < TRIES; i++) {
		if (fd < 0 || fsync(fd) != 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
			die("%s", name);
		if (resident(fd, 4 * MIB) == 0)
			break;
		(void)usleep(10000);
	}
	return fd;
}

static void
write_through(const char *name, int sharing)
{
	const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *at;

	if (fd < 0 || ftruncate(fd, MIB) != 0)
		die("%s", name);
	at = map(fd, MIB, PROT_READ | PROT_WRITE, sharing);
	memset(at, 1, MIB);
	if (sharing == MAP_SHARED && msync(at, MIB, MS_SYNC) != 0)
		die("msync");
	munmap(at, MIB);
	close(fd);
}

static char
touch(const char *at, size_t size)
{
	volatile char sum = 0;

	for (size_t i = 0; i < size; i += 512)
		sum = (char)(sum + at[i]);
	return sum;
}

static int
mapped_before(struct say *say, const char *pipe)
{
	const int go = open(pipe, O_RDONLY), fd = cold("before");
	char *const at = map(fd, 4 * MIB, PROT_READ, MAP_PRIVATE);
	pid_t child;
	char byte;

	if (go < 0 || madvise(at, 4 * MIB, MADV_RANDOM) != 0)
		die("%s", pipe);
	close(fd);
	say_line(say, "note mapped");
	if (read(go, &byte, 1) != 1)
		die("%s", pipe);
	(void)touch(at, 2 * MIB);
	child = fork();
	if (child == 0) {
		(void)touch(at + 2 * MIB, 2 * MIB);
		_exit(0);
	}
	return child < 0 || waitpid(child, NULL, 0) != child;
}

int
main(int argc, char **argv)
{
	static char bytes[4 * MIB];
	struct rusage usage;
	size_t before, after;
	struct say *say;
	char *at;
	int fd, fd_read;

	if (argc < 3)
		die("usage: mapped STATEMENTS DIR [PIPE]");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0)
		die("%s", argv[2]);
	if (argc > 3)
		return mapped_before(say, argv[3]);
	memset(bytes, 1, sizeof(bytes));
	fd = cold("cold");
	fd_read = cold("read");
	before = resident(fd, 4 * MIB);
	at = map(fd, 4 * MIB, PROT_READ, MAP_PRIVATE);
	(void)touch(at, 4 * MIB);
	after = resident(fd, 4 * MIB);
	if (read(fd_read, bytes, sizeof(bytes)) != sizeof(bytes))
		die("read");
	getrusage(RUSAGE_SELF, &usage);
	say_line(say, "note cold=%zu resident=%zu read_resident=%zu majflt=%ld", before, after,
		 resident(fd_read, 4 * MIB), usage.ru_majflt);
	write_through("shared", MAP_SHARED);
	write_through("private", MAP_PRIVATE);
	free(malloc(8 * MIB));
	return 0;
}
