/* loop.c - one call over and over, timed: what tracing costs the traced
 *
 * loop OUT CALL N      CALL: getppid | null (write of 1 byte to /dev/null) | FILE (the same to it)
 *
 * Appends to OUT: nanoseconds of CPU time per call, of time per call, N, and CLOCK_REALTIME when main
 * began.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double
now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double
per_call(int fd, long n, double *wall_ns)
{
	const double start = now(CLOCK_THREAD_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);

	for (long i = 0; i < n; i++) {
		if (fd < 0)
			syscall(SYS_getppid);
		else if (write(fd, "x", 1) != 1)
			return -1;
		if (fd >= 0 && (i & 0xfffff) == 0xfffff)
			(void)lseek(fd, 0, SEEK_SET);	/* no gigabytes of file */
	}
	*wall_ns = (now(CLOCK_MONOTONIC) - wall) / (double)n;
	return (now(CLOCK_THREAD_CPUTIME_ID) - start) / (double)n;
}

int
main(int argc, char **argv)
{
	const double began = now(CLOCK_REALTIME);
	const char *path;
	double ns, wall_ns;
	FILE *out;
	int fd = -1;

	if (argc != 4 || atol(argv[3]) <= 0) {
		fprintf(stderr, "usage: loop OUT getppid|null|FILE N\n");
		return 2;
	}
	path = strcmp(argv[2], "null") == 0 ? "/dev/null" : argv[2];
	if (strcmp(path, "getppid") != 0) {
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (fd < 0)
			return 1;
	}
	ns = per_call(fd, atol(argv[3]), &wall_ns);
	out = fopen(argv[1], "a");
	if (!out || ns < 0)
		return 1;
	fprintf(out, "%.3f %.3f %s %.0f\n", ns, wall_ns, argv[3], began);
	return fclose(out) != 0;
}
