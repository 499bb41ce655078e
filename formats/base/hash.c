/* hash.c - seeded hashes of numbers and of bytes, for keys an enemy may choose
 *
 * hash_bytes folds 16 bytes a step: two words, each with a secret or the running state mixed in,
 * are multiplied and the halves of the product are folded together. The last step reads the final
 * 16 bytes, overlapping those before, or gathers what is shorter; the length goes in at the end.
 */
#include "formats/base/hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

#define HASH_K1 UINT64_C(0xa0761d6478bd642f)
#define HASH_K2 UINT64_C(0xe7037ed1a0b428db)

#ifdef IOTAP_HASH_SEED	/* fuzzers' builds: what was done is done again */
uint64_t
hash_seed(void)
{
	return IOTAP_HASH_SEED;
}
#else
uint64_t
hash_seed(void)
{
	uint64_t seed;
	struct timespec now = {0};

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == (ssize_t)sizeof(seed))
		return seed;
	/* Early in a boot: the layout of this process and its moment are the best that is left. */
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return hash_u64((uint64_t)(uintptr_t)&seed ^ (uint64_t)now.tv_nsec, (uintptr_t)&hash_seed);
}
#endif

static uint64_t
hash_load(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return v;
}

uint64_t
hash_bytes(const void *p, size_t n, uint64_t seed)
{
	const uint8_t *at = p;
	uint64_t h = hash_fold(seed ^ HASH_K1, HASH_K2);
	uint64_t a = 0;
	uint64_t b = 0;
	size_t left = n;

	for (; left > 16; at += 16, left -= 16)
		h = hash_fold(hash_load(at, 8) ^ HASH_K1, hash_load(at + 8, 8) ^ h);
	if (left >= 8) {
		a = hash_load(at, 8);
		b = hash_load(at + left - 8, 8);
	} else if (left > 0) {
		a = hash_load(at, left);
	}
	h = hash_fold(a ^ HASH_K1, b ^ h);
	return hash_fold(h ^ (uint64_t)n, seed ^ HASH_K2);
}
