/* output.h - the file, pipe or device that a recording goes to
 *
 * A recording appears under its name whole or not at all: a new file is made under a name of its own
 * in the same directory, 0600 from its first instant, and takes its place when capture is under way.
 * FIFOs, devices and /dev/fd/N are opened as they are.
 */
#ifndef CAPTURE_OUTPUT_H
#define CAPTURE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "capture/privileges.h"
#include "formats/base/draft.h"
#include "formats/error.h"

struct output {
	int fd;			/* -1 = not open */
	bool pipe;		/* somebody reads along: a pipe or a socket */
	struct draft draft;	/* of the file, until it gets its name */
	bool replaces;		/* the name existed at output_open */
	struct stat old;	/* and was this file */
};

/* Looks whether path would do ("-" or NULL: stdout), and opens nothing: a descriptor
 * given by number becomes close-on-exec. Refuses a terminal, and a
 * file that is no iotap recording of the owner, unless forced. IOTAP_EUSAGE, IOTAP_EEXIST, IOTAP_EIO. */
int output_check(const char *path, bool force, const struct owner *owner, struct iotap_error *err);

/* Opens it for writing; path is kept by pointer. A recording is not replaced yet. Waits for the reader
 * of a FIFO; a signal ends that with IOTAP_ESYSTEM. */
int output_open(struct output *o, const char *path, bool force, const struct owner *owner,
		struct iotap_error *err);

/* Puts the file in its place. IOTAP_EBUSY when something else took it meanwhile. */
int output_commit(struct output *o, struct iotap_error *err);

/* Closes; an uncommitted file is removed. */
void output_close(struct output *o);

/* True when the reader of a pipe has gone. */
bool output_reader_gone(const struct output *o);

#endif
