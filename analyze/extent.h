/* extent.h - when the batches of a recording happened, on the boot clock, in Unix time, by number
 *
 * The reader looks up by boot time only. A condition on Unix time or on the number becomes one on
 * boot time here; Unix time may jump, so that takes all batches whose range meets the condition.
 */
#ifndef ANALYZE_EXTENT_H
#define ANALYZE_EXTENT_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/input.h"
#include "formats/error.h"
#include "formats/iotap.h"

struct extent {
	uint64_t first_ns, last_ns;		/* boot clock */
	uint64_t unix_offset_ns;
	uint64_t first_number, last_number;
};

struct extents {
	struct extent *all;
	size_t n, cap;
	int known;
};

/* Reads the times of all batches of in, once. */
int extents_read(struct extents *e, const struct input *in, struct iotap_error *err);
void extents_fini(struct extents *e);

/* Narrows [*from_ns, *to_ns] (boot clock) to the batches that reach into [low, high], of Unix times or of
 * numbers. An empty range (*from_ns > *to_ns) means none. */
void extents_by_unix(const struct extents *e, int64_t low, int64_t high, uint64_t *from_ns, uint64_t *to_ns);
void extents_by_number(const struct extents *e, int64_t low, int64_t high, uint64_t *from_ns,
		       uint64_t *to_ns);

/* Calls in all. */
uint64_t extents_calls(const struct extents *e);

#endif
