/* tally.h - the running sums that a summary shows
 *
 * One row per key of a target, at most as many as asked for: what comes later is summed in one further
 * row of its class, and counted. Sums never wrap: they stay at 2^64 - 1. Calls that the kernel half
 * could only sum (aggregates) are part of every total; where their target is not known, of the totals of
 * their class only.
 */
#ifndef DECODE_TALLY_H
#define DECODE_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "decode/select.h"
#include "decode/target.h"
#include "formats/iotap.h"
#include "formats/record.h"

#define TALLY_ROWS 65536

/* What tally_batch needs of a batch. */
#define TALLY_COLUMNS \
	(IOTAP_COL_DURATION | IOTAP_COL_CALL | IOTAP_COL_FLAGS | IOTAP_COL_TARGET | IOTAP_COL_RESULT | \
	 IOTAP_COL_SECOND | IOTAP_COL_BYTES)

struct tally;

struct tally *tally_new(size_t max_rows);	/* NULL = out of memory */
void tally_free(struct tally *);

/* Adds a batch. 0 or IOTAP_ENOMEM. */
int tally_batch(struct tally *, const struct iotap_batch *);

/* An aggregate record. Its values are cumulative: what they grew by is added. baseline: they began to
 * grow before the recording did, so the first one of this key is only where counting starts. target: of
 * its id, or NULL. 0, IOTAP_ENOMEM, or IOTAP_ELIMIT. */
int tally_aggregate(struct tally *, const struct rec_aggregate *, const struct iotap_target *target,
		    const struct select *select, int baseline);

/* The kernel's counters, cumulative; baseline: those at the beginning of the input. */
void tally_counters(struct tally *, const struct rec_counters *, int baseline);

void tally_notice(struct tally *, const struct iotap_notice *);
void tally_drop(struct tally *, const struct iotap_drop *);

/* The sums so far. Rows are sorted; everything in *out lives until the next call or tally_free. Of
 * *out, duration_ns, complete, unknown_interface_calls and the processes are the caller's to set.
 * 0 or IOTAP_ENOMEM. */
int tally_summary(struct tally *, struct iotap_summary *out);

/* Sums that stay at the top instead of wrapping. */
static inline void
tally_add(uint64_t *sum, uint64_t n)
{
	*sum = *sum > UINT64_MAX - n ? UINT64_MAX : *sum + n;
}

#endif
