/* outlet.c - what becomes of the writer's blocks: files, or the flight recorder's memory */
#include "capture/outlet.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/room.h"

#define TRIGGER_PAUSE_NS UINT64_C(1000000000)	/* between two copies that rules ask for */
#define RETRY_NS UINT64_C(10000000000)		/* after a next file that could not be made */

enum { REASON_SIZE = 7, REASON_EVENTS = 8, REASON_ROTATED = 9, REASON_DUMPED = 10 };	/* end.reason */
enum { NOTICE_INFORMATION = 1, NOTICE_WARNING = 2 };	/* notice.level */
enum { NEXT_BYTES = 64 * 1024 };	/* what the beginning of a file may take */

int
outlet_init(struct outlet *o, const struct outlet_options *options, const char *base,
	    struct iotap_error *err)
{
	*o = (struct outlet){.options = *options, .fd = -1, .series = {.dir = -1}};
	trigger_init(&o->trigger, options->rules, options->n_rules);
	if (options->flight_bytes > 0) {
		o->flight = flight_new(options->flight_bytes);
		if (!o->flight)
			return error_set(err, IOTAP_ENOMEM, "out of memory");
	}
	return o->flight || outlet_rotates(options)
		       ? series_open(&o->series, base, options->keep, err) : 0;
}

void
outlet_fini(struct outlet *o)
{
	sync_free(o->sync);
	if (o->fresh)
		series_undo(&o->series);
	flight_free(o->flight);
	trigger_fini(&o->trigger);
	series_close(&o->series);
	if (o->fd >= 0)
		(void)close(o->fd);
	*o = (struct outlet){.fd = -1, .series = {.dir = -1}};
}

