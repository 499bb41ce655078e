/* inputs.h - the files that a program reads, from its command line */
#ifndef FORMATS_BASE_INPUTS_H
#define FORMATS_BASE_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/base/opt.h"

struct inputs {
	const char **names;	/* for messages: argv's, or "standard input" */
	int *fds;
	size_t n;
	bool from_pipe;		/* one of them is a pipe or a socket */
};

/* True for what has a writer at its other end. */
bool inputs_is_pipe(int fd);

/* Opens the operands and what stands behind "--", which may look like options; "-" and no operand at all
 * are standard input. False with a printable line in why. To be released whatever the result. */
bool inputs_open(struct inputs *, const struct opt_args *, char *why, size_t size);

/* Closes those that are still its own (n of them), releases. */
void inputs_close(struct inputs *);

#endif
