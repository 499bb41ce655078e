/* absent_test.c - decode/absent.c: which interfaces a filter names in vain, and what is said of them */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/absent.h"
#include "tests/lib/unit.h"

static void
seen(struct absent *a, const char *name)
{
	assert_int_equal(absent_seen(a, &(struct rec_interface){.name = rec_str(name)}), 0);
}

static void
expect(const struct absent *a, const char *name, const char *expected)
{
	struct buf text = {.data = NULL};

	assert_int_equal(absent_text(a, name, &text), expected != NULL);
	if (expected)
		assert_string_equal(buf_cstr(&text), expected);
	buf_free(&text);
}

/* situation: 128 */
static void
what_is_said(void **state)
{
	struct absent a = {.names = {.data = NULL}};

	(void)state;
	expect(&a, "lo", "the recording lists no interfaces: whether there is one called \"lo\" is not known");
	seen(&a, "lo");
	seen(&a, "eth0");
	seen(&a, "lo");
	expect(&a, "lo", NULL);
	expect(&a, "eth0", NULL);
	expect(&a, "eth", "no interface is called \"eth\" at the start");
	expect(&a, "ETH0", "no interface is called \"ETH0\" at the start; did you mean \"eth0\"?");
	expect(&a, "", "no interface is called \"\" at the start");
	absent_fini(&a);
}

/* Of a hostile recording: names that are none, and more than any machine has. */
static void
names_are_bounded(void **state)
{
	struct absent a = {.names = {.data = NULL}};
	char name[80];

	(void)state;
	seen(&a, "");
	memset(name, 'x', sizeof(name));
	assert_int_equal(absent_seen(&a, &(struct rec_interface){.name = rec_bytes(name, sizeof(name))}), 0);
	assert_int_equal(absent_seen(&a, &(struct rec_interface){.name = rec_bytes("a\0b", 3)}), 0);
	assert_int_equal(a.names.len, 0);
	for (int i = 0; i < 5000; i++) {
		(void)snprintf(name, sizeof(name), "interface%d", i);
		seen(&a, name);
	}
	assert_true(a.names.len > 8 * 1024 && a.names.len <= 16 * 1024);
	expect(&a, "interface7", NULL);
	expect(&a, "interface4999", "no interface is called \"interface4999\" at the start");
	absent_fini(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_said),
		cmocka_unit_test(names_are_bounded),
	};

	return cmocka_run_group_tests_name("decode/absent", tests, NULL, NULL);
}
