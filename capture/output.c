/* output.c - the file, pipe or device that a recording goes to */
#include "capture/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/quantity.h"
#include "formats/base/recording.h"

/* The number in "/dev/fd/N" and the like, or -1: such a name means the descriptor itself. */
static int
named_descriptor(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	uint64_t n;

	if (!path || strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		const size_t len = strlen(folders[i]);

		if (strncmp(path, folders[i], len) == 0 && quantity_u64(path + len, &n) && n < 1 << 20)
			return (int)n;
	}
	return -1;
}

static int
check_descriptor(int fd, const char *path, struct iotap_error *err)
{
	const int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return error_set(err, IOTAP_EUSAGE, "%s is not open for writing",
				 path && strcmp(path, "-") != 0 ? path : "the standard output");
	if (isatty(fd))
		return error_set(err, IOTAP_EUSAGE,
				 "a recording is not for a terminal: give -o FILE, or a pipe to "
				 "another program");
	/* Given by number it is meant for us: a COMMAND must not keep a pipe open. */
	if (fd > STDERR_FILENO && fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
		return error_errno(err, IOTAP_EIO, errno, "%s", path);
	return 0;
}

static int
check_regular(const char *path, const struct stat *st, const struct owner *owner,
	      struct iotap_error *err)
{
	if (st->st_uid != owner->uid && st->st_uid != geteuid())
		return error_set(err, IOTAP_EEXIST, "%s is another user's file; --force replaces it",
				 path);
	if (st->st_size != 0 && !recording_is_one(AT_FDCWD, path))
		return error_set(err, IOTAP_EEXIST,
				 "%s exists and is no iotap recording; --force replaces it", path);
	return 0;
}

/* A link is never followed by the replacing of a file; a link to a device is opened as it is. */
static int
look(const char *path, struct stat *st, struct iotap_error *err)
{
	if (lstat(path, st) != 0)
		return errno == ENOENT ? 1 : error_errno(err, IOTAP_EIO, errno, "%s", path);
	if (S_ISLNK(st->st_mode)) {
		struct stat behind;

		if (stat(path, &behind) == 0 && !S_ISREG(behind.st_mode) &&
		    !S_ISDIR(behind.st_mode))
			*st = behind;
	}
	return 0;
}

int
output_check(const char *path, bool force, const struct owner *owner, struct iotap_error *err)
{
	const int fd = named_descriptor(path);
	struct stat st;
	int r;

	if (fd >= 0)
		return check_descriptor(fd, path, err);
	r = look(path, &st, err);
	if (r != 0)
		return r < 0 ? r : 0;
	if (S_ISDIR(st.st_mode))
		return error_set(err, IOTAP_EEXIST, "%s is a directory", path);
	if (S_ISLNK(st.st_mode) && !force)
		return error_set(err, IOTAP_EEXIST,
				 "%s is a symbolic link, which is not followed; --force replaces "
				 "the link", path);
	if (S_ISREG(st.st_mode) && !force)
		return check_regular(path, &st, owner, err);
	return 0;
}

static int
open_as_is(struct output *o, const char *path, struct iotap_error *err)
{
	o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (o->fd < 0)
		return error_errno(err, errno == EINTR ? IOTAP_ESYSTEM : IOTAP_EIO, errno, "%s",
				   path);
	if (isatty(o->fd))
		return error_set(err, IOTAP_EUSAGE, "%s is a terminal: a recording is not for one",
				 path);
	return 0;
}

static int
open_file(struct output *o, const char *path, const struct owner *owner, struct iotap_error *err)
{
	if (!draft_folder(&o->draft, path))
		return errno == EISDIR ? error_set(err, IOTAP_EIO, "%s is a directory", path)
				       : error_errno(err, IOTAP_EIO, errno, "%s", path);
	o->fd = draft_open(&o->draft);
	if (o->fd < 0)
		return error_errno(err, IOTAP_EIO, errno, "%s", path);
	if (geteuid() == 0 && owner->uid != 0 && fchown(o->fd, owner->uid, owner->gid) != 0)
		return error_errno(err, IOTAP_EIO, errno, "%s: cannot give it to its user", path);
	return 0;
}

int
output_open(struct output *o, const char *path, bool force, const struct owner *owner,
	    struct iotap_error *err)
{
	const int given = named_descriptor(path);
	struct stat st;
	int r = output_check(path, force, owner, err);

	*o = (struct output){.fd = -1, .draft = DRAFT_NONE};
	if (r < 0)
		return r;
	if (given >= 0) {
		o->fd = fcntl(given, F_DUPFD_CLOEXEC, 3);
		r = o->fd < 0 ? error_errno(err, IOTAP_EIO, errno, "standard output") : 0;
	} else {
		r = look(path, &st, err);
		o->replaces = r == 0;
		if (o->replaces)
			o->old = st;
		if (r >= 0)
			r = r == 1 || S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)
				    ? open_file(o, path, owner, err)
				    : open_as_is(o, path, err);
	}
	if (r == 0 && fstat(o->fd, &st) == 0)
		o->pipe = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
	if (r < 0)
		output_close(o);
	return r;
}

int
output_commit(struct output *o, struct iotap_error *err)
{
	const char *const name = o->draft.name;

	if (o->draft.temporary[0] == '\0')
		return 0;
	if (!draft_publish(&o->draft, o->replaces ? &o->old : NULL)) {
		if (errno == EEXIST)
			return error_set(err, IOTAP_EBUSY, "%s was made by somebody else meanwhile", name);
		if (errno == ESTALE)
			return error_set(err, IOTAP_EBUSY, "%s was replaced by somebody else meanwhile", name);
		return error_errno(err, IOTAP_EIO, errno, "%s", name);
	}
	draft_fini(&o->draft);
	return 0;
}

void
output_close(struct output *o)
{
	if (o->fd >= 0)
		(void)close(o->fd);
	draft_fini(&o->draft);
	*o = (struct output){.fd = -1, .draft = DRAFT_NONE};
}

bool
output_reader_gone(const struct output *o)
{
	struct pollfd p = {.fd = o->fd, .events = 0};

	return o->pipe && poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP)) != 0;
}
