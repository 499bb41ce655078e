/* looks_like_test.c - formats/looks_like.c: what an input is that is no recording, from memory of its very size */
#include <stdlib.h>
#include <string.h>

#include "formats/reader.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

static const char *
look(const char *bytes, size_t n)
{
	uint8_t *const exact = sample_copy(bytes, n);
	const char *const said = reader_looks_like(exact, n); /* a constant, not of the bytes */

	free(exact);
	return said;
}

static void
what_things_are(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *words; /* NULL = nothing known */
	} rows[] = {
		{"", 0, "is empty"},
		{"SQLite format 3\0", 16, "SQLite"},
		{"\x7f"
		 "ELF\2\1",
		 6, "ELF"},
		{"\x28\xb5\x2f\xfd", 4, "zstd -dc"},
		{"\x1f\x8b\x08", 3, "zcat"},
		{"\xfd"
		 "7zXZ",
		 5, "xzcat"},
		{"BZh9", 4, "bzcat"},
		{"PK\x03\x04", 4, "zip"},
		{"PERFILE2", 8, "perf"},
		{"<!DOCTYPE html>", 15, "HTML"},
		{"{\"type\":\"event\"}", 16, "JSON Lines"},
		/* One byte short of each of these: text, or nothing known. */
		{"SQLite format 3", 15, "is text"},
		{"\x7f"
		 "EL",
		 3, "is text"},
		{"\x1f", 1, NULL},
		{"PERFILE", 7, "is text"},
		{"{", 1, "is text"},
		{"hello\n", 6, "is text"},
		{"\x1b[1mbold", 8, "is text"},
		{"caf\xc3\xa9", 5, "is text"},
		{"\0\0\0\0", 4, NULL},
		{"abc\0", 4, NULL},
		{"\xff\xfe\xfd\xfc\xfb\xfa", 6, NULL},
		{"abc\x01", 4, NULL},
		/* Only the last character may be cut off. */
		{"abc\xe2\x82", 5, "is text"},
		{"abc\xe2\x82 and then some more", 23, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const said = look(rows[i].bytes, rows[i].n);

		if ((said == NULL) != (rows[i].words == NULL) ||
		    (said && !strstr(said, rows[i].words)))
			fail_msg("row %zu: %s", i, said ? said : "nothing");
	}
}

static void
what_a_recording_is(void **state)
{
	(void)state;
	assert_true(reader_is_recording("IoTB", 4));
	assert_false(reader_is_recording("IoTB", 3));
	assert_false(reader_is_recording("IotB", 4));
	assert_false(reader_is_recording("", 0));
}

/* The remedy stands in the error that a reader gives, behind the name of the input, on one line. */
static void
a_reader_says_it(void **state)
{
	static const char json[] = "{\"type\":\"event\"}\n";
	struct reader *const reader = reader_new_memory(json, strlen(json), "a\nname");
	struct reader_item item;

	(void)state;
	assert_int_equal(reader_next(reader, &item), IOTAP_ENOTREC);
	assert_non_null(strstr(reader_error(reader)->text, "a?name"));
	assert_non_null(strstr(reader_error(reader)->text, "iotap-decode -F events"));
	assert_int_equal(reader_next(reader, &item), IOTAP_ENOTREC); /* an error is final */
	reader_free(reader);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_things_are),
		cmocka_unit_test(what_a_recording_is),
		cmocka_unit_test(a_reader_says_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
