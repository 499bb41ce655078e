/* width.c - how many columns of a terminal a text takes
 *
 * Ranges from Unicode's EastAsianWidth.txt (W and F) and from general categories Mn, Me and Cf, the
 * larger ones; a character that is missing costs a crooked line, nothing else.
 */
#include "analyze/width.h"

#include <stdint.h>

#include "formats/base/utf8.h"

struct range {
	uint32_t from, to;
};

static const struct range wide[] = {
	{0x1100, 0x115f}, {0x231a, 0x231b}, {0x2329, 0x232a}, {0x23e9, 0x23ec}, {0x2e80, 0x303e},
	{0x3041, 0x33ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xa000, 0xa4cf}, {0xa960, 0xa97f},
	{0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6},
	{0x17000, 0x18aff}, {0x1b000, 0x1b2ff}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
	{0x20000, 0x3fffd},
};

static const struct range zero[] = {
	{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},
	{0x0900, 0x0902}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
	{0x200b, 0x200f}, {0x20d0, 0x20ff}, {0x302a, 0x302d}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
	{0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};

static int
is_in(uint32_t cp, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n && cp >= ranges[i].from; i++) {
		if (cp <= ranges[i].to)
			return 1;
	}
	return 0;
}

size_t
width_text(const void *p, size_t n)
{
	const uint8_t *const bytes = p;
	size_t width = 0;

	for (size_t i = 0; i < n;) {
		uint32_t cp = 0;
		const size_t len = utf8_decode(bytes + i, n - i, &cp);

		if (cp < 0x300 || len == 0)
			width++;
		else if (is_in(cp, wide, sizeof(wide) / sizeof(wide[0])))
			width += 2;
		else
			width += !is_in(cp, zero, sizeof(zero) / sizeof(zero[0]));
		i += len > 0 ? len : 1;
	}
	return width;
}
