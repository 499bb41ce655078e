/* room.c - room on the disk: what is set aside so that a recording can come to its end
 *
 * Why ahead: reserving costs a system call, and on a file system with a journal more than that. Why the
 * limit of RLIMIT_FSIZE is looked at here: with FALLOC_FL_KEEP_SIZE the kernel does not.
 */
#include "formats/room.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef FALLOC_FL_KEEP_SIZE
#define FALLOC_FL_KEEP_SIZE 1
#endif

static bool
says_full(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

void
room_init(struct room *r, int fd)
{
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
	const int flags = fcntl(fd, F_GETFL);
	struct stat st;
	off_t first;

	*r = (struct room){.fd = -1, .limit = UINT64_MAX};
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	first = flags >= 0 && (flags & O_APPEND) != 0 ? st.st_size : lseek(fd, 0, SEEK_CUR);
	if (first < 0)
		return;
	r->fd = fd;
	r->first = r->until = (uint64_t)first;
	r->reserves = true;
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		r->limit = limit.rlim_cur;
}

/* 0 or errno. What a file system cannot is not asked for again. */
static int
reserve(struct room *r, uint64_t until)
{
	int error;

	do
		error = fallocate(r->fd, FALLOC_FL_KEEP_SIZE, (off_t)r->until, (off_t)(until - r->until)) == 0 ?
			0 : errno;
	while (error == EINTR);
	if (error == 0)
		r->until = until;
	else if (!says_full(error))
		r->reserves = false;
	return says_full(error) ? error : 0;
}

int
room_make(struct room *r, uint64_t at, uint64_t n)
{
	const uint64_t until = r->first + at + n + ROOM_END_BYTES;

	if (r->fd < 0 || !r->reserves)
		return 0;
	if (until > r->limit)
		return EFBIG;
	if (until <= r->until || reserve(r, until + ROOM_AHEAD_BYTES) == 0)
		return 0;
	return reserve(r, until);
}

bool
room_cut(struct room *r, uint64_t at)
{
	const uint64_t end = r->first + at;
	struct stat st;

	if (r->fd < 0 || fstat(r->fd, &st) != 0 || (uint64_t)st.st_size < end)
		return false;
	if ((uint64_t)st.st_size == end)	/* what is reserved stays so */
		return true;
	if (ftruncate(r->fd, (off_t)end) != 0 || lseek(r->fd, (off_t)end, SEEK_SET) < 0)
		return false;
	r->until = end;
	if (r->reserves)
		(void)reserve(r, end + ROOM_END_BYTES);
	return true;
}

void
room_release(struct room *r)
{
	struct stat st;

	if (r->fd >= 0 && r->reserves && fstat(r->fd, &st) == 0 && (uint64_t)st.st_size < r->until)
		(void)ftruncate(r->fd, st.st_size);
}
