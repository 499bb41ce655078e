/* reach.h - what is left to iotap-analyze before it reads a byte of a stranger's
 *
 * No socket, no program, no file but: those that are open, the inputs named, the folder of SQLite's
 * temporary files, and, for a load, the names in the folder of the database (not what is in its other
 * files). See formats/base/sandbox.h for kernels and builds where less is done.
 */
#ifndef ANALYZE_REACH_H
#define ANALYZE_REACH_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/base/sandbox.h"

enum { REACH_PLACES = 4096, REACH_NAME = 4096 };

struct reach {
	char scratch[REACH_NAME];	/* the folder of temporary files, "" = none was made */
	struct sandbox_place *places;
	size_t n;
};

/* Makes the folder and has SQLite use it, before SQLite's first use. A machine without a place for temporary
 * files is no error: SQLite says so if it comes to need one. False: out of memory. */
bool reach_init(struct reach *);

/* A file that may be read by name or by /proc/self/fd; one that cannot be opened is not said here. False: out
 * of memory, or too many. */
bool reach_add_input(struct reach *, const char *path);
bool reach_add_descriptor(struct reach *, int fd);

/* The folder that path is in, where names may be made, changed and removed. */
bool reach_add_names(struct reach *, const char *path);

/* From here on. c may be NULL: nothing is done. False and errno. */
bool reach_limit(struct reach *c);

/* Removes the folder, releases. */
void reach_fini(struct reach *);

#endif
