/* check.h - proof that a recording is whole: checksums, order, and the laws of its counters
 *
 * Every call of a traced process that the kernel half saw falls in exactly one class; the classes must
 * add up, and what was written must be what is there (formats/kernel_record.h, KR_COUNTERS).
 */
#ifndef DECODE_CHECK_H
#define DECODE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/base/map.h"
#include "formats/error.h"
#include "formats/kernel_record.h"
#include "formats/reader.h"

struct check_counters {
	bool there;
	uint64_t final, in_flight, waiting, written, lost_user, program_misses, requests_in_flight;
	uint64_t kernel[KC_N];
};

struct check {
	bool incomplete;		/* damage, loss, truncation: stated */
	bool broken;			/* a law does not hold */
	struct iotap_error err;
	uint64_t blocks, states, records, calls, unfinished;
	uint64_t damages, damaged_bytes, losses, lost_calls, disorders, bad_blocks;
	uint64_t aggregated;		/* sum of the latest value of every key */
	uint64_t last_key;
	uint64_t unix_offset_ns;	/* of the last clock */
	uint64_t end_calls, end_blocks, end_reason;
	uint64_t cost_user_ns, cost_system_ns, cost_resident_bytes, cost_bytes, cost_waiting;
	bool stream, truncated, end_seen;
	struct check_counters first, last;
	struct map aggregates;
};

/* Reads everything and appends one line per law, and the verdict, to out. 0, or negative: the recording
 * could not be read (err). */
int check_recording(struct check *, struct reader *, struct buf *out);

#endif
