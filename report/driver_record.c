/* driver_record.c - --record: the file beside the pipe from iotap-capture to iotap-decode
 *
 * The file gets its name, replacing an older recording by rename, when its first bytes arrive: a trace
 * that could not begin leaves everything as it was, and one that is killed leaves what it had.
 */
#include "report/driver_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/base/recording.h"
#include "formats/base/units.h"

#define COPY_BYTES (256u * 1024)

static int
refuse(const struct driver_record *r, struct iotap_error *err, const char *what, int errno_value)
{
	return error_errno(err, IOTAP_EIO, errno_value, "%s: cannot %s", r->path, what);
}

/* Whether what stands under the name now may give way. */
static int
check_existing(struct driver_record *r, struct iotap_error *err)
{
	const struct stat *const st = &r->old;

	if (fstatat(r->draft.dir, r->draft.name, &r->old, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : refuse(r, err, "look at it", errno);
	r->existed = true;
	if (S_ISDIR(st->st_mode))
		return refuse(r, err, "write to it", EISDIR);
	if (r->force)
		return 0;
	if (!S_ISREG(st->st_mode) || st->st_uid != geteuid() ||
	    (st->st_size > 0 && !recording_is_one(r->draft.dir, r->draft.name)))
		return error_set(err, IOTAP_EEXIST, "%s: exists and is not a recording of yours; "
						    "use --force to replace it", r->path);
	return 0;
}

/* True for what has no name to replace: FIFOs, devices, and descriptors given by path. */
static bool
is_special(const char *path)
{
	struct stat st;

	return strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0 ||
	       (stat(path, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)));
}

static int
open_draft(struct driver_record *r, struct iotap_error *err)
{
	r->fd = draft_open(&r->draft);
	return r->fd < 0 ? refuse(r, err, "create it", errno) : 0;
}

int
driver_record_open(struct driver_record *r, const char *path, bool force, struct iotap_error *err)
{
	int status;

	*r = (struct driver_record){.path = path, .force = force, .fd = -1, .draft = DRAFT_NONE};
	if (is_special(path)) {
		r->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return r->fd < 0 ? refuse(r, err, "open it", errno) : 0;
	}
	if (!draft_folder(&r->draft, path))
		return refuse(r, err, errno == EISDIR ? "write to it" : "open its directory", errno);
	status = check_existing(r, err);
	return status == 0 ? open_draft(r, err) : status;
}

void
driver_record_fini(struct driver_record *r)
{
	draft_fini(&r->draft);
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

/* Gives the file its name. One that appeared meanwhile is not ours to replace. */
static int
take_name(struct driver_record *r, struct iotap_error *err)
{
	if (r->draft.temporary[0] == '\0')
		return 0;
	if (!draft_publish(&r->draft, r->existed ? &r->old : NULL))
		return refuse(r, err, "give the recording its name", errno);
	return 0;
}

static int
save(struct driver_record *r, const void *p, size_t n, struct iotap_error *err)
{
	const int status = take_name(r, err);
	char text[UNITS_SIZE];

	if (status < 0)
		return status;
	if (!io_write_all(r->fd, p, n))
		return error_errno(err, IOTAP_EIO, errno,
				   "%s: recording stopped after %s, tracing goes on", r->path,
				   units_count(text, r->bytes, "byte"));
	r->bytes += n;
	return 0;
}

/* It has been written under a name, and has none any more. */
static bool
was_taken_away(const struct driver_record *r)
{
	return r->fd >= 0 && r->draft.dir >= 0 && r->bytes > 0 && !io_is_named(r->fd);
}

int
driver_record_copy(struct driver_record *r, int in, int out,
		   void (*say)(const struct iotap_error *), struct iotap_error *err)
{
	uint8_t *const block = malloc(COPY_BYTES);
	int status = 0;
	ssize_t got = 0;

	if (!block)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	while ((r->fd >= 0 || out >= 0) && (got = io_read_some(in, block, COPY_BYTES)) > 0) {
		if (r->fd >= 0 && save(r, block, (size_t)got, err) < 0) {
			status = err->code;
			say(err);
			driver_record_fini(r);
		}
		if (out >= 0 && !io_write_all(out, block, (size_t)got)) {
			close(out);	/* iotap-decode has ended: the driver will know why */
			out = -1;
		}
	}
	if (got < 0)
		status = error_errno(err, IOTAP_EIO, errno, "cannot read from iotap-capture");
	if (was_taken_away(r)) {
		status = error_set(err, IOTAP_EIO, "%s was removed or replaced while it was written: the recording "
				   "is lost", r->path);
		say(err);
	}
	if (out >= 0)
		close(out);
	free(block);
	return status;
}
