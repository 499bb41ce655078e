/* cumulative.h - the latest sums of the kernel half, to be said again where an epoch needs them
 *
 * Sums are cumulative, and a reader may start at any epoch: what it reads first of a key is where its
 * counting starts. So each epoch begins with all of them, as far as they fit.
 */
#ifndef FORMATS_CUMULATIVE_H
#define FORMATS_CUMULATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/record.h"

/* Whether records of that type are sums; and the id of the target of one. */
static inline bool
cumulative_is(enum rec_type type)
{
	return type == REC_aggregate || type == REC_aggregate_source || type == REC_mapped;
}

static inline uint64_t
cumulative_target(enum rec_type type, const void *rec)
{
	if (type == REC_mapped)
		return ((const struct rec_mapped *)rec)->id;
	return type == REC_aggregate ? ((const struct rec_aggregate *)rec)->id
				     : ((const struct rec_aggregate_source *)rec)->id;
}

enum { CUMULATIVE_KEPT = 65536 };	/* keys; the kernel half has room for far fewer */

struct cumulative;

struct cumulative *cumulative_new(void);	/* NULL = out of memory */
void cumulative_free(struct cumulative *);

/* Writes a record of a sum (one of those types, rec points to its struct). 0 or what stopped it. */
typedef int (*cumulative_write)(void *arg, enum rec_type type, const void *rec);

/* Takes a sum as the latest of its key, and has it written, unless it stands in that epoch already, the same
 * in every field. What was not written (write's result is not 0, and is returned) is still to be said in
 * that epoch. One that finds no room is written, and not said again. */
int cumulative_put(struct cumulative *, enum rec_type type, const void *rec, uint32_t epoch,
		   cumulative_write write, void *arg);

/* Gives every record for epoch that it has not got. Stops at a result other than 0 and returns it. */
int cumulative_restate(struct cumulative *, uint32_t epoch, cumulative_write write, void *arg);

#endif
