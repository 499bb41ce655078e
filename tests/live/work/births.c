/* births.c - every way a task comes to be or becomes another
 *
 * births STATEMENTS DIRECTORY [word]
 *
 * fork, vfork, posix_spawn, clone with and without shared memory, threads, exec by a thread that is
 * not the leader. Each new task writes at once, with its first call where it can.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "tests/live/work/say.h"

static char **arguments;
static int out;
static const char bytes[4096];

/* The first call of a new task is its write. What it writes to, its parent has stated. */
static void
first_call(struct say *say, const char *target, size_t size)
{
	const ssize_t n = syscall(SYS_write, out, bytes, size);

	say_call(say, "write", out, n, n < 0 ? errno : 0, target, " first=1");
}

static void
reap(pid_t child, const char *what)
{
	int status = 0;

	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		die("%s: status %d", what, status);
}

static int
cloned(void *argument)
{
	char target[SAY_TARGET];
	struct say *say = argument;

	say_target(target, sizeof(target), out);
	first_call(say, target, 204);
	return 0;
}

static void
processes(struct say *say, const char *target)
{
	static char stack[1 << 18];
	char word[] = "spawned";
	char *spawn[] = { arguments[0], arguments[1], arguments[2], word, NULL };
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);

	if (child == 0) {
		first_call(say, target, 201);
		_exit(0);
	}
	reap(child, "fork");
	child = vfork();
	if (child == 0) {
		first_call(say, target, 202);
		_exit(0);
	}
	reap(child, "vfork");
	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, spawn, NULL) != 0)
		die("posix_spawn");
	reap(child, "posix_spawn");
	reap(clone(cloned, stack + sizeof(stack), CLONE_VM | SIGCHLD, say), "clone(CLONE_VM)");
	reap(clone(cloned, stack + sizeof(stack), CLONE_FILES | CLONE_FS | SIGCHLD, say),
	     "clone(CLONE_FILES)");
}

static void *
thread(void *argument)
{
	struct say *say = argument;
	char target[SAY_TARGET];

	say_target(target, sizeof(target), out);
	say_begin(say);
	for (int i = 0; i < 10; i++)
		first_call(say, target, 300);
	say_end(say);
	return NULL;
}

/* execve from a thread that is not the leader: enters with one thread id, returns with another. */
static void *
exec_thread(void *argument)
{
	struct say *say = argument;
	char word[] = "after-exec";
	char *again[] = { arguments[0], arguments[1], arguments[2], word, NULL };

	say_line(say, "note exec_thread=%d", say_tid());
	execv("/proc/self/exe", again);
	die("execv");
}

static void *
idle_thread(void *argument)
{
	(void)argument;
	for (;;)
		pause();
	return NULL;
}

static void
threads(struct say *say)
{
	pthread_t ids[5];

	for (int i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, thread, say);
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&ids[i], NULL, idle_thread, say);
	pthread_create(&ids[4], NULL, exec_thread, say);
	for (;;)
		pause();
}

int
main(int argc, char **argv)
{
	char target[SAY_TARGET];
	struct say *say;

	if (argc < 3)
		die("usage: births STATEMENTS DIRECTORY [WORD]");
	arguments = argv;
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0)
		die("%s", argv[2]);
	out = open(argc > 3 ? argv[3] : "first", O_WRONLY | O_CREAT | O_APPEND, 0600);
	say_target(target, sizeof(target), out);
	first_call(say, target, argc > 3 ? 210 : 200);
	if (argc > 3)
		return 0;
	processes(say, target);
	threads(say);
	return 0;
}
