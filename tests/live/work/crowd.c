/* crowd.c - many threads that wait in a read at once
 *
 * crowd STATEMENTS N GO
 *
 * N threads read from a pipe nobody writes to, the main thread from the FIFO GO, saying "ready" before.
 * A byte from GO starts N more and says "more"; the next one ends all of it.
 */
#include <pthread.h>

#include "tests/live/work/say.h"

static int pipe_ends[2];

static void *
wait_in_read(void *argument)
{
	char byte;

	(void)argument;
	(void)!read(pipe_ends[0], &byte, 1);
	return NULL;
}

static void
start(int n)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread, &attributes, wait_in_read, NULL) != 0)
			die("pthread_create");
}

int
main(int argc, char **argv)
{
	struct say *say;
	char byte;
	int go;

	if (argc != 4 || pipe(pipe_ends) != 0)
		die("usage: crowd STATEMENTS N GO");
	say = say_open(argv[1]);
	go = open(argv[3], O_RDWR);
	start(atoi(argv[2]));
	say_line(say, "note ready=%d", getpid());
	if (read(go, &byte, 1) != 1)
		die("%s", argv[3]);
	start(atoi(argv[2]));
	say_line(say, "note more=%d", getpid());
	(void)!read(go, &byte, 1);
	return 0;
}
