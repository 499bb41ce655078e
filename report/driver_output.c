/* driver_output.c - --output: the file for what is printed, made with the user's rights
 *
 * Opened before anything runs, so that a wrong path is known in time, but emptied only when there is
 * something to put there: a trace that cannot begin must not cost the last one.
 */
#include "report/driver_output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/recording.h"

/* /dev/stdout is a link to a descriptor and welcome; one to a file may be somebody's trap. */
static bool
is_link_to_file(const char *path)
{
	struct stat link, st;

	return lstat(path, &link) == 0 && S_ISLNK(link.st_mode) &&
	       strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0 &&
	       (stat(path, &st) < 0 || S_ISREG(st.st_mode));
}

int
driver_output_open(struct driver_output *o, const char *path, bool force, struct iotap_error *err)
{
	const int flags = O_CREAT | O_CLOEXEC | O_NOCTTY;
	bool exists;

	*o = (struct driver_output){.path = path, .fd = -1};
	if (is_link_to_file(path))
		return error_set(err, IOTAP_EEXIST, "%s: is a symbolic link; name the file itself", path);
	o->fd = open(path, flags | O_WRONLY | O_EXCL, 0600);
	o->made = o->fd >= 0;
	exists = errno == EEXIST;
	if (o->made)
		return 0;
	/* In iotap-capture -o names the recording, here the text: an easy slip, which must not cost one. */
	if (exists && !force && recording_is_one(AT_FDCWD, path))
		return error_set(err, IOTAP_EEXIST, "%s: is a recording, and --output is for text; use "
				 "--record for a recording, or --force to replace it", path);
	if (exists)
		o->fd = open(path, flags | O_WRONLY, 0600);
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
