/* churn.c - many short-lived files behind the same kernel objects: the identity torture
 *
 * churn STATEMENTS DIRECTORY files N     N files created, written with a size of their own, closed
 *                                        by close, by dup2 or by the end of a child, unlinked
 * churn STATEMENTS DIRECTORY rename N    one file, renamed between N opens
 * churn STATEMENTS DIRECTORY links N     two names of one inode, opened in turn
 *
 * Each write is stated with the name the file had when it was opened, device and inode by fstat.
 */
#include <sys/wait.h>

#include "tests/live/work/say.h"

static char bytes[1 << 16];

static void
one_write(struct say *say, int fd, int i)
{
	DID(say, "write", fd, write(fd, bytes, (size_t)(i % 50000) + 1));
}

static void
in_a_child(struct say *say, const char *name, int i)
{
	const pid_t child = fork();

	if (child == 0) {
		const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

		say_begin(say);
		one_write(say, fd, i);
		say_end(say);
		_exit(0);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child)
		die("fork");
}

static void
files(struct say *say, int n)
{
	int fd = -1;

	for (int i = 0; i < n; i++) {
		char name[64];
		int made;

		snprintf(name, sizeof(name), "file-%06d", i);
		if (i % 10 == 9) {
			in_a_child(say, name, i);
			unlink(name);
			continue;
		}
		made = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
		if (made < 0)
			die("%s", name);
		if (i % 3 == 1 && fd >= 0) {		/* the one before ends by dup2 */
			if (dup2(made, fd) != fd)
				die("dup2");
			close(made);
		} else {
			if (fd >= 0)
				close(fd);
			fd = made;
		}
		one_write(say, fd, i);
		if (i % 3 != 0)
			unlink(name);
		else if (i % 2)
			rename(name, "elsewhere");
		if (i % 3 == 2) {
			close(fd);
			fd = -1;
		}
	}
}

static void
renames(struct say *say, int n)
{
	char name[64] = "name-0", next[64];

	close(open(name, O_WRONLY | O_CREAT, 0600));
	for (int i = 0; i < n; i++) {
		const int fd = open(name, O_WRONLY);

		if (fd < 0)
			die("%s", name);
		one_write(say, fd, i);
		close(fd);
		snprintf(next, sizeof(next), "name-%d", i + 1);
		rename(name, next);
		strcpy(name, next);
	}
}

static void
links(struct say *say, int n)
{
	close(open("first-name", O_WRONLY | O_CREAT, 0600));
	if (link("first-name", "second-name") != 0)
		die("link");
	for (int i = 0; i < n; i++) {
		const int fd = open(i % 2 ? "second-name" : "first-name", O_WRONLY);

		one_write(say, fd, i);
		close(fd);
	}
}

int
main(int argc, char **argv)
{
	struct say *say;
	int n;

	if (argc != 5)
		die("usage: churn STATEMENTS DIRECTORY files|rename|links N");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0)
		die("%s", argv[2]);
	n = atoi(argv[4]);
	say_begin(say);
	if (strcmp(argv[3], "files") == 0)
		files(say, n);
	else if (strcmp(argv[3], "rename") == 0)
		renames(say, n);
	else
		links(say, n);
	say_end(say);
	return 0;
}
