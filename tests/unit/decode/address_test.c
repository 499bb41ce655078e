/* address_test.c - decode/address.h, decode/digits.h: addresses and numbers as text */
#include "decode/address.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/digits.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

static void
expect_digits(uint64_t v)
{
	char expected[32], text[32];

	(void)snprintf(expected, sizeof(expected), "%" PRIu64, v);
	*digits_u64(text, v) = '\0';
	assert_string_equal(text, expected);
	(void)snprintf(expected, sizeof(expected), "%" PRId64, (int64_t)v);
	*digits_i64(text, (int64_t)v) = '\0';
	assert_string_equal(text, expected);
}

static void
digits_are_those_of_printf(void **state)
{
	uint64_t lot = 1;

	(void)state;
	expect_digits(0);
	expect_digits(UINT64_MAX);
	expect_digits((uint64_t)INT64_MIN);
	for (uint64_t power = 10; power < UINT64_MAX / 10; power *= 10) {
		expect_digits(power - 1);
		expect_digits(power);
	}
	for (int i = 0; i < 20000; i++) {
		const uint64_t v = sample_lot(&lot);

		expect_digits(v >> (v & 63));
	}
}

static void
addresses(void **state)
{
	static const uint8_t four[] = {192, 168, 1, 20};
	static const uint8_t six[16] = {[0] = 0x20, [1] = 1, [2] = 0xd, [3] = 0xb8, [15] = 1};
	static const uint8_t mapped[16] = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1};
	static const uint8_t mapped_none[16] = {[10] = 0xff, [11] = 0xff};
	char text[ADDRESS_SIZE];

	(void)state;
	assert_string_equal(address_text(text, four, 4, 443, true), "192.168.1.20:443");
	assert_string_equal(address_text(text, four, 4, 443, false), "192.168.1.20");
	assert_string_equal(address_text(text, six, 16, 65535, true), "[2001:db8::1]:65535");
	assert_string_equal(address_text(text, six, 16, 1, false), "2001:db8::1");
	assert_string_equal(address_text(text, mapped, 16, 80, true), "127.0.0.1:80");
	assert_string_equal(address_text(text, four, 3, 80, true), "");
	assert_true(address_is_unspecified(mapped_none, 16));
	assert_false(address_is_unspecified(mapped, 16));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_are_those_of_printf),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
