/* inputs_test.c - operands, what stands behind "--", and standard input */
#include "formats/base/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/starve.h"
#include "tests/lib/unit.h"

static char why[128];

static bool
open_them(struct inputs *in, const char **operands, size_t n, char **behind, int n_behind)
{
	const struct opt_args args = {.operands = operands, .n_operands = n, .command = behind,
				      .n_command = n_behind};

	return inputs_open(in, &args, why, sizeof(why));
}

static void
all_in_their_order(void **state)
{
	char dashes[] = "/dev/zero", *behind[] = {dashes, NULL};
	const char *operands[] = {"/dev/null", "-"};
	struct inputs in;

	(void)state;
	assert_true(open_them(&in, operands, 2, behind, 1));
	assert_int_equal(in.n, 3);
	assert_string_equal(in.names[0], "/dev/null");
	assert_string_equal(in.names[1], "standard input");
	assert_int_equal(in.fds[1], STDIN_FILENO);
	assert_string_equal(in.names[2], "/dev/zero");
	in.fds[1] = in.fds[2];	/* standard input stays open for the next */
	in.n = 2;
	inputs_close(&in);
	inputs_close(&in);
}

static void
none_is_standard_input(void **state)
{
	struct inputs in;

	(void)state;
	assert_true(open_them(&in, NULL, 0, NULL, 0));
	assert_int_equal(in.n, 1);
	assert_int_equal(in.fds[0], STDIN_FILENO);
	in.n = 0;
	inputs_close(&in);
}

static void
a_pipe_is_known(void **state)
{
	char path[32];
	const char *operands[2] = {path};
	struct inputs in;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	(void)snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	assert_true(open_them(&in, operands, 1, NULL, 0));
	assert_true(in.from_pipe);
	inputs_close(&in);
	operands[1] = "/dev/null";
	assert_true(open_them(&in, operands, 2, NULL, 0));
	assert_true(in.from_pipe);	/* one of them is */
	inputs_close(&in);
	operands[0] = "/dev/null";
	assert_true(open_them(&in, operands, 1, NULL, 0));
	assert_false(in.from_pipe);
	inputs_close(&in);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void
what_cannot_be_opened_is_said(void **state)
{
	const char *operands[] = {"/dev/null", "/no/such\n"};
	struct inputs in;

	(void)state;
	assert_false(open_them(&in, operands, 2, NULL, 0));
	assert_string_equal(why, "/no/such?: cannot open it: No such file or directory");
	assert_int_equal(in.n, 1);
	inputs_close(&in);
}

static void
what_is_a_pipe(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_true(inputs_is_pipe(ends[0]));
	assert_int_equal(close(ends[0]), 0);
	assert_false(inputs_is_pipe(ends[0]));	/* nothing is there */
	assert_int_equal(close(ends[1]), 0);
}

static int
open_two(void *arg)
{
	const char *operands[] = {"/dev/null", "/dev/zero"};
	struct inputs in;
	const bool ok = open_them(&in, operands, 2, NULL, 0);

	if (!ok)
		assert_string_equal(why, "out of memory");
	assert_int_equal(in.n, ok ? 2 : 0);
	inputs_close(&in);
	return ok ? 0 : *(const int *)arg;
}

static void
without_memory_none_is_open(void **state)
{
	int failed = -1;

	(void)state;
	starve_each(open_two, &failed, failed);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_in_their_order),
		cmocka_unit_test(none_is_standard_input),
		cmocka_unit_test(a_pipe_is_known),
		cmocka_unit_test(what_cannot_be_opened_is_said),
		cmocka_unit_test(what_is_a_pipe),
		cmocka_unit_test(without_memory_none_is_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
