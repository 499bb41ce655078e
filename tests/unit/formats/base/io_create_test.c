/* io_create_test.c - formats/base/io.h: new files, readers that have gone, descriptors that fail */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "tests/lib/unit.h"

/* fstat of this program; the test's own. */
static bool stat_fails;

int fstat(int fd, struct stat *st);
int
fstat(int fd, struct stat *st)
{
	errno = EIO;
	return stat_fails ? -1 : fstatat(fd, "", st, AT_EMPTY_PATH);
}

static char folder[] = "/tmp/iotap-io-create.XXXXXX";

static const char *
path_of(char path[64], const char *name)
{
	(void)snprintf(path, 64, "%s/%s", folder, name);
	return path;
}

static void
a_file_is_made_and_never_taken(void **state)
{
	char path[64];
	int fd = io_create(path_of(path, "file"));
	struct stat st;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	(void)close(fd);
	assert_int_equal(io_create(path), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(io_open_existing(path), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(io_create(path_of(path, "no/file")), -1);
	assert_int_equal(errno, ENOENT);
}

/* A link is not followed, wherever it leads; a socket cannot be opened. */
static void
what_is_there_already(void **state)
{
	char path[64];
	int reader, fd;

	(void)state;
	assert_int_equal(symlink("/dev/null", path_of(path, "link")), 0);
	assert_int_equal(io_create(path), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(io_open_existing(path), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path_of(path, "fifo"), 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	fd = io_open_existing(path);
	assert_true(fd >= 0);
	(void)close(fd);
	stat_fails = true;
	assert_int_equal(io_create(path), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(io_open_existing(path), -1);
	assert_int_equal(errno, EEXIST);
	stat_fails = false;
	(void)close(reader);
	assert_int_equal(unlink(path), 0);
}

static void
a_reader_has_gone(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_false(io_reader_gone(fds[1]));
	(void)close(fds[0]);
	assert_true(io_reader_gone(fds[1]));
	assert_false(io_reader_gone(-1));
	(void)close(fds[1]);
}

/* A descriptor that never can: the reason is errno's. */
static void
what_cannot_be_read_or_written(void **state)
{
	struct buf b = {0};
	char byte;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(io_read_some(-1, &byte, 1), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(io_read_full(-1, &byte, 1), -1);
	assert_false(io_write_all(-1, "x", 1));
	assert_int_equal(errno, EBADF);
	assert_false(io_read_rest(fds[1], &b));
	assert_int_equal(errno, EBADF);
	assert_false(io_read_file(folder, &b));
	assert_int_equal(errno, EISDIR);
	assert_int_equal(b.len, 0);
	(void)close(fds[0]);
	(void)close(fds[1]);
}

static int
make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int
remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_made_and_never_taken),
		cmocka_unit_test(what_is_there_already),
		cmocka_unit_test(a_reader_has_gone),
		cmocka_unit_test(what_cannot_be_read_or_written),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
