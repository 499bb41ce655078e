/* input.h - what the user named: a recording, a database or JSON Lines, told apart by the first bytes
 *
 * A pipe is looked into without taking anything out of it (tee(2)), so it can be handed on untouched.
 */
#ifndef ANALYZE_INPUT_H
#define ANALYZE_INPUT_H

#include <stdbool.h>

#include "formats/error.h"

enum input_kind {
	INPUT_RECORDING,	/* or event stream */
	INPUT_DATABASE,
	INPUT_JSON,
};

struct input {
	const char *name;	/* as the user gave it, "<stdin>" for "-"; borrowed */
	const char *path;	/* NULL for standard input */
	int fd;			/* owned until taken; -1 = none */
	enum input_kind kind;
	bool seekable;		/* can be read again from its start */
};

/* Opens name ("-" = standard input) and recognises what it is. Nothing is read from it. */
int input_open(struct input *in, const char *name, struct iotap_error *err);

/* Copies what is left of an input that cannot be read again into an unnamed temporary file ($TMPDIR
 * or /tmp) and continues with that. Nothing to do for a file. */
int input_spool(struct input *in, struct iotap_error *err);

/* A new descriptor of the same file, at its start; it stays valid when the file's name goes to another. The
 * input must be seekable. */
int input_reopen(const struct input *in, int *fd, struct iotap_error *err);

/* Hands the descriptor over. */
int input_take(struct input *in);

void input_close(struct input *in);

/* "a recording", for messages. */
const char *input_kind_name(enum input_kind kind);

#endif
