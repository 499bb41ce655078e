/* driver_record_test.c - when --record's file gets its name, and what it leaves alone */
#include "report/driver_record.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/unit.h"

static unsigned int n_said;

static void
count(const struct iotap_error *err)
{
	(void)err;
	n_said++;
}

static int
enter_folder(void **state)
{
	char folder[] = "/tmp/iotap-record.XXXXXX";

	*state = mkdtemp(folder) ? strdup(folder) : NULL;
	n_said = 0;
	return *state && chdir(*state) == 0 ? 0 : -1;
}

static int
leave_folder(void **state)
{
	char command[64];

	(void)snprintf(command, sizeof(command), "rm -rf '%s'", (const char *)*state);
	free(*state);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void
write_file(const char *path, const char *text)
{
	FILE *const f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void
assert_file(const char *path, const char *text)
{
	char got[64] = "";
	FILE *const f = fopen(path, "r");

	assert_non_null(f);
	(void)!fread(got, 1, sizeof(got) - 1, f);
	fclose(f);
	assert_string_equal(got, text);
}

/* The read end of a pipe that holds text and has ended. */
static int
input_of(const char *text)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
	close(ends[1]);
	return ends[0];
}

static void
named_with_the_first_bytes(void **state)
{
	struct iotap_error err = {0};
	struct driver_record r;
	struct stat st;

	(void)state;
	assert_int_equal(driver_record_open(&r, "new.iotap", false, &err), 0);
	assert_int_equal(access("new.iotap", F_OK), -1);
	assert_int_equal(driver_record_copy(&r, input_of("IoTB and more"), -1, count, &err), 0);
	driver_record_fini(&r);
	assert_file("new.iotap", "IoTB and more");
	assert_int_equal(stat("new.iotap", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(n_said, 0);
}

static void
nothing_came_nothing_is_left(void **state)
{
	struct iotap_error err = {0};
	struct driver_record r;

	(void)state;
	write_file("old.iotap", "IoTB old");
	assert_int_equal(driver_record_open(&r, "old.iotap", false, &err), 0);
	assert_int_equal(access(r.draft.temporary, F_OK), 0);
	assert_int_equal(driver_record_copy(&r, input_of(""), -1, count, &err), 0);
	driver_record_fini(&r);
	assert_file("old.iotap", "IoTB old");
	assert_int_equal(unlink("old.iotap"), 0);
	assert_int_equal(system("test -z \"$(ls -A)\""), 0);
}

static void
a_name_taken_meanwhile_is_not_replaced(void **state)
{
	struct iotap_error err = {0};
	struct driver_record r;

	(void)state;
	assert_int_equal(driver_record_open(&r, "new", false, &err), 0);
	write_file("new", "somebody else's");
	assert_int_equal(driver_record_copy(&r, input_of("IoTB"), -1, count, &err), IOTAP_EIO);
	assert_int_equal(n_said, 1);
	driver_record_fini(&r);
	assert_file("new", "somebody else's");
}

static void
refuses_what_is_no_recording(void **state)
{
	struct iotap_error err = {0};
	struct driver_record r;

	(void)state;
	write_file("text", "precious");
	write_file("old", "IoTB");
	write_file("empty", "");
	assert_int_equal(symlink("old", "link"), 0);
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(driver_record_open(&r, "text", false, &err), IOTAP_EEXIST);
	driver_record_fini(&r);
	assert_int_equal(driver_record_open(&r, "link", false, &err), IOTAP_EEXIST);
	driver_record_fini(&r);
	assert_int_equal(driver_record_open(&r, "folder", true, &err), IOTAP_EIO);
	driver_record_fini(&r);
	assert_int_equal(driver_record_open(&r, "folder/", true, &err), IOTAP_EIO);
	driver_record_fini(&r);
	assert_int_equal(driver_record_open(&r, "", false, &err), IOTAP_EIO);
	driver_record_fini(&r);
	assert_int_equal(driver_record_open(&r, "old", false, &err), 0);
	driver_record_fini(&r);
	assert_int_equal(driver_record_open(&r, "empty", false, &err), 0);
	driver_record_fini(&r);
	assert_file("text", "precious");
	assert_file("old", "IoTB");
}

static void
a_failing_file_is_told_once_and_the_pipe_goes_on(void **state)
{
	struct iotap_error err = {0};
	struct driver_record r;
	int out[2];
	char got[16] = "";

	(void)state;
	assert_int_equal(pipe(out), 0);
	assert_int_equal(driver_record_open(&r, "/dev/full", false, &err), 0);
	assert_int_equal(driver_record_copy(&r, input_of("IoTB"), out[1], count, &err), IOTAP_EIO);
	assert_int_equal(n_said, 1);
	assert_int_equal(read(out[0], got, sizeof(got)), 4);
	assert_int_equal(read(out[0], got, sizeof(got)), 0);	/* and its end comes through */
	close(out[0]);
	driver_record_fini(&r);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(named_with_the_first_bytes),
		TEST(nothing_came_nothing_is_left),
		TEST(a_name_taken_meanwhile_is_not_replaced),
		TEST(refuses_what_is_no_recording),
		TEST(a_failing_file_is_told_once_and_the_pipe_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
