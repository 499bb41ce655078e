/* pseudonym_test.c - decode/pseudonym.h: what stays of a name, what two of them share */
#include "decode/pseudonym.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/unit.h"

static const char secret[] = "0123456789abcdef";
static const char other[] = "0123456789abcdeg";

static struct pseudonym_keys
keys(const char *of)
{
	struct pseudonym_keys k;

	pseudonym_keys(&k, of, 16);
	return k;
}

/* Of path under the key, in memory of its own; n is set. */
static char *
path_of(const char *of, const char *path, size_t len, size_t limit, size_t *n)
{
	const struct pseudonym_keys k = keys(of);
	struct buf out = {.data = NULL};

	pseudonym_path(&k, &out, path, len, limit);
	*n = out.len;
	(void)buf_cstr(&out);
	return (char *)out.data;
}

static unsigned int
count(const char *p, size_t n, char c)
{
	unsigned int found = 0;

	for (size_t i = 0; i < n; i++)
		found += p[i] == c;
	return found;
}

static void
depth_and_common_extensions_stay(void **state)
{
	static const struct {
		const char *path, *end;
	} rows[] = {
		{"/home/anna/taxes 2025.pdf", ".pdf"}, {"/a/b/", "/"}, {"../x/./y", NULL}, {"//", "//"},
		{"/srv/app/main.c", ".c"}, {"relative", NULL}, {"/", "/"}, {"a.log", ".log"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const size_t len = strlen(rows[i].path);
		size_t n;
		char *const p = path_of(secret, rows[i].path, len, 1000, &n);

		assert_int_equal(count(p, n, '/'), count(rows[i].path, len, '/'));
		if (rows[i].end)
			assert_string_equal(p + n - strlen(rows[i].end), rows[i].end);
		free(p);
	}
}

static void
nothing_else_stays(void **state)
{
	static const char *const secrets[] = {"anna", "taxes", "SECRETEXT", "bashrc"};
	size_t n;
	char *const p = path_of(secret, "/home/anna/.bashrc/taxes.SECRETEXT", 34, 1000, &n);

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_null(strstr(p, secrets[i]));
	free(p);
}

static void
equal_components_are_equal_under_one_key_only(void **state)
{
	size_t n;
	char *const a = path_of(secret, "/var/log", 8, 1000, &n);
	char *const b = path_of(secret, "/var/lib", 8, 1000, &n);
	char *const c = path_of(other, "/var/log", 8, 1000, &n);

	(void)state;
	assert_memory_equal(a, b, 14);
	assert_string_not_equal(a, b);
	assert_true(memcmp(a, c, 13) != 0);
	free(a);
	free(b);
	free(c);
}

static void
abstract_names_and_cut_paths_stay_such(void **state)
{
	size_t n;
	char *p = path_of(secret, "\0name/x", 7, 1000, &n);

	(void)state;
	assert_int_equal(p[0], '\0');
	assert_int_equal(count(p, n, '\0'), 1);
	assert_null(memmem(p, n, "name", 4));
	free(p);
	p = path_of(secret, "\xe2\x80\xa6/x", 5, 1000, &n);
	assert_memory_equal(p, "\xe2\x80\xa6/", 4);
	free(p);
}

/* A path of nothing but short names grows: shorter pseudonyms, or none but one. */
static void
long_paths_stay_within_the_limit(void **state)
{
	char path[400];
	size_t n;
	char *p;

	(void)state;
	for (size_t i = 0; i < sizeof(path); i++)
		path[i] = i % 2 ? 'x' : '/';
	p = path_of(secret, path, sizeof(path), 1500, &n);
	assert_true(n <= 1500);
	assert_int_equal(count(p, n, '/'), 200);
	free(p);
	p = path_of(secret, path, sizeof(path), 100, &n);
	assert_true(n <= 100);
	free(p);
}

static unsigned int
shared_bits(const uint8_t *a, const uint8_t *b, size_t n)
{
	for (unsigned int bit = 0; bit < 8 * n; bit++) {
		if (((a[bit / 8] ^ b[bit / 8]) >> (7 - bit % 8)) & 1)
			return bit;
	}
	return (unsigned int)(8 * n);
}

static void
addresses_share_the_prefixes_they_shared(void **state)
{
	static const uint8_t addresses[][4] = {
		{10, 0, 0, 1}, {10, 0, 0, 2}, {10, 0, 1, 1}, {10, 255, 0, 1}, {192, 168, 1, 1}, {11, 0, 0, 1},
	};
	const struct pseudonym_keys k = keys(secret);

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		for (size_t j = 0; j < 6; j++) {
			uint8_t a[4], b[4];

			memcpy(a, addresses[i], 4);
			memcpy(b, addresses[j], 4);
			pseudonym_address(&k, a, 4);
			pseudonym_address(&k, b, 4);
			assert_int_equal(shared_bits(a, b, 4), shared_bits(addresses[i], addresses[j], 4));
			assert_true(memcmp(a, addresses[i], 4) != 0);
		}
	}
}

static void
addresses_of_every_machine_stay(void **state)
{
	const struct pseudonym_keys k = keys(secret);
	uint8_t none[4] = {0}, loopback[4] = {127, 0, 0, 1}, four[4] = {10, 1};
	uint8_t six[16] = {[15] = 1}, mapped[16] = {[10] = 0xff, 0xff, 10, 1};

	(void)state;
	pseudonym_address(&k, none, 4);
	pseudonym_address(&k, loopback, 4);
	pseudonym_address(&k, six, 16);
	pseudonym_address(&k, mapped, 16);
	pseudonym_address(&k, four, 4);
	assert_int_equal(none[0] | none[1] | none[2] | none[3], 0);
	assert_int_equal(loopback[0], 127);
	assert_int_equal(six[15], 1);
	assert_int_equal(mapped[10], 0xff);
	assert_memory_equal(mapped + 12, four, 4);	/* the same address, however it is written */
}

/* Of six words of an address, those that say "none" and "this machine" stay, and no others do. */
static void
addresses_of_version_6(void **state)
{
	const struct pseudonym_keys k = keys(secret);
	static const uint8_t none[16];
	uint8_t unspecified[16] = {0}, like_loopback[16] = {[15] = 2}, far[16] = {0x20, 1, [15] = 1};

	(void)state;
	pseudonym_address(&k, unspecified, 16);
	assert_memory_equal(unspecified, none, 16);
	pseudonym_address(&k, like_loopback, 16);
	assert_true(like_loopback[15] != 2 || memcmp(like_loopback, none, 15) != 0);
	pseudonym_address(&k, far, 16);
	assert_true(far[0] != 0x20 || far[1] != 1 || far[15] != 1);
}

static void
of_no_name_there_is_none(void **state)
{
	const struct pseudonym_keys k = keys(secret);
	struct buf out = {.data = NULL};

	(void)state;
	pseudonym_name(&k, &out, NULL, 0);
	assert_int_equal(out.len, 0);
	pseudonym_name(&k, &out, "x", 1);
	assert_true(out.len > 0);
	buf_free(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depth_and_common_extensions_stay),
		cmocka_unit_test(nothing_else_stays),
		cmocka_unit_test(equal_components_are_equal_under_one_key_only),
		cmocka_unit_test(abstract_names_and_cut_paths_stay_such),
		cmocka_unit_test(long_paths_stay_within_the_limit),
		cmocka_unit_test(addresses_share_the_prefixes_they_shared),
		cmocka_unit_test(addresses_of_every_machine_stay),
		cmocka_unit_test(addresses_of_version_6),
		cmocka_unit_test(of_no_name_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
