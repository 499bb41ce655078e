/* tally.h - the running sums that a summary shows
 *
 * One row per key of a target, at most as many as asked for: what comes later is summed in one further
 * row of its class, and counted. Sums never wrap: they stay at 2^64 - 1. Calls that the kernel half
 * could only sum (aggregates) are part of every total; where their target is not known, of the row of what
 * is not known. So rows add up to the totals, but for what the two sides of a copy share: each has the
 * bytes in its row, the totals have them once.
 */
#ifndef DECODE_TALLY_H
#define DECODE_TALLY_H

#include <stdbool.h>
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
	 IOTAP_COL_SECOND | IOTAP_COL_BYTES | IOTAP_COL_ARGS | IOTAP_COL_THREAD)

struct tally;

struct tally *tally_new(size_t max_rows);	/* NULL = out of memory */
void tally_free(struct tally *);

/* Adds a batch of an input that was recorded with these sets (enum iotap_set). 0 or IOTAP_ENOMEM. */
int tally_batch(struct tally *, const struct iotap_batch *, uint32_t sets);

/* What an aggregate record goes to. target: of its id, or NULL; then the row is that of unknown, or of
 * socket where the call works on sockets only. baseline: the values began to grow before the recording
 * did, so the first one of this key is only where counting starts. */
struct tally_place {
	const struct iotap_target *target, *unknown, *socket;
	const struct iotap_process *process;	/* NULL = not known */
	const struct select *select;
	bool baseline;
	uint32_t sets;		/* that the input was recorded with, enum iotap_set */
};

/* An aggregate record. Its values are cumulative: what they grew by is added. 0, IOTAP_ENOMEM, or
 * IOTAP_ELIMIT. The second one is the other side of copies: it goes to the row of the target only. *grew
 * is what was added: calls 0 = nothing. */
struct tally_amount;
int tally_aggregate(struct tally *, const struct rec_aggregate *, const struct tally_place *,
		    struct tally_amount *grew);
int tally_aggregate_source(struct tally *, const struct rec_aggregate_source *,
			   const struct tally_place *, struct tally_amount *grew);

/* A sum of the set mmap, likewise; process may be NULL. Of place the target, select and baseline count. */
int tally_mapped(struct tally *, const struct rec_mapped *, const struct tally_place *,
		 const struct iotap_process *process);

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
