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

static void
what_is_no_object(void **state)
{
	static const char *const texts[] = {"", "{", "[1]", "1", "null", "{\"a\":1}}", "{\"a\":1} {", "{a:1}"};
	struct iotap_error err = {.code = 0};
	struct json_line *const line = json_line_new(&err);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(json_line_parse(line, texts[i], strlen(texts[i])));
	assert_true(json_line_parse(line, " {} ", 4));
	json_line_free(line);
	json_line_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_a_line),
		cmocka_unit_test(what_is_no_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
