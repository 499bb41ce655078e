/* escape.h - THE way of untrusted bytes to a terminal or into a line of text
 *
 * File names, process names, socket paths, header strings of a recording, arguments of the user in
 * an error message: everything that came from outside passes here before it is printed. The rule:
 *
 *   C0 controls, DEL, C1 controls (U+0080-9F), the bidirectional controls (U+061C, U+200E, U+200F,
 *   U+202A-202E, U+2066-2069) and the line separators U+2028, U+2029      each becomes one '?'
 *   a byte that is not part of well-formed UTF-8                          becomes U+FFFD
 *   everything else                                                       stays as it is
 *
 * So the result is valid UTF-8, one line, and can neither move the cursor nor reorder what stands
 * next to it. It is for eyes: two names that differ only in invalid bytes look alike, so machines
 * get the bytes another way (path_hex in JSON, BLOB in SQL).
 */
#ifndef FORMATS_BASE_ESCAPE_H
#define FORMATS_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"

/* Appends the printable form of n bytes at p to out. */
bool escape_text(struct buf *out, const void *p, size_t n);

/* The same for a C string, into out of size bytes: cut at a character's end where it does not fit,
 * always ended by NUL (size > 0). Returns out, to be used inside a printf. */
char *escape_str(char *out, size_t size, const char *s);

/* True when n bytes at p would come out of escape_text unchanged. */
bool escape_is_clean(const void *p, size_t n);

/* True for a code point that must never reach a terminal: the '?' rows of the table above. */
bool escape_is_control(uint32_t cp);

#endif
