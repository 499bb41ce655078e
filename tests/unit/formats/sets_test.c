/* sets_test.c - the names of --with and their bits */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "formats/sets.h"

static const struct {
	uint32_t bit;
	const char *name;
} rows[] = {
#define SET(bit, name, text) {bit, #name},
#include "formats/sets.def"
#undef SET
	{0, NULL},
};

static void
each_row_by_name_and_bit(void **state)
{
	uint32_t all = 0;

	(void)state;
	for (size_t i = 0; rows[i].name; i++) {
		struct iotap_error err = {0};
		uint32_t sets = 0;

		assert_int_equal(rows[i].bit & (rows[i].bit - 1), 0);
		assert_int_equal(rows[i].bit & all, 0);
		all |= rows[i].bit;
		assert_int_equal(sets_add(&sets, rows[i].name, &err), 0);
		assert_int_equal(sets, rows[i].bit);
		assert_string_equal(set_name(rows[i].bit), rows[i].name);
	}
}

static void
a_list_adds_up(void **state)
{
	struct iotap_error err = {0};
	uint32_t sets = 0, want = 0;
	char list[256] = "";

	(void)state;
	for (size_t i = 0; rows[i].name; i++) {
		(void)snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i > 0 ? "," : "",
			       rows[i].name);
		want |= rows[i].bit;
	}
	if (want != 0)
		assert_int_equal(sets_add(&sets, list, &err), 0);
	assert_int_equal(sets, want);
}

static void
refused(void **state)
{
	static const char *const bad[] = {"", ",", "nosuch", "NOSUCH,", "none", "\033[2J"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct iotap_error err = {0};
		uint32_t sets = 0;

		assert_int_equal(sets_add(&sets, bad[i], &err), IOTAP_EUSAGE);
		assert_non_null(strstr(err.text, "--with"));
		assert_null(strchr(err.text, '\033'));
	}
	assert_null(set_name(1u << 31));
}

/* However long a name is, the message has a piece of it. */
static void
a_name_that_is_too_long(void **state)
{
	struct iotap_error err = {0};
	char name[300];
	uint32_t sets = 0;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(sets_add(&sets, name, &err), IOTAP_EUSAGE);
	assert_int_equal(strspn(strchr(err.text, 'n'), "n"), 80);
	assert_int_equal(sets, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_by_name_and_bit),
		cmocka_unit_test(a_list_adds_up),
		cmocka_unit_test(refused),
		cmocka_unit_test(a_name_that_is_too_long),
	};

	return cmocka_run_group_tests_name("sets", tests, NULL, NULL);
}
