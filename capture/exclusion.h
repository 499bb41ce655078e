/* exclusion.h - processes that are never traced: capture, what it runs under, and who reads its output
 *
 * Tracing the reader of one's own output would feed on itself. A process that the user names by its
 * number is traced all the same, capture itself apart.
 */
#ifndef CAPTURE_EXCLUSION_H
#define CAPTURE_EXCLUSION_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/targets.h"
#include "formats/base/map.h"

enum exclusion_why { EXCLUDED_ALWAYS = 1, EXCLUDED_BY_NAME = 2 };	/* as long as it has the name */

struct exclusion {
	struct map pids;	/* to enum exclusion_why */
	uint32_t group;		/* process group that is left out as a whole; 0 = none */
};

/* A descriptor on a pipe. */
struct pipe_end {
	uint64_t inode;
	uint32_t pid;
	bool readable;
	bool is_stdout;
};

/* Finds whom to leave out: self, its ancestors, its process group if it is one pipeline, who --exclude
 * names, and with an output pipe (inode != 0) its readers, theirs, and so on. IOTAP_ENOMEM. */
int exclusion_build(struct exclusion *x, const struct processes *p, const struct targets *t,
		    uint32_t self, uint64_t output_pipe, struct iotap_error *err);
void exclusion_free(struct exclusion *x);

/* A targets_skip with the exclusion as arg. */
bool exclusion_has(void *exclusion, uint32_t pid);

/* Adds the readers of the pipe, and those of the pipes that these have as stdout, until none is new. Pure;
 * false: out of memory. */
bool exclusion_readers(struct exclusion *x, const struct pipe_end *ends, size_t n, uint64_t inode);

/* The process group to leave out as a whole, or 0. A shell with job control gives every pipeline a group
 * of its own; a script keeps everything it starts in one, targets included. So the group counts when
 * its leader is part of the pipeline, not when it is the script that we run under. */
uint32_t exclusion_group(const struct processes *p, uint32_t self);

#endif
