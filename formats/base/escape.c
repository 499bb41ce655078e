/* escape.c - THE way of untrusted bytes to a terminal or into a line of text
 *
 * One step function looks at the next character and says how long it is and what stands for it;
 * everything else is loops over it, with a fast path for the printable ASCII that names mostly are.
 */
#include "formats/base/escape.h"

#include "formats/base/utf8.h"

#define ESCAPE_REPLACEMENT "\xef\xbf\xbd"	/* U+FFFD */

bool
escape_is_control(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp <= 0x9f) ||	/* C0, DEL, C1 */
	       cp == 0x061c || cp == 0x200e || cp == 0x200f ||	/* bidirectional marks */
	       (cp >= 0x2028 && cp <= 0x202e) ||		/* line separators, embeddings */
	       (cp >= 0x2066 && cp <= 0x2069);			/* isolates */
}

/* The length of the character at p (n > 0) and, in *shown, what is to be shown for it; NULL =
 * itself. */
static size_t
escape_step(const uint8_t *p, size_t n, const char **shown)
{
	uint32_t cp;
	const size_t len = utf8_decode(p, n, &cp);

	*shown = NULL;
	if (len == 0) {
		*shown = ESCAPE_REPLACEMENT;
		return 1;
	}
	if (escape_is_control(cp))
		*shown = "?";
	return len;
}

/* How many of the n bytes at p can be passed on as they are, from the first on. */
static size_t
escape_clean_run(const uint8_t *p, size_t n)
{
	size_t run = 0;

	while (run < n) {
		const char *shown;
		size_t len = 1;

		if (p[run] < 0x20 || p[run] >= 0x7f) {
			len = escape_step(p + run, n - run, &shown);
			if (shown)
				break;
		}
		run += len;
	}
	return run;
}

bool
escape_is_clean(const void *p, size_t n)
{
	return escape_clean_run(p, n) == n;
}

bool
escape_text(struct buf *out, const void *p, size_t n)
{
	const uint8_t *const bytes = p;
	size_t at = 0;

	while (at < n) {
		const size_t run = escape_clean_run(bytes + at, n - at);
		const char *shown;

		(void)buf_put(out, bytes + at, run);
		at += run;
		if (at < n) {
			at += escape_step(bytes + at, n - at, &shown);
			(void)buf_puts(out, shown);
		}
	}
	return buf_ok(out);
}

char *
escape_str(char *out, size_t size, const char *s)
{
	const uint8_t *p = (const uint8_t *)s;
	size_t left = strlen(s);
	size_t used = 0;

	while (left > 0) {
		const char *shown;
		const size_t len = escape_step(p, left, &shown);
		const size_t width = shown ? strlen(shown) : len;

		if (width >= size - used)
			break;
		memcpy(out + used, shown ? shown : (const char *)p, width);
		used += width;
		p += len;
		left -= len;
	}
	out[used] = '\0';
	return out;
}
