/* rewrite_output.c - the file that a recording is written to */
#include "decode/rewrite_output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/io.h"

int
output_open(struct output *o, const char *path, struct iotap_error *err)
{
	bool made = false;

	*o = (struct output){.path = path, .fd = STDOUT_FILENO, .place = DRAFT_NONE};
	if (!path || strcmp(path, "-") == 0)
		return 0;
	o->fd = draft_folder(&o->place, path) ? io_create(path, &made) : -1;
	if (o->fd >= 0 && made)
		return 0;
	if (o->fd < 0 && errno == EEXIST)
		(void)error_set(err, IOTAP_EEXIST, "--output: %s exists: remove it first, or give another name", path);
	else if (o->fd < 0)
		(void)error_errno(err, IOTAP_EIO, errno, "--output: %s", path);
	draft_fini(&o->place);
	return o->fd < 0 ? err->code : 0;
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
