/* driver_record.h - --record: the file beside the pipe from iotap-capture to iotap-decode */
#ifndef REPORT_DRIVER_RECORD_H
#define REPORT_DRIVER_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/draft.h"
#include "formats/error.h"

struct driver_record {
	const char *path;	/* as the user wrote it: for messages */
	int fd;			/* what is written; -1 = none, or no longer */
	struct draft draft;	/* until the first bytes come; none for a FIFO or device, opened as it is */
	bool existed;		/* there is a file of that name, which may be replaced */
	struct stat old;	/* and it was this one */
	bool force;
	uint64_t bytes;		/* written so far */
};

/* Opens what --record names: a new file, 0600, under a name of its own beside path until there is
 * something in it. An existing file must be a recording of ours, or force; a link is never followed.
 * FIFOs, devices and /dev/fd/N are opened as they are. To be called with the rights of the user. */
int driver_record_open(struct driver_record *r, const char *path, bool force,
		       struct iotap_error *err);

/* Takes the new file away again when it never got its name. Closes the descriptors. */
void driver_record_fini(struct driver_record *r);

/* Copies in to both the file and out until in ends. A failing file is told to say once, then left
 * alone; out closed by its reader ends only the copying to it. 0; IOTAP_EIO when the file is not
 * whole; IOTAP_EPIPE never. */
int driver_record_copy(struct driver_record *r, int in, int out,
		       void (*say)(const struct iotap_error *), struct iotap_error *err);

#endif
