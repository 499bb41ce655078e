/* ids_test.c - formats/ids.h: what was put is found, what was not is not, nothing stays behind */
#include "formats/ids.h"

#include "tests/lib/unit.h"

static void
neighbours_and_strangers_are_found(void **state)
{
	static const uint64_t far[] = {0, 1, 63, 64, 65, UINT32_MAX, UINT64_C(1) << 40, UINT64_MAX - 1, UINT64_MAX};
	struct ids t;

	(void)state;
	ids_init(&t);
	for (uint32_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		assert_int_equal(ids_find(&t, far[i]), 0);
		assert_true(ids_put(&t, far[i], i + 1));
		assert_int_equal(t.n, i + 1);
	}
	for (uint32_t i = 0; i < sizeof(far) / sizeof(far[0]); i++)
		assert_int_equal(ids_find(&t, far[i]), i + 1);
	assert_int_equal(ids_find(&t, 2), 0);
	assert_int_equal(ids_find(&t, UINT64_MAX - 64), 0);
	ids_fini(&t);
}

static void
another_number_replaces(void **state)
{
	struct ids t;

	(void)state;
	ids_init(&t);
	assert_true(ids_put(&t, 7, 1) && ids_put(&t, 7, 2));
	assert_int_equal(t.n, 1);
	assert_int_equal(ids_find(&t, 7), 2);
	ids_remove(&t, 8);
	ids_remove(&t, 7000);
	assert_int_equal(t.n, 1);
	ids_remove(&t, 7);
	ids_remove(&t, 7);
	assert_int_equal(t.n, 0);
	assert_int_equal(ids_find(&t, 7), 0);
	ids_fini(&t);
}

/* A window that goes on, as the table of definitions has it: pages come and go. */
static void
a_window_that_goes_on_keeps_what_is_in_it(void **state)
{
	enum { WINDOW = 1000, STEPS = 20000 };
	struct ids t;

	(void)state;
	ids_init(&t);
	for (uint64_t id = 0; id < STEPS; id++) {
		assert_true(ids_put(&t, id, (uint32_t)id + 1));
		if (id >= WINDOW)
			ids_remove(&t, id - WINDOW);
		if (id % 97 == 0) {
			for (uint64_t back = 0; back < 2 * WINDOW && back <= id; back++)
				assert_int_equal(ids_find(&t, id - back), back < WINDOW ? id - back + 1 : 0);
		}
	}
	assert_int_equal(t.n, WINDOW);
	assert_true(t.pages.n <= WINDOW / 64 + 2);	/* no page stays without an entry */
	ids_fini(&t);
}

/* Pages that share a place among the last ones looked up. */
static void
a_page_that_went_is_not_looked_at_again(void **state)
{
	const uint64_t apart = 64 * IDS_HOT;
	struct ids t;

	(void)state;
	ids_init(&t);
	for (int round = 0; round < 3; round++) {
		assert_true(ids_put(&t, 5, 1) && ids_put(&t, 5 + apart, 2));
		assert_int_equal(ids_find(&t, 5), 1);
		ids_remove(&t, 5 + apart);
		assert_int_equal(ids_find(&t, 5 + apart), 0);
		assert_int_equal(ids_find(&t, 5), 1);
		ids_remove(&t, 5);
		assert_int_equal(ids_find(&t, 5), 0);
		assert_int_equal(t.pages.n, 0);
	}
	ids_fini(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_and_strangers_are_found),
		cmocka_unit_test(another_number_replaces),
		cmocka_unit_test(a_window_that_goes_on_keeps_what_is_in_it),
		cmocka_unit_test(a_page_that_went_is_not_looked_at_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
