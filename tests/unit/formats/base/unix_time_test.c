/* unix_time_test.c - formats/base/unix_time.h: no time wraps, whatever a recording says */
#include "formats/base/unix_time.h"

#include "tests/lib/unit.h"

#define MAX UNIX_TIME_MAX
#define NEGATIVE(n) ((uint64_t)0 - (n))

static void
clocks_are_those_of_a_kernel(void **state)
{
	uint64_t offset = 7;

	(void)state;
	assert_true(unix_time_offset(5, 1700, &offset));
	assert_true(offset == 1695);
	assert_true(unix_time_offset(5, 0, &offset));
	assert_true(offset == NEGATIVE(5));
	assert_true(unix_time_offset(MAX, 0, &offset));
	assert_true(offset == NEGATIVE(MAX));
	assert_true(unix_time_offset(0, INT64_MAX, &offset));
	assert_true(offset == MAX);
	assert_false(unix_time_offset(MAX + 1, 0, &offset));
	assert_false(unix_time_offset(UINT64_MAX, INT64_MAX, &offset));
	assert_false(unix_time_offset(0, -1, &offset));
	assert_false(unix_time_offset(0, INT64_MIN, &offset));
	assert_true(offset == MAX);		/* stands */
}

static void
a_time_stays_at_the_end_that_it_passes(void **state)
{
	static const struct {
		uint64_t ns, offset, sum;
	} rows[] = {
		{5, 1695, 1700}, {5, 0, 5}, {5, NEGATIVE(5), 0}, {5, NEGATIVE(6), 0}, {6, NEGATIVE(5), 1},
		{0, MAX, MAX}, {1, MAX, MAX}, {MAX, MAX, MAX}, {MAX, 0, MAX}, {MAX + 1, 0, MAX},
		{UINT64_MAX, MAX, MAX}, {UINT64_MAX, NEGATIVE(MAX), 0}, {MAX, NEGATIVE(MAX), 0}, {0, NEGATIVE(MAX), 0},
		{0, MAX + 1, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_true(unix_time_add(rows[i].ns, rows[i].offset) == rows[i].sum);
	assert_true(unix_time_less(1700, 1695) == 5);
	assert_true(unix_time_less(1700, 1701) == 0);
	assert_true(unix_time_less(1700, NEGATIVE(5)) == 1705);
	assert_true(unix_time_less(MAX, NEGATIVE(5)) == MAX);
	assert_true(unix_time_less(0, MAX + 1) == MAX);
}

static void
steps_do_not_change_their_sign(void **state)
{
	(void)state;
	assert_true(unix_time_step(7, 5) == 2);
	assert_true(unix_time_step(5, 7) == -2);
	assert_true(unix_time_step(MAX, NEGATIVE(1)) == INT64_MAX);
	assert_true(unix_time_step(NEGATIVE(MAX), MAX) == -INT64_MAX);
	assert_true(unix_time_step(NEGATIVE(MAX), 1) == -INT64_MAX);
}

/* Where it says that they fit, adding without looking is what adding with looking is. */
static void
what_fits_may_be_added(void **state)
{
	static const uint64_t edges[] = {0, 1, 5, MAX - 1, MAX, MAX + 1, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
		for (size_t j = 0; j < sizeof(edges) / sizeof(edges[0]); j++) {
			const uint64_t sum = edges[i] + edges[j];
			const bool fits = unix_time_fits(edges[i], edges[i], edges[j]);

			assert_true(!fits || (sum <= MAX && unix_time_add(edges[i], edges[j]) == sum));
			assert_true(fits || edges[i] > MAX || sum > MAX || edges[j] == MAX + 1);
		}
	}
	assert_true(unix_time_fits(5, MAX - 5, 5));
	assert_false(unix_time_fits(5, MAX - 4, 5));
	assert_true(unix_time_fits(5, MAX, NEGATIVE(5)));
	assert_false(unix_time_fits(4, MAX, NEGATIVE(5)));
	assert_false(unix_time_fits(5, 4, 0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_are_those_of_a_kernel),
		cmocka_unit_test(a_time_stays_at_the_end_that_it_passes),
		cmocka_unit_test(steps_do_not_change_their_sign),
		cmocka_unit_test(what_fits_may_be_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
