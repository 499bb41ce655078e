/* rewrite_output.c - the file that a recording is written to */
#include "decode/rewrite_output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is there already may be a pipe or a device. */
static int
output_open_existing(struct output *o, struct iotap_error *err)
{
	struct stat st;

	o->fd = open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	if (o->fd >= 0 && fstat(o->fd, &st) == 0 && !S_ISREG(st.st_mode))
		return 0;
	if (o->fd >= 0)
		(void)close(o->fd);
	o->fd = -1;
	return error_set(err, IOTAP_EEXIST, "--output: %s exists: remove it first, or give another name", o->path);
}

int
output_open(struct output *o, const char *path, struct iotap_error *err)
{
	*o = (struct output){.path = path, .fd = STDOUT_FILENO};
	if (!path || strcmp(path, "-") == 0)
		return 0;
	o->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0600);
	o->made = o->fd >= 0;
	if (o->made)
		return 0;
	if (errno == EEXIST)
		return output_open_existing(o, err);
	return error_errno(err, IOTAP_EIO, errno, "--output: %s", path);
}

int
output_close(struct output *o, bool keep, struct iotap_error *err)
{
	const bool ours = o->fd >= 0 && o->fd != STDOUT_FILENO;
	int r = 0;

	if (ours && close(o->fd) < 0 && keep)
		r = error_errno(err, IOTAP_EIO, errno, "--output: %s", o->path);
	if (o->made && (!keep || r < 0))
		(void)unlink(o->path);
	o->fd = -1;
	o->made = false;
	return r;
}
