/* command.h - the COMMAND of the command line: made early, held until it is traced, ended as it likes
 *
 * The process is forked before capture changes anything of its own: signals, limits, descriptors,
 * privileges. It becomes its user, looks whether the program is there, and waits; execve is the first
 * call after it was marked (it waits on a futex, which is not a call that is recorded).
 */
#ifndef CAPTURE_COMMAND_H
#define CAPTURE_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "capture/privileges.h"
#include "formats/error.h"

struct command_shared;

struct command {
	pid_t pid;			/* 0 = none */
	bool ended;
	int status;			/* as wait(2), once it ended */
	struct command_shared *shared;
};

struct command_options {
	char **argv;
	const char *user;		/* NULL = the owner */
	const struct owner *owner;
	bool stdout_to_stderr;		/* its standard output would be in the recording's way */
};

enum { COMMAND_NOT_FOUND = 127, COMMAND_NOT_EXECUTABLE = 126 };

/* Forks it and waits until it is ready. On failure *status is the exit status that says why: 127, 126,
 * or 1. */
int command_start(struct command *c, const struct command_options *options, int *status,
		  struct iotap_error *err);

/* Lets it exec. */
void command_release(struct command *c);

/* True when it has ended, now or before; c->status says how. Does not wait. */
bool command_has_ended(struct command *c);

/* The exit status that stands for c->status: its own, or 128 + the signal. */
int command_exit_status(const struct command *c);

/* Kills it if it has not been released yet; of a running command it keeps its hands. */
void command_abandon(struct command *c);

#endif
