/* units_test.c - decode/units.h, decode/digits.h, decode/address.h: numbers and addresses as text */
#include "decode/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/address.h"
#include "decode/digits.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

static void
bytes_carry_to_the_next_unit(void **state)
{
	static const struct {
		uint64_t n;
		const char *text;
	} rows[] = {
		{0, "0 B"}, {1023, "1023 B"}, {1024, "1.0 KiB"}, {1535, "1.5 KiB"}, {1536, "1.5 KiB"},
		{1048575, "1.0 MiB"}, {1048576, "1.0 MiB"}, {UINT64_C(14785000), "14.1 MiB"},
		{UINT64_C(1) << 50, "1.0 PiB"}, {UINT64_MAX, "16384.0 PiB"},
	};
	char text[UNITS_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(units_bytes(text, rows[i].n), rows[i].text);
}

static void
durations_and_latencies_are_truncated(void **state)
{
	char text[UNITS_SIZE];

	(void)state;
	assert_string_equal(units_duration(text, UINT64_C(12449000000)), "12.4 s");
	assert_string_equal(units_duration(text, 99999999), "0.0 s");
	assert_string_equal(units_latency(text, 52345), "0.052 ms");
	assert_string_equal(units_latency(text, 1234567890), "1234.567 ms");
	assert_string_equal(units_latency(text, UINT64_MAX), "18446744073709.551 ms");
}

static void
one_is_singular(void **state)
{
	char text[UNITS_SIZE];

	(void)state;
	assert_string_equal(units_count(text, 1, "call"), "1 call");
	assert_string_equal(units_count(text, 0, "call"), "0 calls");
	assert_string_equal(units_count(text, 1, "child process"), "1 child process");
	assert_string_equal(units_count(text, 2, "child process"), "2 child processes");
	assert_string_equal(units_count(text, UINT64_MAX, "connection"), "18446744073709551615 connections");
}

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
		cmocka_unit_test(bytes_carry_to_the_next_unit),
		cmocka_unit_test(durations_and_latencies_are_truncated),
		cmocka_unit_test(one_is_singular),
		cmocka_unit_test(digits_are_those_of_printf),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
