/* family.c - a parent with children of every age, each of which writes a size of its own
 *
 * family STATEMENTS DIRECTORY GO
 *
 * One child runs before the parent says "note ready="; after a line from the FIFO GO: that child
 * writes 1 MiB, a later child 200,000 bytes, a grandchild 30,000, a child that runs this program
 * again by exec 300,000, and twenty children 100 bytes each, ending at once.
 * "family STATEMENTS DIRECTORY exec FILE" is what the exec'd child runs.
 */
#include <sys/wait.h>

#include "tests/live/work/say.h"

static char bytes[1 << 20];

static void
write_file(struct say *say, const char *name, size_t size)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	say_begin(say);
	DID(say, "write", fd, write(fd, bytes, size));
	say_end(say);
	close(fd);
}

static pid_t
start(struct say *say)
{
	const pid_t child = fork();

	if (child < 0)
		die("fork");
	if (child > 0)
		say_line(say, "process pid=%d parent=%d", child, getpid());
	return child;
}

static pid_t
first_child(struct say *say, int turn)
{
	const pid_t child = fork();
	char c;

	if (child != 0)
		return child;
	if (read(turn, &c, 1) != 1)
		_exit(1);
	write_file(say, "first", sizeof(bytes));
	_exit(0);
}

static void
later_children(struct say *say, const char *self, char **argv)
{
	char name[32];

	if (start(say) == 0) {
		write_file(say, "later", 200000);
		if (start(say) == 0) {
			write_file(say, "grandchild", 30000);
			_exit(0);
		}
		while (wait(NULL) > 0)
			;
		_exit(0);
	}
	if (start(say) == 0) {
		execl(self, "a program of another name", argv[1], argv[2], "exec", "run", NULL);
		_exit(111);
	}
	for (int i = 0; i < 20; i++) {
		if (start(say) == 0) {
			snprintf(name, sizeof(name), "brief-%d", i);
			write_file(say, name, 100);
			_exit(0);
		}
	}
}

int
main(int argc, char **argv)
{
	struct say *say;
	int turn[2];
	int go;
	pid_t first;

	if (argc < 4)
		die("usage: family STATEMENTS DIRECTORY GO");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0)
		die("%s", argv[2]);
	if (argc == 5) {
		write_file(say, argv[4], 300000);
		return 0;
	}
	if (pipe2(turn, O_CLOEXEC) != 0)
		die("pipe");
	first = first_child(say, turn[0]);
	go = open(argv[3], O_RDONLY | O_CLOEXEC);
	say_line(say, "note parent=%d first=%d", getpid(), first);
	if (go < 0 || read(go, bytes, 1) != 1)
		die("%s", argv[3]);
	if (write(turn[1], "g", 1) != 1)
		die("turn");
	later_children(say, "/proc/self/exe", argv);
	while (wait(NULL) > 0)
		;
	return 0;
}
