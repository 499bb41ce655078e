/* utf8.c - reading UTF-8 one character at a time, without trust (RFC 3629)
 *
 *	first byte	more	range that this form may hold
 *	00-7f		0	U+0000   - U+007F
 *	c2-df		1	U+0080   - U+07FF
 *	e0-ef		2	U+0800   - U+FFFF without the surrogates U+D800-DFFF
 *	f0-f4		3	U+10000  - U+10FFFF
 */
#include "formats/base/utf8.h"

size_t
utf8_decode(const uint8_t *p, size_t n, uint32_t *cp)
{
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
	uint32_t c;
	size_t more;

	if (n == 0)
		return 0;
	c = p[0];
	if (c < 0x80) {
		*cp = c;
		return 1;
	}
	if (c < 0xc2 || c > 0xf4)
		return 0;
	more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	if (more >= n)
		return 0;
	c &= 0x3fu >> more;
	for (size_t i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3fu);
	}
	if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*cp = c;
	return more + 1;
}
