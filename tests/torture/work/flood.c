/* flood.c - calls from many threads as fast as they go, begun and ended without a read or a write
 *
 * flood DIRECTORY THREADS CALLS FILES
 *
 * Makes DIRECTORY/ready, waits until DIRECTORY/go is there, makes CALLS calls in each thread, makes
 * DIRECTORY/done, and waits until DIRECTORY/stop is there: between ready and done every byte that the kernel
 * accounts for is one of the calls'.
 * With FILES, four calls of five open a file of a name of its own, write to it, close and remove it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS_MAX = 256 };

struct thread {
	pthread_t id;
	unsigned int number, calls;
	int files;
};

static _Thread_local char bytes[4096];

static void
one_file(const struct thread *t, unsigned int i)
{
	char name[64];
	int fd;

	(void)snprintf(name, sizeof(name), "file-%u-%u", t->number, i);
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	(void)!write(fd, bytes, i % 9 + 1);
	(void)close(fd);
	(void)unlink(name);
}

static void *
work(void *arg)
{
	const struct thread *const t = arg;
	char name[32];
	int fd;

	(void)snprintf(name, sizeof(name), "own-%u", t->number);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		_exit(1);
	for (unsigned int i = 0; i < t->calls;) {
		if (i % 3 == 0)
			(void)!pread(fd, bytes, i % 3000 + 1, 0);
		else
			(void)!pwrite(fd, bytes, i % 1000 + 1, 0);
		i++;
		if (t->files) {
			one_file(t, i);
			i += 4;
		}
	}
	(void)close(fd);
	return NULL;
}

static void
wait_for(const char *name)
{
	while (access(name, F_OK) != 0)
		(void)usleep(2000);
}

static void
make(const char *name)
{
	(void)close(open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

int
main(int argc, char **argv)
{
	static struct thread threads[THREADS_MAX];
	const int n = argc == 5 ? atoi(argv[2]) : 0;

	if (n < 1 || n > THREADS_MAX || chdir(argv[1]) != 0) {
		(void)fprintf(stderr, "usage: flood DIRECTORY THREADS CALLS FILES\n");
		return 2;
	}
	make("ready");
	wait_for("go");
	for (int i = 0; i < n; i++) {
		threads[i] = (struct thread){.number = (unsigned int)i, .calls = (unsigned int)atoi(argv[3]),
					     .files = atoi(argv[4])};
		if (pthread_create(&threads[i].id, NULL, work, &threads[i]) != 0)
			return 1;
	}
	for (int i = 0; i < n; i++)
		(void)pthread_join(threads[i].id, NULL);
	make("done");
	wait_for("stop");
	return 0;
}
