/* series.h - the files of a capture that writes more than one: FILE.1, FILE.2 ...
 *
 * Used by rotation and by the flight recorder. Numbers go up and never come again: the first is one more
 * than the highest there is, so that a capture which is started anew goes on where the last one ended.
 * The directory is open from the start; files are made in it 0600, new, links never followed.
 */
#ifndef CAPTURE_SERIES_H
#define CAPTURE_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/privileges.h"
#include "formats/error.h"

enum { SERIES_KEEP_MAX = 65536 };	/* files that are told apart */

struct series {
	char *path;			/* of the file in work, as the user would name it */
	char *name;			/* the same in the directory */
	const char *base;		/* path without the number; the caller's */
	int dir;			/* -1 = not open */
	uint64_t keep;			/* files, 0 = all */
	uint64_t *numbers;		/* of the files there are, going up */
	size_t n_numbers;
};

/* Opens the directory of path, which must not end in '/', and looks which numbers are taken. base is
 * kept by pointer. keep: when there are more files of that name, those of the lowest numbers are
 * removed. IOTAP_EIO, IOTAP_ENOMEM. series_close in any case. */
int series_open(struct series *s, const char *base, uint64_t keep, struct iotap_error *err);
void series_close(struct series *s);

/* Tries, as the user that capture will be, whether a file can be made. IOTAP_EPERM with the text. */
int series_try(const struct series *s, const struct owner *as, struct iotap_error *err);

/* Makes the next file, open for writing, in *fd; s->path is its name. Removes those that are too many, as
 * far as they are recordings. IOTAP_EIO, IOTAP_ENOMEM. */
int series_next(struct series *s, int *fd, struct iotap_error *err);

/* Removes the file that series_next made last: nothing of use is in it. */
void series_undo(struct series *s);

/* Who capture has to be to make files in the directory: its owner stays himself. A root without sudo
 * becomes the owner of the directory; if that is root too, he stays root, without any capability. */
void series_owner(const struct series *s, struct owner *owner);

#endif
