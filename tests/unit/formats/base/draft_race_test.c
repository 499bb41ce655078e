/* draft_race_test.c - formats/base/draft.h: what somebody else does to the folder between two steps
 *
 * The system calls that draft.c makes for a name go through here: before or after any of them another one
 * changes the folder, or a file system says that it has no such call. draft_test.c has the rest.
 */
#include "formats/base/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "tests/lib/folder.h"
#include "tests/lib/unit.h"

/* What happens at each renameat2, one letter a call, '.' once they are used up: '.' it is done, 'E' it fails,
 * 'n' the name is removed before it, 't' the temporary file is removed after it. */
static const char *plan = "";
static unsigned int n_renames;
static unsigned int n_equal_names;	/* random numbers to come that are all the same */

/* In place of that of libc. */
long
syscall(long number, ...)
{
	const char what = *plan ? *plan++ : '.';
	const char *from, *to;
	unsigned int flags;
	int from_dir, to_dir, r;
	va_list args;

	assert_int_equal(number, SYS_renameat2);
	va_start(args, number);
	from_dir = va_arg(args, int);
	from = va_arg(args, const char *);
	to_dir = va_arg(args, int);
	to = va_arg(args, const char *);
	flags = va_arg(args, unsigned int);
	va_end(args);
	n_renames++;
	if (what == 'E') {
		errno = EINVAL;
		return -1;
	}
	if (what == 'n')
		assert_int_equal(unlinkat(to_dir, to, 0), 0);
	r = renameat2(from_dir, from, to_dir, to, flags);
	if (what == 't')
		assert_int_equal(unlinkat(from_dir, from, 0), 0);
	return r;
}

/* In place of that of libc: the first names are the same, then they differ. */
ssize_t
getrandom(void *out, size_t n, unsigned int flags)
{
	static unsigned char last;

	(void)flags;
	if (n_equal_names > 0)
		n_equal_names--;
	else
		last++;
	memset(out, last, n);
	return (ssize_t)n;
}

static int
enter_folder(void **state)
{
	plan = "";
	n_renames = n_equal_names = 0;
	return folder_enter(state);
}

static int
leave_folder(void **state)
{
	static const char *const names[] = {"x", NULL};

	return folder_leave(state, names);
}

static void
draft(struct draft *d, const char *text)
{
	int fd;

	assert_true(draft_folder(d, "x"));
	fd = draft_open(d);
	assert_true(fd >= 0);
	assert_true(io_write_all(fd, text, strlen(text)));
	assert_int_equal(close(fd), 0);
}

/* The draft "ours" is made, and another one's file took the name since it was looked at. */
static void
name_is_taken(struct draft *d, struct stat *old)
{
	folder_put("x", "old");
	assert_int_equal(lstat("x", old), 0);
	draft(d, "ours");
	folder_put("theirs", "theirs");
	assert_int_equal(rename("theirs", "x"), 0);
}

static void
anothers_file_goes_back(void **state)
{
	struct draft d;
	struct stat old;

	(void)state;
	name_is_taken(&d, &old);
	assert_false(draft_publish(&d, &old));
	assert_int_equal(errno, ESTALE);
	assert_int_equal(n_renames, 2);
	assert_true(folder_holds("x", "theirs") && folder_holds(d.temporary, "ours"));
	draft_fini(&d);
	assert_true(folder_holds("x", "theirs"));
}

/* The same number of a file on another device is another file. */
static void
a_device_makes_a_difference(void **state)
{
	struct draft d;
	struct stat old;

	(void)state;
	folder_put("x", "theirs");
	assert_int_equal(lstat("x", &old), 0);
	old.st_dev++;
	draft(&d, "ours");
	assert_false(draft_publish(&d, &old));
	assert_int_equal(errno, ESTALE);
	draft_fini(&d);
	assert_true(folder_holds("x", "theirs"));
}

/* Between the two exchanges ours was removed: theirs gets its name all the same. */
static void
anothers_file_goes_back_to_a_free_name(void **state)
{
	struct draft d;
	struct stat old;

	(void)state;
	name_is_taken(&d, &old);
	plan = ".n";
	assert_false(draft_publish(&d, &old));
	assert_int_equal(errno, ESTALE);
	assert_int_equal(n_renames, 3);
	draft_fini(&d);
	assert_true(folder_holds("x", "theirs"));
}

