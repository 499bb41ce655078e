/* driver_stage.c - one program of the pipeline: found, started, told, waited for */
#include "report/driver_stage.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIGH_FD 8	/* above every descriptor that a child is given a fixed number for */
#define MAX_FDS 8

/* What a stage behind iotap-capture leaves to the driver: it ends with its input. SIGINT is its own
 * business, for it ignores the first one. */
static const int shielded[] = {SIGTERM, SIGHUP, SIGQUIT, SIGALRM};

int
driver_stage_find(const char *program, char path[PATH_MAX], struct iotap_error *err)
{
	const ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;
	size_t room;

	if (len < 0)
		return error_errno(err, IOTAP_ESYSTEM, errno, "cannot read /proc/self/exe");
	path[len] = '\0';
	slash = strrchr(path, '/');
	room = slash ? PATH_MAX - (size_t)(slash + 1 - path) : 0;
	if (strlen(program) >= room)
		return error_set(err, IOTAP_ELIMIT, "the path of this program is too long");
	memcpy(slash + 1, program, strlen(program) + 1);
	if (access(path, X_OK) < 0)
		return error_errno(err, IOTAP_ENOTFOUND, errno,
				   "%s must stand beside iotap: %s", program, path);
	return 0;
}

/* The first thing a child does: from here on it ends when the driver does. Changes of user reset
 * this, so it is asked for after them. */
static void
follow_driver(pid_t driver)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != driver)
		_exit(1);
}

static void
child_fails(const struct driver_launch *launch, const struct iotap_error *err)
{
	launch->say(err);
	_exit(1);
}

static int
fork_stage(struct driver_stage *s, struct iotap_error *err)
{
	const pid_t pid = fork();

	if (pid < 0)
		return error_errno(err, IOTAP_ESYSTEM, errno, "cannot start %s", s->name);
	if (pid > 0)
		s->pid = pid;
	return pid > 0;
}

int
driver_stage_start(struct driver_stage *s, const struct driver_launch *launch, char **argv, int out,
		   int stdout_fd, bool as_user, struct iotap_error *err)
{
	const pid_t driver = getpid();
	const int status = fork_stage(s, err);

	if (status != 0)
		return status < 0 ? status : 0;
	if (as_user && driver_user_become(launch->user, err) < 0)
		child_fails(launch, err);
	follow_driver(driver);
	if ((out >= 0 && fcntl(out, F_SETFD, 0) < 0) ||
	    (stdout_fd != STDOUT_FILENO && dup2(stdout_fd, STDOUT_FILENO) < 0)) {
		(void)error_errno(err, IOTAP_ESYSTEM, errno, "cannot connect %s", s->name);
		child_fails(launch, err);
	}
	driver_signals_restore(launch->signals);
	(void)execv(argv[0], argv);
	(void)error_errno(err, IOTAP_ESYSTEM, errno, "cannot run %s", argv[0]);
	child_fails(launch, err);
	return 0;
}

/* Descriptors 0 to n - 1 become fds; all others close. By way of high numbers, so that none is
 * overwritten before it is taken. */
static bool
place(const int *fds, int n)
{
	int high[MAX_FDS];

	for (int i = 0; i < n; i++) {
		high[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD, HIGH_FD);
		if (fds[i] >= 0 && high[i] < 0) {
			errno = errno == EINVAL ? EMFILE : errno;	/* beyond the limit, which it calls so */
			return false;
		}
	}
	for (int i = 0; i < n; i++) {
		if (high[i] < 0)
			(void)close(i);
		else if (dup2(high[i], i) < 0)
			return false;
	}
	return close_range((unsigned int)n, ~0u, 0) == 0;
}

static void
wait_at_gate(void)
{
	char token;
	ssize_t got;

	do {
		got = read(DRIVER_GATE_FD, &token, 1);
	} while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(0);
	close(DRIVER_GATE_FD);
}

int
driver_stage_fork(struct driver_stage *s, const struct driver_launch *launch, const int *fds, int n,
		  struct iotap_error *err)
{
	const pid_t driver = getpid();
	const int status = fork_stage(s, err);

	if (status != 0)
		return status;
	if (driver_user_become(launch->user, err) < 0)
		child_fails(launch, err);
	follow_driver(driver);
	if (n > MAX_FDS || !place(fds, n)) {
		(void)error_errno(err, IOTAP_ESYSTEM, errno, "cannot connect %s", s->name);
		child_fails(launch, err);
	}
	for (size_t i = 0; i < sizeof(shielded) / sizeof(shielded[0]); i++)
		(void)signal(shielded[i], SIG_IGN);
	driver_signals_restore(launch->signals);
	wait_at_gate();
	return 0;
}

void
driver_stage_open_gate(struct driver_launch *launch, int n)
{
	for (int i = 0; i < n; i++)
		(void)!write(launch->gate[1], "", 1);
}

bool
driver_stage_reap(struct driver_stage *const *stages, int n)
{
	bool running = false;

	for (int i = 0; i < n; i++) {
		struct driver_stage *const s = stages[i];

		if (s->pid > 0 && waitpid(s->pid, &s->status, WNOHANG) == s->pid) {
			s->pid = 0;
			s->ended = true;
		}
		running = running || s->pid > 0;
	}
	return !running;
}

void
driver_stage_signal(const struct driver_stage *s, int signo)
{
	if (s->pid > 0)
		(void)kill(s->pid, signo);
}

int
driver_stage_status(const struct driver_stage *s)
{
	if (WIFSIGNALED(s->status))
		return 128 + WTERMSIG(s->status);
	return WIFEXITED(s->status) ? WEXITSTATUS(s->status) : 1;
}
