/* command.c - the COMMAND of the command line
 *
 * Parent and child share one page. state goes PREPARING -> READY (or FAILED) by the child, then GO by
 * the parent; both wait by futex. A child whose parent has gone leaves. Why no pipe: reading one would
 * be a call of the traced process that the user never asked about.
 */
#include "capture/command.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/futex.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PREPARING, READY, FAILED, GO };
enum { WAIT_NS = 100 * 1000 * 1000 };

struct command_shared {
	uint32_t state;
	int32_t error;			/* errno, with FAILED */
	bool no_user;			/* the failure is the user's, not the program's */
};

static void
state_set(struct command_shared *s, uint32_t state)
{
	__atomic_store_n(&s->state, state, __ATOMIC_SEQ_CST);
	(void)syscall(SYS_futex, &s->state, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static uint32_t
state_of(struct command_shared *s)
{
	return __atomic_load_n(&s->state, __ATOMIC_SEQ_CST);
}

/* Waits a while for the state to be another one than this. */
static void
state_wait(struct command_shared *s, uint32_t state)
{
	const struct timespec while_ns = {.tv_nsec = WAIT_NS};

	(void)syscall(SYS_futex, &s->state, FUTEX_WAIT, state, &while_ns, NULL, 0);
}

/* In the child from here on. */

static bool
is_root_process(void)
{
	return geteuid() == 0;
}

static bool
become(uid_t uid, gid_t gid, const char *name)
{
	const int groups = name ? initgroups(name, gid) : setgroups(0, NULL);

	return groups == 0 && setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0;
}

/* --user NAME, or whoever used sudo; otherwise the caller as he is. */
static bool
become_user(const struct command_options *o)
{
	const struct passwd *who;

	if (o->user) {
		errno = 0;
		who = getpwnam(o->user);
		if (!who) {
			errno = ENOENT;
			return false;
		}
		if (who->pw_uid == geteuid() && !is_root_process())
			return true;
		return become(who->pw_uid, who->pw_gid, who->pw_name);
	}
	if (!o->owner->by_sudo)
		return true;
	who = getpwuid(o->owner->uid);
	return become(o->owner->uid, o->owner->gid, who ? who->pw_name : NULL);
}

/* 0 when the file can be executed, else errno. */
static int
check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/* As execvp(3) looks for it: in PATH unless the name has a slash. Why it will not do, or 0. */
static int
check_program(const char *name)
{
	const char *path = getenv("PATH");
	int result = ENOENT;

	if (strchr(name, '/'))
		return check_file(name);
	for (path = path ? path : "/bin:/usr/bin"; ; path++) {
		const size_t len = strcspn(path, ":");
		char file[4096];
		int r;

		(void)snprintf(file, sizeof(file), "%.*s%s%s", (int)len, path, len > 0 ? "/" : "",
			       name);
		r = check_file(file);
		if (r == 0)
			return 0;
		if (r != ENOENT && r != ENOTDIR && r != EISDIR)
			result = r;
		path += len;
		if (*path == '\0')
			return result;
	}
}

static _Noreturn void
child_leave(struct command_shared *s, int error, bool no_user)
{
	s->error = error;
	s->no_user = no_user;
	state_set(s, FAILED);
	_exit(error == ENOENT || error == ENOTDIR ? COMMAND_NOT_FOUND : COMMAND_NOT_EXECUTABLE);
}

static _Noreturn void
child(const struct command_options *o, struct command_shared *s, pid_t parent)
{
	int error;

	if (o->stdout_to_stderr && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		child_leave(s, errno, false);
	if (!become_user(o))
		child_leave(s, errno, true);
	error = check_program(o->argv[0]);
	if (error != 0)
		child_leave(s, error, false);
	state_set(s, READY);
	while (state_of(s) != GO) {
		state_wait(s, READY);
		if (getppid() != parent)
			_exit(1);
	}
	(void)execvp(o->argv[0], o->argv);
	child_leave(s, errno, false);
}

/* In the parent. */

static int
failure(const struct command_options *o, const struct command_shared *s, int *status,
	struct iotap_error *err)
{
	if (s->no_user) {
		*status = 1;
		if (s->error == ENOENT)
			return error_set(err, IOTAP_EUSAGE, "there is no user \"%s\"", o->user);
		return error_errno(err, IOTAP_EUSAGE, s->error, "cannot become the user %s",
				   o->user ? o->user : "of sudo");
	}
	*status = s->error == ENOENT || s->error == ENOTDIR ? COMMAND_NOT_FOUND
							    : COMMAND_NOT_EXECUTABLE;
	return error_errno(err, IOTAP_ENOTFOUND, s->error, "%s", o->argv[0]);
}

int
command_start(struct command *c, const struct command_options *options, int *status,
	      struct iotap_error *err)
{
	const pid_t parent = getpid();

	*c = (struct command){0};
	*status = 1;
	c->shared = mmap(NULL, sizeof(*c->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->shared == MAP_FAILED) {
		c->shared = NULL;
		return error_errno(err, IOTAP_ENOMEM, errno, "cannot start %s", options->argv[0]);
	}
	c->pid = fork();
	if (c->pid < 0) {
		c->pid = 0;
		return error_errno(err, IOTAP_ESYSTEM, errno, "cannot start %s", options->argv[0]);
	}
	if (c->pid == 0)
		child(options, c->shared, parent);
	while (state_of(c->shared) == PREPARING) {
		state_wait(c->shared, PREPARING);
		if (command_has_ended(c) && state_of(c->shared) == PREPARING)
			return error_set(err, IOTAP_ESYSTEM, "cannot start %s", options->argv[0]);
	}
	return state_of(c->shared) == FAILED ? failure(options, c->shared, status, err) : 0;
}

void
command_release(struct command *c)
{
	if (c->pid > 0)
		state_set(c->shared, GO);
}

bool
command_has_ended(struct command *c)
{
	if (c->pid > 0 && !c->ended)
		c->ended = waitpid(c->pid, &c->status, WNOHANG) == c->pid;
	return c->ended;
}

int
command_exit_status(const struct command *c)
{
	if (WIFSIGNALED(c->status))
		return 128 + WTERMSIG(c->status);
	return WEXITSTATUS(c->status);
}

void
command_abandon(struct command *c)
{
	if (c->pid > 0 && !c->ended && state_of(c->shared) != GO) {
		(void)kill(c->pid, SIGKILL);
		c->ended = waitpid(c->pid, &c->status, 0) == c->pid;
	}
	if (c->shared)
		(void)munmap(c->shared, sizeof(*c->shared));
	c->shared = NULL;
}
