/* moment_test.c - decode/moment.h: what is a point of time, what is none */
#include "decode/moment.h"

#include <stdlib.h>
#include <time.h>

#include "tests/lib/unit.h"

#define S UINT64_C(1000000000)
#define START (UINT64_C(1700000000) * S)	/* 22:13:20 UTC */

static void
expect(const char *text, uint64_t start_ns, uint64_t expected_ns)
{
	uint64_t ns = 0;

	if (!moment_parse(text, start_ns, &ns))
		fail_msg("\"%s\" is none", text);
	assert_int_equal(ns, expected_ns);
}

static void
expect_none(const char *const *texts)
{
	uint64_t ns;

	for (; *texts; texts++) {
		if (moment_parse(*texts, START, &ns))
			fail_msg("\"%s\" is %llu", *texts, (unsigned long long)ns);
	}
}

static void
unix_time(void **state)
{
	static const char *const none[] = {"@", "@x", "@-1", "@1.", "@1.5x", "@1x", "@1:00", "@18446744073",
					   "@18446744073709551616", NULL};

	(void)state;
	expect("@1700000000.25", 0, START + S / 4);
	expect("@0", START, 0);
	expect("@1.123456789999", START, S + 123456789);	/* finer than a nanosecond is cut */
	expect("@18446744072", 0, UINT64_C(18446744072) * S);
	expect_none(none);
}

static void
time_of_day(void **state)
{
	static const char *const none[] = {":", "1:2", "1:2:03", "123:00", "x:00", "14:1x", "14:13:2", "14:13:",
					   "14:13:20.", "14:13:20.x", "14:13x", "24:00", "14:60", "14:13:61",
					   "-1:00", NULL};

	(void)state;
	expect("22:13:20", START, START);
	expect("22:13:20.5", START, START + S / 2);
	expect("22:14", START, START + 40 * S);
	expect("22:12:21", START, START - 59 * S);		/* a minute before the beginning is still that day */
	expect("1:02:03", START, START + (UINT64_C(2 * 3600 + 48 * 60 + 43)) * S);	/* the next day */
	expect_none(none);
}

static void
after_the_beginning(void **state)
{
	static const char *const none[] = {"", "+", "++1s", "noon", "-1s", NULL};
	uint64_t ns;

	(void)state;
	expect("10s", START, START + 10 * S);
	expect("+1m30s", START, START + 90 * S);
	expect("1", START, START + S);
	expect_none(none);
	assert_false(moment_parse("10s", UINT64_MAX - S, &ns));
}

/* Before 1970 there is no Unix time: the first hours of that day in a zone to the east. */
static void
before_the_beginning_of_time(void **state)
{
	uint64_t ns;

	(void)state;
	assert_int_equal(setenv("TZ", "EAST-10", 1), 0);
	tzset();
	assert_false(moment_parse("00:30", 0, &ns));
	expect("10:30", 0, 1800 * S);
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	tzset();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unix_time),
		cmocka_unit_test(time_of_day),
		cmocka_unit_test(after_the_beginning),
		cmocka_unit_test(before_the_beginning_of_time),
	};

	if (setenv("TZ", "UTC", 1) != 0)
		return 1;
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
