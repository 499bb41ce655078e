/* tui_canvas_test.c - report/tui_canvas.h: edges, widths, and nothing that a terminal would obey */
#include "report/tui_canvas.h"

#include <locale.h>
#include <string.h>

#include "tests/lib/unit.h"

static void
expect_row(const struct tui_canvas *c, unsigned int y, const char *text)
{
	struct buf row = {.data = NULL};

	canvas_row(c, y, &row);
	assert_string_equal(buf_cstr(&row), text);
	buf_free(&row);
}

static void
what_is_beyond_an_edge_is_left_out(void **state)
{
	struct tui_canvas c = {.width = 0};

	(void)state;
	assert_true(canvas_size(&c, 5, 2));
	assert_int_equal(canvas_str(&c, 0, 2, STYLE_PLAIN, "abcdef"), 3);
	expect_row(&c, 0, "  abc");
	assert_int_equal(canvas_str(&c, 2, 0, STYLE_PLAIN, "x"), 0);
	assert_int_equal(canvas_str(&c, 0, 5, STYLE_PLAIN, "x"), 0);
	canvas_right(&c, 1, 1, 4, STYLE_PLAIN, "12");
	expect_row(&c, 1, "   12");
	canvas_right(&c, 1, 0, 3, STYLE_PLAIN, "12345");
	expect_row(&c, 1, "12312");
	canvas_paint(&c, 1, 3, 100, STYLE_BAD);
	assert_int_equal(c.cells[9].style, STYLE_BAD);
	assert_int_equal(c.cells[7].style, STYLE_PLAIN);
	canvas_free(&c);
	assert_true(canvas_size(&c, 0, 0));
	assert_int_equal(canvas_str(&c, 0, 0, STYLE_PLAIN, "x"), 0);
	canvas_free(&c);
}

/* situation: 140: wide characters count 2 */
static void
characters_have_widths(void **state)
{
	struct tui_canvas c = {.width = 0};

	(void)state;
	assert_true(canvas_size(&c, 6, 1));
	assert_int_equal(canvas_columns("\xe4\xb8\xad" "a", 4), 3);
	assert_int_equal(canvas_str(&c, 0, 0, STYLE_PLAIN, "a\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"), 5);
	expect_row(&c, 0, "a\xe4\xb8\xad\xe4\xb8\xad");
	assert_true(canvas_size(&c, 6, 1));
	(void)canvas_str(&c, 0, 0, STYLE_PLAIN, "e\xcc\x81x");	/* a mark that joins */
	expect_row(&c, 0, "e\xcc\x81x");
	canvas_free(&c);
}

static void
names_do_nothing_to_a_terminal(void **state)
{
	static const char hostile[] = "a\033[2J\nb\x80" "c\xe2\x80\xae";
	struct tui_canvas c = {.width = 0};

	(void)state;
	assert_true(canvas_size(&c, 40, 1));
	(void)canvas_put(&c, 0, 0, 40, STYLE_PLAIN, hostile, sizeof(hostile) - 1);
	expect_row(&c, 0, "a?[2J?b\xef\xbf\xbd" "c?");
	canvas_free(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_beyond_an_edge_is_left_out),
		cmocka_unit_test(characters_have_widths),
		cmocka_unit_test(names_do_nothing_to_a_terminal),
	};

	(void)setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
