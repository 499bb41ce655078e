/* tui_path.h - a path in so many columns
 *
 * In this order, until it fits: the home directory becomes ~ (always); directories are cut to their first
 * letter, two for those that begin with a dot, from the left; the start gives way to an ellipsis.
 */
#ifndef REPORT_TUI_PATH_H
#define REPORT_TUI_PATH_H

#include <stddef.h>

#include "formats/base/buf.h"

/* Appends path (n bytes, printable UTF-8) in at most width columns. home may be NULL. */
void tui_path(struct buf *out, const char *path, size_t n, unsigned int width, const char *home);

#endif
