/* underway.c - calls that are under way when tracing begins and when it ends
 *
 * underway STATEMENTS FIFO
 *
 * Reads from FIFO one byte at a time, saying "note reading=N" before each read, until it ends.
 */
#include "tests/live/work/say.h"

int
main(int argc, char **argv)
{
	struct say *say;
	char byte;
	int fd;

	if (argc != 3)
		die("usage: underway STATEMENTS FIFO");
	say = say_open(argv[1]);
	fd = open(argv[2], O_RDWR);
	say_line(say, "note pid=%d", getpid());
	for (int i = 0;; i++) {
		say_line(say, "note reading=%d", i);
		if (read(fd, &byte, 1) != 1 || byte == 'q')
			break;
	}
	return 0;
}
