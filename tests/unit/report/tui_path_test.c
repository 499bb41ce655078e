/* tui_path_test.c - report/tui_path.h: what a path gives up first */
#include "report/tui_path.h"

#include <string.h>

#include "report/tui_canvas.h"
#include "tests/lib/unit.h"

static void
expect(const char *path, unsigned int width, const char *home, const char *text)
{
	struct buf out = {.data = NULL};

	tui_path(&out, path, strlen(path), width, home);
	assert_string_equal(buf_cstr(&out), text);
	buf_free(&out);
}

/* situation: 140 */
static void
home_then_directories_then_the_start(void **state)
{
	(void)state;
	expect("/usr/lib/libc.so", 80, NULL, "/usr/lib/libc.so");
	expect("/home/ann/x", 80, "/home/ann", "~/x");
	expect("/home/anna/x", 80, "/home/ann", "/home/anna/x");
	expect("/home/ann", 80, "/home/ann", "~");
	expect("/root", 80, "/", "/root");
	expect("/usr/lib/libc.so", 15, NULL, "/u/lib/libc.so");
	expect("/usr/lib/libc.so", 12, NULL, "/u/l/libc.so");
	expect("/usr/lib/libc.so", 11, NULL, "\xe2\x80\xa6/l/libc.so");
	expect("/home/ann/.config/some/name", 16, "/home/ann", "~/.c/some/name");
	expect("/usr/lib/libc.so", 1, NULL, "\xe2\x80\xa6");
	expect("/usr/lib/libc.so", 0, NULL, "");
	expect("", 10, NULL, "");
	expect("//", 10, NULL, "//");
}

static void
never_wider_than_it_may_be(void **state)
{
	static const char path[] = "/srv/\xe4\xb8\xad\xe6\x96\x87/a-long-directory/.hidden/\xe4\xb8\xad.txt";

	(void)state;
	for (unsigned int width = 1; width < 50; width++) {
		struct buf out = {.data = NULL};

		tui_path(&out, path, sizeof(path) - 1, width, "/srv");
		assert_true(canvas_columns(buf_cstr(&out), out.len) <= width);
		buf_free(&out);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(home_then_directories_then_the_start),
		cmocka_unit_test(never_wider_than_it_may_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
