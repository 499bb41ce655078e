/* hash_test.c - formats/base/hash.h: every byte and the seed count, and nothing collides that must not */
#include "formats/base/hash.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/lib/unit.h"

static bool random_fails;	/* the test's own */

ssize_t getrandom(void *p, size_t n, unsigned int flags);
ssize_t
getrandom(void *p, size_t n, unsigned int flags)
{
	errno = ENOSYS;
	return random_fails ? -1 : syscall(SYS_getrandom, p, n, flags);
}

static void
every_byte_and_the_length_count(void **state)
{
	uint8_t raw[70] = {0};

	(void)state;
	for (size_t n = 0; n <= sizeof(raw); n++) {
		const uint64_t h = hash_bytes(raw, n, 1);

		assert_int_equal(h, hash_bytes(raw, n, 1));
		assert_int_not_equal(h, hash_bytes(raw, n, 2));
		if (n > 0)
			assert_int_not_equal(h, hash_bytes(raw, n - 1, 1));
		for (size_t i = 0; i < n; i++) {
			raw[i] ^= 1;
			assert_int_not_equal(h, hash_bytes(raw, n, 1));
			raw[i] ^= 1;
		}
	}
	assert_int_equal(hash_bytes(NULL, 0, 1), hash_bytes(raw, 0, 1));
}

static void
bytes_may_stand_anywhere(void **state)
{
	uint8_t raw[64];

	(void)state;
	for (size_t shift = 0; shift < 9; shift++) {
		memcpy(raw + shift, "/usr/lib/x86_64-linux-gnu/libc.so.6", 35);
		assert_int_equal(hash_bytes(raw + shift, 35, 7),
				 hash_bytes("/usr/lib/x86_64-linux-gnu/libc.so.6", 35, 7));
	}
}

static int
by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a;
	const uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void
similar_names_do_not_collide(void **state)
{
	enum { N = 100000 };
	uint64_t *const h = malloc(N * sizeof(*h));
	char name[32];

	(void)state;
	assert_non_null(h);
	for (int i = 0; i < N; i++) {
		const int len = snprintf(name, sizeof(name), "/tmp/file%d", i);

		h[i] = hash_bytes(name, (size_t)len, 99);
	}
	qsort(h, N, sizeof(*h), by_value);
	for (int i = 1; i < N; i++)
		assert_true(h[i - 1] != h[i]);
	free(h);
}

static void
numbers_mix_in_every_bit(void **state)
{
	(void)state;
	for (unsigned int bit = 0; bit < 64; bit++) {
		unsigned int changed = 0;

		for (uint64_t v = 1; v <= 64; v++)
			changed += (unsigned int)__builtin_popcountll(
				hash_u64(v, 5) ^ hash_u64(v ^ UINT64_C(1) << bit, 5));
		/* 32 of 64 on average, over 64 values. */
		assert_in_range(changed, 64 * 26, 64 * 38);
	}
	assert_int_not_equal(hash_pair(1, 2, 5), hash_pair(2, 1, 5));
}

static void
seeds_differ(void **state)
{
	(void)state;
	assert_int_not_equal(hash_seed(), hash_seed());
}

/* No random bytes to be had yet: a seed all the same. */
static void
a_seed_without_random_bytes(void **state)
{
	(void)state;
	random_fails = true;
	(void)hash_seed();
	random_fails = false;
	assert_int_not_equal(hash_seed(), hash_seed());
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_and_the_length_count),
		cmocka_unit_test(bytes_may_stand_anywhere),
		cmocka_unit_test(similar_names_do_not_collide),
		cmocka_unit_test(numbers_mix_in_every_bit),
		cmocka_unit_test(seeds_differ),
		cmocka_unit_test(a_seed_without_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
