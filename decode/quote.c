/* quote.c - untrusted bytes as a JSON string */
#include "decode/quote.h"

#include <stdint.h>
#include <string.h>

#include "formats/base/escape.h"
#include "formats/base/utf8.h"

/* How many of the n bytes at p are plain ASCII that JSON takes as it is. */
static size_t
quote_plain_run(const uint8_t *p, size_t n)
{
	size_t run = 0;

	while (run < n && p[run] >= 0x20 && p[run] < 0x7f && p[run] != '"' && p[run] != '\\')
		run++;
	return run;
}

static void
quote_escape(struct buf *out, uint32_t cp)
{
	static const char short_forms[] = "\"\"\\\\\bb\ff\nn\rr\tt";

	for (const char *p = short_forms; *p != '\0'; p += 2) {
		if ((uint32_t)*p == cp) {
			(void)buf_putc(out, '\\');
			(void)buf_putc(out, p[1]);
			return;
		}
	}
	/* Every control character of escape.h lies in the first plane. */
	(void)buf_printf(out, "\\u%04x", (unsigned int)cp);
}

bool
quote_json(struct buf *out, const void *p, size_t n)
{
	const uint8_t *const bytes = p;
	bool valid = true;
	size_t at = 0;

	(void)buf_putc(out, '"');
	while (at < n) {
		const size_t run = quote_plain_run(bytes + at, n - at);
		uint32_t cp;
		size_t len;

		(void)buf_put(out, bytes + at, run);
		at += run;
		if (at == n)
			break;
		len = utf8_decode(bytes + at, n - at, &cp);
		if (len == 0) {
			(void)buf_puts(out, "\xef\xbf\xbd");
			valid = false;
			len = 1;
		} else if (cp == '"' || cp == '\\' || escape_is_control(cp)) {
			quote_escape(out, cp);
		} else {
			(void)buf_put(out, bytes + at, len);
		}
		at += len;
	}
	(void)buf_putc(out, '"');
	return valid;
}

bool
quote_json_str(struct buf *out, const char *s)
{
	if (s)
		return quote_json(out, s, strlen(s));
	(void)buf_puts(out, "null");
	return true;
}

void
quote_hex(struct buf *out, const void *p, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	const uint8_t *const bytes = p;

	(void)buf_putc(out, '"');
	for (size_t i = 0; i < n; i++) {
		(void)buf_putc(out, hex[bytes[i] >> 4]);
		(void)buf_putc(out, hex[bytes[i] & 15]);
	}
	(void)buf_putc(out, '"');
}

void
quote_member(struct buf *out, const char *field, const void *p, size_t n)
{
	(void)buf_printf(out, ",\"%s\":", field);
	if (!p) {
		(void)buf_puts(out, "null");
	} else if (!quote_json(out, p, n)) {
		(void)buf_printf(out, ",\"%s_hex\":", field);
		quote_hex(out, p, n);
	}
}
