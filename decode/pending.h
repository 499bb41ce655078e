/* pending.h - what the stream said between calls, waiting for its place among them
 *
 * Life-cycle records, losses and damage are told at their time: a record comes before the calls that
 * returned at or after it. The queue owns copies of the bytes. Items without a time are due at once.
 */
#ifndef DECODE_PENDING_H
#define DECODE_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/record.h"

#define PENDING_BYTES_MAX (8 * 1024 * 1024)	/* beyond it, the oldest is due whatever its time */

enum pending_what {
	PENDING_RECORD,		/* bytes: a record as it was in the file */
	PENDING_DAMAGE,		/* bytes: text, of a part of the input that could not be used */
	PENDING_STEP,		/* the clock was set by step_ns */
	PENDING_START,		/* the processes traced from the start are known */
	PENDING_WARNING,	/* a text of our own */
};

struct pending_item {
	struct pending_item *next;
	uint64_t time_ns;
	enum pending_what what;
	uint32_t cause;			/* DAMAGE: enum iotap_drop_cause */
	uint64_t offset, bytes;		/* DAMAGE: where in the input */
	int64_t step_ns;		/* STEP */
	uint32_t n;
	uint8_t data[];			/* n bytes, and a NUL */
};

struct pending {
	struct pending_item *first, *last;
	size_t bytes;
};

/* Puts a copy of *like (its next and n are not looked at) with n bytes at p into its place by time:
 * behind those of the same time. 0 or IOTAP_ENOMEM. */
int pending_put(struct pending *, const struct pending_item *like, const void *p, uint32_t n);

/* Takes the first one out; the caller frees it with free(). NULL = none. */
struct pending_item *pending_take(struct pending *);

/* True when the first item belongs before what happened at key_ns. */
bool pending_before(const struct pending *, uint64_t key_ns);

void pending_fini(struct pending *);

#endif
