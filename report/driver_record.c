/* driver_record.c - --record: the file beside the pipe from iotap-capture to iotap-decode
 *
 * The file gets its name, replacing an older recording by rename, when its first bytes arrive: a trace
 * that could not begin leaves everything as it was, and one that is killed leaves what it had.
 */
#include "report/driver_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"

#define COPY_BYTES (256u * 1024)

static const char recording_magic[] = {'I', 'o', 'T', 'B'};

static int
refuse(const struct driver_record *r, struct iotap_error *err, const char *what, int errno_value)
{
	return error_errno(err, IOTAP_EIO, errno_value, "%s: cannot %s", r->path, what);
}

bool
driver_record_is_one(int dir_fd, const char *base)
{
	char magic[sizeof(recording_magic)];
	const int fd = openat(dir_fd, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool is;

	if (fd < 0)
		return false;
	is = io_read_full(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
	     memcmp(magic, recording_magic, sizeof(magic)) == 0;
	close(fd);
	return is;
}

/* Whether what stands under the name now may give way. */
static int
check_existing(struct driver_record *r, struct iotap_error *err)
{
	struct stat st;

	if (fstatat(r->dir_fd, r->base, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : refuse(r, err, "look at it", errno);
	r->existed = true;
	if (S_ISDIR(st.st_mode))
		return refuse(r, err, "write to it", EISDIR);
	if (r->force)
		return 0;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_size > 0 && !driver_record_is_one(r->dir_fd, r->base)))
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
open_directory(struct driver_record *r, struct iotap_error *err)
{
	const char *const slash = strrchr(r->path, '/');
	char *dir;

	r->base = slash ? slash + 1 : r->path;
	if (*r->base == '\0')
		return refuse(r, err, "write to it", EISDIR);
	dir = slash ? strndup(r->path, (size_t)(slash - r->path) + 1) : strdup(".");
	if (!dir)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	r->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	return r->dir_fd < 0 ? refuse(r, err, "open its directory", errno) : 0;
}

static int
open_temp(struct driver_record *r, struct iotap_error *err)
{
	for (int i = 0; i < 16; i++) {
		uint64_t number;

		if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
			return refuse(r, err, "make a name for it", errno);
		(void)snprintf(r->temp, sizeof(r->temp), ".iotap-%016llx",
			       (unsigned long long)number);
		r->fd = openat(r->dir_fd, r->temp,
			       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (r->fd >= 0)
			return 0;
		r->temp[0] = '\0';
		if (errno != EEXIST)
			break;
	}
	return refuse(r, err, "create it", errno);
}

int
driver_record_open(struct driver_record *r, const char *path, bool force, struct iotap_error *err)
{
	int status;

	*r = (struct driver_record){.path = path, .force = force, .fd = -1, .dir_fd = -1};
	if (is_special(path)) {
		r->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return r->fd < 0 ? refuse(r, err, "open it", errno) : 0;
	}
	status = open_directory(r, err);
	if (status == 0)
		status = check_existing(r, err);
	return status == 0 ? open_temp(r, err) : status;
}

void
driver_record_fini(struct driver_record *r)
{
	if (r->temp[0] != '\0')
		(void)unlinkat(r->dir_fd, r->temp, 0);
	r->temp[0] = '\0';
	if (r->fd >= 0)
		close(r->fd);
	if (r->dir_fd >= 0)
		close(r->dir_fd);
	r->fd = r->dir_fd = -1;
}

/* Gives the file its name. One that appeared meanwhile is not ours to replace. */
static int
take_name(struct driver_record *r, struct iotap_error *err)
{
	const bool may_replace = r->existed || r->force;
	int status;

	if (r->temp[0] == '\0')
		return 0;
	status = renameat2(r->dir_fd, r->temp, r->dir_fd, r->base,
			   may_replace ? 0 : RENAME_NOREPLACE);
	if (status < 0 && errno == EINVAL && !may_replace)	/* a file system without the flag */
		status = renameat(r->dir_fd, r->temp, r->dir_fd, r->base);
	if (status < 0)
		return refuse(r, err, "give the recording its name", errno);
	r->temp[0] = '\0';
	return 0;
}

static int
save(struct driver_record *r, const void *p, size_t n, struct iotap_error *err)
{
	const int status = take_name(r, err);

	if (status < 0)
		return status;
	if (!io_write_all(r->fd, p, n))
		return error_errno(err, IOTAP_EIO, errno,
				   "%s: recording stopped after %llu bytes, tracing goes on", r->path,
				   (unsigned long long)r->bytes);
	r->bytes += n;
	return 0;
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
	if (out >= 0)
		close(out);
	free(block);
	return status;
}
