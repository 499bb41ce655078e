/* escape_test.c - formats/base/escape.h: nothing that moves a cursor or a neighbour gets through */
#include "formats/base/escape.h"

#include <string.h>

#include "formats/base/utf8.h"
#include "tests/lib/unit.h"

#define FFFD "\xef\xbf\xbd"

static void
check(const char *in, size_t n, const char *expected)
{
	struct buf b = {0};

	assert_true(escape_text(&b, in, n));
	assert_string_equal(buf_cstr(&b), expected);
	assert_int_equal(escape_is_clean(in, n), strlen(expected) == n && memcmp(in, expected, n) == 0);
	buf_free(&b);
}

static void
plain_text_stays(void **state)
{
	(void)state;
	check("", 0, "");
	check("/etc/hosts", 10, "/etc/hosts");
	check("/tmp/\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 14, "/tmp/\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	check("a \"quoted\" \\ 'name'", 19, "a \"quoted\" \\ 'name'");
}

/* situation: 116 */
static void
controls_become_question_marks(void **state)
{
	(void)state;
	check("a\nb\tc\x1b[31m\x7f", 11, "a?b?c?[31m?");
	check("a\0b", 3, "a?b");
	check("\xc2\x9b" "31m", 5, "?31m");			/* C1: CSI */
	check("x\xe2\x80\xae" "gpj.exe", 11, "x?gpj.exe");	/* right-to-left override */
	check("\xe2\x81\xa6\xe2\x81\xa9", 6, "??");
	check("\xe2\x80\xa8\xe2\x80\xa9\xd8\x9c\xe2\x80\x8e", 11, "????");
}

static void
invalid_bytes_become_the_replacement(void **state)
{
	(void)state;
	check("a\xff" "b", 3, "a" FFFD "b");
	check("\xe2\x82", 2, FFFD FFFD);	/* cut short: each byte by itself */
	check("\xc0\x8a", 2, FFFD FFFD);	/* an overlong line feed */
	check("\xed\xa0\x80", 3, FFFD FFFD FFFD);
	check("\x80\x1b", 2, FFFD "?");
}

/* Whatever goes in, what comes out is valid UTF-8 without one control character. */
static void
any_three_bytes_come_out_harmless(void **state)
{
	static const uint8_t some[] = {0x00, 0x0a, 0x1b, 0x41, 0x7f, 0x80, 0x85, 0x9b, 0xa6, 0xae, 0xbf,
				       0xc2, 0xd8, 0xe2, 0xed, 0xf0, 0xf4, 0xff};
	struct buf b = {0};

	(void)state;
	for (unsigned int i = 0; i < 256 * sizeof(some) * sizeof(some); i++) {
		const uint8_t raw[3] = {(uint8_t)i, some[(i >> 8) % sizeof(some)],
					some[(i >> 8) / sizeof(some)]};

		buf_clear(&b);
		assert_true(escape_text(&b, raw, sizeof(raw)));
		for (size_t at = 0; at < b.len;) {
			uint32_t cp;
			const size_t len = utf8_decode(b.data + at, b.len - at, &cp);

			assert_true(len > 0 && !escape_is_control(cp));
			at += len;
		}
		assert_true(escape_is_clean(b.data, b.len));
	}
	buf_free(&b);
}

static void
strings_are_cut_between_characters(void **state)
{
	char out[8];

	(void)state;
	assert_string_equal(escape_str(out, sizeof(out), "abc\n"), "abc?");
	assert_string_equal(escape_str(out, sizeof(out), "abcdefgh"), "abcdefg");
	assert_string_equal(escape_str(out, sizeof(out), "abcdef\xc3\xa4"), "abcdef");
	assert_string_equal(escape_str(out, sizeof(out), "abcde\xff"), "abcde");
	assert_string_equal(escape_str(out, sizeof(out), "abcd\xff"), "abcd" FFFD);
	assert_string_equal(escape_str(out, 1, "abc"), "");
}

static void
a_full_buffer_is_told(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 4);
	assert_false(escape_text(&b, "ab\xff\xff", 4));
	assert_false(buf_ok(&b));
	buf_free(&b);
}

static void
marks_of_direction_are_controls(void **state)
{
	static const uint32_t marks[] = {0x61c, 0x200e, 0x200f, 0x2028, 0x202e, 0x2066, 0x2069};
	static const uint32_t letters[] = {0x61b, 0x61d, 0x200d, 0x2010, 0x2027, 0x202f, 0x2065, 0x206a};

	(void)state;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		assert_true(escape_is_control(marks[i]));
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		assert_false(escape_is_control(letters[i]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_stays),
		cmocka_unit_test(controls_become_question_marks),
		cmocka_unit_test(invalid_bytes_become_the_replacement),
		cmocka_unit_test(any_three_bytes_come_out_harmless),
		cmocka_unit_test(strings_are_cut_between_characters),
		cmocka_unit_test(a_full_buffer_is_told),
		cmocka_unit_test(marks_of_direction_are_controls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
