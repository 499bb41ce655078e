/* input_test.c - analyze/input.h: what an input is, told by its first bytes, none of which may get lost */
#include "analyze/input.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "tests/lib/unit.h"

static char folder[] = "/tmp/iotap-input.XXXXXX";

static int
setup(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	return rmdir(folder);
}

static const char *
file(const char *bytes, size_t n)
{
	static char path[100];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/file", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	return path;
}

static void
told_apart_by_the_first_bytes(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		int code;		/* 0 = kind counts */
		enum input_kind kind;
	} rows[] = {
		{"IoTB", 4, 0, INPUT_RECORDING}, {"IoTB and more than sixteen bytes", 32, 0, INPUT_RECORDING},
		{"SQLite format 3\0", 16, 0, INPUT_DATABASE}, {"SQLite format 3", 15, IOTAP_ENOTREC, 0},
		{"SQLite format 4\0", 16, IOTAP_ENOTREC, 0}, {"IoT", 3, IOTAP_ENOTREC, 0},
		{"{\"type\":\"start\"}\n", 17, 0, INPUT_JSON}, {" \r\n\t{", 5, 0, INPUT_JSON}, {"{", 1, 0, INPUT_JSON},
		{"                    {", 21, IOTAP_ENOTREC, 0}, {"[{}]", 4, IOTAP_ENOTREC, 0},
		{"", 0, IOTAP_ENOTREC, 0}, {"\0{", 2, IOTAP_ENOTREC, 0}, {"TIME PID", 8, IOTAP_ENOTREC, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const path = file(rows[i].bytes, rows[i].n);
		struct iotap_error err = {.code = 0};
		struct input in;
		const int r = input_open(&in, path, &err);

		if (r != rows[i].code || (r == 0 && (in.kind != rows[i].kind || !in.seekable)))
			fail_msg("row %zu: %d %s", i, r, err.text);
		if (r < 0)
			assert_non_null(strstr(err.text, path));
		if (r < 0)
			assert_int_equal(in.fd, -1);
		input_close(&in);
		(void)unlink(path);
	}
}

static void
what_cannot_be_read(void **state)
{
	struct iotap_error err = {.code = 0};
	struct input in;

	(void)state;
	assert_int_equal(input_open(&in, "/tmp/no/such/file", &err), IOTAP_ENOTFOUND);
	assert_int_equal(input_open(&in, folder, &err), IOTAP_ENOTREC);
	assert_non_null(strstr(err.text, "directory"));
	assert_int_equal(input_open(&in, "/dev/null", &err), IOTAP_EUNSUPPORTED);
	input_close(&in);
}

/* A pipe on standard input: nothing is taken out of it by looking, and all of it is in the copy. */
static void
a_pipe_loses_nothing(void **state)
{
	struct buf got = {.data = NULL}, again = {.data = NULL};
	struct iotap_error err = {.code = 0};
	struct input in;
	char bytes[40000];
	int fds[2], fd;
	const int saved = dup(STDIN_FILENO);

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	memcpy(bytes, "IoTB", 4);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	(void)close(fds[0]);
	assert_true(io_write_all(fds[1], bytes, sizeof(bytes)));
	assert_int_equal(input_open(&in, "-", &err), 0);
	assert_int_equal(in.kind, INPUT_RECORDING);
	assert_string_equal(in.name, "<stdin>");
	assert_null(in.path);
	assert_false(in.seekable);
	(void)close(fds[1]);
	assert_int_equal(input_spool(&in, &err), 0);
	assert_true(in.seekable);
	for (int i = 0; i < 2; i++) {		/* each time from the start */
		struct buf *const to = i == 0 ? &got : &again;

		assert_int_equal(input_reopen(&in, &fd, &err), 0);
		assert_true(io_read_rest(fd, to));
		(void)close(fd);
		assert_int_equal(to->len, sizeof(bytes));
		assert_memory_equal(to->data, bytes, sizeof(bytes));
	}
	input_close(&in);
	input_close(&in);
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	(void)close(saved);
	buf_free(&got);
	buf_free(&again);
}

/* The file may be replaced while it is read: what was opened counts. */
static void
a_name_that_goes_to_another_file(void **state)
{
	const char *const path = file("IoTB first", 10);
	struct iotap_error err = {.code = 0};
	struct buf got = {.data = NULL};
	struct input in;
	int fd;

	(void)state;
	assert_int_equal(input_open(&in, path, &err), 0);
	assert_int_equal(input_spool(&in, &err), 0);		/* nothing to do */
	(void)unlink(path);
	(void)file("IoTB second", 11);
	assert_int_equal(input_reopen(&in, &fd, &err), 0);
	assert_true(io_read_rest(fd, &got));
	assert_string_equal(buf_cstr(&got), "IoTB first");
	(void)close(fd);
	fd = input_take(&in);
	input_close(&in);
	assert_int_not_equal(fcntl(fd, F_GETFD), -1);		/* taken is not closed */
	(void)close(fd);
	(void)unlink(path);
	buf_free(&got);
}

static void
a_place_for_copies_that_is_none(void **state)
{
	struct iotap_error err = {.code = 0};
	struct input in = {.name = "<stdin>", .fd = open("/dev/null", O_RDONLY)};

	(void)state;
	assert_int_equal(setenv("TMPDIR", "/no/such/folder", 1), 0);
	assert_int_equal(input_spool(&in, &err), IOTAP_EIO);
	assert_non_null(strstr(err.text, "/no/such/folder"));
	assert_int_equal(unsetenv("TMPDIR"), 0);
	assert_true(in.fd >= 0);
	input_close(&in);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_apart_by_the_first_bytes),
		cmocka_unit_test(what_cannot_be_read),
		cmocka_unit_test(a_pipe_loses_nothing),
		cmocka_unit_test(a_name_that_goes_to_another_file),
		cmocka_unit_test(a_place_for_copies_that_is_none),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
