/* driver_output.h - --output: the file for what is printed, made with the user's rights */
#ifndef REPORT_DRIVER_OUTPUT_H
#define REPORT_DRIVER_OUTPUT_H

#include <stdbool.h>

#include "formats/error.h"

struct driver_output {
	const char *path;
	int fd;			/* -1 = none */
	bool made;		/* it was not there before */
};

/* Opens path, or makes it (0600). An older content stays until driver_output_begin; a recording, or what
 * a symbolic link leads to, is refused (IOTAP_EEXIST), the former unless force is set. */
int driver_output_open(struct driver_output *o, const char *path, bool force,
		       struct iotap_error *err);

/* There is something to write: what was in the file goes. */
void driver_output_begin(struct driver_output *o);

/* Closes. A file that was made and never begun is taken away again. */
void driver_output_fini(struct driver_output *o);

#endif
