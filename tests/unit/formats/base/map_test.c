/* map_test.c - formats/base/map.h against a plain array, and what an enemy would try */
#include "formats/base/map.h"

#include "formats/base/hash.h"
#include "tests/lib/unit.h"

static void
empty_map_finds_nothing(void **state)
{
	struct map m;
	uint64_t key;
	uint64_t *value;
	size_t at = 0;

	(void)state;
	map_init(&m, 1, 0);
	assert_null(map_find(&m, 0));
	assert_null(map_find(&m, 5));
	assert_false(map_remove(&m, 0));
	assert_false(map_remove(&m, 5));
	assert_false(map_next(&m, &at, &key, &value));
	map_clear(&m);
	map_fini(&m);
	map_fini(NULL);
}

static void
zero_is_a_key_like_any_other(void **state)
{
	struct map m;

	(void)state;
	map_init(&m, 1, 0);
	assert_true(map_put(&m, 0, 7));
	assert_int_equal(*map_find(&m, 0), 7);
	assert_int_equal(m.n, 1);
	assert_true(map_put(&m, 0, 0));
	assert_int_equal(*map_find(&m, 0), 0);
	assert_int_equal(m.n, 1);
	assert_true(map_put(&m, UINT64_MAX, 9));
	assert_true(map_remove(&m, 0));
	assert_null(map_find(&m, 0));
	assert_int_equal(*map_find(&m, UINT64_MAX), 9);
	map_fini(&m);
}

/* Puts and removes at random among few keys, so that runs form and holes are closed across the end of
 * the table; after each step the map and a plain array agree. */
static void
agrees_with_an_array(void **state)
{
	enum { KEYS = 300, STEPS = 200000 };
	static uint64_t value_of[KEYS];
	static bool there[KEYS];
	struct map m;
	uint64_t lot = 88172645463325252;
	size_t n = 0;

	(void)state;
	map_init(&m, 12345, 0);
	for (int step = 0; step < STEPS; step++) {
		size_t k;

		lot ^= lot << 13;
		lot ^= lot >> 7;
		lot ^= lot << 17;
		k = lot % KEYS;
		if (lot >> 60 < 8) {
			assert_true(map_put(&m, k, lot));
			n += !there[k];
			there[k] = true;
			value_of[k] = lot;
		} else {
			assert_int_equal(map_remove(&m, k), there[k]);
			n -= there[k];
			there[k] = false;
		}
		assert_int_equal(m.n, n);
		if (step % 1000 != 0)
			continue;
		for (size_t i = 0; i < KEYS; i++) {
			const uint64_t *const v = map_find(&m, i);

			assert_int_equal(v != NULL, there[i]);
			if (v)
				assert_int_equal(*v, value_of[i]);
		}
	}
	map_fini(&m);
}

static void
iteration_gives_each_entry_once(void **state)
{
	struct map m;
	uint64_t key;
	uint64_t sum = 0;
	uint64_t *value;
	size_t at = 0;
	size_t n = 0;

	(void)state;
	map_init(&m, 3, 0);
	for (uint64_t k = 0; k < 1000; k++)
		assert_true(map_put(&m, k, k * 2));
	while (map_next(&m, &at, &key, &value)) {
		assert_int_equal(*value, key * 2);
		sum += key;
		n++;
	}
	assert_int_equal(n, 1000);
	assert_int_equal(sum, 1000 * 999 / 2);
	map_clear(&m);
	at = 0;
	assert_false(map_next(&m, &at, &key, &value));
	assert_true(map_put(&m, 5, 6));
	assert_int_equal(*map_find(&m, 5), 6);
	map_fini(&m);
}

static void
limit_refuses_new_keys_only(void **state)
{
	struct map m;

	(void)state;
	map_init(&m, 3, 2);
	assert_true(map_put(&m, 0, 1));
	assert_true(map_put(&m, 1, 1));
	assert_false(map_put(&m, 2, 1));
	assert_null(map_find(&m, 2));
	assert_true(map_put(&m, 1, 5));
	assert_true(map_remove(&m, 0));
	assert_true(map_put(&m, 2, 1));
	assert_int_equal(m.n, 2);
	map_fini(&m);
}

/* Keys that differ only in high bits, or are multiples of the table's size, must not pile up. */
static void
regular_keys_spread(void **state)
{
	struct map m;
	size_t worst = 0;

	(void)state;
	for (unsigned int shift = 0; shift < 50; shift += 7) {
		map_init(&m, hash_seed(), 0);
		for (uint64_t k = 1; k <= 4096; k++)
			assert_true(map_put(&m, k << shift, k));
		for (size_t i = 0, run = 0; i < m.n_slots; i++) {
			run = m.slots[i].key != 0 ? run + 1 : 0;
			worst = run > worst ? run : worst;
		}
		map_fini(&m);
	}
	/* At half full, runs of some twenty are to be expected; a bad hash makes one of thousands. */
	assert_true(worst < 200);
}

static void
pointers_fit(void **state)
{
	struct map m;
	int thing;

	(void)state;
	map_init(&m, 3, 0);
	assert_null(map_find_ptr(&m, 4));
	assert_true(map_put_ptr(&m, 4, &thing));
	assert_ptr_equal(map_find_ptr(&m, 4), &thing);
	map_fini(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_map_finds_nothing),
		cmocka_unit_test(zero_is_a_key_like_any_other),
		cmocka_unit_test(agrees_with_an_array),
		cmocka_unit_test(iteration_gives_each_entry_once),
		cmocka_unit_test(limit_refuses_new_keys_only),
		cmocka_unit_test(regular_keys_spread),
		cmocka_unit_test(pointers_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
