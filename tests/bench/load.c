/* load.c - workloads whose size is known, timed from inside: what tracing costs a real program
 *
 * load OUT run COMMAND [ARG...]	the command, once
 * load OUT spawn N			N times fork, exec of this program (load OUT leave), wait
 * load OUT threads T N			T threads, each N writes of 1 byte to /dev/null
 * load OUT pace RATE SECONDS		that many such writes a second, evenly
 * load OUT open N FOLDER		N times open, write, close, each another name of 20,000
 * load OUT hold P D			P processes with D open files each; "ready", then until the end of its input
 *
 * Appends one line to OUT: nanoseconds of time, how many calls or rounds that were.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NAMES = 20000, THREADS_MAX = 256, BURST = 1000 };

struct writer {
	pthread_t thread;
	long n;
	int fd;
};

static double
now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The exit status of the command, or -1. */
static int
run(char *const *argv)
{
	const pid_t pid = vfork();
	int status = 0;

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static long
spawn(char *self, char *out, long n)
{
	char leave[] = "leave";
	char *const argv[] = {self, out, leave, NULL};

	for (long i = 0; i < n; i++) {
		if (run(argv) != 0)
			return -1;
	}
	return n;
}

static void *
write_all(void *arg)
{
	const struct writer *const w = arg;

	for (long i = 0; i < w->n; i++) {
		if (write(w->fd, "x", 1) != 1)
			return NULL;
	}
	return arg;
}

static long
threads(long n_threads, long n)
{
	static struct writer writer[THREADS_MAX];
	const int fd = open("/dev/null", O_WRONLY);
	long started = 0;

	for (long i = 0; fd >= 0 && i < n_threads && i < THREADS_MAX; i++, started++) {
		writer[i] = (struct writer){.n = n, .fd = fd};
		if (pthread_create(&writer[i].thread, NULL, write_all, &writer[i]) != 0)
			break;
	}
	for (long i = 0; i < started; i++)
		(void)pthread_join(writer[i].thread, NULL);
	return started == n_threads ? n_threads * n : -1;
}

/* In bursts of a thousand: nearer to even than any timer, and no loop that looks at the clock each time. */
static long
pace(long rate, long seconds)
{
	const int fd = open("/dev/null", O_WRONLY);
	const double began = now_ns();
	long done = 0;

	while (fd >= 0 && done < rate * seconds) {
		const double due = began + (double)done * 1e9 / (double)rate;

		while (now_ns() < due)
			;
		for (int i = 0; i < BURST; i++, done++) {
			if (write(fd, "x", 1) != 1)
				return -1;
		}
	}
	return fd < 0 ? -1 : done;
}

static long
opens(long n, const char *folder)
{
	char path[4096];

	for (long i = 0; i < n; i++) {
		int fd;

		(void)snprintf(path, sizeof(path), "%s/file-%05ld", folder, i % NAMES);
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) != 0)
			return -1;
	}
	return 3 * n;
}

static void
hold_files(const char *self, long n, int ready)
{
	for (long i = 0; i < n; i++) {
		if (open(self, O_RDONLY | O_CLOEXEC) < 0)
			_exit(1);
	}
	(void)!write(ready, "r", 1);
	for (;;)
		(void)pause();
}

static long
hold(const char *self, long n_processes, long n_files)
{
	const struct rlimit limit = {(rlim_t)n_files + 16, (rlim_t)n_files + 16};
	int ready[2];
	char byte;
	long n = 0;

	if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || pipe(ready) != 0)
		return -1;
	(void)signal(SIGTERM, SIG_DFL);
	(void)setpgid(0, 0);
	for (; n < n_processes; n++) {
		const pid_t pid = fork();

		if (pid == 0)
			hold_files(self, n_files, ready[1]);
		if (pid < 0)
			break;
	}
	for (long i = 0; i < n; i++)
		(void)!read(ready[0], &byte, 1);
	printf("ready %ld\n", n);
	(void)fflush(stdout);
	(void)!read(STDIN_FILENO, &byte, 1);
	(void)signal(SIGTERM, SIG_IGN);
	(void)kill(0, SIGTERM);
	while (wait(NULL) > 0)
		;
	return n;
}

static long
work(int argc, char **argv)
{
	const char *const what = argv[2];
	const long a = argc > 3 ? atol(argv[3]) : 0, b = argc > 4 ? atol(argv[4]) : 0;

	if (strcmp(what, "leave") == 0)
		exit(0);
	if (strcmp(what, "run") == 0 && argc > 3)
		return run(argv + 3) == 0 ? 1 : -1;
	if (strcmp(what, "spawn") == 0 && a > 0)
		return spawn(argv[0], argv[1], a);
	if (strcmp(what, "threads") == 0 && a > 0 && b > 0)
		return threads(a, b);
	if (strcmp(what, "pace") == 0 && a > 0 && b > 0)
		return pace(a, b);
	if (strcmp(what, "open") == 0 && argc > 4 && a > 0)
		return opens(a, argv[4]);
	if (strcmp(what, "hold") == 0 && a > 0 && b > 0)
		return hold(argv[0], a, b);
	fprintf(stderr, "usage: see the head of load.c\n");
	exit(2);
}

int
main(int argc, char **argv)
{
	double began;
	FILE *out;
	long n;

	if (argc < 3) {
		fprintf(stderr, "usage: load OUT WHAT [...]\n");
		return 2;
	}
	began = now_ns();
	n = work(argc, argv);
	if (n < 0) {
		perror("load");
		return 1;
	}
	out = fopen(argv[1], "a");
	if (!out)
		return 1;
	fprintf(out, "%.0f %ld\n", now_ns() - began, n);
	return fclose(out) != 0;
}
