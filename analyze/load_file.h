/* load_file.h - iotap-analyze load: inputs into a new database file, or into one that is there
 *
 * All or nothing: a new file is made under another name and renamed when everything is in it and
 * safe on the disk; into an existing one everything goes in one transaction.
 */
#ifndef ANALYZE_LOAD_FILE_H
#define ANALYZE_LOAD_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/input.h"
#include "analyze/load.h"
#include "formats/error.h"

#define LOAD_FILE_TEMPORARY 4096	/* bytes of the temporary name */

struct load_file {
	const char *path;			/* of the database */
	char temporary[LOAD_FILE_TEMPORARY];	/* "" when there is nothing to remove */
	sqlite3 *db;
	bool fresh;
};

/* Makes a new database or opens the one at path, and begins. */
int load_file_open(struct load_file *f, const char *path, struct iotap_error *err);

/* Loads one input; it is closed. */
int load_file_add(struct load_file *f, struct input *in, const struct load_progress *progress,
		  struct load_result *out, struct iotap_error *err);

/* Makes it last. */
int load_file_commit(struct load_file *f, struct iotap_error *err);

/* Undoes what was not committed, releases. */
void load_file_close(struct load_file *f);

#endif
