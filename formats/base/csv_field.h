/* csv_field.h - a text as one field of CSV (RFC 4180)
 *
 * Quoted where it is empty, holds a comma, a quote or a line's end, or begins or ends with a blank. What a
 * spreadsheet would take for a formula gets a ' in front, within quotes.
 */
#ifndef FORMATS_BASE_CSV_FIELD_H
#define FORMATS_BASE_CSV_FIELD_H

#include <stddef.h>

#include "formats/base/buf.h"

/* Appends the n bytes at p, as they are but for that. */
void csv_field(struct buf *out, const void *p, size_t n);

#endif
