/* rewrite_output_test.c - decode/rewrite_output.h: what --output makes, and what it leaves when it fails */
#include "decode/rewrite_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/unit.h"

static char folder[] = "/tmp/iotap-output.XXXXXX";

static bool
is_there(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0;
}

static void
standard_output_is_never_closed(void **state)
{
	static const char *const names[] = {NULL, "-"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct iotap_error err = {.code = 0};
		struct output o;

		assert_int_equal(output_open(&o, names[i], &err), 0);
		assert_int_equal(o.fd, STDOUT_FILENO);
		assert_int_equal(output_close(&o, true, &err), 0);
		assert_int_equal(write(STDOUT_FILENO, "", 0), 0);
	}
}

static void
a_file_is_kept_or_not(void **state)
{
	struct iotap_error err = {.code = 0};
	struct output o;

	(void)state;
	assert_int_equal(output_open(&o, "kept", &err), 0);
	assert_int_equal(output_close(&o, true, &err), 0);
	assert_true(is_there("kept"));
	assert_int_equal(output_open(&o, "kept", &err), IOTAP_EEXIST);
	assert_non_null(strstr(err.text, "kept exists: remove it first"));
	assert_int_equal(output_close(&o, false, &err), 0);	/* what was not opened is not taken away */
	assert_true(is_there("kept"));
	assert_int_equal(output_open(&o, "gone", &err), 0);
	assert_true(is_there("gone"));
	assert_int_equal(output_close(&o, false, &err), 0);
	assert_false(is_there("gone"));
	assert_int_equal(unlink("kept"), 0);
}

/* A file that cannot be closed (a network's disk was full) has not been written. */
static void
a_file_that_cannot_be_closed(void **state)
{
	struct iotap_error err = {.code = 0};
	struct output o;

	(void)state;
	assert_int_equal(output_open(&o, "lost", &err), 0);
	assert_int_equal(close(o.fd), 0);		/* the second one fails */
	assert_int_equal(output_close(&o, true, &err), IOTAP_EIO);
	assert_non_null(strstr(err.text, "--output: lost"));
	assert_false(is_there("lost"));
	err = (struct iotap_error){.code = 0};
	assert_int_equal(output_open(&o, "lost", &err), 0);
	assert_int_equal(close(o.fd), 0);
	assert_int_equal(output_close(&o, false, &err), 0);	/* it failed already: nothing new to say */
	assert_int_equal(err.code, 0);
	assert_false(is_there("lost"));
}

static void
a_folder_that_is_not_there(void **state)
{
	struct iotap_error err = {.code = 0};
	struct output o;

	(void)state;
	assert_int_equal(output_open(&o, "no/such", &err), IOTAP_EIO);
	assert_non_null(strstr(err.text, "--output: no/such"));
	assert_non_null(strstr(err.text, "No such file"));
}

/* A device is written to, and stays. */
static void
a_device_stays(void **state)
{
	struct iotap_error err = {.code = 0};
	struct output o;

	(void)state;
	assert_int_equal(output_open(&o, "/dev/null", &err), 0);
	assert_int_equal(output_close(&o, false, &err), 0);
	assert_true(is_there("/dev/null"));
}

static int
enter(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int
leave(void **state)
{
	(void)state;
	return chdir("/") == 0 ? rmdir(folder) : -1;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(standard_output_is_never_closed),
		cmocka_unit_test(a_file_is_kept_or_not),
		cmocka_unit_test(a_file_that_cannot_be_closed),
		cmocka_unit_test(a_folder_that_is_not_there),
		cmocka_unit_test(a_device_stays),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
