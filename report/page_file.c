/* page_file.c - where a page goes */
#include "report/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "report/page_texts.h"

/* Why the file that is there does not give way, NULL = it does: the user's own, that begins as our pages do,
 * or is empty, as a page is that could not be written. By its other names it would stay the old page. */
static const char *
what_keeps(const struct page_file *f)
{
	const struct stat *const old = &f->old;

	if (S_ISLNK(old->st_mode))
		return "is a symbolic link, which is not followed";
	if (old->st_uid != geteuid())
		return "belongs to another user";
	if (old->st_size != 0 && !io_begins(f->draft.dir, f->draft.name, PAGE_BEGIN, strlen(PAGE_BEGIN)))
		return "exists and is no page of iotap-report";
	return old->st_nlink > 1 ? "has a second name (a hard link), which would keep the old page" : NULL;
}

/* Who could read the earlier page can read the new one, and nobody else. */
static bool
take_over_mode(const struct page_file *f)
{
	const bool same_group = fchown(f->fd, (uid_t)-1, f->old.st_gid) == 0;

	return fchmod(f->fd, f->old.st_mode & (same_group ? 0777 : 0707)) == 0;
}

static int
failed(const struct page_file *f, struct iotap_error *err)
{
	return error_errno(err, IOTAP_EIO, errno, "%s", f->path);
}

static int
open_draft(struct page_file *f, struct iotap_error *err)
{
	f->fd = draft_open(&f->draft);
	if (f->fd < 0 || (f->replaces && !take_over_mode(f)))
		return failed(f, err);
	return 0;
}

/* A pipe or device is written to as it is. */
static int
open_as_is(struct page_file *f, struct iotap_error *err)
{
	draft_fini(&f->draft);
	f->fd = open(f->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	return f->fd < 0 ? failed(f, err) : 0;
}

int
page_file_open(struct page_file *f, const char *path, struct iotap_error *err)
{
	const char *why;

	*f = (struct page_file){.path = path, .fd = STDOUT_FILENO, .draft = DRAFT_NONE};
	if (strcmp(path, "-") == 0)
		return !isatty(STDOUT_FILENO) ? 0
			: error_set(err, IOTAP_EUSAGE, "a page is not for a terminal: give --html a file");
	f->fd = -1;
	if (!draft_folder(&f->draft, path))
		return failed(f, err);
	if (fstatat(f->draft.dir, f->draft.name, &f->old, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? open_draft(f, err) : failed(f, err);
	if (!S_ISREG(f->old.st_mode) && !S_ISLNK(f->old.st_mode))
		return open_as_is(f, err);
	why = what_keeps(f);
	f->replaces = !why;
	return !why ? open_draft(f, err)
		    : error_set(err, IOTAP_EEXIST, "%s %s: remove it first, or give another name", path, why);
}

static int
publish(struct page_file *f, struct iotap_error *err)
{
	if (f->draft.dir < 0 || draft_publish(&f->draft, f->replaces ? &f->old : NULL))
		return 0;
	if (errno == EEXIST || errno == ESTALE)
		return error_set(err, IOTAP_EBUSY, "%s: somebody else has put another file there meanwhile", f->path);
	return failed(f, err);
}

int
page_file_write(struct page_file *f, const struct buf *page, struct iotap_error *err)
{
	const int fd = f->fd;

	if (!io_write_all(fd, page->data, page->len))
		return errno == EPIPE ? 0 : failed(f, err);
	f->fd = -1;
	if (fd != STDOUT_FILENO && close(fd) != 0)
		return failed(f, err);
	return publish(f, err);
}

void
page_file_fini(struct page_file *f)
{
	if (f->fd >= 0 && f->fd != STDOUT_FILENO)
		(void)close(f->fd);
	draft_fini(&f->draft);
	f->fd = -1;
}
