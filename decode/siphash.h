/* siphash.h - SipHash-2-4: a keyed hash whose values say nothing about the input to whoever lacks the key
 *
 * Of Jean-Philippe Aumasson and Daniel J. Bernstein, "SipHash: a fast short-input PRF" (2012); the test
 * compares with the vectors they published. Written here because no library that iotap links has a keyed
 * hash made for the purpose.
 */
#ifndef DECODE_SIPHASH_H
#define DECODE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t k0, k1;	/* the 16 bytes of the key, each half little-endian */
};

uint64_t siphash(const struct siphash_key *, const void *p, size_t n);

#endif
