/* driver_output_test.c - report/driver_output.h: what is made, what is kept, what is refused */
#include "report/driver_output.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

static int
enter_folder(void **state)
{
	char *const folder = strdup("/tmp/iotap-output.XXXXXX");

	*state = folder;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int
leave_folder(void **state)
{
	(void)unlink("file");
	(void)unlink("link");
	(void)chdir("/");
	if (rmdir(*state) != 0)
		return -1;
	free(*state);
	return 0;
}

static void
put(const void *p, size_t n)
{
	const int fd = open("file", O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0 && io_write_all(fd, p, n));
	(void)close(fd);
}

static void
expect_file(const char *text)
{
	struct buf got = {.data = NULL};

	assert_true(io_read_file("file", &got));
	assert_string_equal(buf_cstr(&got), text);
	buf_free(&got);
}

static void
a_new_file(void **state)
{
	struct iotap_error err = {.code = 0};
	struct driver_output o;
	struct stat st;

	(void)state;
	assert_int_equal(driver_output_open(&o, "file", false, &err), 0);
	assert_int_equal(stat("file", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	driver_output_fini(&o);
	assert_int_equal(access("file", F_OK), -1);		/* never begun: taken away again */
	driver_output_fini(&o);
	assert_int_equal(driver_output_open(&o, "file", false, &err), 0);
	driver_output_begin(&o);
	assert_true(io_write_all(o.fd, "text", 4));
	driver_output_fini(&o);
	expect_file("text");
}

/* What was there stays until there is something to put in its place. */
static void
an_older_file(void **state)
{
	struct iotap_error err = {.code = 0};
	struct driver_output o;

	(void)state;
	put("the last trace", 14);
	assert_int_equal(driver_output_open(&o, "file", false, &err), 0);
	driver_output_fini(&o);
	expect_file("the last trace");
	assert_int_equal(driver_output_open(&o, "file", false, &err), 0);
	driver_output_begin(&o);
	assert_true(io_write_all(o.fd, "new", 3));
	driver_output_fini(&o);
	expect_file("new");
}

static void
a_recording_is_not_overwritten_by_text(void **state)
{
	struct iotap_error err = {.code = 0};
	struct buf recording = {.data = NULL};
	struct driver_output o;

	(void)state;
	story_assemble(STORY_BEGIN STORY_END, &recording);
	put(recording.data, recording.len);
	assert_int_equal(driver_output_open(&o, "file", false, &err), IOTAP_EEXIST);
	assert_non_null(strstr(err.text, "--record"));
	driver_output_fini(&o);
	assert_int_equal(driver_output_open(&o, "file", true, &err), 0);
	driver_output_begin(&o);
	driver_output_fini(&o);
	expect_file("");
	buf_free(&recording);
}

/* A link may be somebody's trap, wherever it leads; one to a descriptor is none. */
static void
links(void **state)
{
	struct iotap_error err = {.code = 0};
	struct driver_output o;

	(void)state;
	put("precious", 8);
	assert_int_equal(symlink("file", "link"), 0);
	assert_int_equal(driver_output_open(&o, "link", true, &err), IOTAP_EEXIST);
	driver_output_fini(&o);
	expect_file("precious");
	(void)unlink("file");
	assert_int_equal(driver_output_open(&o, "link", true, &err), IOTAP_EEXIST);	/* leads nowhere */
	assert_int_equal(access("file", F_OK), -1);
	driver_output_fini(&o);
	assert_int_equal(driver_output_open(&o, "/dev/null", false, &err), 0);
	driver_output_begin(&o);
	driver_output_fini(&o);
	assert_int_equal(access("/dev/null", F_OK), 0);
}

static void
places_that_are_none(void **state)
{
	struct iotap_error err = {.code = 0};
	struct driver_output o;

	(void)state;
	assert_int_equal(driver_output_open(&o, "no/such/folder", false, &err), IOTAP_EIO);
	assert_int_equal(o.fd, -1);
	driver_output_fini(&o);
	assert_int_equal(driver_output_open(&o, ".", false, &err), IOTAP_EIO);
	driver_output_fini(&o);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_file),
		TEST(an_older_file),
		TEST(a_recording_is_not_overwritten_by_text),
		TEST(links),
		TEST(places_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
