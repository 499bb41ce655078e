/* bytes_test.c - formats/base/bytes.h: round trips, exact bytes, and every way to end too early */
#include "formats/base/bytes.h"

#include "tests/lib/unit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const uint64_t values[] = {
	0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 0xffff, 0x10000, UINT32_MAX, (uint64_t)UINT32_MAX + 1,
	(uint64_t)INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX,
};

static void
numbers_are_little_endian(void **state)
{
	static const uint8_t expected[] = {0x01, 0x03, 0x02, 0x07, 0x06, 0x05, 0x04, 0x0f,
					   0x0e, 0x0d, 0x0c, 0x0b, 0x0a, 0x09, 0x08};
	struct buf b = {0};
	struct bytes_in in;

	(void)state;
	bytes_put_u8(&b, 0x01);
	bytes_put_u16(&b, 0x0203);
	bytes_put_u32(&b, 0x04050607);
	bytes_put_u64(&b, UINT64_C(0x08090a0b0c0d0e0f));
	assert_int_equal(b.len, sizeof(expected));
	assert_memory_equal(b.data, expected, sizeof(expected));
	in = bytes_in(b.data, b.len);
	assert_int_equal(bytes_get_u8(&in), 0x01);
	assert_int_equal(bytes_get_u16(&in), 0x0203);
	assert_int_equal(bytes_get_u32(&in), 0x04050607);
	assert_int_equal(bytes_get_u64(&in), UINT64_C(0x08090a0b0c0d0e0f));
	assert_true(bytes_done(&in));
	buf_free(&b);
}

static void
varints_round_trip(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) {
		struct buf b = {0};
		struct bytes_in in;

		assert_true(bytes_put_varint(&b, values[i]));
		assert_true(bytes_put_zigzag(&b, (int64_t)values[i]));
		in = bytes_in(b.data, b.len);
		assert_int_equal(bytes_get_varint(&in), values[i]);
		assert_int_equal(bytes_get_zigzag(&in), (int64_t)values[i]);
		assert_true(bytes_done(&in));
		buf_free(&b);
	}
}

static void
zigzag_keeps_small_numbers_short(void **state)
{
	(void)state;
	assert_int_equal(bytes_zigzag(0), 0);
	assert_int_equal(bytes_zigzag(-1), 1);
	assert_int_equal(bytes_zigzag(1), 2);
	assert_int_equal(bytes_zigzag(-2), 3);
	assert_int_equal(bytes_zigzag(INT64_MAX), UINT64_MAX - 1);
	assert_int_equal(bytes_zigzag(INT64_MIN), UINT64_MAX);
	assert_int_equal(bytes_unzigzag(UINT64_MAX), INT64_MIN);
}

static void
varints_too_long_are_refused(void **state)
{
	static const uint8_t eleven[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					 0x80, 0x80, 0x80, 0x80, 0x00};
	static const uint8_t over_64_bits[] = {0xff, 0xff, 0xff, 0xff, 0xff,
					       0xff, 0xff, 0xff, 0xff, 0x02};
	struct bytes_in in = bytes_in(eleven, sizeof(eleven));

	(void)state;
	assert_int_equal(bytes_get_varint(&in), 0);
	assert_true(in.bad);
	in = bytes_in(over_64_bits, sizeof(over_64_bits));
	assert_int_equal(bytes_get_varint(&in), 0);
	assert_true(in.bad);
}

static void
every_cut_of_a_record_is_seen(void **state)
{
	struct buf b = {0};

	(void)state;
	bytes_put_u8(&b, 1);
	bytes_put_u16(&b, 2);
	bytes_put_u32(&b, 3);
	bytes_put_u64(&b, 4);
	bytes_put_varint(&b, UINT64_MAX);
	bytes_put_sized(&b, "name", 4);
	for (size_t cut = 0; cut <= b.len; cut++) {
		struct bytes_in in = bytes_in(b.data, cut);
		size_t n;

		bytes_get_u8(&in);
		bytes_get_u16(&in);
		bytes_get_u32(&in);
		bytes_get_u64(&in);
		bytes_get_varint(&in);
		(void)bytes_get_sized(&in, 100, &n);
		assert_int_equal(in.bad, cut < b.len);
		assert_int_equal(bytes_left(&in), 0);
	}
	buf_free(&b);
}

