/* progress.h - one line on a terminal that says how far a long reading has come
 *
 * Silent for the first second, and always when standard error is no terminal. The line is rewritten
 * in place and taken away at the end.
 */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/buf.h"

struct progress {
	int input_fd;		/* a duplicate of the input: shares its position; -1 = none */
	int terminal_fd;	/* -1 = stay silent */
	bool shown;
	uint64_t size;		/* of the input in bytes, 0 = not known */
	uint64_t begin_ns, next_ns;
};

/* input_fd is duplicated. */
void progress_begin(struct progress *p, int input_fd, int terminal_fd);

/* To be called often, with the calls read so far. */
void progress_update(struct progress *p, uint64_t calls);

void progress_end(struct progress *p);

/* The line's text: "1.2 M calls, 3.4 M/s, 45 %, 2 s left". done and size in bytes, size 0 = not known. */
void progress_text(struct buf *out, uint64_t calls, uint64_t elapsed_ns, uint64_t done, uint64_t size);

#endif
