/* page_file.c - where a page goes */
#include "report/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "report/page_texts.h"

/* The user's own file at path, when it begins as our pages do, or is empty, as a page is that could not be
 * written; otherwise -1. What it holds stays until the new page is there. */
static int
open_ours(const char *path)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
	const size_t n = sizeof(PAGE_BEGIN) - 1;
	char begin[sizeof(PAGE_BEGIN)];
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1 &&
	    (st.st_size == 0 ||
	     (io_read_full(fd, begin, n) == (ssize_t)n && memcmp(begin, PAGE_BEGIN, n) == 0)) &&
	    lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -1;
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
		fd = open_ours(path);
		if (fd < 0)
			return error_set(err, IOTAP_EEXIST,
					 "%s exists and is no page of iotap-report: remove it first, or give "
					 "another name", path);
	}
	return fd >= 0 ? fd : error_errno(err, IOTAP_EIO, errno, "%s", path);
}

int
page_file_write(int fd, const char *path, const struct buf *page, struct iotap_error *err)
{
	const bool file = fd != STDOUT_FILENO;
	int r = 0;

	if (file && ftruncate(fd, 0) != 0 && errno != EINVAL) {	/* which a device says */
		r = error_errno(err, IOTAP_EIO, errno, "%s", path);
	} else if (!io_write_all(fd, page->data, page->len)) {
		r = errno == EPIPE ? 0 : error_errno(err, IOTAP_EIO, errno, "%s", path);
		if (file)
			(void)ftruncate(fd, 0);
	}
	if (file && close(fd) != 0 && r == 0)
		r = error_errno(err, IOTAP_EIO, errno, "%s", path);
	return r;
}
