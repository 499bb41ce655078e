/* twins_test.c - files given twice are refused, and told from files that only begin alike */
#include "decode/twins.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "tests/lib/starve.h"
#include "tests/lib/unit.h"

enum { COMPARED_BYTES = 65536 };

static const char *const names[] = {"a", "b", "c"};

/* A file of n bytes, 'x' each but for one at odd. */
static int
file_of(size_t n, size_t odd)
{
	static char bytes[COMPARED_BYTES + 10];
	const int fd = memfd_create("twin", MFD_CLOEXEC);

	assert_true(n <= sizeof(bytes));
	memset(bytes, 'x', sizeof(bytes));
	if (odd < n)
		bytes[odd] = 'y';
	assert_true(fd >= 0 && io_write_all(fd, bytes, n));
	return fd;
}

/* What is said of two descriptors, which are closed; "" = nothing. */
static struct iotap_error
of_two(int a, int b)
{
	const int fds[] = {a, b};
	struct iotap_error err = {.code = 0};
	const int r = twins_refuse(fds, names, 2, &err);

	assert_int_equal(err.code, r);
	(void)close(a);
	(void)close(b);
	return err;
}

static void
copies_and_parts_are_refused(void **state)
{
	struct iotap_error err;
	int fd;

	(void)state;
	err = of_two(file_of(200, SIZE_MAX), file_of(200, SIZE_MAX));
	assert_int_equal(err.code, IOTAP_EUSAGE);
	assert_non_null(strstr(err.text, "b: is a copy of a, or a part of it"));
	err = of_two(file_of(100, SIZE_MAX), file_of(200, SIZE_MAX));
	assert_int_equal(err.code, IOTAP_EUSAGE);
	err = of_two(file_of(200, SIZE_MAX), file_of(100, SIZE_MAX));
	assert_int_equal(err.code, IOTAP_EUSAGE);
	fd = file_of(10, SIZE_MAX);
	err = of_two(fd, dup(fd));
	assert_int_equal(err.code, IOTAP_EUSAGE);
	assert_non_null(strstr(err.text, "b: is the same file as a"));
	/* No more than the beginning is compared. */
	err = of_two(file_of(COMPARED_BYTES + 10, COMPARED_BYTES), file_of(COMPARED_BYTES + 10, SIZE_MAX));
	assert_int_equal(err.code, IOTAP_EUSAGE);
}

static void
files_that_only_begin_alike_are_not(void **state)
{
	(void)state;
	assert_int_equal(of_two(file_of(200, 150), file_of(200, SIZE_MAX)).code, 0);
	assert_int_equal(of_two(file_of(200, 10), file_of(200, SIZE_MAX)).code, 0);
	assert_int_equal(of_two(file_of(COMPARED_BYTES, COMPARED_BYTES - 1), file_of(COMPARED_BYTES, SIZE_MAX)).code,
			 0);
	/* Too short to say. */
	assert_int_equal(of_two(file_of(63, SIZE_MAX), file_of(200, SIZE_MAX)).code, 0);
	assert_int_equal(of_two(file_of(200, SIZE_MAX), file_of(63, SIZE_MAX)).code, 0);
	assert_int_equal(of_two(file_of(0, SIZE_MAX), file_of(0, SIZE_MAX)).code, 0);
}

/* What cannot be looked at twice is no file: a pipe, a descriptor that only writes, one that is none. */
static void
what_is_no_file_is_not(void **state)
{
	const int fds[] = {file_of(200, SIZE_MAX), -1};
	struct iotap_error err = {.code = 0};
	int ends[2];

	(void)state;
	assert_int_equal(twins_refuse(fds, names, 2, &err), 0);
	(void)close(fds[0]);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(of_two(ends[0], ends[1]).code, 0);
	assert_int_equal(of_two(open("/dev/null", O_WRONLY), file_of(200, SIZE_MAX)).code, 0);
}

static void
one_has_no_twin_and_of_three_each_is_looked_at(void **state)
{
	const int fds[] = {file_of(200, 70), file_of(200, 80), file_of(200, 80)};
	const int sooner[] = {fds[1], fds[2], fds[0]}, later[] = {fds[1], fds[0], fds[2]};
	struct iotap_error err = {.code = 0};

	(void)state;
	assert_int_equal(twins_refuse(fds, names, 1, &err), 0);
	assert_int_equal(twins_refuse(fds, names, 2, &err), 0);
	assert_int_equal(twins_refuse(fds, names, 3, &err), IOTAP_EUSAGE);
	assert_non_null(strstr(err.text, "c: is a copy of b"));
	assert_int_equal(twins_refuse(sooner, names, 3, &err), IOTAP_EUSAGE);	/* the third is not looked at */
	assert_int_equal(twins_refuse(later, names, 3, &err), IOTAP_EUSAGE);
	for (int i = 0; i < 3; i++)
		(void)close(fds[i]);
}

static int
starved(void *arg)
{
	struct iotap_error err = {.code = 0};
	const int r = twins_refuse(arg, names, 2, &err);

	assert_int_equal(err.code, r);
	if (r == IOTAP_ENOMEM)
		assert_string_equal(err.text, "out of memory");
	return r;
}

static void
without_memory(void **state)
{
	int fds[] = {file_of(200, 150), file_of(200, SIZE_MAX)};

	(void)state;
	starve_each(starved, fds, IOTAP_ENOMEM);
	(void)close(fds[0]);
	(void)close(fds[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_and_parts_are_refused),
		cmocka_unit_test(files_that_only_begin_alike_are_not),
		cmocka_unit_test(what_is_no_file_is_not),
		cmocka_unit_test(one_has_no_twin_and_of_three_each_is_looked_at),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
