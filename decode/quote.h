/* quote.h - untrusted bytes as a JSON string
 *
 * The result is valid UTF-8 on one line and moves no cursor: the quote, the backslash and every
 * character that formats/base/escape.h would turn into '?' are written as escapes, so nothing is
 * lost; a byte that is not part of well-formed UTF-8 becomes U+FFFD, which the caller is told, so
 * that it can add the bytes in hexadecimal.
 */
#ifndef DECODE_QUOTE_H
#define DECODE_QUOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/base/buf.h"

/* Appends n bytes at p with quotes around them. True when all of them were well-formed UTF-8. A
 * buffer that fails is found by buf_ok, as always. */
bool quote_json(struct buf *out, const void *p, size_t n);

/* The same for a C string; NULL = null. */
bool quote_json_str(struct buf *out, const char *s);

/* Appends n bytes as hexadecimal digits with quotes around them. */
void quote_hex(struct buf *out, const void *p, size_t n);

/* Appends ,"field":"..." and, when the n bytes at p are no UTF-8, ,"field_hex":"..." behind it; p NULL =
 * null. */
void quote_member(struct buf *out, const char *field, const void *p, size_t n);

#endif
