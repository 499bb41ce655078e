/* glob_test.c - patterns of paths: what they match, against fnmatch(3), and what is refused */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/glob.h"

static struct glob *
made(const char *pattern)
{
	struct glob *const g = calloc(1, sizeof(*g));
	struct iotap_error err = {0};

	assert_non_null(g);
	if (glob_add(g, pattern, &err) != 0)
		fail_msg("%s: %s", pattern, err.text);
	return g;
}

static void
check(const char *pattern, const char *path, bool wanted)
{
	struct glob *const g = made(pattern);

	if (glob_matches(g, path, strlen(path)) != wanted)
		fail_msg("%s should %smatch %s", pattern, wanted ? "" : "not ", path);
	free(g);
}

static void
what_they_mean(void **state)
{
	(void)state;
	check("/etc/passwd", "/etc/passwd", true);
	check("/etc/passwd", "/etc/passwd-", false);
	check("/etc/passwd", "/etc/passw", false);
	check("/etc/*", "/etc/", true);
	check("/etc/*", "/etc/ssl/certs/x.pem", true);	/* a star goes over slashes */
	check("/etc/*", "/etc", false);
	check("*", "/", true);
	check("*.log", "/var/log/.log", true);
	check("*.log", "/var/log/a.log.1", false);
	check("/a/**/b", "/a/x/y/b", true);
	check("/a/**b", "/a/b", true);
	check("/?/x", "/a/x", true);
	check("/a?b", "/a/b", true);
	check("/a?", "/a", false);
	check("/[a-c]x", "/bx", true);
	check("/[a-c]x", "/dx", false);
	check("/[!a-c]x", "/dx", true);
	check("/[^a-c]x", "/bx", false);
	check("/[]x]", "/]", true);
	check("/[!]x]", "/]", false);
	check("/[a-]", "/-", true);
	check("/[\\]]", "/]", true);
	check("/\\*", "/*", true);
	check("/\\*", "/x", false);
	check("/a", "/A", false);
	check("/\xff*", "/\xff\xfe", true);
	check("*a*b*c", "/xaybzc", true);
	check("*a*b*c", "/xaybzcd", false);
	check("*aab", "/aaab", true);
}

static void
any_of_several(void **state)
{
	struct glob *const g = made("/a/*");
	struct iotap_error err = {0};

	(void)state;
	assert_int_equal(glob_add(g, "/b?", &err), 0);
	assert_int_equal(glob_add(g, "*z", &err), 0);
	assert_true(glob_matches(g, "/a/1", 4));
	assert_true(glob_matches(g, "/b1", 3));
	assert_true(glob_matches(g, "/cz", 3));
	assert_false(glob_matches(g, "/b12", 4));
	assert_false(glob_matches(g, "/a", 2));
	assert_false(glob_matches(g, "/a/1/b1" + 4, 1));
	assert_false(glob_matches(g, "", 0));
	free(g);
}

static void
none_matches_nothing(void **state)
{
	struct glob *const g = calloc(1, sizeof(*g));

	(void)state;
	assert_int_equal(glob_words(g), 0);
	assert_false(glob_matches(g, "/a", 2));
	free(g);
}

static void
over_the_words(void **state)
{
	char pattern[GLOB_PLACES], path[2 * GLOB_PLACES];
	struct glob *const g = calloc(1, sizeof(*g));
	struct iotap_error err = {0};

	(void)state;
	memset(pattern, 'a', sizeof(pattern));
	pattern[0] = '/';
	pattern[100] = '*';
	pattern[200] = '\0';
	memset(path, 'a', sizeof(path));
	path[0] = '/';
	assert_int_equal(glob_add(g, pattern, &err), 0);
	assert_int_equal(glob_words(g), 4);
	assert_true(glob_matches(g, path, 199));
	assert_true(glob_matches(g, path, 700));
	assert_false(glob_matches(g, path, 198));
	path[150] = 'b';
	assert_false(glob_matches(g, path, 199));
	assert_true(glob_matches(g, path, 300));
	free(g);
}

static void
refused(void **state)
{
	static const char *const bad[] = {"", "name", "./x", "/a[", "/[abc", "/[]", "/[!]", "/x\\", "/[a\\",
					  "/[a-\\", "/[[:alpha:]]", "/[[.a.]]", "/[[=a=]]"};
	struct glob *const g = calloc(1, sizeof(*g));
	struct iotap_error err = {0};
	char longer[GLOB_PLACES + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (glob_add(g, bad[i], &err) != IOTAP_EUSAGE)
			fail_msg("%s is not refused", bad[i]);
	}
	memset(longer, '?', sizeof(longer));
	longer[GLOB_PLACES] = '\0';
	memset(g, 0, sizeof(*g));
	assert_int_equal(glob_add(g, longer, &err), IOTAP_EUSAGE);
	longer[GLOB_PLACES - 1] = '\0';
	memset(g, 0, sizeof(*g));
	assert_int_equal(glob_add(g, longer, &err), 0);
	assert_int_equal(glob_add(g, "/", &err), IOTAP_EUSAGE);
	assert_int_equal(glob_add(g, "*", &err), IOTAP_EUSAGE);
	free(g);
}

/* A row of numbers that is the same in each run. */
static uint32_t
next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

static void
as_fnmatch_does(void **state)
{
	static const char *const pieces[] = {"*", "?", "a", "b", "/", "[ab]", "[!a]", "\\a", "[a-b]", "**", "\\*"};
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char pattern[128] = "/", path[32] = "/";
		const size_t n_pieces = next(&seed) % 12, n_path = next(&seed) % 14;
		struct iotap_error err = {0};
		struct glob g = {.n_places = 0};

		for (size_t j = 0; j < n_pieces; j++)
			strcat(pattern, pieces[next(&seed) % (sizeof(pieces) / sizeof(pieces[0]))]);
		for (size_t j = 0; j < n_path; j++)
			path[1 + j] = "ab/*"[next(&seed) % 4];
		assert_int_equal(glob_add(&g, pattern, &err), 0);
		if (glob_matches(&g, path, strlen(path)) != (fnmatch(pattern, path, 0) == 0))
			fail_msg("%s and %s", pattern, path);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_they_mean),
		cmocka_unit_test(any_of_several),
		cmocka_unit_test(none_matches_nothing),
		cmocka_unit_test(over_the_words),
		cmocka_unit_test(refused),
		cmocka_unit_test(as_fnmatch_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
