/* progress_test.c - the line that says how far a long reading has come */
#include "report/progress.h"

#include <string.h>
#include <unistd.h>

#include "tests/lib/unit.h"

static void
expect(const char *text, uint64_t calls, uint64_t elapsed_ns, uint64_t done, uint64_t size)
{
	struct buf out;

	buf_init(&out, 0);
	progress_text(&out, calls, elapsed_ns, done, size);
	assert_string_equal(buf_cstr(&out), text);
	buf_free(&out);
}

static void
counts_and_rates_are_short(void **state)
{
	(void)state;
	expect("0 calls, 0/s", 0, 1000000000, 0, 0);
	expect("999 calls, 999/s", 999, 1000000000, 0, 0);
	expect("1.0 k calls, 500/s", 1000, 2000000000, 0, 0);
	expect("999.9 k calls, 999.9 k/s", 999999, 1000000000, 0, 0);
	expect("1.0 M calls, 1.0 M/s", 1000000, 1000000000, 0, 0);
	expect("34.5 G calls, 3.4 G/s", 34567890123, 10000000000, 0, 0);
	expect("18.4 E calls", UINT64_MAX, 0, 0, 0);
}

static void
time_left_needs_a_size(void **state)
{
	(void)state;
	expect("10 calls, 5/s, 25 %, 6 s left", 10, 2000000000, 100, 400);
	expect("10 calls, 5/s", 10, 2000000000, 0, 400);
	expect("10 calls, 5/s", 10, 2000000000, 500, 400);	/* it grew meanwhile */
}

static void
silent_without_a_terminal(void **state)
{
	struct progress p;
	int ends[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	progress_begin(&p, STDIN_FILENO, ends[1]);
	p.begin_ns = p.next_ns = 0;
	progress_update(&p, 1000000);
	progress_end(&p);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_and_rates_are_short),
		cmocka_unit_test(time_left_needs_a_size),
		cmocka_unit_test(silent_without_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
