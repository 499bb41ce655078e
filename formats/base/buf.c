/* buf.c - a byte buffer that grows up to a limit, and fails rather than aborts
 *
 * Capacity doubles from 256 bytes, so appending is linear in the bytes appended; near the limit it
 * grows to the limit exactly. One byte beyond len is not reserved: buf_cstr() asks for it.
 */
#include "formats/base/buf.h"

#include <stdio.h>
#include <stdlib.h>

#define BUF_FIRST_CAP 256

void
buf_init(struct buf *b, size_t limit)
{
	*b = (struct buf){.limit = limit};
}

void
buf_free(struct buf *b)
{
	if (!b)
		return;
	free(b->data);
	buf_init(b, b->limit);
}

/* Makes room for want bytes in all. That may be one over the limit, for buf_cstr's NUL; the
 * capacity that appends look at stays within the limit. */
static bool
buf_grow(struct buf *b, size_t want)
{
	size_t cap = b->cap > 0 ? b->cap : BUF_FIRST_CAP;
	uint8_t *data;

	while (cap < want)
		cap = cap > SIZE_MAX / 2 ? want : cap * 2;
	if (b->limit > 0 && cap > b->limit)
		cap = want > b->limit ? want : b->limit;
	data = realloc(b->data, cap);
	if (!data)
		return false;
	b->data = data;
	b->cap = b->limit > 0 && cap > b->limit ? b->limit : cap;
	return true;
}

bool
buf_reserve(struct buf *b, size_t n)
{
	if (b->failed)
		return false;
	if (n > SIZE_MAX / 2 - b->len || (b->limit > 0 && n > b->limit - b->len) ||
	    (n > b->cap - b->len && !buf_grow(b, b->len + n)))
		b->failed = true;
	return !b->failed;
}

void *
buf_extend(struct buf *b, size_t n)
{
	void *at;

	/* A place to point at is wanted even for nothing. */
	if (!buf_reserve(b, n) || (!b->data && !buf_reserve(b, 1)))
		return NULL;
	at = b->data + b->len;
	b->len += n;
	return at;
}

bool
buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	char small[256];
	char *big = NULL;
	int n;

	if (b->failed)
		return false;
	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	if (n >= 0 && (size_t)n >= sizeof(small)) {
		big = malloc((size_t)n + 1);
		if (big)
			(void)vsnprintf(big, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	if (n < 0 || ((size_t)n >= sizeof(small) && !big))
		b->failed = true;
	else
		(void)buf_put(b, big ? big : small, (size_t)n);
	free(big);
	return !b->failed;
}

bool
buf_move(struct buf *to, struct buf *from)
{
	const struct buf was = *to;

	if (was.len == 0 && !was.failed && !from->failed && was.limit == from->limit) {
		*to = *from;
		*from = was;
		return true;
	}
	if (!buf_put(to, from->data, from->len))
		return false;
	buf_clear(from);
	return true;
}

bool
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	ok = buf_vprintf(b, fmt, ap);
	va_end(ap);
	return ok;
}

const char *
buf_cstr(struct buf *b)
{
	if (b->len == b->cap && !buf_grow(b, b->len + 1))
		return "";
	b->data[b->len] = '\0';
	return (const char *)b->data;
}
