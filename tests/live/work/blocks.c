/* blocks.c - a known number of writes of known sizes, at full speed or paced
 *
 * blocks STATEMENTS FILE N SIZE [PER_MS] [GO]
 *
 * N writes of SIZE bytes to FILE. With PER_MS, so many at a time, then a millisecond of sleep. With
 * GO, a FIFO: says "ready" in the statements (line "note ready=1") and waits for a line from it.
 */
#include <time.h>

#include "tests/live/work/say.h"

int
main(int argc, char **argv)
{
	static char bytes[1 << 20];
	const struct timespec millisecond = { .tv_nsec = 1000000 };
	struct say *say;
	long n, size, pace;
	int fd;

	if (argc < 5)
		die("usage: blocks STATEMENTS FILE N SIZE [PER_MS] [GO]");
	say = say_open(argv[1]);
	n = atol(argv[3]);
	size = atol(argv[4]);
	pace = argc > 5 ? atol(argv[5]) : 0;
	fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || size > (long)sizeof(bytes))
		die("%s", argv[2]);
	if (argc > 6) {
		const int go = open(argv[6], O_RDONLY);

		say_line(say, "note ready=%d", getpid());
		if (go < 0 || read(go, bytes, 1) != 1)
			die("%s", argv[6]);
		close(go);
	}
	for (long i = 0; i < n; i++) {
		if (write(fd, bytes, (size_t)size) != size)
			die("%s", argv[2]);
		if (pace && i % pace == pace - 1)
			nanosleep(&millisecond, NULL);
	}
	say_line(say, "note pid=%d calls=%ld bytes=%ld", getpid(), n, n * size);
	return 0;
}
