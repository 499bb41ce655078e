/* json_line_test.c - analyze/json_line.h: one line, exact numbers, nothing made up */
#include "analyze/json_line.h"

#include <string.h>

#include "formats/iotap.h"
#include "tests/lib/unit.h"

static void
values_of_a_line(void **state)
{
	static const char text[] = "{\"type\":\"event\",\"time_ns\":1790259200104708333,"
				   "\"pid\":null,\"fd\":-5,\"bytes\":1.5,"
				   "\"requested\":18446744073709551615,"
				   "\"name\":\"a\\u0000b\\n\\\"\",\"target\":{\"kind\":\"file\"},"
				   "\"tid\":\"7\"}";
	struct iotap_error err = {.code = 0};
	struct json_line *const line = json_line_new(&err);
	const char *s;
	size_t n;

	(void)state;
	assert_non_null(line);
	assert_true(json_line_parse(line, text, strlen(text)));
	assert_true(json_line_is(line, JSON_type, "event"));
	assert_false(json_line_is(line, JSON_type, "even"));
	assert_true(json_line_u64(line, JSON_time_ns) == UINT64_C(1790259200104708333));
	assert_true(json_line_u64(line, JSON_pid) == IOTAP_UNKNOWN);
	assert_true(json_line_u64(line, JSON_cause) == IOTAP_UNKNOWN);
	assert_true(json_line_u64(line, JSON_fd) == IOTAP_UNKNOWN);
	assert_int_equal(json_line_i64(line, JSON_fd, 0), -5);
	assert_true(json_line_u64(line, JSON_bytes) == IOTAP_UNKNOWN);
	assert_true(json_line_u64(line, JSON_requested) == IOTAP_UNKNOWN);
	assert_true(json_line_u64(line, JSON_tid) == IOTAP_UNKNOWN);
	s = json_line_text(line, JSON_target, &n);
	assert_int_equal(n, strlen("{\"kind\":\"file\"}"));
	assert_memory_equal(s, "{\"kind\":\"file\"}", n);
	assert_null(json_line_text(line, JSON_proto, &n));
	json_line_free(line);
}

/* What escapes stand for, and which of two counts. */
static void
strings_of_a_line(void **state)
{
	static const char text[] = "{ \"name\" : \"\\u00e4\\ud83d\\ude00\\ud800x\\/\\b\" , "
				   "\"text\":\"\",\"text\":\"b\","
				   "\"processes\":[{\"pid\":1}, {\"pid\":2,\"x\":[\"]\"]}],"
				   "\"confirmed\":true,\"n\\u0061me\":1}";
	struct iotap_error err = {.code = 0};
	struct json_line *const line = json_line_new(&err);
	const char *s, *item;
	size_t n, item_n, at = 0;

	(void)state;
	assert_true(json_line_parse(line, text, strlen(text)));
	assert_true(json_line_is(line, JSON_name, "\xc3\xa4\xf0\x9f\x98\x80\xef\xbf\xbdx/\b"));
	s = json_line_text(line, JSON_text, &n);
	assert_true(s && n == 0 && *s == '\0');
	assert_int_equal(json_line_i64(line, JSON_confirmed, 0), 1);
	s = json_line_text(line, JSON_processes, &n);
	assert_true(json_line_item(s, n, &at, &item, &item_n));
	assert_int_equal(item_n, 9);
	assert_memory_equal(item, "{\"pid\":1}", 9);
	assert_true(json_line_item(s, n, &at, &item, &item_n));
	assert_int_equal(item_n, 19);
	assert_false(json_line_item(s, n, &at, &item, &item_n));
	assert_true(json_line_parse(line, "{\"pid\":9223372036854775807,\"fd\":-9223372036854775808}", 53));
	assert_true(json_line_u64(line, JSON_pid) == INT64_MAX);
	assert_true(json_line_i64(line, JSON_fd, 0) == INT64_MIN);
	assert_null(json_line_text(line, JSON_name, &n));	/* it was the line before's */
	json_line_free(line);
}

static void
what_is_no_object(void **state)
{
	static const char *const texts[] = {"", "{", "[1]", "1", "null", "{\"a\":1}}", "{\"a\":1} {", "{a:1}",
					     "{\"a\":01}", "{\"a\":-}", "{\"a\":1.}", "{\"a\":1e}", "{\"a\":\"\\x\"}",
					     "{\"a\":\"\\u12\"}", "{\"a\":\"\n\"}", "{\"a\":\"", "{\"a\"", "{\"a\":}",
					     "{\"a\":1,}", "{\"a\":tru}", "{\"a\":[1,]}", "{\"a\":[}", "{,}"};
	struct iotap_error err = {.code = 0};
	struct json_line *const line = json_line_new(&err);
	static char deep[1 << 20];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(json_line_parse(line, texts[i], strlen(texts[i])));
	assert_true(json_line_parse(line, " {} ", 4));
	memset(deep, '[', sizeof(deep));
	memcpy(deep, "{\"a\":", 5);
	assert_false(json_line_parse(line, deep, sizeof(deep)));
	json_line_free(line);
	json_line_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_a_line),
		cmocka_unit_test(strings_of_a_line),
		cmocka_unit_test(what_is_no_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
