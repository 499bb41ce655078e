/* output_test.c - where a recording may go, and that nothing else is ever harmed */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/output.h"

struct place {
	char folder[64], path[128], other[128];
	struct owner owner;
};

static int
setup(void **state)
{
	struct place *const p = calloc(1, sizeof(*p));

	assert_non_null(p);
	strcpy(p->folder, "/tmp/output_test.XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	snprintf(p->path, sizeof(p->path), "%s/x", p->folder);
	snprintf(p->other, sizeof(p->other), "%s/other", p->folder);
	privileges_owner(&p->owner);
	*state = p;
	return 0;
}

static int
teardown(void **state)
{
	struct place *const p = *state;

	(void)unlink(p->path);
	(void)unlink(p->other);
	assert_int_equal(rmdir(p->folder), 0);	/* and so: nothing else was left there */
	free(p);
	return 0;
}

static void
put(const char *path, const char *text)
{
	FILE *const f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void
holds(const char *path, const char *text)
{
	char got[100] = "";
	const int fd = open(path, O_RDONLY);
	const ssize_t n = read(fd, got, sizeof(got) - 1);

	assert_true(n >= 0);
	assert_string_equal(got, text);
	close(fd);
}

static int
open_for(struct place *p, struct output *o, bool force)
{
	struct iotap_error err = {0};

	return output_open(o, p->path, force, &p->owner, &err);
}

static void
a_new_file_is_private_and_appears_whole(void **state)
{
	struct place *const p = *state;
	struct output o;
	struct stat st;
	mode_t before = umask(0);

	assert_int_equal(open_for(p, &o, false), 0);
	assert_int_equal(access(p->path, F_OK), -1);
	assert_int_equal(fstat(o.fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(write(o.fd, "IoTB", 4), 4);
	assert_int_equal(output_commit(&o, NULL), 0);
	holds(p->path, "IoTB");
	output_close(&o);
	holds(p->path, "IoTB");
	umask(before);
}

static void
a_capture_that_never_began_leaves_nothing(void **state)
{
	struct place *const p = *state;
	struct output o;

	assert_int_equal(open_for(p, &o, false), 0);
	output_close(&o);
	assert_int_equal(access(p->path, F_OK), -1);
	put(p->path, "IoTB old");
	assert_int_equal(open_for(p, &o, false), 0);
	output_close(&o);
	holds(p->path, "IoTB old");
}

static void
a_recording_is_replaced(void **state)
{
	struct place *const p = *state;
	struct output o;
	int old;

	put(p->path, "IoTB old");
	old = open(p->path, O_RDONLY);
	assert_int_equal(open_for(p, &o, false), 0);
	holds(p->path, "IoTB old");
	assert_int_equal(write(o.fd, "IoTB new", 8), 8);
	assert_int_equal(output_commit(&o, NULL), 0);
	holds(p->path, "IoTB new");
	assert_int_equal(lseek(old, 0, SEEK_END), 8);	/* its reader keeps the old one */
	close(old);
	output_close(&o);
}

static void
an_empty_file_is_replaced(void **state)
{
	struct place *const p = *state;
	struct output o;

	put(p->path, "");
	assert_int_equal(open_for(p, &o, false), 0);
	assert_int_equal(output_commit(&o, NULL), 0);
	output_close(&o);
}

static void
anything_else_is_not(void **state)
{
	struct place *const p = *state;
	struct output o;

	put(p->path, "precious");
	assert_int_equal(open_for(p, &o, false), IOTAP_EEXIST);
	holds(p->path, "precious");
	assert_int_equal(open_for(p, &o, true), 0);
	assert_int_equal(output_commit(&o, NULL), 0);
	output_close(&o);
	holds(p->path, "");
}

static void
a_link_is_not_followed(void **state)
{
	struct place *const p = *state;
	struct output o;

	put(p->other, "IoTB other");
	assert_int_equal(symlink(p->other, p->path), 0);
	assert_int_equal(open_for(p, &o, false), IOTAP_EEXIST);
	assert_int_equal(open_for(p, &o, true), 0);
	assert_int_equal(write(o.fd, "IoTB", 4), 4);
	assert_int_equal(output_commit(&o, NULL), 0);
	output_close(&o);
	holds(p->other, "IoTB other");
	holds(p->path, "IoTB");
}

/* Somebody puts another file in the way between the look and the rename. */
static void
what_came_meanwhile_is_kept(void **state)
{
	struct place *const p = *state;
	struct output o;
	struct iotap_error err = {0};

	assert_int_equal(open_for(p, &o, false), 0);
	put(p->path, "came meanwhile");
	assert_int_equal(output_commit(&o, &err), IOTAP_EBUSY);
	output_close(&o);
	holds(p->path, "came meanwhile");

	assert_int_equal(unlink(p->path), 0);
	put(p->path, "IoTB old");
	assert_int_equal(open_for(p, &o, false), 0);
	put(p->other, "another file");
	assert_int_equal(rename(p->other, p->path), 0);
	assert_int_equal(output_commit(&o, &err), IOTAP_EBUSY);
	output_close(&o);
	holds(p->path, "another file");
}

static void
what_went_meanwhile_is_no_matter(void **state)
{
	struct place *const p = *state;
	struct output o;

	put(p->path, "IoTB old");
	assert_int_equal(open_for(p, &o, false), 0);
	assert_int_equal(unlink(p->path), 0);
	assert_int_equal(output_commit(&o, NULL), 0);
	output_close(&o);
	holds(p->path, "");
}

static void
folders_and_nowhere(void **state)
{
	struct place *const p = *state;
	struct iotap_error err = {0};
	struct output o;

	assert_int_equal(output_open(&o, p->folder, true, &p->owner, &err), IOTAP_EEXIST);
	assert_int_equal(output_open(&o, "/nowhere/at/all", false, &p->owner, &err), IOTAP_EIO);
	assert_non_null(strstr(err.text, "/nowhere/at/all"));
}

static void
fifos_and_devices_are_opened_as_they_are(void **state)
{
	struct place *const p = *state;
	struct iotap_error err = {0};
	struct output o;
	struct stat st;
	int reader;

	assert_int_equal(mkfifo(p->path, 0600), 0);
	reader = open(p->path, O_RDONLY | O_NONBLOCK);
	assert_int_equal(open_for(p, &o, false), 0);
	assert_true(o.pipe);
	assert_int_equal(output_commit(&o, NULL), 0);
	assert_false(output_reader_gone(&o));
	close(reader);
	assert_true(output_reader_gone(&o));
	output_close(&o);
	assert_int_equal(lstat(p->path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(output_open(&o, "/dev/null", false, &p->owner, &err), 0);
	assert_false(o.pipe);
	output_close(&o);
}

static void
descriptors_by_name(void **state)
{
	struct place *const p = *state;
	struct iotap_error err = {0};
	struct output o;
	char name[32];
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[1]);
	assert_int_equal(output_open(&o, name, false, &p->owner, &err), 0);
	assert_true(o.pipe);
	close(ends[1]);
	assert_int_equal(write(o.fd, "x", 1), 1);
	output_close(&o);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[0]);
	assert_int_equal(output_open(&o, name, false, &p->owner, &err), IOTAP_EUSAGE);
	close(ends[0]);
	assert_int_equal(output_open(&o, name, false, &p->owner, &err), IOTAP_EUSAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_file_is_private_and_appears_whole),
		TEST(a_capture_that_never_began_leaves_nothing),
		TEST(a_recording_is_replaced),
		TEST(an_empty_file_is_replaced),
		TEST(anything_else_is_not),
		TEST(a_link_is_not_followed),
		TEST(what_came_meanwhile_is_kept),
		TEST(what_went_meanwhile_is_no_matter),
		TEST(folders_and_nowhere),
		TEST(fifos_and_devices_are_opened_as_they_are),
		TEST(descriptors_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
