/* hash.h - seeded hashes of numbers and of bytes, for keys an enemy may choose
 *
 * Whoever writes a recording, or names a file on a traced machine, chooses our keys. The seed,
 * which he cannot know, keeps him from choosing ones that collide. These hashes are for tables in
 * memory only: nothing that is written or printed may depend on one, since the seed differs each
 * run.
 */
#ifndef FORMATS_BASE_HASH_H
#define FORMATS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A fresh seed from the kernel's random numbers; never fails (falls back on addresses). */
uint64_t hash_seed(void);

/* n bytes at p; p may be NULL when n is 0. */
uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);

/* The halves of a 64 by 64 bit product, folded together: every input bit reaches every output
 * bit. */
static inline uint64_t
hash_fold(uint64_t a, uint64_t b)
{
	const unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t
hash_u64(uint64_t v, uint64_t seed)
{
	const uint64_t h = hash_fold(v ^ seed, UINT64_C(0x9e3779b97f4a7c15));

	return hash_fold(h ^ UINT64_C(0xd6e8feb86659fd93), seed | 1);
}

/* One hash out of two, order counts: for keys of more than one number. */
static inline uint64_t
hash_pair(uint64_t a, uint64_t b, uint64_t seed)
{
	return hash_u64(hash_u64(a, seed) ^ b, seed);
}

#endif
