/* rewrite_output.c - the file that a recording is written to */
#include "decode/rewrite_output.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/io.h"

/* Signals wait meanwhile: a handler would remove a file that was there before, or leave ours. Nothing here
 * waits for anything else. */
static int
make(struct output *o)
{
	sigset_t all, before;
	int fd, errno_value;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &before);
	fd = draft_folder(&o->place, o->path) ? io_create(o->path) : -1;
	errno_value = errno;
	if (fd < 0)
		draft_fini(&o->place);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	errno = errno_value;
	return fd;
}

int
output_open(struct output *o, const char *path, struct iotap_error *err)
{
	*o = (struct output){.path = path, .fd = STDOUT_FILENO, .place = DRAFT_NONE};
	if (!path || strcmp(path, "-") == 0)
		return 0;
	o->fd = make(o);
	if (o->fd < 0 && errno == EEXIST)
		o->fd = io_open_existing(path);
	if (o->fd < 0 && errno == EEXIST)
		return error_set(err, IOTAP_EEXIST, "--output: %s exists: remove it first, or give another name", path);
	return o->fd < 0 ? error_errno(err, IOTAP_EIO, errno, "--output: %s", path) : 0;
}

void
output_remove(const struct output *o)
{
	if (o->place.dir >= 0)
		(void)unlinkat(o->place.dir, o->place.name, 0);
}

int
output_close(struct output *o, bool keep, struct iotap_error *err)
{
	int r = 0;

	if (o->fd >= 0 && o->fd != STDOUT_FILENO && close(o->fd) < 0 && keep)
		r = error_errno(err, IOTAP_EIO, errno, "--output: %s", o->path);
	if (!keep || r < 0)
		output_remove(o);
	draft_fini(&o->place);
	o->fd = -1;
	return r;
}
