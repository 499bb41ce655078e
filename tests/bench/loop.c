/* loop.c - one call over and over, timed: what tracing costs the traced
 *
 * loop OUT CALL N      CALL: getppid | null (write of 1 byte to /dev/null) | FILE (the same to it) |
 *                      ring (a request of io_uring that does nothing) | page:FILE (a page of a mapping
 *                      of it that is written to first, N up to 1 << 20)
 *
 * Appends to OUT: nanoseconds of CPU time per call, of time per call, N, and CLOCK_REALTIME when main
 * began.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/live/work/ring.h"

enum { PAGE_BYTES = 4096, PAGES_MAX = 1 << 20 };

/* What a call is made with. */
struct call {
	bool (*make)(struct call *c, long i);	/* false: it failed */
	int fd;
	char *pages;
	struct ring ring;
};

static double
now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static bool
make_getppid(struct call *c, long i)
{
	(void)c;
	(void)i;
	return syscall(SYS_getppid) >= 0;
}

static bool
make_write(struct call *c, long i)
{
	if ((i & 0xfffff) == 0xfffff)
		(void)lseek(c->fd, 0, SEEK_SET);	/* no gigabytes of file */
	return write(c->fd, "x", 1) == 1;
}

static bool
make_nop(struct call *c, long i)
{
	(void)i;
	return ring_one(&c->ring, (struct io_uring_sqe){.opcode = IORING_OP_NOP}) == 0;
}

static bool
make_page(struct call *c, long i)
{
	*(volatile char *)(c->pages + i * PAGE_BYTES) = 1;
	return true;
}

/* False: it cannot be made here. */
static bool
call_open(struct call *c, const char *what, long n)
{
	const char *path = strcmp(what, "null") == 0 ? "/dev/null" : what;

	*c = (struct call){.make = make_write, .fd = -1};
	if (strcmp(what, "getppid") == 0) {
		c->make = make_getppid;
		return true;
	}
	if (strcmp(what, "ring") == 0) {
		c->make = make_nop;
		return ring_open(&c->ring, 8, 0) == 0;
	}
	if (strncmp(what, "page:", 5) == 0) {
		path = what + 5;
		c->make = make_page;
	}
	c->fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (c->fd < 0 || c->make != make_page)
		return c->fd >= 0;
	if (n > PAGES_MAX || ftruncate(c->fd, n * PAGE_BYTES) != 0)
		return false;
	c->pages = mmap(NULL, (size_t)n * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	return c->pages != MAP_FAILED;
}

static double
per_call(struct call *c, long n, double *wall_ns)
{
	const double start = now(CLOCK_THREAD_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);

	for (long i = 0; i < n; i++) {
		if (!c->make(c, i))
			return -1;
	}
	*wall_ns = (now(CLOCK_MONOTONIC) - wall) / (double)n;
	return (now(CLOCK_THREAD_CPUTIME_ID) - start) / (double)n;
}

int
main(int argc, char **argv)
{
	const double began = now(CLOCK_REALTIME);
	const long n = argc == 4 ? atol(argv[3]) : 0;
	struct call c;
	double ns, wall_ns;
	FILE *out;

	if (n <= 0) {
		fprintf(stderr, "usage: loop OUT getppid|null|FILE|ring|page:FILE N\n");
		return 2;
	}
	if (!call_open(&c, argv[2], n))
		return 1;
	ns = per_call(&c, n, &wall_ns);
	out = fopen(argv[1], "a");
	if (!out || ns < 0)
		return 1;
	fprintf(out, "%.3f %.3f %ld %.0f\n", ns, wall_ns, n, began);
	return fclose(out) != 0;
}
