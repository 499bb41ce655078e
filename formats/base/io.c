/* io.c - reads and writes of files and pipes that finish what they start */
#include "formats/base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define IO_REST_STEP 65536	/* bytes asked for at a time when the end is unknown */

static void
io_wait(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	(void)poll(&p, 1, -1);
}

ssize_t
io_read_some(int fd, void *p, size_t n)
{
	for (;;) {
		const ssize_t got = read(fd, p, n);

		if (got >= 0)
			return got;
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			io_wait(fd, POLLIN);
		else if (errno != EINTR)
			return -1;
	}
}

ssize_t
io_read_full(int fd, void *p, size_t n)
{
	size_t done = 0;

	while (done < n) {
		const ssize_t got = io_read_some(fd, (uint8_t *)p + done, n - done);

		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

ssize_t
io_read_at(int fd, uint64_t offset, void *p, size_t n)
{
	size_t done = 0;

	while (done < n) {
		const ssize_t got = pread(fd, (uint8_t *)p + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno != EINTR)
			return -1;
		if (got == 0)
			break;
		done += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)done;
}

bool
io_write_all(int fd, const void *p, size_t n)
{
	size_t done = 0;

	while (done < n) {
		const ssize_t put = write(fd, (const uint8_t *)p + done, n - done);

		if (put >= 0)
			done += (size_t)put;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			io_wait(fd, POLLOUT);
		else if (errno != EINTR)
			return false;
	}
	return true;
}

/* How much to ask for: a step, but never more than one byte over the limit, which tells a content
 * that fits exactly from one that does not. */
static size_t
io_step(const struct buf *b)
{
	if (b->limit > 0 && b->limit - b->len < IO_REST_STEP)
		return b->limit - b->len + 1;
	return IO_REST_STEP;
}

bool
io_read_rest(int fd, struct buf *b)
{
	uint8_t step[4096];

	for (;;) {
		const size_t want = io_step(b) < sizeof(step) ? io_step(b) : sizeof(step);
		const ssize_t got = io_read_some(fd, step, want);

		if (got < 0)
			return false;
		if (got == 0)
			return true;
		if (!buf_put(b, step, (size_t)got)) {
			errno = b->limit > 0 ? ENOBUFS : ENOMEM;
			return false;
		}
	}
}

bool
io_read_file(const char *path, struct buf *b)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	bool ok;
	int saved;

	if (fd < 0)
		return false;
	ok = io_read_rest(fd, b);
	saved = errno;
	(void)close(fd);
	errno = saved;
	return ok;
}

bool
io_readable(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, timeout_ms) > 0;
}

bool
io_reader_gone(int fd)
{
	struct pollfd p = {.fd = fd, .events = 0};

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP)) != 0;
}

int
io_open_existing(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		return fd;
	if (fd >= 0)
		(void)close(fd);
	errno = EEXIST;
	return -1;
}

int
io_create(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0600);
}

bool
io_begins(int dir, const char *name, const void *bytes, size_t n)
{
	uint8_t begin[IO_BEGINS_MAX];
	const int fd = n > sizeof(begin) ? -1
			: openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
	bool yes;

	if (fd < 0)
		return false;
	yes = io_read_full(fd, begin, n) == (ssize_t)n && memcmp(begin, bytes, n) == 0;
	(void)close(fd);
	return yes;
}

bool
io_is_named(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 0;
}