static void
a_bad_cursor_stays_bad(void **state)
{
	static const uint8_t raw[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct bytes_in in = bytes_in(raw, sizeof(raw));

	(void)state;
	assert_null(bytes_get(&in, 9));
	assert_int_equal(bytes_get_u8(&in), 0);
	assert_int_equal(bytes_get_varint(&in), 0);
	assert_null(bytes_get(&in, 0));
	assert_false(bytes_skip(&in, 0));
	assert_false(bytes_done(&in));
}

static void
huge_lengths_do_not_wrap(void **state)
{
	static const uint8_t raw[4] = {1, 2, 3, 4};
	struct bytes_in in = bytes_in(raw, sizeof(raw));

	(void)state;
	assert_null(bytes_get(&in, SIZE_MAX));
	assert_true(in.bad);
}

static void
sized_bytes_keep_to_their_limit(void **state)
{
	struct buf b = {0};
	struct bytes_in in;
	const uint8_t *at;
	size_t n = 99;

	(void)state;
	bytes_put_sized(&b, "hello", 5);
	bytes_put_sized(&b, NULL, 0);
	in = bytes_in(b.data, b.len);
	at = bytes_get_sized(&in, 5, &n);
	assert_int_equal(n, 5);
	assert_memory_equal(at, "hello", 5);
	assert_non_null(bytes_get_sized(&in, 5, &n));
	assert_int_equal(n, 0);
	assert_true(bytes_done(&in));
	in = bytes_in(b.data, b.len);
	assert_null(bytes_get_sized(&in, 4, &n));
	assert_int_equal(n, 0);
	assert_true(in.bad);
	buf_free(&b);
}

static void
sub_cursor_ends_where_it_should(void **state)
{
	static const uint8_t raw[4] = {1, 2, 3, 4};
	struct bytes_in in = bytes_in(raw, sizeof(raw));
	struct bytes_in sub = bytes_sub(&in, 3);

	(void)state;
	assert_int_equal(bytes_get_u16(&sub), 0x0201);
	assert_int_equal(bytes_get_u16(&sub), 0);
	assert_true(sub.bad);
	assert_false(in.bad);
	assert_int_equal(bytes_get_u8(&in), 4);
	sub = bytes_sub(&in, 1);
	assert_true(sub.bad);
	assert_true(in.bad);
	assert_int_equal(bytes_left(&sub), 0);
}

/* One of each kind from nothing, and from a cursor that is one short. */
static void
nothing_is_read_from_nothing(void **state)
{
	static const uint8_t raw[10] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
	size_t size = 7;

	(void)state;
	for (size_t n = 0; n < 2; n++) {
		struct bytes_in in = bytes_in(raw, n);

		if (n == 0)
			assert_int_equal(bytes_get_u8(&in), 0);
		else
			assert_int_equal(bytes_get_u16(&in), 0);
		assert_true(in.bad);
		assert_null(bytes_get_sized(&in, 10, &size));
		assert_int_equal(size, 0);
		assert_int_equal(bytes_left(&in), 0);
	}
	for (size_t n = 0; n <= sizeof(raw); n++) {
		struct bytes_in in = bytes_in(raw, n);

		assert_int_equal(bytes_get_varint(&in), 0);
		assert_true(in.bad);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_little_endian),
		cmocka_unit_test(varints_round_trip),
		cmocka_unit_test(zigzag_keeps_small_numbers_short),
		cmocka_unit_test(varints_too_long_are_refused),
		cmocka_unit_test(every_cut_of_a_record_is_seen),
		cmocka_unit_test(a_bad_cursor_stays_bad),
		cmocka_unit_test(huge_lengths_do_not_wrap),
		cmocka_unit_test(sized_bytes_keep_to_their_limit),
		cmocka_unit_test(sub_cursor_ends_where_it_should),
		cmocka_unit_test(nothing_is_read_from_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
