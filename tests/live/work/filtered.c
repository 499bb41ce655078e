/* filtered.c - calls that a filter is to take or to leave, a known number of each
 *
 * filtered DIR
 *
 * In DIR: 20 writes to want/a.log, 30 to other.txt, 4 failed writes to want/a.log (open for reading), 7
 * failed reads of descriptor 999, 5 failed opens of want/none; a copy from want/a.log to other.txt; want/a.log
 * renamed to b.log with 6 writes after it; a read that takes 600 ms and is restarted by the kernel each 100
 * ms; one that is interrupted for good after 100 ms.
 */
#include <signal.h>
#include <sys/sendfile.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/live/work/say.h"

enum { WRITES = 20, OTHERS = 30, REFUSED = 4, BAD = 7, MISSING = 5, RENAMED = 6 };

static void
nothing(int signal)
{
	(void)signal;
}

static void
write_all(int fd, int n)
{
	for (int i = 0; i < n; i++) {
		if (write(fd, "0123456789", 10) != 10)
			die("write");
	}
}

/* A read of one byte that comes 600 ms later, or never; a signal comes each 100 ms. The time begins where the
 * read does: with *at_it, and the 300 ms that are asked for leave 300 to be late. */
static long
slow_read(int restart, int answered)
{
	const struct sigaction action = {.sa_handler = nothing, .sa_flags = restart ? SA_RESTART : 0};
	const struct itimerval often = {.it_value = {.tv_usec = 100000}, .it_interval = {.tv_usec = 100000}};
	const struct itimerval never = {.it_value = {.tv_usec = 0}};
	const struct timespec later = {.tv_nsec = 600000000};
	int *const at_it = mmap(NULL, sizeof(*at_it), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char byte;
	int ends[2];
	long got;
	pid_t child;

	if (at_it == MAP_FAILED || pipe(ends) != 0 || sigaction(SIGALRM, &action, NULL) != 0)
		die("pipe");
	child = fork();
	if (child == 0) {
		while (answered && !__atomic_load_n(at_it, __ATOMIC_SEQ_CST))
			(void)usleep(1000);
		if (answered)
			nanosleep(&later, NULL);
		if (answered)
			(void)!write(ends[1], "x", 1);
		_exit(0);
	}
	setitimer(ITIMER_REAL, &often, NULL);
	__atomic_store_n(at_it, 1, __ATOMIC_SEQ_CST);
	got = read(ends[0], &byte, 1);
	setitimer(ITIMER_REAL, &never, NULL);
	(void)munmap(at_it, sizeof(*at_it));
	waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	return got;
}

int
main(int argc, char **argv)
{
	int log, other, reader;
	char byte;

	if (argc < 2 || chdir(argv[1]) != 0 || (mkdir("want", 0700) != 0 && errno != EEXIST))
		die("usage: filtered DIR");
	log = open("want/a.log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	other = open("other.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	reader = open("want/a.log", O_RDONLY);
	if (log < 0 || other < 0 || reader < 0)
		die("open");
	write_all(log, WRITES);
	write_all(other, OTHERS);
	for (int i = 0; i < REFUSED; i++)
		(void)!write(reader, "x", 1);
	for (int i = 0; i < BAD; i++)
		(void)!read(999, &byte, 1);
	for (int i = 0; i < MISSING; i++)
		(void)!open("want/none", O_RDONLY);
	if (sendfile(other, reader, NULL, 50) != 50)
		die("sendfile");
	if (rename("want/a.log", "b.log") != 0)
		die("rename");
	write_all(log, RENAMED);
	if (slow_read(1, 1) != 1)
		die("a read that is restarted");
	if (slow_read(0, 0) != -1)
		die("a read that is interrupted");
	return 0;
}
