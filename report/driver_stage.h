/* driver_stage.h - one program of the pipeline: found, started, told, waited for
 *
 * A child dies with the driver (PR_SET_PDEATHSIG), even by SIGKILL. iotap-capture begins at once and
 * inherits everything, for the COMMAND is its child. The others are forked before it, so that it sees
 * who is not to be traced, hold nothing but the descriptors they were given, and wait at a gate until
 * there is something to read.
 */
#ifndef REPORT_DRIVER_STAGE_H
#define REPORT_DRIVER_STAGE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "formats/error.h"
#include "report/driver_signals.h"
#include "report/driver_user.h"

struct driver_stage {
	const char *name;	/* for messages; "" = never started */
	pid_t pid;		/* 0 = not running */
	int status;		/* as wait(2), once it has ended */
	bool ended;
};

struct driver_launch {
	const struct driver_signals *signals;
	const struct driver_user *user;
	void (*say)(const struct iotap_error *);	/* for a child that cannot begin */
	int gate[2];		/* pipe; a byte each opens it, its end calls all off */
};

/* The path of a program beside ours, into path. IOTAP_ENOTFOUND names what is missing. */
int driver_stage_find(const char *program, char path[PATH_MAX], struct iotap_error *err);

/* Starts argv[0] with all we have and in addition the descriptor out, which argv names; -1 = none.
 * as_user: not as root, and under sudo as the user. stdout_fd is put in the place of stdout. */
int driver_stage_start(struct driver_stage *s, const struct driver_launch *launch, char **argv,
		       int out, int stdout_fd, bool as_user, struct iotap_error *err);

/* Forks a stage that waits at the gate, as the user, with fds[i] as its descriptor i and no others;
 * descriptor DRIVER_GATE_FD is the gate's. Returns 1 in the driver. In the child, returns 0 once the
 * gate has opened: the caller goes on from there and never returns. Negative: no fork. */
#define DRIVER_GATE_FD 3
int driver_stage_fork(struct driver_stage *s, const struct driver_launch *launch, const int *fds,
		      int n, struct iotap_error *err);

/* Lets n waiting stages go. */
void driver_stage_open_gate(struct driver_launch *launch, int n);

/* Takes note of the stages that have ended since; true when none of the n is left running. */
bool driver_stage_reap(struct driver_stage *const *stages, int n);

void driver_stage_signal(const struct driver_stage *s, int signo);

/* Exit status as a shell gives it: 128 + n for a signal. */
int driver_stage_status(const struct driver_stage *s);

#endif
