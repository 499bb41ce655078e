/* rewrite_output.h - the file that a recording is written to
 *
 * A regular file is made anew, readable by its owner alone, and no link is followed; one that is there is
 * not replaced. A pipe or device that is there is written to as it is. What was not finished is removed.
 */
#ifndef DECODE_REWRITE_OUTPUT_H
#define DECODE_REWRITE_OUTPUT_H

#include <stdbool.h>

#include "formats/base/draft.h"
#include "formats/error.h"

struct output {
	const char *path;	/* NULL or "-": standard output */
	int fd;
	struct draft place;	/* the folder that it was made in, and its name there; none when it was there */
};

#define OUTPUT_NONE {.fd = -1, .place = DRAFT_NONE}

/* 0 or negative with its text. */
int output_open(struct output *, const char *path, struct iotap_error *err);

/* Takes the name of an unfinished file away. For signal handlers, too. */
void output_remove(const struct output *);

/* keep: what was written is whole. 0 or negative: closing failed. */
int output_close(struct output *, bool keep, struct iotap_error *err);

#endif
