/* utf8.h - reading UTF-8 one character at a time, without trust */
#ifndef FORMATS_BASE_UTF8_H
#define FORMATS_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The character at p, of at most n bytes: its code point in *cp and its length, 1 to 4. 0 when the
 * bytes there are not well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing over
 * U+10FFFF, nothing cut short) or n is 0; then one byte is to be taken as invalid by itself. */
size_t utf8_decode(const uint8_t *p, size_t n, uint32_t *cp);

#endif
