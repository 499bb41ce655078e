/* buf_test.c - growth, limits and sticky failure of formats/base/buf.h */
#include "formats/base/buf.h"

#include "tests/lib/unit.h"

static void
zeroed_buffer_is_empty_and_valid(void **state)
{
	struct buf b = {0};

	(void)state;
	assert_true(buf_ok(&b));
	assert_string_equal(buf_cstr(&b), "");
	assert_int_equal(b.len, 0);
	buf_free(&b);
	buf_free(NULL);
}

static void
appends_keep_their_order(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	assert_true(buf_put(&b, "ab", 2));
	assert_true(buf_put(&b, NULL, 0));
	assert_true(buf_putc(&b, 'c'));
	assert_true(buf_puts(&b, "de"));
	assert_true(buf_printf(&b, "%d-%s", 42, "x"));
	assert_string_equal(buf_cstr(&b), "abcde42-x");
	assert_int_equal(b.len, 9);
	buf_free(&b);
}

static void
grows_over_many_appends(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	for (int i = 0; i < 100000; i++)
		assert_true(buf_putc(&b, (char)('a' + i % 26)));
	assert_int_equal(b.len, 100000);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(b.data[i], 'a' + i % 26);
	buf_free(&b);
}

static void
long_printf_is_whole(void **state)
{
	struct buf b;
	char text[3000];

	(void)state;
	memset(text, 'y', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	buf_init(&b, 0);
	assert_true(buf_printf(&b, "<%s>", text));
	assert_int_equal(b.len, sizeof(text) + 1);
	assert_int_equal(b.data[0], '<');
	assert_int_equal(b.data[b.len - 1], '>');
	buf_free(&b);
}

static void
limit_is_exact_and_failure_sticks(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 10);
	assert_true(buf_puts(&b, "12345"));
	assert_false(buf_puts(&b, "678901"));	/* not even in part */
	assert_int_equal(b.len, 5);
	assert_false(buf_ok(&b));
	assert_false(buf_putc(&b, 'x'));
	assert_false(buf_printf(&b, "x"));
	assert_null(buf_extend(&b, 1));
	buf_clear(&b);
	assert_true(buf_puts(&b, "1234567890"));
	assert_string_equal(buf_cstr(&b), "1234567890");	/* the NUL is outside the limit */
	assert_false(buf_putc(&b, 'x'));
	assert_string_equal(buf_cstr(&b), "1234567890");
	buf_free(&b);
	assert_int_equal(b.limit, 10);
}

static void
huge_requests_fail_without_wrapping(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	assert_true(buf_putc(&b, 'x'));
	assert_false(buf_reserve(&b, SIZE_MAX));
	assert_false(buf_ok(&b));
	buf_clear(&b);
	assert_null(buf_extend(&b, SIZE_MAX - 1));
	buf_free(&b);
}

static void
extend_gives_room_to_fill(void **state)
{
	struct buf b;
	char *at;

	(void)state;
	buf_init(&b, 0);
	assert_non_null(buf_extend(&b, 0));
	at = buf_extend(&b, 3);
	assert_non_null(at);
	memcpy(at, "abc", 3);
	assert_string_equal(buf_cstr(&b), "abc");
	buf_free(&b);
}

/* Into an empty buffer the memory itself goes, to others a copy; what does not fit stays where it was. */
static void
what_one_holds_moves_to_another(void **state)
{
	struct buf from = {.data = NULL}, to = {.data = NULL}, small;
	const uint8_t *memory;

	(void)state;
	assert_true(buf_put(&from, "abc", 3));
	memory = from.data;
	assert_true(buf_move(&to, &from));
	assert_ptr_equal(to.data, memory);
	assert_int_equal(from.len, 0);
	assert_true(buf_put(&from, "de", 2));
	assert_true(buf_move(&to, &from));
	assert_int_equal(from.len, 0);
	assert_string_equal(buf_cstr(&to), "abcde");
	buf_init(&small, 4);
	assert_false(buf_move(&small, &to));
	assert_int_equal(small.len, 0);
	assert_int_equal(to.len, 5);
	buf_free(&from);
	buf_free(&to);
	buf_free(&small);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeroed_buffer_is_empty_and_valid),
		cmocka_unit_test(appends_keep_their_order),
		cmocka_unit_test(grows_over_many_appends),
		cmocka_unit_test(long_printf_is_whole),
		cmocka_unit_test(limit_is_exact_and_failure_sticks),
		cmocka_unit_test(huge_requests_fail_without_wrapping),
		cmocka_unit_test(extend_gives_room_to_fill),
		cmocka_unit_test(what_one_holds_moves_to_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
