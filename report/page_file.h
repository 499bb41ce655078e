/* page_file.h - where a page goes: a new file of the user's, a pipe or device, or standard output
 *
 * An earlier page of ours stays whole until the new one is, and then gives way with its mode and group
 * taken over; a link is never followed. Everything by name is opened before a recording is read, but for
 * the renaming at the end.
 */
#ifndef REPORT_PAGE_FILE_H
#define REPORT_PAGE_FILE_H

#include "formats/base/buf.h"
#include "formats/base/draft.h"
#include "formats/error.h"

struct page_file {
	const char *path;		/* the caller's */
	int fd;				/* -1 = not open */
	struct draft draft;		/* none: a pipe or device, opened as it is */
	bool replaces;			/* an earlier page is there */
	struct stat old;		/* and this is it */
};

#define PAGE_FILE_NONE {.fd = -1, .draft = DRAFT_NONE}

/* Opens path for a page; "-" is standard output, if that is no terminal. A page of ours that is there will
 * be replaced, any other file is refused. 0, or a negative code with its text. */
int page_file_open(struct page_file *, const char *path, struct iotap_error *err);

/* Writes the page, closes, and gives the file its name. 0 or a negative code with its text. */
int page_file_write(struct page_file *, const struct buf *page, struct iotap_error *err);

/* Closes; a page that was not written leaves nothing. */
void page_file_fini(struct page_file *);

#endif
