/* sync_test.c - the thread that sees to the disk: files come and go, an error is kept */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/sync.h"

static int
file(void)
{
	char path[] = "/tmp/sync_test.XXXXXX";
	const int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	return fd;
}

static void
files_follow_each_other(void **state)
{
	struct iotap_error err = {0};
	struct sync *const s = sync_new(1000000, false, &err);

	(void)state;
	assert_non_null(s);
	for (uint64_t i = 1; i <= 20; i++) {
		const int fd = file();

		assert_int_equal(sync_file(s, fd, &err), 0);
		assert_int_equal(write(fd, "x", 1), 1);
		sync_wrote(s, i);
		close(fd);		/* it has its own */
	}
	assert_int_equal(sync_finish(s, &err), 0);
	assert_int_equal(sync_failed(s, &err), 0);
	sync_free(s);
	sync_free(NULL);
}

static void
a_long_interval_does_not_delay_the_end(void **state)
{
	struct iotap_error err = {0};
	struct sync *const s = sync_new(UINT64_C(3600000000000), false, &err);
	const int fd = file();

	(void)state;
	assert_non_null(s);
	assert_int_equal(sync_file(s, fd, &err), 0);
	sync_wrote(s, 1);
	assert_int_equal(sync_finish(s, &err), 0);
	close(fd);
	sync_free(s);
}

/* A pipe cannot be seen to (EINVAL): that is no failure of the disk. */
static void
what_has_no_disk_is_let_be(void **state)
{
	struct iotap_error err = {0};
	struct sync *const s = sync_new(1000000, false, &err);
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(sync_file(s, ends[1], &err), 0);
	assert_int_equal(sync_finish(s, &err), 0);
	close(ends[0]);
	close(ends[1]);
	sync_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_follow_each_other),
		cmocka_unit_test(a_long_interval_does_not_delay_the_end),
		cmocka_unit_test(what_has_no_disk_is_let_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
