/* restarts.c - calls that signals interrupt: joined when the kernel starts them again
 *
 * restarts STATEMENTS
 *
 * A child sends the signals once the parent sleeps in the call (state S in /proc), so that each
 * case is met for certain. One read is one event whatever happened to it in between.
 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/live/work/say.h"

static void
on_signal(int number)
{
	(void)number;
}

/* Waits until the process sleeps inside a system call of this number. */
static void
wait_until_in(pid_t pid, long nr)
{
	const struct timespec little = { .tv_nsec = 1000000 };
	char path[64], text[64];

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	for (int i = 0; i < 50000; i++) {
		const int fd = open(path, O_RDONLY);
		const ssize_t n = read(fd, text, sizeof(text) - 1);

		close(fd);
		if (n > 0) {
			text[n] = '\0';
			if (atol(text) == nr && text[0] != 'r')
				return;
		}
		nanosleep(&little, NULL);
	}
	_exit(2);
}

static void
wait_for_state(pid_t pid, char state)
{
	const struct timespec little = { .tv_nsec = 1000000 };
	char path[64], text[256];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (int i = 0; i < 50000; i++) {
		const int fd = open(path, O_RDONLY);
		const ssize_t n = read(fd, text, sizeof(text) - 1);
		const char *end;

		close(fd);
		text[n > 0 ? n : 0] = '\0';
		end = strrchr(text, ')');
		if (end && end[2] == state)
			return;
		nanosleep(&little, NULL);
	}
	_exit(2);
}

/* The helper: signals its parent n times while it is inside the read, then lets the read end. */
static pid_t
disturb(int number, int n, int end, int go_on)
{
	const pid_t parent = getpid(), child = fork();

	if (child != 0)
		return child;
	for (int i = 0; i < n; i++) {
		wait_until_in(parent, SYS_read);
		kill(parent, number);
		if (number == SIGSTOP) {
			wait_for_state(parent, 'T');
			kill(parent, SIGCONT);
		} else if (go_on) {
			const struct timespec moment = { .tv_nsec = 20000000 };

			nanosleep(&moment, NULL);
		}
	}
	wait_until_in(parent, SYS_read);
	(void)!write(end, "0123456789", 10);
	_exit(0);
}

static void
one(struct say *say, int number, int flags, int n)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
	char bytes[64];
	int ends[2];
	pid_t child;

	if (pipe(ends) != 0)
		die("pipe");
	if (number != SIGSTOP)
		sigaction(number, &action, NULL);
	child = disturb(number, n, ends[1], 1);
	if (!(flags & SA_RESTART) && number != SIGSTOP)
		DID(say, "read", ends[0], read(ends[0], bytes, sizeof(bytes)));	/* EINTR */
	DID(say, "read", ends[0], read(ends[0], bytes, sizeof(bytes)));
	while (waitpid(child, NULL, 0) != child && errno == EINTR)
		;
	close(ends[0]);
	close(ends[1]);
}

/* A handler that itself reads, while the read it interrupted waits to be started again. */
static struct {
	struct say *say;
	int ends[2];
} inner;

static void
on_inner(int number)
{
	char bytes[8];

	(void)number;
	(void)!write(inner.ends[1], "abc", 3);
	say_line(inner.say, "expect tid=%d pid=%d call=write result=3 err=0 fd=%d", say_tid(),
		 getpid(), inner.ends[1]);
	(void)!read(inner.ends[0], bytes, sizeof(bytes));
	say_line(inner.say, "expect tid=%d pid=%d call=read result=3 err=0 fd=%d", say_tid(),
		 getpid(), inner.ends[0]);
}

static void
nested(struct say *say)
{
	struct sigaction action = { .sa_handler = on_inner, .sa_flags = SA_RESTART };
	char bytes[64];
	int ends[2];
	pid_t child;

	inner.say = say;
	if (pipe(ends) != 0 || pipe(inner.ends) != 0)
		die("pipe");
	sigaction(SIGUSR2, &action, NULL);
	child = disturb(SIGUSR2, 1, ends[1], 1);
	DID(say, "read", ends[0], read(ends[0], bytes, sizeof(bytes)));
	while (waitpid(child, NULL, 0) != child && errno == EINTR)
		;
	for (int i = 0; i < 2; i++) {
		close(ends[i]);
		close(inner.ends[i]);
	}
}

int
main(int argc, char **argv)
{
	struct say *say;

	if (argc != 2)
		die("usage: restarts STATEMENTS");
	say = say_open(argv[1]);
	say_begin(say);
	one(say, SIGUSR1, SA_RESTART, 1);
	one(say, SIGUSR1, SA_RESTART, 5);
	one(say, SIGUSR1, 0, 1);
	one(say, SIGSTOP, 0, 1);
	one(say, SIGSTOP, 0, 3);
	nested(say);
	say_end(say);
	return 0;
}
