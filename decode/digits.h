/* digits.h - decimal numbers, written fast: two digits a step from a table */
#ifndef DECODE_DIGITS_H
#define DECODE_DIGITS_H

#include <stdint.h>
#include <string.h>

#define DIGITS_MAX 20	/* of a 64-bit number; one more for a sign */

static const char digits_pairs[201] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
	"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

static inline unsigned int
digits_count(uint64_t v)
{
	unsigned int n = 1;

	while (v >= 10000) {
		v /= 10000;
		n += 4;
	}
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

/* Writes v at out, which has room for DIGITS_MAX bytes, without a NUL; the end of what was written. */
static inline char *
digits_u64(char *out, uint64_t v)
{
	char *const end = out + digits_count(v);
	char *p = end;

	while (v >= 100) {
		p -= 2;
		memcpy(p, digits_pairs + 2 * (v % 100), 2);
		v /= 100;
	}
	if (v >= 10)
		memcpy(p - 2, digits_pairs + 2 * v, 2);
	else
		p[-1] = (char)('0' + v);
	return end;
}

/* The same with a sign: DIGITS_MAX + 1 bytes. */
static inline char *
digits_i64(char *out, int64_t v)
{
	if (v < 0)
		*out++ = '-';
	return digits_u64(out, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

#endif
