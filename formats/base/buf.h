/* buf.h - a byte buffer that grows up to a limit, and fails rather than aborts
 *
 * Failure is sticky: after one refused append every later append is refused too, nothing is
 * written in part, and the owner asks buf_ok() once at the end instead of after every call.
 * A buffer of all zeroes is empty, valid and unlimited. The buffer owns its bytes.
 */
#ifndef FORMATS_BASE_BUF_H
#define FORMATS_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buf {
	uint8_t *data;
	size_t len;
	size_t cap;
	size_t limit;	/* most bytes it may ever hold; 0 = no limit of its own */
	bool failed;	/* an append was refused: out of memory, or over the limit */
};

/* Starts an empty buffer of at most limit bytes (0 = no limit). Allocates nothing. */
void buf_init(struct buf *b, size_t limit);

/* Releases the bytes and leaves a valid empty buffer with the same limit. NULL is allowed. */
void buf_free(struct buf *b);

/* Makes room for n more bytes. False when that is over the limit or memory is out. */
bool buf_reserve(struct buf *b, size_t n);

/* Room for n more bytes, to be filled by the caller before anything else is appended: the length
 * already counts them. NULL on failure; n = 0 gives a pointer that must not be written to. */
void *buf_extend(struct buf *b, size_t n);

/* Moves what from holds to the end of to; from is empty then. Nothing is copied when to was empty. False,
 * and nothing has changed, when to has no room. */
bool buf_move(struct buf *to, struct buf *from);

/* Appends printf-formatted text, without its NUL. */
bool buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool buf_vprintf(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* The content as a C string; the NUL is not counted in len. "" when the buffer has failed before it
 * held anything or the NUL itself does not fit into memory. Valid until the next append. */
const char *buf_cstr(struct buf *b);

/* Forgets the content and a failure; keeps the memory. */
static inline void
buf_clear(struct buf *b)
{
	b->len = 0;
	b->failed = false;
}

static inline bool
buf_ok(const struct buf *b)
{
	return !b->failed;
}

/* Appends n bytes; p may be NULL when n is 0, and must not point into the buffer itself. */
static inline bool
buf_put(struct buf *b, const void *p, size_t n)
{
	if (b->failed || (n > b->cap - b->len && !buf_reserve(b, n)))
		return false;
	if (n > 0)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	return true;
}

static inline bool
buf_putc(struct buf *b, char c)
{
	return buf_put(b, &c, 1);
}

static inline bool
buf_puts(struct buf *b, const char *s)
{
	return buf_put(b, s, strlen(s));
}

#endif
