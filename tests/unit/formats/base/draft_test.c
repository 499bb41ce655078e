/* draft_test.c - when a file gets its name, and what it leaves alone */
#include "formats/base/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/base/recording.h"
#include "tests/lib/folder.h"
#include "tests/lib/unit.h"

static int
leave_folder(void **state)
{
	static const char *const names[] = {"x", "other", NULL};

	return folder_leave(state, names);
}

static void
draft(struct draft *d, const char *path, const char *text)
{
	int fd;

	assert_true(draft_folder(d, path));
	fd = draft_open(d);
	assert_true(fd >= 0);
	assert_true(io_write_all(fd, text, strlen(text)));
	assert_int_equal(close(fd), 0);
}

static void
a_new_file_gets_its_name_at_the_end(void **state)
{
	struct draft d;
	struct stat st;

	(void)state;
	draft(&d, "./x", "new");
	assert_int_equal(stat(d.temporary, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(access("x", F_OK), -1);
	assert_true(draft_publish(&d, NULL));
	assert_true(folder_holds("x", "new"));
	draft_fini(&d);
	assert_true(folder_holds("x", "new"));
}

static void
without_a_name_nothing_is_left(void **state)
{
	struct draft d;

	(void)state;
	draft(&d, "x", "new");
	draft_fini(&d);
	assert_int_equal(access("x", F_OK), -1);
	draft_fini(&d);
}

static void
only_the_old_one_gives_way(void **state)
{
	struct draft d;
	struct stat old;

	(void)state;
	folder_put("x", "old");
	assert_int_equal(lstat("x", &old), 0);
	draft(&d, "x", "new");
	assert_true(draft_publish(&d, &old));
	assert_true(folder_holds("x", "new"));
	draft_fini(&d);

	draft(&d, "x", "newer");	/* and now it is another one's */
	assert_false(draft_publish(&d, &old));
	assert_int_equal(errno, ESTALE);
	draft_fini(&d);
	assert_true(folder_holds("x", "new"));

	draft(&d, "x", "newer");
	assert_false(draft_publish(&d, NULL));
	assert_int_equal(errno, EEXIST);
	draft_fini(&d);
	assert_true(folder_holds("x", "new"));

	assert_int_equal(lstat("x", &old), 0);	/* gone since: the name is free */
	draft(&d, "x", "last");
	assert_int_equal(unlink("x"), 0);
	assert_true(draft_publish(&d, &old));
	assert_true(folder_holds("x", "last"));
	draft_fini(&d);
}

static void
a_link_is_replaced_itself(void **state)
{
	struct draft d;
	struct stat old;

	(void)state;
	folder_put("other", "precious");
	assert_int_equal(symlink("other", "x"), 0);
	assert_int_equal(lstat("x", &old), 0);
	draft(&d, "x", "new");
	assert_true(draft_publish(&d, &old));
	draft_fini(&d);
	assert_true(folder_holds("x", "new") && folder_holds("other", "precious"));
}

static void
names_that_are_none(void **state)
{
	char path[8192];
	struct draft d;

	(void)state;
	assert_false(draft_folder(&d, "/tmp/"));
	assert_int_equal(errno, EISDIR);
	assert_false(draft_folder(&d, ""));
	assert_int_equal(errno, ENOENT);
	assert_false(draft_folder(&d, "no/such/x"));
	assert_int_equal(errno, ENOENT);
	memset(path, '/', sizeof(path) - 1);
	strcpy(path + sizeof(path) - 2, "x");
	assert_false(draft_folder(&d, path));
	assert_int_equal(errno, ENAMETOOLONG);
	draft_fini(&d);
	assert_true(draft_folder(&d, "/x"));
	assert_string_equal(d.name, "x");
	draft_fini(&d);
}

static void
what_a_file_begins_with(void **state)
{
	char many[IO_BEGINS_MAX + 1] = "";

	(void)state;
	folder_put("x", RECORDING_MAGIC " and more");
	assert_int_equal(symlink("x", "other"), 0);
	assert_true(recording_is_one(AT_FDCWD, "x"));
	assert_false(recording_is_one(AT_FDCWD, "other"));	/* no link is followed */
	folder_put("x", "IoT");
	assert_false(recording_is_one(AT_FDCWD, "x"));
	folder_put("x", "another beginning");
	assert_false(recording_is_one(AT_FDCWD, "x"));
	assert_false(recording_is_one(AT_FDCWD, "none"));
	assert_false(io_begins(AT_FDCWD, "x", many, sizeof(many)));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_enter, leave_folder)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_file_gets_its_name_at_the_end),
		TEST(without_a_name_nothing_is_left),
		TEST(only_the_old_one_gives_way),
		TEST(a_link_is_replaced_itself),
		TEST(names_that_are_none),
		TEST(what_a_file_begins_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
