/* siphash.c - SipHash-2-4 */
#include "decode/siphash.h"


static uint64_t
rotate(uint64_t v, unsigned int by)
{
	return v << by | v >> (64 - by);
}

static void
rounds(uint64_t v[4], unsigned int n)
{
	while (n-- > 0) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

/* Up to 8 bytes as a little-endian number. */
static uint64_t
word(const uint8_t *p, size_t n)
{
	uint64_t w = 0;

	for (size_t i = 0; i < n; i++)
		w |= (uint64_t)p[i] << (8 * i);
	return w;
}

uint64_t
siphash(const struct siphash_key *key, const void *p, size_t n)
{
	const uint8_t *const bytes = p;
	uint64_t v[4] = {
		key->k0 ^ UINT64_C(0x736f6d6570736575), key->k1 ^ UINT64_C(0x646f72616e646f6d),
		key->k0 ^ UINT64_C(0x6c7967656e657261), key->k1 ^ UINT64_C(0x7465646279746573),
	};
	size_t at = 0;
	uint64_t m;

	for (; n - at >= 8; at += 8) {
		m = word(bytes + at, 8);
		v[3] ^= m;
		rounds(v, 2);
		v[0] ^= m;
	}
	m = (uint64_t)n << 56 | word(bytes + at, n - at);
	v[3] ^= m;
	rounds(v, 2);
	v[0] ^= m;
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
