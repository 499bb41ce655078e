/* reuse.c - a process number that comes to mean another process
 *
 * reuse STATEMENTS DIRECTORY GO
 *
 * A child says "child" and waits for a line from the FIFO GO, writes and ends. At once another child is
 * made under the very same number (clone3 with set_tid), which writes 20 times to another file.
 */
#include <linux/sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/live/work/say.h"

static const char bytes[512];

static void
write_file(const char *name, size_t size, int n)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (int i = 0; i < n; i++)
		if (write(fd, bytes, size) != (ssize_t)size)
			die("%s", name);
	close(fd);
}

static pid_t
clone_as(pid_t number)
{
	struct clone_args arguments = { .exit_signal = SIGCHLD, .set_tid = (uintptr_t)&number,
					.set_tid_size = 1 };

	return (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));
}

int
main(int argc, char **argv)
{
	struct say *say;
	pid_t first, second;
	char byte;
	int go;

	if (argc != 4)
		die("usage: reuse STATEMENTS DIRECTORY GO");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0)
		die("%s", argv[2]);
	first = fork();
	if (first == 0) {
		go = open(argv[3], O_RDONLY);
		say_line(say, "note child=%d", getpid());
		if (read(go, &byte, 1) != 1)
			die("%s", argv[3]);
		write_file("first", 100, 1);
		_exit(0);
	}
	waitpid(first, NULL, 0);
	second = clone_as(first);
	if (second == 0) {
		write_file("second", 200, 20);
		_exit(0);
	}
	say_line(say, "note second=%d", second < 0 ? -errno : second);
	waitpid(second, NULL, 0);
	return 0;
}
