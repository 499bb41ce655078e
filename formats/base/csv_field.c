/* csv_field.c - a text as one field of CSV */
#include "formats/base/csv_field.h"

#include <string.h>

static bool
is_plain(const char *p, size_t n)
{
	if (n == 0 || p[0] == ' ' || p[n - 1] == ' ')
		return false;
	for (size_t i = 0; i < n; i++) {
		if (p[i] == ',' || p[i] == '"' || p[i] == '\r' || p[i] == '\n')
			return false;
	}
	return true;
}

void
csv_field(struct buf *out, const void *p, size_t n)
{
	const char *const text = p;
	const bool formula = n > 0 && memchr("=+-@\t\r", text[0], 6);

	if (!formula && is_plain(text, n)) {
		(void)buf_put(out, text, n);
		return;
	}
	(void)buf_puts(out, formula ? "\"'" : "\"");
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '"')
			(void)buf_putc(out, '"');
		(void)buf_putc(out, text[i]);
	}
	(void)buf_putc(out, '"');
}
