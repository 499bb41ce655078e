/* arguments_test.c - formats/base/arguments.h: one by one, and as a line for people */
#include "formats/base/arguments.h"

#include <string.h>

#include "tests/lib/unit.h"

static void
one_by_one(void **state)
{
	static const char row[] = "sh\0\0-c";	/* the string's own end is no part of it */
	size_t at = 0, n;

	(void)state;
	assert_ptr_equal(arguments_next(row, 6, &at, &n), row);
	assert_int_equal(n, 2);
	assert_ptr_equal(arguments_next(row, 6, &at, &n), row + 3);
	assert_int_equal(n, 0);
	assert_ptr_equal(arguments_next(row, 6, &at, &n), row + 4);
	assert_int_equal(n, 2);
	assert_null(arguments_next(row, 6, &at, &n));
	assert_true(arguments_cut(row, 6));
	assert_false(arguments_cut(row, 4));
	assert_false(arguments_cut(row, 0));
	at = 0;
	assert_null(arguments_next(NULL, 0, &at, &n));
}

static void
line(const char *row, size_t n, size_t most, const char *expected)
{
	struct buf out;

	buf_init(&out, 0);
	arguments_text(&out, row, n, most);
	assert_string_equal(buf_cstr(&out), expected);
	buf_free(&out);
}

static void
for_people(void **state)
{
	static const char plain[] = "ls\0-l\0/tmp/x_y,z:1=2+3@4%5^.";
	static const char odd[] = "a b\0it's\0\0$HOME\0\x1b[1m";
	static const char wide[] = "\xc3\xa4\0\xe2\x82\xac\xe2\x82\xac";

	(void)state;
	line(plain, sizeof(plain), 100, "ls -l /tmp/x_y,z:1=2+3@4%5^.");
	line(odd, sizeof(odd), 100, "'a b' 'it'\\''s' '' '$HOME' '?[1m'");
	line(odd, sizeof(odd) - 1, 100, "'a b' 'it'\\''s' '' '$HOME' '?[1m'...");
	line(plain, sizeof(plain), 4, "ls -...");
	line(plain, sizeof(plain), 3, "ls...");
	/* Never in the middle of a character. */
	line(wide, sizeof(wide), 100, "\xc3\xa4 \xe2\x82\xac\xe2\x82\xac");
	for (size_t most = 6; most < 9; most++)
		line(wide, sizeof(wide), most, "\xc3\xa4 \xe2\x82\xac...");
	line("\x80\x80\x80", 4, 2, "''...");	/* none to end at */
	line("AZ\0[", 5, 100, "AZ '['");
	line("a~{|\x7f", 6, 100, "'a~{|?'");
	line("", 0, 10, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_by_one),
		cmocka_unit_test(for_people),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
