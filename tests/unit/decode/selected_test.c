/* selected_test.c - what a recording is a selection of, in words */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/selected.h"

static void
put(struct buf *out, uint64_t kind, const char *text)
{
	const struct rec_request request = {.kind = kind, .text = rec_str(text)};

	selected_put(out, &request);
}

static void
in_the_words_of_the_command_line(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 0);
	put(&out, 2, "nginx");
	put(&out, 6, "");
	put(&out, 7, "read,%write");
	put(&out, 8, "/var/*\x1b[m");
	put(&out, 9, "10ms");
	put(&out, 10, "");
	put(&out, 11, "of a later version");
	put(&out, UINT64_MAX, "x");
	assert_string_equal(buf_cstr(&out),
			    "--calls read,%write --path /var/*?[m --min-latency 10ms --failed");
	buf_free(&out);
}

/* However much a recording says, it is a line. */
static void
has_an_end(void **state)
{
	char text[5000];
	struct buf out;

	(void)state;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	buf_init(&out, 0);
	for (int i = 0; i < 1000; i++)
		put(&out, 8, text);
	assert_in_range(out.len, 1000, 1300);
	buf_free(&out);
}

/* A long one is cut between characters; of bytes that begin none nothing stays. */
static void
cuts_no_character(void **state)
{
	char text[400];
	struct buf out;

	(void)state;
	buf_init(&out, 0);
	for (size_t i = 0; i + 1 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	text[0] = text[399] = 'a';
	text[1] = 'b';
	text[2] = 'c';
	for (size_t i = 3; i + 1 < sizeof(text) - 1; i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	selected_put(&out, &(struct rec_request){.kind = 8, .text = rec_bytes(text, sizeof(text))});
	assert_null(strstr(buf_cstr(&out), "\xef\xbf\xbd"));	/* nothing replaced */
	assert_int_equal((out.len - strlen("--path abc")) % 2, 0);
	buf_clear(&out);
	memset(text, 0x80, sizeof(text));
	selected_put(&out, &(struct rec_request){.kind = 8, .text = rec_bytes(text, sizeof(text))});
	assert_string_equal(buf_cstr(&out), "--path ");
	buf_free(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_the_words_of_the_command_line),
		cmocka_unit_test(has_an_end),
		cmocka_unit_test(cuts_no_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
