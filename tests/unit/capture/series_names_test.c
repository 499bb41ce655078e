/* series_names_test.c - capture/series.h: numbers that go up, and which files are taken away for a new one */
#include "capture/series.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "tests/lib/unit.h"

static int
enter_folder(void **state)
{
	char *const folder = strdup("/tmp/iotap-series.XXXXXX");

	*state = folder;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int
leave_folder(void **state)
{
	char command[64];

	(void)snprintf(command, sizeof(command), "rm -rf '%s'", (const char *)*state);
	(void)chdir("/");
	free(*state);
	return system(command);
}

static void
put(const char *name, const char *bytes)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0 && io_write_all(fd, bytes, strlen(bytes)));
	(void)close(fd);
}

/* Makes the next file, with the beginning of a recording in it. */
static void
next(struct series *s, const char *path)
{
	struct iotap_error err = {.code = 0};
	struct stat st;
	int fd;

	if (series_next(s, &fd, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(s->path, path);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(io_write_all(fd, "IoTB", 4));
	(void)close(fd);
}

/* Which of x.1 to x.20 are there, as text. */
static void
expect_files(const char *numbers)
{
	char text[200] = "", name[32];

	for (int i = 1; i <= 20; i++) {
		(void)snprintf(name, sizeof(name), "x.%d", i);
		if (access(name, F_OK) == 0)
			(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d ", i);
	}
	assert_string_equal(text, numbers);
}

static void
begin(struct series *s, const char *base, uint64_t keep)
{
	struct iotap_error err = {.code = 0};

	if (series_open(s, base, keep, &err) < 0)
		fail_msg("%s", err.text);
}

static void
numbers_go_up(void **state)
{
	struct series s;
	char base[100], whole[120];

	begin(&s, "x", 0);
	next(&s, "x.1");
	next(&s, "x.2");
	series_close(&s);
	(void)unlink("x.1");
	(void)snprintf(base, sizeof(base), "%s/x", (const char *)*state);
	(void)snprintf(whole, sizeof(whole), "%s.3", base);
	begin(&s, base, 0);
	next(&s, whole); /* no number comes again */
	series_close(&s);
	expect_files("2 3 ");
}

/* What only looks like one of the series does not count. */
static void
other_names(void **state)
{
	static const char *const others[] = {"x",
					     "x.",
					     "x.0",
					     "x.05",
					     "x.5a",
					     "x.-6",
					     "x.+7",
					     "x.8.gz",
					     "xy.9",
					     "x.99999999999999999999",
					     "y.10",
					     "x. 11",
					     "x.18446744073709551615"};
	struct series s;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		put(others[i], "IoTB");
	begin(&s, "x", 1);
	next(&s, "x.1");
	next(&s, "x.2");
	series_close(&s);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(access(others[i], F_OK), 0);
}

static void
the_oldest_are_removed(void **state)
{
	struct series s;

	(void)state;
	put("x.9", "IoTB older");
	put("x.10", "IoTB old");
	begin(&s, "x", 2);
	next(&s, "x.11");
	expect_files("10 11 "); /* by number, not by name */
	next(&s, "x.12");
	expect_files("11 12 ");
	next(&s, "x.13");
	expect_files("12 13 ");
	series_close(&s);
}

/* Somebody's file, a link or a folder under such a name stays. */
static void
what_is_no_recording_stays(void **state)
{
	struct series s;

	(void)state;
	put("x.1", "my letter");
	put("precious", "IoTB");
	assert_int_equal(symlink("precious", "x.2"), 0);
	assert_int_equal(mkdir("x.3", 0700), 0);
	put("x.4", "");
	begin(&s, "x", 1);
	next(&s, "x.5");
	next(&s, "x.6");
	series_close(&s);
	expect_files("1 2 3 4 6 ");
	assert_int_equal(access("precious", F_OK), 0);
}

/* A name that somebody took meanwhile is passed over, wherever it leads. */
static void
names_taken_meanwhile(void **state)
{
	struct series s;

	(void)state;
	begin(&s, "x", 0);
	put("x.1", "taken");
	assert_int_equal(symlink("/tmp/iotap-series-trap", "x.2"), 0);
	next(&s, "x.3");
	series_close(&s);
	assert_int_equal(access("/tmp/iotap-series-trap", F_OK), -1);
}

static void
undone(void **state)
{
	struct series s;

	(void)state;
	begin(&s, "x", 0);
	next(&s, "x.1");
	series_undo(&s);
	expect_files("");
	next(&s, "x.1");
	series_close(&s);
}

/* The directory is the one that was opened, whatever its name comes to mean. */
static void
the_directory_stays(void **state)
{
	struct series s;

	(void)state;
	assert_int_equal(mkdir("a", 0700), 0);
	begin(&s, "a/x", 0);
	assert_int_equal(rename("a", "b"), 0);
	assert_int_equal(mkdir("a", 0700), 0);
	next(&s, "a/x.1");
	series_close(&s);
	assert_int_equal(access("b/x.1", F_OK), 0);
	assert_int_equal(access("a/x.1", F_OK), -1);
}

static void
bases_that_are_none(void **state)
{
	struct iotap_error err = {.code = 0};
	struct series s;
	char longer[300];

	(void)state;
	assert_int_equal(series_open(&s, "no/such/folder/x", 0, &err), IOTAP_EIO);
	series_close(&s);
	assert_int_equal(series_open(&s, "./", 0, &err), IOTAP_EIO);
	series_close(&s);
	memset(longer, 'x', 250);
	longer[250] = '\0';
	assert_int_equal(series_open(&s, longer, 0, &err), IOTAP_EIO);
	series_close(&s);
	longer[200] = '\0';
	assert_int_equal(series_open(&s, longer, 0, &err), 0);
	series_close(&s);
	series_close(&s);
}

/* As the user that capture will be: root may do everything, that user may not. */
static void
tried_as_the_user(void **state)
{
	const struct owner nobody = {.uid = 65534, .gid = 65534}, root = {.uid = 0, .gid = 0};
	struct iotap_error err = {.code = 0};
	struct series s;
	DIR *d;
	size_t n = 0;

	(void)state;
	if (geteuid() != 0)
		skip();
	begin(&s, "x", 0);
	assert_int_equal(series_try(&s, &root, &err), 0);
	assert_int_equal(series_try(&s, &nobody, &err), IOTAP_EPERM);
	assert_non_null(strstr(err.text, "65534"));
	assert_int_equal(chmod(".", 0777), 0);
	assert_int_equal(series_try(&s, &nobody, &err), 0);
	next(&s, "x.1"); /* and afterwards we are root again */
	series_close(&s);
	d = opendir(".");
	while (readdir(d))
		n++;
	(void)closedir(d);
	assert_int_equal(n, 3); /* nothing is left of the trying */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(numbers_go_up),	      TEST(other_names),
		TEST(the_oldest_are_removed), TEST(what_is_no_recording_stays),
		TEST(names_taken_meanwhile),  TEST(undone),
		TEST(the_directory_stays),    TEST(bases_that_are_none),
		TEST(tried_as_the_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
