/* room_test.c - formats/room.h over files, and over file systems that are full, limited or cannot
 *
 * The calls that room.c makes are those below: they go to the kernel unless the test says otherwise.
 */
#include "formats/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/lib/unit.h"

/* The test's own; there is one thread. */
static struct {
	int reserve_errors[4];		/* of the next calls of fallocate; 0 = the kernel's word */
	unsigned int n_reserved;
	int stat_error, cut_error, seek_error;
	rlim_t limit;			/* 0 = none; 1 = it cannot be asked for */
} plan;

int fallocate(int fd, int mode, off_t at, off_t n);
int
fallocate(int fd, int mode, off_t at, off_t n)
{
	errno = plan.n_reserved < 4 ? plan.reserve_errors[plan.n_reserved] : 0;
	plan.n_reserved++;
	return errno ? -1 : (int)syscall(SYS_fallocate, fd, mode, at, n);
}

int fstat(int fd, struct stat *st);
int
fstat(int fd, struct stat *st)
{
	errno = plan.stat_error;
	return errno ? -1 : fstatat(fd, "", st, AT_EMPTY_PATH);
}

int ftruncate(int fd, off_t n);
int
ftruncate(int fd, off_t n)
{
	errno = plan.cut_error;
	return errno ? -1 : (int)syscall(SYS_ftruncate, fd, n);
}

off_t lseek(int fd, off_t at, int whence);
off_t
lseek(int fd, off_t at, int whence)
{
	errno = plan.seek_error;
	return errno ? -1 : (off_t)syscall(SYS_lseek, fd, at, whence);
}

/* The second argument of libc's is an enum of its own. */
int getrlimit(__rlimit_resource_t what, struct rlimit *limit);
int
getrlimit(__rlimit_resource_t what, struct rlimit *limit)
{
	(void)what;
	limit->rlim_cur = limit->rlim_max = plan.limit ? plan.limit : RLIM_INFINITY;
	return plan.limit == 1 ? -1 : 0;
}

static int
file_of(size_t n)
{
	const int fd = memfd_create("room", 0);

	plan = (typeof(plan)){.n_reserved = 0};
	assert_true(fd >= 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(write(fd, "x", 1), 1);
	return fd;
}

static uint64_t
blocks_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

static off_t
size_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_size;
}

static void
expect_nothing_done(struct room *r)
{
	assert_int_equal(r->fd, -1);
	assert_int_equal(room_make(r, 0, UINT64_C(1) << 40), 0);
	assert_false(room_cut(r, 0));
	room_release(r);
	assert_int_equal(plan.n_reserved, 0);
}

static void
only_a_regular_file(void **state)
{
	struct room r;
	int fds[2];
	const int fd = file_of(3);

	(void)state;
	room_init(&r, -1);
	expect_nothing_done(&r);
	assert_int_equal(pipe(fds), 0);
	room_init(&r, fds[1]);
	expect_nothing_done(&r);
	plan.stat_error = EIO;
	room_init(&r, fd);
	expect_nothing_done(&r);
	plan.stat_error = 0;
	plan.seek_error = ESPIPE;
	room_init(&r, fd);
	expect_nothing_done(&r);
	(void)close(fds[0]);
	(void)close(fds[1]);
	(void)close(fd);
}

/* Room is there before a byte is written; the size stays; what is left over is given back. */
static void
room_ahead(void **state)
{
	const int fd = file_of(10);
	struct room r;

	(void)state;
	room_init(&r, fd);
	assert_int_equal(r.first, 10);
	assert_int_equal(room_make(&r, 0, 1000), 0);
	assert_int_equal(plan.n_reserved, 1);
	assert_int_equal(size_of(fd), 10);
	assert_true(blocks_of(fd) >= 1000 + ROOM_END_BYTES + ROOM_AHEAD_BYTES);
	assert_int_equal(room_make(&r, 1000, 1000), 0);
	assert_int_equal(plan.n_reserved, 1);
	room_release(&r);
	assert_int_equal(size_of(fd), 10);
	assert_true(blocks_of(fd) < ROOM_AHEAD_BYTES);
	(void)close(fd);
}

