/* evict.c - more open files over time than any table keeps, and one that is used before and after
 *
 * evict STATEMENTS DIRECTORY N
 */
#include "tests/live/work/say.h"

static char bytes[64];

int
main(int argc, char **argv)
{
	struct say *say;
	int keep, ends[2];

	if (argc != 4)
		die("usage: evict STATEMENTS DIRECTORY N");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0)
		die("%s", argv[2]);
	say_line(say, "loose tid=%d", say_tid());
	keep = open("kept for long", O_RDWR | O_CREAT, 0600);
	if (pipe(ends) != 0)
		die("pipe");
	for (int round = 0; round < 3; round++) {
		DID(say, "write", keep, write(keep, bytes, 17));
		DID(say, "write", ends[1], write(ends[1], bytes, 18));
		for (int i = 0; i < atoi(argv[3]); i++) {
			char name[32];
			int fd;

			snprintf(name, sizeof(name), "brief-%d-%d", round, i);
			fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
			if (fd < 0)
				die("%s", name);
			if (i % 100 == 0)
				DID(say, "write", fd, write(fd, bytes, 19));
			else
				(void)!write(fd, bytes, 1);
			close(fd);
			unlink(name);
		}
	}
	DID(say, "write", keep, write(keep, bytes, 20));
	return 0;
}
