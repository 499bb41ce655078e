/* rate.c - writes of one byte at a steady rate, each behind the last: the file is as long as their number
 *
 *	rate STATEMENTS FILE PER-SECOND MILLISECONDS
 *
 * STATEMENTS gets "ready PID" at first and "wrote N" at the end. Works in bursts of a millisecond.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t
now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void
say(const char *path, const char *what, uint64_t n)
{
	FILE *const file = fopen(path, "a");

	if (file) {
		(void)fprintf(file, "%s %llu\n", what, (unsigned long long)n);
		(void)fclose(file);
	}
}

int
main(int argc, char **argv)
{
	const int fd = argc == 5 ? open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
	const uint64_t per_second = argc == 5 ? strtoull(argv[3], NULL, 10) : 0;
	const uint64_t total_ns = argc == 5 ? strtoull(argv[4], NULL, 10) * 1000000 : 0;
	const uint64_t began = now_ns();
	uint64_t done = 0, passed;

	if (fd < 0) {
		(void)fprintf(stderr, "usage: rate STATEMENTS FILE PER-SECOND MILLISECONDS\n");
		return 2;
	}
	say(argv[1], "ready", (uint64_t)getpid());
	while ((passed = now_ns() - began) < total_ns) {
		const uint64_t due = per_second * (passed / 1000000) / 1000;

		while (done < due) {
			if (pwrite(fd, "x", 1, (off_t)done) != 1)
				return 1;
			done++;
		}
		(void)usleep(500);
	}
	say(argv[1], "wrote", done);
	return 0;
}
