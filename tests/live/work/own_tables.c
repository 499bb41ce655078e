/* own_tables.c - tasks that share memory but not descriptors, descriptors but not memory, and part ways
 *
 * own_tables STATEMENTS DIRECTORY
 *
 * Each number stands for one file in one table and for another one in the other; who writes where is
 * stated. Then descriptors that are had in other ways than by opening: from another process
 * (pidfd_getfd), beneath a mount's descriptor (open_tree), by a second name, and opened again.
 */
#include <linux/close_range.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/live/work/say.h"

enum { NUMBER = 50 };		/* the descriptor that means different things */

static const char bytes[256];
static int one, other;		/* two open files */

static void
put(struct say *say, int fd, size_t size)
{
	DID(say, "write", fd, write(fd, bytes, size));
}

static void
reap(pid_t child, const char *what)
{
	int status = 0;

	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		die("%s: status %d", what, status);
}

static void
begin_with_one(void)
{
	if (dup2(one, NUMBER) != NUMBER)
		die("dup2");
}

/* A table of its own, in the memory of its parent: what it does to the number is its own affair. */
static int
replaces(void *argument)
{
	(void)dup2(other, NUMBER);
	put(argument, NUMBER, 11);
	return 0;
}

static void
memory_without_files(struct say *say)
{
	static char stack[1 << 18];

	begin_with_one();
	put(say, NUMBER, 10);
	reap(clone(replaces, stack + sizeof(stack), CLONE_VM | SIGCHLD, say), "clone(CLONE_VM)");
	put(say, NUMBER, 12);
	reap(clone(replaces, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, say), "like vfork");
	put(say, NUMBER, 13);
}

/* The table of its parent, in memory of its own: the parent's number changes under it. */
static void
files_without_memory(struct say *say)
{
	struct clone_args arguments = { .flags = CLONE_FILES, .exit_signal = SIGCHLD };
	pid_t child;

	begin_with_one();
	put(say, NUMBER, 20);
	child = (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));
	if (child == 0) {
		(void)dup2(other, NUMBER);
		put(say, NUMBER, 21);
		_exit(0);
	}
	reap(child, "clone3(CLONE_FILES)");
	put(say, NUMBER, 22);
}

struct leaving {
	struct say *say;
	int by_close;		/* close_range(2) rather than unshare(2) */
	int step;
};

static void
step_to(struct leaving *l, int step)
{
	__atomic_store_n(&l->step, step, __ATOMIC_SEQ_CST);
}

static void
wait_step(struct leaving *l, int step)
{
	while (__atomic_load_n(&l->step, __ATOMIC_SEQ_CST) < step)
		(void)usleep(500);
}

/* A thread that leaves the table of the others. */
static void *
leave(void *argument)
{
	struct leaving *l = argument;

	(void)dup2(other, NUMBER);	/* for all still */
	step_to(l, 1);
	wait_step(l, 2);
	if (l->by_close ? syscall(SYS_close_range, NUMBER, NUMBER, CLOSE_RANGE_UNSHARE) : unshare(CLONE_FILES))
		die("leaving the table");
	put(l->say, NUMBER, l->by_close ? 42 : 32);	/* EBADF after close_range */
	(void)dup2(one, NUMBER);
	put(l->say, NUMBER, 33);
	step_to(l, 3);
	wait_step(l, 4);
	put(l->say, NUMBER, 35);
	return NULL;
}

static void
parting(struct say *say, int by_close)
{
	struct leaving l = { .say = say, .by_close = by_close };
	pthread_t thread;

	begin_with_one();
	put(say, NUMBER, 30);
	if (pthread_create(&thread, NULL, leave, &l) != 0)
		die("pthread_create");
	wait_step(&l, 1);
	put(say, NUMBER, 31);
	step_to(&l, 2);
	wait_step(&l, 3);
	put(say, NUMBER, 34);
	(void)close(NUMBER);
	step_to(&l, 4);
	pthread_join(thread, NULL);
}

/* A descriptor taken out of another process, which alone has opened that file. */
static void
taken(struct say *say)
{
	int ends[2], fd, pidfd;
	char byte;
	const pid_t child = pipe(ends) == 0 ? fork() : -1;

	if (child == 0) {
		(void)dup2(open("of the child", O_RDWR | O_CREAT, 0600), NUMBER);
		(void)!write(ends[1], "x", 1);
		for (;;)
			(void)pause();
	}
	if (child < 0 || read(ends[0], &byte, 1) != 1)
		die("fork");
	pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, NUMBER, 0);
	if (fd < 0)
		die("pidfd_getfd");
	put(say, fd, 50);
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	put(say, fd, 51);
}

static void
beneath_a_tree(struct say *say)
{
	int tree, fd;

	(void)mkdir("tree", 0700);
	tree = (int)syscall(SYS_open_tree, AT_FDCWD, "tree", 0);
	fd = openat(tree, "leaf", O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		die("open_tree");
	put(say, fd, 60);
}

static void
by_other_names(struct say *say)
{
	char link_name[64];
	int fd, path;

	fd = open("first", O_RDWR | O_CREAT, 0600);
	put(say, fd, 70);
	if (link("first", "second") != 0 || unlink("first") != 0)
		die("link");
	put(say, open("second", O_WRONLY), 71);
	path = open("second", O_PATH);
	(void)snprintf(link_name, sizeof(link_name), "/proc/self/fd/%d", path);
	put(say, path, 72);			/* EBADF: it only names */
	put(say, open(link_name, O_WRONLY), 73);
	if (rename("second", "third") != 0)
		die("rename");
	put(say, open("third", O_WRONLY), 74);
	fd = open(".", O_RDWR | O_TMPFILE, 0600);
	(void)snprintf(link_name, sizeof(link_name), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, link_name, AT_FDCWD, "given", AT_SYMLINK_FOLLOW) != 0)
		die("linkat");
	put(say, open("given", O_WRONLY), 75);
}

int
main(int argc, char **argv)
{
	struct say *say;

	if (argc != 3)
		die("usage: own_tables STATEMENTS DIRECTORY");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0)
		die("%s", argv[2]);
	one = open("one", O_RDWR | O_CREAT, 0600);
	other = open("other", O_RDWR | O_CREAT, 0600);
	memory_without_files(say);
	files_without_memory(say);
	parting(say, 0);
	parting(say, 1);
	taken(say);
	beneath_a_tree(say);
	by_other_names(say);
	return 0;
}
