/* utf8_test.c - formats/base/utf8.h over every code point, and the classic malformed forms */
#include "formats/base/utf8.h"

#include <string.h>

#include "tests/lib/unit.h"

static size_t
encode(uint32_t cp, uint8_t *out)
{
	if (cp < 0x80) {
		out[0] = (uint8_t)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (uint8_t)(0xc0 | cp >> 6);
		out[1] = (uint8_t)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (uint8_t)(0xe0 | cp >> 12);
		out[1] = (uint8_t)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (uint8_t)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (uint8_t)(0xf0 | cp >> 18);
	out[1] = (uint8_t)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (uint8_t)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (uint8_t)(0x80 | (cp & 0x3f));
	return 4;
}

static void
every_character_comes_back(void **state)
{
	(void)state;
	for (uint32_t cp = 0; cp <= 0x110000; cp++) {
		uint8_t raw[4];
		uint32_t got = UINT32_MAX;
		const size_t len = encode(cp, raw);
		const size_t want = (cp >= 0xd800 && cp <= 0xdfff) || cp > 0x10ffff ? 0 : len;

		if (utf8_decode(raw, len, &got) != want || (want > 0 && got != cp))
			fail_msg("U+%04X", cp);
		if (want > 1 && utf8_decode(raw, len - 1, &got) != 0)
			fail_msg("U+%04X cut short", cp);
	}
}

static void
malformed_forms_are_refused(void **state)
{
	static const char *const forms[] = {
		"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf",
		"\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xfe",
		"\xff", "\xc3(", "\xe2\x82(", "\xed\xa0\x80",
	};
	uint32_t cp;

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		assert_int_equal(utf8_decode((const uint8_t *)forms[i], strlen(forms[i]), &cp), 0);
	assert_int_equal(utf8_decode((const uint8_t *)"", 0, &cp), 0);
}

static void
a_cut_leaves_whole_characters(void **state)
{
	static const char text[] = "a\xe2\x82\xac\xc3\xa4";	/* a, the euro, a with two dots */

	(void)state;
	assert_int_equal(utf8_cut(text, 6, 6), 6);
	assert_int_equal(utf8_cut(text, 6, 5), 4);
	assert_int_equal(utf8_cut(text, 6, 4), 4);
	assert_int_equal(utf8_cut(text, 6, 3), 1);
	assert_int_equal(utf8_cut(text, 6, 1), 1);
	assert_int_equal(utf8_cut("\x82\x82\x82", 3, 2), 0);
	assert_int_equal(utf8_cut(text, 0, 0), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_character_comes_back),
		cmocka_unit_test(malformed_forms_are_refused),
		cmocka_unit_test(a_cut_leaves_whole_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
