/* quote_test.c - decode/quote.h: untrusted bytes as JSON strings */
#include "decode/quote.h"

#include <string.h>

#include "formats/base/utf8.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

static void
expect(const char *bytes, size_t n, const char *json, bool valid)
{
	struct buf out = {.data = NULL};

	assert_int_equal(quote_json(&out, bytes, n), valid);
	assert_string_equal(buf_cstr(&out), json);
	buf_free(&out);
}

static void
what_json_must_escape_is_escaped(void **state)
{
	(void)state;
	expect("", 0, "\"\"", true);
	expect("a\"b\\c", 5, "\"a\\\"b\\\\c\"", true);
	expect("\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\"", true);
	expect("\0\x1b\x7f", 3, "\"\\u0000\\u001b\\u007f\"", true);
}

static void
what_moves_a_cursor_or_turns_a_line_is_escaped(void **state)
{
	(void)state;
	expect("\xc2\x9b", 2, "\"\\u009b\"", true);
	expect("\xe2\x80\xae", 3, "\"\\u202e\"", true);
	expect("\xe2\x80\xa8", 3, "\"\\u2028\"", true);
	expect("\xc3\xa4\xf0\x9f\x98\x80", 6, "\"\xc3\xa4\xf0\x9f\x98\x80\"", true);
}

static void
bytes_that_are_no_utf8_are_replaced_one_by_one(void **state)
{
	(void)state;
	expect("a\xff" "b\xc3", 4, "\"a\xef\xbf\xbd" "b\xef\xbf\xbd\"", false);
	expect("\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", false);
}

/* Whatever the bytes, the result is one line of well-formed UTF-8 without a bare control or quote. */
static void
any_bytes_make_a_string(void **state)
{
	uint64_t lot = 7;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		struct buf out = {.data = NULL};
		uint8_t bytes[40];
		size_t at = 1;

		for (size_t j = 0; j < sizeof(bytes); j++)
			bytes[j] = (uint8_t)sample_lot(&lot);
		(void)quote_json(&out, bytes, sizeof(bytes));
		assert_int_equal(out.data[0], '"');
		while (at < out.len - 1) {
			uint32_t cp;
			const size_t len = utf8_decode(out.data + at, out.len - at, &cp);

			assert_true(len > 0 && cp >= 0x20 && cp != 0x7f && cp != '"');
			at += cp == '\\' ? 2 : len;
		}
		assert_int_equal(at, out.len - 1);
		buf_free(&out);
	}
}

static void
null_and_hexadecimal(void **state)
{
	struct buf out = {.data = NULL};

	(void)state;
	(void)quote_json_str(&out, NULL);
	quote_hex(&out, "\x00\xff" "a", 3);
	assert_string_equal(buf_cstr(&out), "null\"00ff61\"");
	buf_free(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_json_must_escape_is_escaped),
		cmocka_unit_test(what_moves_a_cursor_or_turns_a_line_is_escaped),
		cmocka_unit_test(bytes_that_are_no_utf8_are_replaced_one_by_one),
		cmocka_unit_test(any_bytes_make_a_string),
		cmocka_unit_test(null_and_hexadecimal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
