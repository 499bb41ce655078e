/* utf8.h - reading UTF-8 one character at a time, without trust */
#ifndef FORMATS_BASE_UTF8_H
#define FORMATS_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The character at p, of at most n bytes: its code point in *cp and its length, 1 to 4. 0 when the
 * bytes there are not well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing over
 * U+10FFFF, nothing cut short) or n is 0; then one byte is to be taken as invalid by itself. */
size_t utf8_decode(const uint8_t *p, size_t n, uint32_t *cp);

/* How many of the n bytes at p make at most max, without a part of a character at the end where they are
 * UTF-8. */
static inline size_t
utf8_cut(const void *p, size_t n, size_t max)
{
	const uint8_t *const text = p;

	if (n <= max)
		return n;
	while (max > 0 && (text[max] & 0xc0) == 0x80)
		max--;
	return max;
}

#endif
