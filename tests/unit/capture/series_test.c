/* series_test.c - FILE.1, FILE.2: numbers go up, the oldest go, what is no recording stays */
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

#include "capture/series.h"

static char *
folder(void)
{
	char *const path = strdup("/tmp/series_test.XXXXXX");

	assert_non_null(mkdtemp(path));
	return path;
}

static void
make(const char *dir, const char *name, const char *content)
{
	char path[256];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(content, file);
	assert_int_equal(fclose(file), 0);
}

static bool
there(const char *dir, const char *name)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

static void
scrap(char *dir)
{
	char command[300];

	(void)snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
	free(dir);
}

static void
next(struct series *s)
{
	struct iotap_error err = {0};
	struct stat st;
	int fd;

	assert_int_equal(series_next(s, &fd, &err), 0);
	assert_int_equal(write(fd, "IoTB", 4), 4);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	close(fd);
}

static void
numbers_go_up_and_the_oldest_go(void **state)
{
	char *const dir = folder();
	struct iotap_error err = {0};
	struct series s;
	char base[128];

	(void)state;
	(void)snprintf(base, sizeof(base), "%s/t.iotap", dir);
	assert_int_equal(series_open(&s, base, 3, &err), 0);
	for (int i = 0; i < 5; i++)
		next(&s);
	assert_string_equal(s.path + strlen(base), ".5");
	assert_false(there(dir, "t.iotap.1") || there(dir, "t.iotap.2"));
	assert_true(there(dir, "t.iotap.3") && there(dir, "t.iotap.4") && there(dir, "t.iotap.5"));
	series_undo(&s);
	assert_false(there(dir, "t.iotap.5"));
	series_close(&s);
	/* Another run goes on where that one ended. */
	assert_int_equal(series_open(&s, base, 2, &err), 0);
	next(&s);
	assert_true(there(dir, "t.iotap.5") && there(dir, "t.iotap.4") && !there(dir, "t.iotap.3"));
	series_close(&s);
	scrap(dir);
}

static void
only_recordings_of_such_names_are_removed(void **state)
{
	char *const dir = folder();
	struct iotap_error err = {0};
	struct series s;
	char base[128];

	(void)state;
	(void)snprintf(base, sizeof(base), "%s/t", dir);
	make(dir, "t.3", "a letter");
	make(dir, "t.4", "IoTB");
	make(dir, "t.04", "IoTB");
	make(dir, "t.4x", "IoTB");
	make(dir, "t.", "IoTB");
	make(dir, "tt.9", "IoTB");
	make(dir, "t.99999999999999999999", "IoTB");
	assert_int_equal(series_open(&s, base, 1, &err), 0);
	assert_int_equal(s.n_numbers, 2);
	next(&s);
	assert_true(there(dir, "t.5"));
	assert_true(there(dir, "t.3"));		/* not ours */
	assert_false(there(dir, "t.4"));
	assert_true(there(dir, "t.04") && there(dir, "t.4x") && there(dir, "tt.9") && there(dir, "t."));
	series_close(&s);
	scrap(dir);
}

/* Somebody puts a link where the next file would be: it is passed over, and nothing is written through. */
static void
a_link_is_not_followed(void **state)
{
	char *const dir = folder();
	struct iotap_error err = {0};
	struct series s;
	struct stat st;
	char base[128], link[160], victim[160];

	(void)state;
	(void)snprintf(base, sizeof(base), "%s/t", dir);
	(void)snprintf(link, sizeof(link), "%s.1", base);
	(void)snprintf(victim, sizeof(victim), "%s/victim", dir);
	make(dir, "victim", "precious");
	assert_int_equal(series_open(&s, base, 0, &err), 0);
	assert_int_equal(symlink(victim, link), 0);
	next(&s);
	assert_string_equal(s.path + strlen(base), ".2");
	assert_int_equal(stat(victim, &st), 0);
	assert_int_equal(st.st_size, 8);
	series_close(&s);
	scrap(dir);
}

static void
what_cannot_be_is_an_error(void **state)
{
	struct iotap_error err = {0};
	struct series s;
	char name[300];

	(void)state;
	assert_int_equal(series_open(&s, "/nonexistent/t", 0, &err), IOTAP_EIO);
	series_close(&s);
	assert_int_equal(series_open(&s, "/tmp/", 0, &err), IOTAP_EIO);
	series_close(&s);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(series_open(&s, name, 0, &err), IOTAP_EIO);
	series_close(&s);
}

static void
a_directory_of_somebody_else_is_refused_before_anything_begins(void **state)
{
	char *const dir = folder();
	const struct owner nobody = {.uid = 65534, .gid = 65534};
	struct owner owner = {.uid = 0};
	struct iotap_error err = {0};
	struct series s;
	char base[128];

	(void)state;
	if (geteuid() != 0)
		skip();
	(void)snprintf(base, sizeof(base), "%s/t", dir);
	assert_int_equal(series_open(&s, base, 0, &err), 0);
	assert_int_equal(series_try(&s, &nobody, &err), IOTAP_EPERM);
	assert_int_equal(series_try(&s, &owner, &err), 0);
	series_owner(&s, &owner);
	assert_true(owner.stays_root);
	assert_int_equal(chown(dir, 65534, 65534), 0);
	owner = (struct owner){.uid = 0};
	series_owner(&s, &owner);
	assert_int_equal(owner.uid, 65534);
	assert_false(owner.stays_root);
	assert_int_equal(series_try(&s, &nobody, &err), 0);
	series_close(&s);
	scrap(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_go_up_and_the_oldest_go),
		cmocka_unit_test(only_recordings_of_such_names_are_removed),
		cmocka_unit_test(a_link_is_not_followed),
		cmocka_unit_test(what_cannot_be_is_an_error),
		cmocka_unit_test(a_directory_of_somebody_else_is_refused_before_anything_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
