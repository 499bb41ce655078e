/* page_file.c - where a page goes */
#include "report/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "report/page_texts.h"

/* True when the user's own file at path begins as our pages do, or is empty, as a page is that could not
 * be written. */
static bool
is_ours(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
	const size_t n = sizeof(PAGE_BEGIN) - 1;
	char begin[sizeof(PAGE_BEGIN)];
	struct stat st;
	bool yes;

	if (fd < 0)
		return false;
	yes = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	      (st.st_size == 0 ||
	       (io_read_full(fd, begin, n) == (ssize_t)n && memcmp(begin, PAGE_BEGIN, n) == 0));
	(void)close(fd);
	return yes;
}

int
page_file_open(const char *path, struct iotap_error *err)
{
	bool made;
	int fd;

	if (strcmp(path, "-") == 0)
		return !isatty(STDOUT_FILENO) ? STDOUT_FILENO
			: error_set(err, IOTAP_EUSAGE, "a page is not for a terminal: give --html a file");
	fd = io_create(path, &made);
	if (fd < 0 && errno == EEXIST) {
		if (!is_ours(path))
			return error_set(err, IOTAP_EEXIST,
					 "%s exists and is no page of iotap-report: remove it first, or give "
					 "another name", path);
		fd = unlink(path) == 0 ? io_create(path, &made) : -1;
	}
	return fd >= 0 ? fd : error_errno(err, IOTAP_EIO, errno, "%s", path);
}

int
page_file_write(int fd, const char *path, const struct buf *page, struct iotap_error *err)
{
	int r = 0;

	if (!io_write_all(fd, page->data, page->len)) {
		r = errno == EPIPE ? 0 : error_errno(err, IOTAP_EIO, errno, "%s", path);
		(void)ftruncate(fd, 0);
	}
	if (fd != STDOUT_FILENO && close(fd) != 0 && r == 0)
		r = error_errno(err, IOTAP_EIO, errno, "%s", path);
	return r;
}
