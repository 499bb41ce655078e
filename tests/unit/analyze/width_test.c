/* width_test.c - analyze/width.h: columns of a terminal */
#include "analyze/width.h"

#include <string.h>

#include "tests/lib/unit.h"

static void
width_of_texts(void **state)
{
	static const struct {
		const char *text;
		size_t width;
	} rows[] = {
		{"", 0}, {"abc", 3}, {"\xc3\xa4", 1}, {"e\xcc\x81", 1}, {"\xe6\x96\x87\xe4\xbb\xb6", 4},
		{"\xf0\x9f\x98\x80", 2}, {"\xef\xbf\xbd", 1}, {"\xff", 1}, {"\xe6\x96", 2}, {"\xe2\x80\x8b", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(width_text(rows[i].text, strlen(rows[i].text)), rows[i].width);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(width_of_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
