/* units_test.c - formats/base/units.h: numbers for people */
#include "formats/base/units.h"

#include "tests/lib/unit.h"

/* situation: 113 */
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

/* situation: 114 */
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

/* situation: 115 */
static void
one_is_singular(void **state)
{
	char text[UNITS_SIZE];

	(void)state;
	assert_string_equal(units_count(text, 1, "call"), "1 call");
	assert_string_equal(units_count(text, 0, "call"), "0 calls");
	assert_string_equal(units_count(text, 1, "child process"), "1 child process");
	assert_string_equal(units_count(text, 2, "child process"), "2 child processes");
	assert_string_equal(units_count(text, 1, "entry"), "1 entry");
	assert_string_equal(units_count(text, 0, "entry"), "0 entries");
	assert_string_equal(units_count(text, UINT64_MAX, "connection"), "18446744073709551615 connections");
}

static void
a_noun_without_letters(void **state)
{
	char text[UNITS_SIZE];

	(void)state;
	assert_string_equal(units_count(text, 2, ""), "2 s");
	assert_string_equal(units_count(text, 1, ""), "1 ");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_carry_to_the_next_unit),
		cmocka_unit_test(durations_and_latencies_are_truncated),
		cmocka_unit_test(one_is_singular),
		cmocka_unit_test(a_noun_without_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
