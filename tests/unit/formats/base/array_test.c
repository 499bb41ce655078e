/* array_test.c - arrays keep what they hold while they grow, and what they have when they cannot */
#include "formats/base/array.h"

#include <stdint.h>
#include <stdlib.h>

#include "tests/lib/unit.h"

static void
grows_as_it_fills(void **state)
{
	uint32_t *p = NULL;
	size_t cap = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		p = array_room(p, i, &cap, sizeof(*p), 3);
		assert_non_null(p);
		assert_true(cap > i);
		p[i] = i;
	}
	assert_int_equal(cap, 1536);	/* 3, doubled */
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(p[i], i);
	free(p);
}

static void
too_much_leaves_all_as_it_is(void **state)
{
	char *const p = malloc(1);
	size_t cap = 1;

	(void)state;
	assert_null(array_room(p, 1, &cap, SIZE_MAX / 2 + 1, 1));
	assert_int_equal(cap, 1);
	free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_as_it_fills),
		cmocka_unit_test(too_much_leaves_all_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
