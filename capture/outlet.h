/* outlet.h - what becomes of the writer's blocks: one file, the files of a rotation, or the flight
 * recorder's memory; when the next file or epoch is due, and when there is enough
 *
 * Works in the encoder's thread. A turn (new epoch, next file, dump) needs the clock and the counters,
 * which only the main thread can read: outlet_due says what is wanted, outlet_turn does it when they
 * have come.
 */
#ifndef CAPTURE_OUTLET_H
#define CAPTURE_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/flight.h"
#include "capture/series.h"
#include "capture/sync.h"
#include "capture/trigger.h"
#include "formats/writer.h"

enum outlet_due { OUTLET_NOTHING, OUTLET_EPOCH, OUTLET_FILE, OUTLET_DUMP };

struct outlet_options {
	uint64_t rotate_bytes, rotate_ns;	/* 0 = no rotation by it */
	uint64_t keep;				/* files, 0 = all */
	uint64_t flight_bytes;			/* 0 = no flight recorder */
	const struct trigger_rule *rules;	/* of the flight recorder */
	size_t n_rules;
	uint64_t max_bytes, max_calls;		/* 0 = no end by it */
	uint64_t sync_ns;			/* 0 = leave it to the kernel */
};

struct outlet {
	struct outlet_options options;
	struct series series;		/* rotation, flight recorder */
	int fd;				/* file of a rotation in work, -1 = none */
	bool fresh;			/* the first one, and nothing has been traced: it goes with us */
	struct flight *flight;
	struct sync *sync;
	struct trigger trigger;
	const struct trigger_rule *fired;	/* a rule that was met; NULL = none */
	uint64_t fired_ns;		/* when a rule was met last */
	uint64_t began_ns;		/* the file in work */
	uint64_t tried_ns;		/* when the next file could not be made */
	uint64_t bytes_before;		/* in files before */
};

static inline bool
outlet_rotates(const struct outlet_options *o)
{
	return o->rotate_bytes > 0 || o->rotate_ns > 0;
}

/* base: the name that numbers are added to, kept by pointer. Nothing is made yet. outlet_fini in any
 * case. */
int outlet_init(struct outlet *o, const struct outlet_options *options, const char *base,
		struct iotap_error *err);
void outlet_fini(struct outlet *o);

/* A thread that writes fd to the disk, if one is wanted and fd is a regular file. Before threads lose
 * their capabilities. */
int outlet_sync(struct outlet *o, int fd, bool stays_root, struct iotap_error *err);

/* Looks at what is about to be written, for rules. now_ns: CLOCK_BOOTTIME. */
void outlet_target(struct outlet *o, const struct rec_target *target);
void outlet_calls(struct outlet *o, const struct kr_call *calls, size_t n, uint64_t now_ns);

/* What is due now. */
enum outlet_due outlet_due(const struct outlet *o, const struct writer *w, uint64_t now_ns);

/* 0, or the reason (end.reason) why this is enough. */
unsigned int outlet_limit(const struct outlet *o, const struct writer *w);

/* Does it; the writer is in a new epoch afterwards. A next file or a copy that cannot be made is said in
 * the recording, which goes on. Failures are those of the writer, or of closing a file. */
int outlet_turn(struct outlet *o, struct writer *w, enum outlet_due turn, const struct rec_clock *clock,
		const struct rec_counters *counters, struct iotap_error *err);

/* A file of a rotation in which nothing could be written: it goes. */
void outlet_abandon(struct outlet *o);

/* After writer_end: writes the flight recorder's memory to its last file, has everything on the disk.
 * IOTAP_EIO. */
int outlet_finish(struct outlet *o, struct iotap_error *err);

#endif
