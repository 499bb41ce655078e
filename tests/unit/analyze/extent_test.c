/* extent_test.c - analyze/extent.h: conditions on Unix time and number as ranges of boot time */
#include "analyze/extent.h"

#include "tests/lib/story.h"
#include "tests/lib/unit.h"

/* Three batches; before the last one the clock was set back, so that Unix times repeat. */
static struct extent all[] = {
	{.first_ns = 100,
	 .last_ns = 200,
	 .unix_offset_ns = 1000,
	 .first_number = 0,
	 .last_number = 9},
	{.first_ns = 200,
	 .last_ns = 300,
	 .unix_offset_ns = 1000,
	 .first_number = 10,
	 .last_number = 19},
	{.first_ns = 400,
	 .last_ns = 500,
	 .unix_offset_ns = 800,
	 .first_number = 20,
	 .last_number = 20},
};
static const struct extents three = {.all = all, .n = 3, .cap = 3, .known = 1};

static void
expect_unix(int64_t low, int64_t high, uint64_t from, uint64_t to)
{
	uint64_t a = 0, b = UINT64_MAX;

	extents_by_unix(&three, low, high, &a, &b);
	if (a != from || b != to)
		fail_msg("%lld..%lld: %llu..%llu", (long long)low, (long long)high,
			 (unsigned long long)a, (unsigned long long)b);
}

static void
unix_times(void **state)
{
	(void)state;
	expect_unix(INT64_MIN, INT64_MAX, 100, 500);
	expect_unix(1100, 1150, 100, 200);
	expect_unix(1200, 1200, 100, 500); /* the first two, and the last one again */
	expect_unix(1201, 1250, 200, 500);
	expect_unix(1299, 1299, 200, 500);
	expect_unix(1301, INT64_MAX, UINT64_MAX, 0);
	expect_unix(0, 1099, UINT64_MAX, 0);
}

static void
expect_number(int64_t low, int64_t high, uint64_t from, uint64_t to)
{
	uint64_t a = 0, b = UINT64_MAX;

	extents_by_number(&three, low, high, &a, &b);
	assert_true(a == from && b == to);
}

static void
numbers(void **state)
{
	(void)state;
	expect_number(0, 0, 100, 200);
	expect_number(9, 10, 100, 300);
	expect_number(20, INT64_MAX, 400, 500);
	expect_number(21, INT64_MAX, UINT64_MAX, 0);
	expect_number(INT64_MIN, -1, UINT64_MAX, 0);
	assert_int_equal(extents_calls(&three), 21);
	assert_int_equal(extents_calls(&(struct extents){.all = NULL}), 0);
}

/* A range is only ever narrowed. */
static void
conditions_together(void **state)
{
	uint64_t a = 150, b = 450;

	(void)state;
	extents_by_unix(&three, 1100, 1150, &a, &b);
	assert_true(a == 150 && b == 200);
	extents_by_number(&three, 10, 12, &a, &b);
	assert_true(a == 200 && b == 200);
	extents_by_number(&three, 20, 20, &a, &b);
	assert_true(a > b);
}

/* Calls of a later version's recording may be anywhere. */
static void
numbers_over_the_largest(void **state)
{
	struct extent far[] = {{.first_ns = 1,
				.last_ns = 2,
				.first_number = UINT64_MAX - 5,
				.last_number = UINT64_MAX - 1}};
	const struct extents e = {.all = far, .n = 1};
	uint64_t a = 0, b = UINT64_MAX;

	(void)state;
	extents_by_number(&e, INT64_MAX, INT64_MAX, &a, &b);
	assert_true(a == 1 && b == 2);
}

static void
read_from_a_recording(void **state)
{
	struct input in = {.name = "story", .kind = INPUT_RECORDING, .seekable = true};
	struct iotap_error err = {.code = 0};
	struct extents e = {.all = NULL};

	(void)state;
	in.fd = story_fd(STORY_BEGIN
			 "block calls\n"
			 "call key=5000000100 duration=1 tid=10 tgid=10 call=read\n"
			 "call key=5000000200 duration=1 tid=10 tgid=10 call=read\n"
			 "block calls\n"
			 "call key=5000000300 duration=1 tid=10 tgid=10 call=read\n" STORY_END);
	assert_int_equal(extents_read(&e, &in, &err), 0);
	assert_int_equal(e.n, 2);
	assert_int_equal(e.all[0].first_ns, 5000000100);
	assert_int_equal(e.all[0].last_ns, 5000000200);
	assert_int_equal(e.all[1].first_number, 2);
	assert_int_equal(e.all[1].unix_offset_ns, UINT64_C(1700000000000000000) - 5000000000);
	assert_int_equal(extents_calls(&e), 3);
	input_close(&in);
	assert_int_equal(extents_read(&e, &in, &err), 0); /* read once only */
	assert_int_equal(e.n, 2);
	extents_fini(&e);
	assert_int_equal(extents_read(&e, &in, &err), IOTAP_EIO);
	extents_fini(&e);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unix_times),
		cmocka_unit_test(numbers),
		cmocka_unit_test(conditions_together),
		cmocka_unit_test(numbers_over_the_largest),
		cmocka_unit_test(read_from_a_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
