/* page_file.h - where a page goes: a new file of the user's, a pipe or device, or standard output */
#ifndef REPORT_PAGE_FILE_H
#define REPORT_PAGE_FILE_H

#include "formats/base/buf.h"
#include "formats/error.h"

/* Opens path for a page; "-" is standard output, if that is no terminal. A page of ours that is there is
 * replaced, any other file refused. The descriptor, or a negative code with its text. */
int page_file_open(const char *path, struct iotap_error *err);

/* Writes the page and closes fd, also on failure: then a file is left empty. 0 or a negative code. */
int page_file_write(int fd, const char *path, const struct buf *page, struct iotap_error *err);

#endif
