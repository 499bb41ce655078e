/* tui_path.c - a path in so many columns */
#include "report/tui_path.h"

#include <stdbool.h>
#include <string.h>

#include "formats/base/utf8.h"
#include "report/tui_canvas.h"

#define ELLIPSIS "\xe2\x80\xa6"

static size_t
character(const char *p, size_t n)
{
	uint32_t cp;
	const size_t len = utf8_decode((const uint8_t *)p, n, &cp);

	return len > 0 ? len : n > 0 ? 1 : 0;
}

/* How many bytes of the name (n of them, no slash) stay when it is cut. */
static size_t
cut_name(const char *p, size_t n)
{
	size_t kept = character(p, n);

	if (n > 0 && p[0] == '.')
		kept += character(p + kept, n - kept);
	return kept;
}

/* Appends p with its first directories cut, as many as are needed. */
static void
cut_directories(struct buf *out, const char *p, size_t n, unsigned int width)
{
	unsigned int columns = canvas_columns(p, n);

	while (n > 0) {
		const char *const slash = memchr(p, '/', n);
		const size_t name = slash ? (size_t)(slash - p) : n;
		size_t kept = name;

		if (slash && columns > width && name > 0 && !(name == 1 && p[0] == '~')) {
			kept = cut_name(p, name);
			columns -= canvas_columns(p + kept, name - kept);
		}
		(void)buf_put(out, p, kept);
		if (slash)
			(void)buf_putc(out, '/');
		p += name + (slash != NULL);
		n -= name + (slash != NULL);
	}
}

/* Takes characters from the left until an ellipsis and the rest fit. */
static void
cut_start(struct buf *out, size_t from, unsigned int width)
{
	const char *const p = (const char *)out->data + from;
	const size_t n = out->len - from;
	size_t at = 0;
	struct buf rest = {.data = NULL};

	if (canvas_columns(p, n) <= width)
		return;
	while (at < n && canvas_columns(p + at, n - at) + 1 > width)
		at += character(p + at, n - at);
	if (!buf_put(&rest, p + at, n - at))
		out->failed = true;
	out->len = from;
	(void)buf_puts(out, width > 0 ? ELLIPSIS : "");
	(void)buf_put(out, rest.data, rest.len);
	buf_free(&rest);
}

void
tui_path(struct buf *out, const char *path, size_t n, unsigned int width, const char *home)
{
	const size_t home_len = home ? strlen(home) : 0;
	const size_t from = out->len;
	struct buf shown = {.data = NULL};

	if (home_len > 1 && n >= home_len && memcmp(path, home, home_len) == 0 &&
	    (n == home_len || path[home_len] == '/')) {
		(void)buf_putc(&shown, '~');
		path += home_len;
		n -= home_len;
	}
	if (!buf_put(&shown, path, n))
		out->failed = true;
	cut_directories(out, buf_cstr(&shown), shown.len, width);
	cut_start(out, from, width);
	buf_free(&shown);
}