/* A file that is appended to: the recording begins at its end, wherever the descriptor stands. */
static void
appended(void **state)
{
	const int fd = file_of(10);
	struct room r;

	(void)state;
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(fcntl(fd, F_SETFL, O_APPEND), 0);
	room_init(&r, fd);
	assert_int_equal(r.first, 10);
	(void)close(fd);
}

/* Where there is not as much as one would like, the least is asked for; then the error is said. */
static void
full(void **state)
{
	static const int errors[] = {ENOSPC, EDQUOT, EFBIG};

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		const int fd = file_of(0);
		struct room r;

		plan.reserve_errors[0] = errors[i];
		room_init(&r, fd);
		assert_int_equal(room_make(&r, 0, 100), 0);
		assert_int_equal(plan.n_reserved, 2);
		assert_int_equal(r.until, 100 + ROOM_END_BYTES);
		plan.reserve_errors[2] = plan.reserve_errors[3] = errors[i];
		assert_int_equal(room_make(&r, 100, 100), errors[i]);
		assert_int_equal(plan.n_reserved, 4);
		assert_int_equal(r.until, 100 + ROOM_END_BYTES);
		assert_true(r.reserves);
		(void)close(fd);
	}
}

static void
interrupted_or_impossible(void **state)
{
	const int fd = file_of(0);
	struct room r;

	(void)state;
	room_init(&r, fd);
	plan.reserve_errors[0] = EINTR;
	assert_int_equal(room_make(&r, 0, 100), 0);
	assert_int_equal(plan.n_reserved, 2);
	assert_true(r.until > 100);
	plan = (typeof(plan)){.reserve_errors = {EOPNOTSUPP}};
	room_init(&r, fd);
	assert_int_equal(room_make(&r, 0, 100), 0);
	assert_false(r.reserves);
	assert_int_equal(room_make(&r, 0, UINT64_C(1) << 40), 0);
	assert_int_equal(plan.n_reserved, 1);
	assert_true(room_cut(&r, 0));
	room_release(&r);
	(void)close(fd);
}

static void
the_limit_of_files(void **state)
{
	const int fd = file_of(0);
	struct room r;

	(void)state;
	plan.limit = ROOM_END_BYTES + 100;
	room_init(&r, fd);
	assert_int_equal(room_make(&r, 0, 100), 0);
	assert_int_equal(room_make(&r, 0, 101), EFBIG);
	plan.limit = 1;
	room_init(&r, fd);
	assert_int_equal(r.limit, UINT64_MAX);
	(void)close(fd);
}

static void
cutting(void **state)
{
	const int fd = file_of(100);
	struct room r;

	(void)state;
	assert_int_equal(lseek(fd, 10, SEEK_SET), 10);
	room_init(&r, fd);
	assert_false(room_cut(&r, 91));
	assert_true(room_cut(&r, 90));
	plan.cut_error = EIO;
	assert_false(room_cut(&r, 50));
	plan.cut_error = 0;
	plan.seek_error = EIO;
	assert_false(room_cut(&r, 50));
	plan.seek_error = 0;
	plan.stat_error = EIO;
	assert_false(room_cut(&r, 20));
	plan.stat_error = 0;
	assert_true(room_cut(&r, 20));
	assert_int_equal(size_of(fd), 30);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 30);
	assert_int_equal(r.until, 30 + ROOM_END_BYTES);
	r.reserves = false;
	plan.n_reserved = 0;
	assert_true(room_cut(&r, 10));
	assert_int_equal(plan.n_reserved, 0);
	assert_int_equal(size_of(fd), 20);
	(void)close(fd);
}

/* Nothing is given back of a file that has grown over it, or that cannot be looked at. */
static void
nothing_to_release(void **state)
{
	const int fd = file_of(0);
	struct room r;

	(void)state;
	room_init(&r, fd);
	room_release(&r);
	assert_int_equal(room_make(&r, 0, 10), 0);
	plan.stat_error = EIO;
	room_release(&r);
	plan.stat_error = 0;
	assert_true(blocks_of(fd) >= ROOM_AHEAD_BYTES);
	(void)close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_regular_file),
		cmocka_unit_test(room_ahead),
		cmocka_unit_test(appended),
		cmocka_unit_test(full),
		cmocka_unit_test(interrupted_or_impossible),
		cmocka_unit_test(the_limit_of_files),
		cmocka_unit_test(cutting),
		cmocka_unit_test(nothing_to_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
