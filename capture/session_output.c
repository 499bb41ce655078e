/* session_output.c - where the recording goes: one output, the first file of a rotation, or memory
 *
 * Only here it is known that a series has no output of its own: its files are the outlet's.
 */
#include "capture/session_parts.h"

#include <errno.h>
#include <unistd.h>

#include "formats/base/io.h"

static bool
is_series(const struct session *s)
{
	return s->options->outlet.flight_bytes > 0 || outlet_rotates(&s->options->outlet);
}

int
session_output_check(struct session *s)
{
	const struct session_options *const o = s->options;
	const int r = outlet_init(&s->outlet, &o->outlet, o->output, s->err);

	s->works_as = s->owner;
	if (r < 0 || !is_series(s))
		return r < 0 ? r : output_check(o->output, o->force, &s->owner, s->err);
	series_owner(&s->outlet.series, &s->works_as);
	return series_try(&s->outlet.series, &s->works_as, s->err);
}

static int
open_first(struct session *s)
{
	const struct owner *const as = &s->works_as;
	const int r = series_next(&s->outlet.series, &s->outlet.fd, s->err);

	if (r < 0)
		return r;
	s->outlet.fresh = true;
	if (geteuid() == 0 && as->uid != 0 && fchown(s->outlet.fd, as->uid, as->gid) != 0)
		return error_errno(s->err, IOTAP_EIO, errno, "%s: cannot give it to its user",
				   s->outlet.series.path);
	return 0;
}

int
session_output_open(struct session *s, int *fd)
{
	const struct session_options *const o = s->options;
	int r = 0;

	*fd = -1;
	if (s->outlet.flight)
		return 0;
	r = is_series(s) ? open_first(s)
			 : output_open(&s->output, o->output, o->force, &s->owner, s->err);
	*fd = is_series(s) ? s->outlet.fd : s->output.fd;
	return r < 0 ? r : outlet_sync(&s->outlet, *fd, s->works_as.stays_root, s->err);
}

int
session_output_commit(struct session *s)
{
	const int r = is_series(s) ? 0 : output_commit(&s->output, s->err);

	s->outlet.fresh = false;
	s->named = r == 0 && io_is_named(is_series(s) ? s->outlet.fd : s->output.fd);
	return r;
}

int
session_output_kept(const struct session *s)
{
	if (!s->named || io_is_named(is_series(s) ? s->outlet.fd : s->output.fd))
		return 0;
	return error_set(s->err, IOTAP_EIO, "%s was removed or replaced while it was written: the recording is lost",
			 s->outlet.series.path ? s->outlet.series.path : s->options->output);
}
