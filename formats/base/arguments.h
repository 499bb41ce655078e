/* arguments.h - the arguments of a process: byte strings in a row, each ended by a NUL
 *
 * That is how the kernel keeps them. The last one lacks its NUL when the row was cut, by whoever read or
 * kept it. A process writes what it likes there.
 */
#ifndef FORMATS_BASE_ARGUMENTS_H
#define FORMATS_BASE_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/base/buf.h"

/* Gives the argument at *at of the n bytes at row, of *len bytes without its NUL, and moves *at on behind
 * it; *at begins at 0. NULL = there is none left. */
const char *arguments_next(const char *row, size_t n, size_t *at, size_t *len);

/* True when the end is missing. */
bool arguments_cut(const char *row, size_t n);

/* Appends them for people, escaped, on one line: with blanks in between, those that a shell would not take
 * for one word in single quotes; after most bytes, "..." stands for the rest. */
void arguments_text(struct buf *out, const char *row, size_t n, size_t most);

#endif
