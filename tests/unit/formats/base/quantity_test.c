/* quantity_test.c - formats/base/quantity.h: what is taken, what is refused, and where it overflows */
#include "formats/base/quantity.h"

#include "tests/lib/unit.h"

#define S UINT64_C(1000000000)

struct row {
	const char *text;
	uint64_t value;
};

typedef bool parser(const char *text, uint64_t *out);

static void
takes(parser *parse, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t got = 42;

		if (!parse(rows[i].text, &got))
			fail_msg("'%s' was refused", rows[i].text);
		if (got != rows[i].value)
			fail_msg("'%s' gave %llu", rows[i].text, (unsigned long long)got);
	}
}

static void
refuses(parser *parse, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t got = 42;

		if (parse(texts[i], &got))
			fail_msg("'%s' was taken as %llu", texts[i], (unsigned long long)got);
		assert_int_equal(got, 42);
	}
}

#define TAKES(parse, rows) takes(parse, rows, sizeof(rows) / sizeof((rows)[0]))
#define REFUSES(parse, texts) refuses(parse, texts, sizeof(texts) / sizeof((texts)[0]))

static void
numbers(void **state)
{
	static const struct row good[] = {{"0", 0}, {"007", 7}, {"18446744073709551615", UINT64_MAX}};
	static const char *const bad[] = {"",    " 1", "1 ", "+1", "-1",
					  "0x10", "1k", "a",  "18446744073709551616",
					  "99999999999999999999"};

	(void)state;
	TAKES(quantity_u64, good);
	REFUSES(quantity_u64, bad);
}

static void
sizes(void **state)
{
	static const struct row good[] = {
		{"4096", 4096},
		{"0", 0},
		{"10B", 10},
		{"64k", 65536},
		{"64K", 65536},
		{"64KiB", 65536},
		{"64kib", 65536},
		{"64kB", 65536},
		{"32M", UINT64_C(32) << 20},
		{"1G", UINT64_C(1) << 30},
		{"2T", UINT64_C(2) << 40},
		{"16777215T", UINT64_C(16777215) << 40},
	};
	static const char *const bad[] = {"",    "k",    "64 k", "64kk", "64ki", "64X",
					  "-1k", "1.5M", "64kBx", "iB", "1iB", "16777216T"};

	(void)state;
	TAKES(quantity_bytes, good);
	REFUSES(quantity_bytes, bad);
}

static void
durations(void **state)
{
	static const struct row good[] = {
		{"10", 10 * S},
		{"10s", 10 * S},
		{"0", 0},
		{"0.5", S / 2},
		{"500ms", S / 2},
		{"2m", 120 * S},
		{"1h30m", 5400 * S},
		{"1d", 86400 * S},
		{"1h0m5s250ms", 3605 * S + S / 4},
		{"1.5h", 5400 * S},
		{"3us", 3000},
		{"7ns", 7},
		{"0.0000000019", 1},
		{"18446744073s", UINT64_C(18446744073) * S},
	};
	static const char *const bad[] = {"",      "s",    "1 s",  "1h30", "30m1h", "1s1s", "1x",
					  ".5",    "1.",   "-1",   "1s ",  "1ss",   "1hm",  "18446744074s",
					  "213504d", "1m1d", "1.5.5s"};

	(void)state;
	TAKES(quantity_duration_ns, good);
	REFUSES(quantity_duration_ns, bad);
}

static void
sums_that_overflow(void **state)
{
	static const struct row good[] = {{"18446744073s709551615ns", UINT64_MAX}};
	static const char *const bad[] = {"18446744073s709551616ns", "18446744074s", "18446744073.8s"};

	(void)state;
	TAKES(quantity_duration_ns, good);
	REFUSES(quantity_duration_ns, bad);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(sizes),
		cmocka_unit_test(durations),
		cmocka_unit_test(sums_that_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
