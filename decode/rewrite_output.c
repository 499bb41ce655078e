/* rewrite_output.c - the file that a recording is written to */
#include "decode/rewrite_output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/io.h"

int
output_open(struct output *o, const char *path, struct iotap_error *err)
{
	*o = (struct output){.path = path, .fd = STDOUT_FILENO};
	if (!path || strcmp(path, "-") == 0)
		return 0;
	o->fd = io_create(path, &o->made);
	if (o->fd >= 0)
		return 0;
	if (errno == EEXIST)
		return error_set(err, IOTAP_EEXIST, "--output: %s exists: remove it first, or give another name",
				 path);
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
