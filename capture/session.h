/* session.h - the life of a capture: start, pump, stop
 *
 * Owns everything else and is the only place where their order is decided. Prints nothing: what goes
 * wrong before tracing has begun is the result, what happens later is in the recording.
 */
#ifndef CAPTURE_SESSION_H
#define CAPTURE_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/outlet.h"
#include "capture/scope.h"
#include "capture/selection.h"
#include "capture/targets.h"
#include "formats/error.h"
#include "formats/record.h"

/* How many there were of each; written by handlers of signals. */
struct session_signals {
	volatile sig_atomic_t stops;	/* SIGINT and the like: one or more ask for the end */
	volatile sig_atomic_t pauses;	/* SIGUSR2: pause and go on by turns */
	volatile sig_atomic_t dumps;	/* SIGUSR1: asks the flight recorder for what it has */
};

struct session_options {
	const char *output;		/* path; NULL or "-" = stdout */
	bool force;
	const struct targets *targets;
	struct scope *scope;		/* NULL = none; it is filled at the start */
	const struct selection *selection;	/* NULL = every call */
	uint32_t sets;			/* optional ones that were asked for, enum iotap_set */
	const char *btf;		/* file of the kernel's type information, NULL = its own */
	const struct rec_request *requests;	/* the targets, as the user named them */
	size_t n_requests;
	bool follow;
	bool no_latency;		/* calls without their duration */
	bool all_arguments;
	char **command;			/* NULL = none */
	const char *user;
	bool limited;			/* the next counts */
	uint64_t duration_ns;
	uint64_t buffer_bytes;
	struct outlet_options outlet;
	const char *source;		/* text instead of the kernel, NULL = the kernel */
	const char *options;		/* the command line, for the header */
	const struct session_signals *signals;
	void (*watch_signals)(void);	/* called once the command was forked */
	/* Tracing failed and the command goes on: this is the time to say why; err has no text then. */
	void (*failed)(const struct iotap_error *);
};

/* Runs a capture to its end. *status is the exit status: 0, the command's, or for a failure (negative
 * result, text in err) what says it. */
int session_run(const struct session_options *options, int *status, struct iotap_error *err);

#endif
