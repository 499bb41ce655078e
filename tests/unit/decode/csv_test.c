/* csv_test.c - decode/csv.h: fields that need care */
#include "decode/csv.h"

#include <string.h>

#include "tests/lib/unit.h"

/* The line of an event on a target, whose process has that name. */
static void
expect(bool tsv, const char *target, const char *process, const char *line)
{
	const struct iotap_target t = {.text = target, .text_len = strlen(target), .kind = IOTAP_KIND_FILE};
	const struct iotap_process p = {.name = process, .name_len = strlen(process)};
	const struct iotap_event e = {
		.number = 4, .time_ns = UINT64_C(1700000000000000005), .pid = 1, .tid = 2, .fd = -1, .fd2 = -1,
		.requested = IOTAP_UNKNOWN, .bytes = 0, .result = -1, .err_name = "EPERM", .offset = IOTAP_UNKNOWN,
		.duration_ns = 1234567, .dir = IOTAP_DIR_READ, .syscall = "read", .target = &t, .process = &p,
	};
	struct buf out = {.data = NULL};

	csv_event(&out, tsv, &e);
	assert_string_equal(buf_cstr(&out), line);
	buf_free(&out);
}

#define HEAD "4,2023-11-14T22:13:20.000000005Z,1,2,"
#define MIDDLE ",read,read,,,0,EPERM,-1,1.234567,,"
#define TAIL ",,,none,none,0\r\n"

static void
fields_are_quoted_where_they_must_be(void **state)
{
	(void)state;
	expect(false, "/a b", "cat", HEAD "cat" MIDDLE "/a b" TAIL);
	expect(false, "/a,b", "c\"t", HEAD "\"c\"\"t\"" MIDDLE "\"/a,b\"" TAIL);
	expect(false, " a", "", HEAD "\"\"" MIDDLE "\" a\"" TAIL);
}

/* A spreadsheet would run them. Numbers of our own are left alone. */
static void
formulas_are_text(void **state)
{
	(void)state;
	expect(false, "=1+1", "@x", HEAD "\"'@x\"" MIDDLE "\"'=1+1\"" TAIL);
	expect(false, "-x", "+y", HEAD "\"'+y\"" MIDDLE "\"'-x\"" TAIL);
}

static void
names_break_no_line(void **state)
{
	(void)state;
	expect(false, "x", "a\r\nb\x1b", HEAD "a??b?" MIDDLE "x" TAIL);
	expect(true, "a\\b", "a\tb", "4\t2023-11-14T22:13:20.000000005Z\t1\t2\ta?b"
		"\tread\tread\t\\N\t\\N\t0\tEPERM\t-1\t"
	       "1.234567\t\\N\ta\\\\b\t\\N\t\\N\tnone\tnone\t0\n");
}

static void
names_and_fields_are_as_many(void **state)
{
	struct buf out = {.data = NULL};
	size_t commas = 0;

	(void)state;
	csv_names(&out, false);
	for (size_t i = 0; i < out.len; i++)
		commas += out.data[i] == ',';
	assert_int_equal(commas, 19);
	buf_clear(&out);
	csv_names(&out, true);
	assert_null(memchr(out.data, ',', out.len));
	assert_int_equal(out.data[out.len - 1], '\n');
	buf_free(&out);
}

static void
what_is_not_known_is_nothing(void **state)
{
	static const struct iotap_target t = {.text = "x", .text_len = 1, .kind = IOTAP_KIND_FILE};
	static const struct iotap_process p = {.name = "cat", .name_len = 3};
	const struct iotap_event e = {
		.number = 4, .time_ns = 5, .pid = 1, .tid = 2, .fd = -1, .fd2 = -1, .requested = IOTAP_UNKNOWN,
		.bytes = IOTAP_UNKNOWN, .offset = IOTAP_UNKNOWN, .duration_ns = IOTAP_UNKNOWN, .dir = IOTAP_DIR_READ,
		.syscall = "read", .target = &t, .process = &p,
	};
	struct buf out = {.data = NULL};

	(void)state;
	csv_event(&out, false, &e);
	assert_string_equal(buf_cstr(&out),
			    "4,1970-01-01T00:00:00.000000005Z,1,2,cat,read,read,,,,,0,,,x,,,none,none,0\r\n");
	buf_clear(&out);
	csv_event(&out, true, &e);
	assert_string_equal(buf_cstr(&out),
			    "4\t1970-01-01T00:00:00.000000005Z\t1\t2\tcat\tread\tread\t\\N\t\\N\t\\N\t\\N\t"
			    "0\t\\N\t\\N\tx\t\\N\t\\N\tnone\tnone\t0\n");
	buf_free(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_quoted_where_they_must_be),
		cmocka_unit_test(formulas_are_text),
		cmocka_unit_test(names_break_no_line),
		cmocka_unit_test(names_and_fields_are_as_many),
		cmocka_unit_test(what_is_not_known_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
