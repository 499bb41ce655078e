/* driver_output.c - --output: the file for what is printed, made with the user's rights
 *
 * Opened before anything runs, so that a wrong path is known in time, but emptied only when there is
 * something to put there: a trace that cannot begin must not cost the last one.
 */
#include "report/driver_output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int
driver_output_open(struct driver_output *o, const char *path, struct iotap_error *err)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;

	*o = (struct driver_output){.path = path, .fd = open(path, flags | O_EXCL, 0666)};
	o->made = o->fd >= 0;
	if (o->fd < 0 && errno == EEXIST)
		o->fd = open(path, flags, 0666);
	return o->fd < 0 ? error_errno(err, IOTAP_EIO, errno, "%s: cannot open it", path) : 0;
}

void
driver_output_begin(struct driver_output *o)
{
	struct stat st;

	o->made = false;
	if (o->fd >= 0 && fstat(o->fd, &st) == 0 && S_ISREG(st.st_mode))
		(void)!ftruncate(o->fd, 0);
}

void
driver_output_fini(struct driver_output *o)
{
	if (o->made)
		(void)unlink(o->path);
	o->made = false;
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}