/* What is another one's is not removed, even when it cannot go back. */
static void
anothers_file_that_cannot_go_back_stays(void **state)
{
	char temporary[DRAFT_NAME];
	struct draft d;
	struct stat old;

	(void)state;
	name_is_taken(&d, &old);
	strcpy(temporary, d.temporary);
	plan = ".EE";
	assert_false(draft_publish(&d, &old));
	assert_int_equal(errno, ESTALE);
	draft_fini(&d);
	assert_true(folder_holds(temporary, "theirs") && folder_holds("x", "ours"));
	assert_int_equal(unlink(temporary), 0);
}

static void
anothers_file_that_has_gone(void **state)
{
	struct draft d;
	struct stat old;

	(void)state;
	name_is_taken(&d, &old);
	plan = "t";
	assert_false(draft_publish(&d, &old));
	assert_int_equal(errno, ESTALE);
	draft_fini(&d);
	assert_true(folder_holds("x", "ours"));
}

/* File systems that know of no exchange: a plain rename, and a second name for what is new. */
static void
without_the_new_calls(void **state)
{
	struct draft d;
	struct stat old;

	(void)state;
	draft(&d, "first");
	plan = "E";
	assert_true(draft_publish(&d, NULL));
	draft_fini(&d);
	assert_true(folder_holds("x", "first"));

	draft(&d, "second");
	plan = "E";
	assert_false(draft_publish(&d, NULL));
	assert_int_equal(errno, EEXIST);
	draft_fini(&d);
	assert_true(folder_holds("x", "first"));

	assert_int_equal(lstat("x", &old), 0);
	draft(&d, "third");
	plan = "E";
	assert_true(draft_publish(&d, &old));
	draft_fini(&d);
	assert_true(folder_holds("x", "third"));

	draft(&d, "fourth");
	assert_int_equal(unlink(d.temporary), 0);
	plan = "E";
	assert_false(draft_publish(&d, &old));
	assert_int_equal(errno, ENOENT);
	draft_fini(&d);
	assert_true(folder_holds("x", "third"));
}

/* Somebody who knows the name that comes next puts a link there: another name is taken, a few times. */
static void
a_temporary_name_that_is_taken(void **state)
{
	char taken[DRAFT_NAME];
	struct draft d;
	int fd;

	(void)state;
	draft(&d, "ours");
	strcpy(taken, d.temporary);
	draft_fini(&d);
	folder_put("x", "precious");
	assert_int_equal(symlink("x", taken), 0);

	n_equal_names = 3;
	draft(&d, "ours");
	assert_string_not_equal(d.temporary, taken);
	assert_int_equal(n_equal_names, 0);
	draft_fini(&d);

	assert_int_equal(unlink(taken), 0);
	n_equal_names = 1;
	draft(&d, "ours");
	strcpy(taken, d.temporary);
	draft_fini(&d);
	assert_int_equal(symlink("x", taken), 0);
	n_equal_names = 100;
	assert_true(draft_folder(&d, "x"));
	fd = draft_open(&d);
	assert_int_equal(fd, -1);
	assert_int_equal(errno, EEXIST);
	assert_string_equal(d.temporary, "");
	assert_true(n_equal_names > 0);
	draft_fini(&d);
	assert_true(folder_holds("x", "precious"));
	assert_int_equal(unlink(taken), 0);	/* a draft that never was removes nothing */
}

static void
a_folder_that_has_gone(void **state)
{
	struct draft d;

	(void)state;
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_true(draft_folder(&d, "folder/x"));
	assert_int_equal(rmdir("folder"), 0);
	assert_int_equal(draft_open(&d), -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(d.temporary, "");
	draft_fini(&d);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(anothers_file_goes_back),
		TEST(a_device_makes_a_difference),
		TEST(anothers_file_goes_back_to_a_free_name),
		TEST(anothers_file_that_cannot_go_back_stays),
		TEST(anothers_file_that_has_gone),
		TEST(without_the_new_calls),
		TEST(a_temporary_name_that_is_taken),
		TEST(a_folder_that_has_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
