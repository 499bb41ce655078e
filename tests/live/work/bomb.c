/* bomb.c - a fork bomb with an end: a tree of processes that write once each, all alive at once
 *
 *	bomb STATEMENTS FILE DEPTH
 *
 * Every process appends 7 bytes to FILE; the leaves end when the last of all has come (or a minute has
 * gone by), the others with their children. States "note processes=N".
 */
#include <sys/wait.h>

#include "tests/live/work/say.h"

enum { MINUTE_TENTHS = 600 };

static void
grow(int fd, unsigned int depth, unsigned int total, unsigned int *there)
{
	if (write(fd, "bombard", 7) != 7)
		die("write");
	__atomic_add_fetch(there, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; depth > 0 && i < 2; i++) {
		const pid_t child = fork();

		if (child < 0)
			die("fork");
		if (child == 0) {
			grow(fd, depth - 1, total, there);
			_exit(0);
		}
	}
	for (int i = 0; depth == 0 && i < MINUTE_TENTHS; i++) {
		if (__atomic_load_n(there, __ATOMIC_SEQ_CST) >= total)
			break;
		usleep(100000);
	}
	while (wait(NULL) > 0)
		continue;
}

int
main(int argc, char **argv)
{
	const unsigned int depth = argc == 4 ? (unsigned int)atoi(argv[3]) : 0, total = (2u << depth) - 1;
	unsigned int *const there = mmap(NULL, sizeof(*there), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct say *say;
	int fd;

	if (argc != 4 || depth > 13 || there == MAP_FAILED)
		die("usage: bomb STATEMENTS FILE DEPTH");
	say = say_open(argv[1]);
	fd = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (fd < 0)
		die("%s", argv[2]);
	grow(fd, depth, total, there);
	say_line(say, "note processes=%u", *there);
	return 0;
}
