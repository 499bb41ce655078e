/* arguments.c - the arguments of a process: byte strings in a row, each ended by a NUL */
#include "formats/base/arguments.h"

#include <string.h>

#include "formats/base/escape.h"
#include "formats/base/utf8.h"

const char *
arguments_next(const char *row, size_t n, size_t *at, size_t *len)
{
	const char *from, *nul;

	if (*at >= n)
		return NULL;
	from = row + *at;
	nul = memchr(from, '\0', n - *at);
	*len = nul ? (size_t)(nul - from) : n - *at;
	*at += *len + 1;
	return from;
}

bool
arguments_cut(const char *row, size_t n)
{
	return n > 0 && row[n - 1] != '\0';
}

static bool
is_word(const char *p, size_t n)
{
	static const char others[] = "-_./:=,+@%^";

	for (size_t i = 0; i < n; i++) {
		const unsigned char c = (unsigned char)p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c < 0x80 &&
		    !memchr(others, c, sizeof(others) - 1))
			return false;
	}
	return n > 0;
}

static void
put_argument(struct buf *out, const char *p, size_t n, bool plain)
{
	size_t from = 0;

	if (!plain)
		(void)buf_putc(out, '\'');
	for (size_t i = 0; i < n; i++) {
		if (p[i] != '\'')
			continue;
		(void)escape_text(out, p + from, i - from);
		(void)buf_puts(out, "'\\''");
		from = i + 1;
	}
	(void)escape_text(out, p + from, n - from);
	if (!plain)
		(void)buf_putc(out, '\'');
}

void
arguments_text(struct buf *out, const char *row, size_t n, size_t most)
{
	const size_t shown = n > most ? most : n;
	size_t at = 0, len;
	const char *p;

	while ((p = arguments_next(row, shown, &at, &len)) != NULL) {
		if (p > row)
			(void)buf_putc(out, ' ');
		if (at > shown && shown < n)	/* escaping tells a cut character from a bad one no more */
			len = utf8_cut(p, n - (size_t)(p - row), len);
		put_argument(out, p, len, is_word(p, len));
	}
	if (shown < n || arguments_cut(row, n))
		(void)buf_puts(out, "...");
}
