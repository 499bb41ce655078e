/* bytes.h - little-endian numbers in bytes that nobody vouches for
 *
 * Reading: a cursor over (pointer, length). A read past the end, or of a malformed varint, gives 0
 * or NULL, sets bad and moves the cursor to the end, so that every later read fails too: a parser
 * reads a whole record and looks at bad once. Nothing outside the given range is ever touched.
 * Writing: appends to a struct buf, whose own failure flag plays the same part.
 *
 * Varints are LEB128: seven bits a byte, low ones first, at most ten bytes; a tenth byte may only
 * be 0 or 1. Zigzag maps 0, -1, 1, -2 ... to 0, 1, 2, 3 ..., so small differences stay short.
 */
#ifndef FORMATS_BASE_BYTES_H
#define FORMATS_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "formats/base/buf.h"

#define BYTES_VARINT_MAX 10	/* longest encoding of 64 bits */

struct bytes_in {
	const uint8_t *p;
	const uint8_t *end;
	bool bad;
};

static inline struct bytes_in
bytes_in(const void *p, size_t n)
{
	const uint8_t *const from = p;

	return (struct bytes_in){.p = from, .end = n > 0 ? from + n : from, .bad = false};
}

static inline size_t
bytes_left(const struct bytes_in *in)
{
	return (size_t)(in->end - in->p);
}

/* True when everything was read and nothing failed. */
static inline bool
bytes_done(const struct bytes_in *in)
{
	return !in->bad && in->p == in->end;
}

static inline void
bytes_fail(struct bytes_in *in)
{
	in->bad = true;
	in->p = in->end;
}

/* The next n bytes, borrowed from the input; NULL when fewer are left. With n = 0 the pointer
 * may be the end of the input and must not be read. */
static inline const uint8_t *
bytes_get(struct bytes_in *in, size_t n)
{
	const uint8_t *const at = in->p;

	if (in->bad || n > bytes_left(in)) {
		bytes_fail(in);
		return NULL;
	}
	if (n > 0)
		in->p += n;
	return at;
}

static inline bool
bytes_skip(struct bytes_in *in, size_t n)
{
	(void)bytes_get(in, n);
	return !in->bad;
}

/* A cursor over the next n bytes, for a record inside a record. Bad, like the outer one, when fewer
 * are left. */
static inline struct bytes_in
bytes_sub(struct bytes_in *in, size_t n)
{
	const uint8_t *const at = bytes_get(in, n);
	struct bytes_in sub = bytes_in(at, in->bad ? 0 : n);

	sub.bad = in->bad;
	return sub;
}

/* Numbers at a place already known to be inside the input; no alignment is needed. */
static inline uint16_t
bytes_u16_at(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t
bytes_u32_at(const uint8_t *p)
{
	return (uint32_t)bytes_u16_at(p) | (uint32_t)bytes_u16_at(p + 2) << 16;
}

static inline uint64_t
bytes_u64_at(const uint8_t *p)
{
	return (uint64_t)bytes_u32_at(p) | (uint64_t)bytes_u32_at(p + 4) << 32;
}

static inline uint8_t
bytes_get_u8(struct bytes_in *in)
{
	const uint8_t *const p = bytes_get(in, 1);

	return p ? p[0] : 0;
}

static inline uint16_t
bytes_get_u16(struct bytes_in *in)
{
	const uint8_t *const p = bytes_get(in, 2);

	return p ? bytes_u16_at(p) : 0;
}

static inline uint32_t
bytes_get_u32(struct bytes_in *in)
{
	const uint8_t *const p = bytes_get(in, 4);

	return p ? bytes_u32_at(p) : 0;
}

static inline uint64_t
bytes_get_u64(struct bytes_in *in)
{
	const uint8_t *const p = bytes_get(in, 8);

	return p ? bytes_u64_at(p) : 0;
}

static inline uint64_t
bytes_get_varint(struct bytes_in *in)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 64 && in->p < in->end; shift += 7) {
		const uint8_t byte = *in->p++;

		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	bytes_fail(in);
	return 0;
}

static inline uint64_t
bytes_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t
bytes_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

static inline int64_t
bytes_get_zigzag(struct bytes_in *in)
{
	return bytes_unzigzag(bytes_get_varint(in));
}

/* Writes v at out, which has room for BYTES_VARINT_MAX bytes; the number of bytes written. */
static inline size_t
bytes_varint_at(uint8_t *out, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		out[n++] = (uint8_t)(v | 0x80);
	out[n++] = (uint8_t)v;
	return n;
}

static inline void
bytes_set_u16(uint8_t *out, uint16_t v)
{
	out[0] = (uint8_t)v;
	out[1] = (uint8_t)(v >> 8);
}

static inline void
bytes_set_u32(uint8_t *out, uint32_t v)
{
	bytes_set_u16(out, (uint16_t)v);
	bytes_set_u16(out + 2, (uint16_t)(v >> 16));
}

static inline void
bytes_set_u64(uint8_t *out, uint64_t v)
{
	bytes_set_u32(out, (uint32_t)v);
	bytes_set_u32(out + 4, (uint32_t)(v >> 32));
}

static inline bool
bytes_put_u8(struct buf *b, uint8_t v)
{
	return buf_put(b, &v, 1);
}

static inline bool
bytes_put_u16(struct buf *b, uint16_t v)
{
	uint8_t raw[2];

	bytes_set_u16(raw, v);
	return buf_put(b, raw, sizeof(raw));
}

static inline bool
bytes_put_u32(struct buf *b, uint32_t v)
{
	uint8_t raw[4];

	bytes_set_u32(raw, v);
	return buf_put(b, raw, sizeof(raw));
}

static inline bool
bytes_put_u64(struct buf *b, uint64_t v)
{
	uint8_t raw[8];

	bytes_set_u64(raw, v);
	return buf_put(b, raw, sizeof(raw));
}

static inline bool
bytes_put_varint(struct buf *b, uint64_t v)
{
	uint8_t raw[BYTES_VARINT_MAX];

	return buf_put(b, raw, bytes_varint_at(raw, v));
}

static inline bool
bytes_put_zigzag(struct buf *b, int64_t v)
{
	return bytes_put_varint(b, bytes_zigzag(v));
}

/* A length as varint, then that many bytes: how a name is written. */
static inline bool
bytes_put_sized(struct buf *b, const void *p, size_t n)
{
	return bytes_put_varint(b, n) && buf_put(b, p, n);
}

/* The reading side: the bytes, borrowed, and their number in *n. NULL, and *n = 0, when the
 * length is over max or over what is left; an empty one gives a pointer that must not be read. */
static inline const uint8_t *
bytes_get_sized(struct bytes_in *in, size_t max, size_t *n)
{
	const uint64_t len = bytes_get_varint(in);
	const uint8_t *at = NULL;

	if (len > max)
		bytes_fail(in);
	else
		at = bytes_get(in, (size_t)len);
	*n = at && !in->bad ? (size_t)len : 0;
	return in->bad ? NULL : at;
}

#endif