int
outlet_sync(struct outlet *o, int fd, bool stays_root, struct iotap_error *err)
{
	struct stat st;

	if (o->options.sync_ns == 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	o->sync = sync_new(o->options.sync_ns, stays_root, err);
	return o->sync ? sync_file(o->sync, fd, err) : err->code;
}

void
outlet_target(struct outlet *o, const struct rec_target *target)
{
	trigger_target(&o->trigger, target);
}

void
outlet_calls(struct outlet *o, const struct kr_call *calls, size_t n, uint64_t now_ns)
{
	if (o->trigger.n_rules == 0 || o->fired ||
	    (o->fired_ns != 0 && now_ns - o->fired_ns < TRIGGER_PAUSE_NS))
		return;
	o->fired = trigger_calls(&o->trigger, calls, n);
	if (o->fired)
		o->fired_ns = now_ns;
}

static bool
file_is_due(const struct outlet *o, uint64_t bytes, uint64_t now_ns)
{
	const struct outlet_options *const p = &o->options;

	if (o->tried_ns != 0 && now_ns - o->tried_ns < RETRY_NS)
		return false;
	return (p->rotate_bytes > 0 && bytes >= p->rotate_bytes) ||
	       (p->rotate_ns > 0 && now_ns > o->began_ns && now_ns - o->began_ns >= p->rotate_ns);
}

enum outlet_due
outlet_due(const struct outlet *o, const struct writer *w, uint64_t now_ns)
{
	struct writer_totals t;

	if (o->flight) {
		if (o->fired)
			return OUTLET_DUMP;
		if (flight_wants_epoch(o->flight))
			return OUTLET_EPOCH;
	} else if (outlet_rotates(&o->options)) {
		writer_get_totals(w, &t);
		if (file_is_due(o, t.bytes, now_ns))
			return OUTLET_FILE;
	}
	return writer_epoch_due(w, now_ns) ? OUTLET_EPOCH : OUTLET_NOTHING;
}

unsigned int
outlet_limit(const struct outlet *o, const struct writer *w)
{
	struct writer_totals t;

	writer_get_totals(w, &t);
	if (o->sync)
		sync_wrote(o->sync, o->bytes_before + t.bytes);
	if (o->options.max_bytes > 0 && o->bytes_before + t.bytes >= o->options.max_bytes)
		return REASON_SIZE;
	if (o->options.max_calls > 0 && t.calls + t.pending_calls >= o->options.max_calls)
		return REASON_EVENTS;
	return 0;
}

static int
say(struct writer *w, unsigned int level, const struct rec_clock *clock, const char *text)
{
	const struct rec_notice notice = {.time_ns = clock->boot_ns, .level = level,
					  .text = rec_str(text)};

	return writer_record(w, REC_notice, &notice);
}

static int
go_on(struct outlet *o, struct writer *w, const struct rec_clock *clock,
      const struct rec_counters *counters, const struct iotap_error *why)
{
	const int r = writer_epoch(w, clock, counters);

	o->tried_ns = clock->boot_ns;
	return r < 0 ? r : say(w, NOTICE_WARNING, clock, why->text);
}

static int
leave_file(struct outlet *o, int next, uint64_t bytes, struct iotap_error *err)
{
	const int old = o->fd;

	o->fd = next;
	o->bytes_before += bytes;
	if (o->sync && sync_file(o->sync, next, err) < 0)
		return err->code;
	return close(old) == 0 ? 0 : error_errno(err, IOTAP_EIO, errno, "closing a file");
}

/* The next file of a series, in which its beginning has room. Without that the old one goes on: it has
 * room for its end at least. */
static int
make_next(struct outlet *o, int *fd, struct iotap_error *err)
{
	struct room room;
	int r = series_next(&o->series, fd, err);
	int full;

	if (r < 0)
		return r;
	room_init(&room, *fd);
	full = room_make(&room, 0, NEXT_BYTES);
	if (!full)
		return 0;
	r = error_errno(err, IOTAP_EIO, full, "%s", o->series.path);
	(void)close(*fd);
	series_undo(&o->series);
	return r;
}

/* What was written into a file that somebody took away is lost. */
static int
say_lost(struct writer *w, const struct rec_clock *clock, bool lost)
{
	return lost ? say(w, NOTICE_WARNING, clock, "the file before this one was removed or replaced while it was "
			  "written: it is lost") : 0;
}

static int
next_file(struct outlet *o, struct writer *w, const struct rec_clock *clock,
	  const struct rec_counters *counters, struct iotap_error *err)
{
	const struct rec_end end = {.time_ns = clock->boot_ns, .reason = REASON_ROTATED};
	struct iotap_error why = {0};
	struct writer_totals t;
	bool lost;
	int fd, r;

	if (make_next(o, &fd, &why) < 0)
		return go_on(o, w, clock, counters, &why);
	r = writer_end(w, clock, counters, &end);
	writer_get_totals(w, &t);
	if (r < 0) {
		(void)close(fd);
		series_undo(&o->series);
		return r;
	}
	o->began_ns = clock->boot_ns;
	o->tried_ns = 0;
	lost = !io_is_named(o->fd);
	r = leave_file(o, fd, t.bytes, err);
	if (r == 0)
		r = writer_reopen(w, fd, clock, counters);
	return r == 0 ? say_lost(w, clock, lost) : r;
}

/* As much of the newest as there is room for: 0, or what is full, even if something was left. */
static int
fit(struct outlet *o, struct room *room, bool *fits)
{
	int full = room_make(room, 0, flight_bytes(o->flight));
	const int first = full;

	while (full && flight_shorten(o->flight))
		full = room_make(room, 0, flight_bytes(o->flight));
	*fits = full == 0;
	return first;
}

/* Into a file of its own; a half one is removed. One that had to be shortened stays, and is an error. */
static int
write_copy(struct outlet *o, struct iotap_error *err)
{
	struct room room;
	bool fits;
	int fd, full, r = series_next(&o->series, &fd, err);

	if (r < 0)
		return r;
	room_init(&room, fd);
	full = fit(o, &room, &fits);
	r = fits ? flight_write(o->flight, fd, err) : error_errno(err, IOTAP_EIO, full, "flight recorder");
	room_release(&room);
	if (r == 0 && o->options.sync_ns > 0 && fdatasync(fd) != 0 && errno != EINVAL)
		r = error_errno(err, IOTAP_EIO, errno, "writing to the disk");
	if (close(fd) != 0 && r == 0)
		r = error_errno(err, IOTAP_EIO, errno, "closing the file");
	if (r < 0) {
		series_undo(&o->series);
		return error_prefix(err, "%s", o->series.path);
	}
	return full ? error_errno(err, IOTAP_EIO, full, "%s: the copy begins later than it should",
				  o->series.path) : 0;
}

static int
dump(struct outlet *o, struct writer *w, const struct rec_clock *clock,
     const struct rec_counters *counters)
{
	const struct rec_end end = {.time_ns = clock->boot_ns, .reason = REASON_DUMPED};
	struct iotap_error why = {0};
	char text[256];
	int r;

	(void)snprintf(text, sizeof(text), "flight recorder: copied %s%s",
		       o->fired ? "by --trigger " : "on request", o->fired ? o->fired->text : "");
	o->fired = NULL;
	r = say(w, NOTICE_INFORMATION, clock, text);
	if (r == 0)
		r = writer_end(w, clock, counters, &end);
	if (r < 0)
		return r;
	(void)write_copy(o, &why);
	r = writer_reopen(w, -1, clock, counters);
	return r < 0 || why.code == 0 ? r : say(w, NOTICE_WARNING, clock, why.text);
}

int
outlet_turn(struct outlet *o, struct writer *w, enum outlet_due turn, const struct rec_clock *clock,
	    const struct rec_counters *counters, struct iotap_error *err)
{
	int r;

	if (turn == OUTLET_FILE)
		r = next_file(o, w, clock, counters, err);
	else if (turn == OUTLET_DUMP && o->flight)
		r = dump(o, w, clock, counters);
	else
		r = writer_epoch(w, clock, counters);
	if (r < 0 && err->code == 0)
		*err = *writer_error(w);
	return r;
}

void
outlet_abandon(struct outlet *o)
{
	if (outlet_rotates(&o->options))
		series_undo(&o->series);
}

int
outlet_finish(struct outlet *o, struct iotap_error *err)
{
	if (o->flight)
		return write_copy(o, err);
	return o->sync ? sync_finish(o->sync, err) : 0;
}
