/* totals.h - the sums that reports are made from, kept while loading
 *
 * Kept per target name, process and class, process and target name, call, second and class, error;
 * the slowest calls beside them. Memory is bounded (sums.h).
 */
#ifndef ANALYZE_TOTALS_H
#define ANALYZE_TOTALS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyze/dimension.h"
#include "formats/error.h"

enum {
	TOTALS_SLOWEST = 1000,
	TOTALS_SMALL_BYTES = 512,	/* below it a read or write is small */
};

/* One call, with the ids of its rows. */
struct totals_call {
	int64_t number, process;
	uint64_t time_ns;		/* Unix */
	uint64_t duration_ns;		/* IOTAP_UNKNOWN = not known */
	int64_t result;
	uint64_t bytes;			/* moved, or IOTAP_UNKNOWN */
	uint32_t call, flags;
	bool has_source;
	struct dimension_target target;
	struct dimension_target source;	/* of the second descriptor */
};

/* Calls of one kind that the kernel summed. */
struct totals_sum {
	int64_t process;		/* 0 = not known */
	uint64_t first_ns, last_ns;	/* Unix time */
	uint64_t calls, bytes, messages, errors, unsized, latency_ns;
	uint32_t call;
	bool is_source;			/* the side that a copy read from: the target's row alone */
	struct dimension_target target;
};

struct totals;

/* *out is to be freed even after a failure. */
int totals_new(struct totals **out, sqlite3 *db, int64_t recording, struct iotap_error *err);
void totals_free(struct totals *);

/* Adds one call. 0, or the error of writing sums out. */
int totals_add(struct totals *, const struct totals_call *);

/* The same of a sum, which is put in the second of its latest call. */
int totals_add_sum(struct totals *, const struct totals_sum *);

/* Writes everything out. */
int totals_finish(struct totals *);

#endif
