/* epoch.h - the definitions of one epoch: from the ids of a recording to targets
 *
 * Bounded, in entries and in bytes, twice. Targets are many times as large as the records that they are made
 * of: the least recently used one goes first, at a point where nobody holds a pointer to it, and leaves its
 * record, of which it is made anew when it is asked for again. Records go in the same order, and later than
 * they leave the writer's own table: whatever the writer takes for known is known here.
 *
 * What is missing all the same - lost, damaged, named by a writer that does not keep to that - is made from
 * the dictionary of the block that names it: device and inode are known, the name is not.
 */
#ifndef DECODE_EPOCH_H
#define DECODE_EPOCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/target.h"
#include "formats/base/map.h"
#include "formats/definitions.h"
#include "formats/writer.h"

enum {
	EPOCH_TARGETS_MAX = 65536,
	EPOCH_BYTES_MAX = 16 * 1024 * 1024,
	/* Of targets while nothing can make room: those that a block uses. Ours are far from it; what a made-up one
	 * names beyond it stays without its name, as if it had no definition. */
	EPOCH_BYTES_HELD = EPOCH_BYTES_MAX + 48 * 1024 * 1024,
	EPOCH_LATER_MAX = 1024 * 1024,	/* bytes of records that are put off, */
	EPOCH_LATER_RECORDS = 16384,	/* and their number */
	/* Those that the writer keeps, those it puts after the last call of a block that uses one, and those that
	 * the block before uses, each with what may come in the step that closes the block. Those that were
	 * put off while uses are not counted have the room of the targets. */
	EPOCH_RECORDS_MAX = WRITER_DEFINITIONS + WRITER_AHEAD_RECORDS + WRITER_BLOCK_TARGETS +
			    4 * WRITER_STEP_CALLS,
	EPOCH_RECORD_BYTES_MAX = WRITER_DEFINITION_BYTES + WRITER_AHEAD_BYTES + WRITER_BLOCK_TARGET_BYTES +
				 EPOCH_LATER_MAX + 4 * WRITER_STEP_CALLS * 8192,
};

struct epoch {
	struct map by_id;
	struct target *oldest, *newest;
	size_t n, bytes;		/* of the targets in the list */
	struct definitions *left;	/* records of targets that went; the mark: their notes */
	struct target *unknown;		/* of a call that names nothing */
	struct target *socket;		/* of a call that works on sockets only and names nothing */
	struct buf scratch;
	struct buf later;		/* records of targets that are not made yet */
	uint32_t n_later;
	bool counts;			/* more than that came: uses count, epoch_pass() */
};

/* 0 or IOTAP_ENOMEM. */
int epoch_init(struct epoch *);
void epoch_fini(struct epoch *);

/* An epoch begins: forgets all but the two without definition. */
void epoch_clear(struct epoch *);

/* A definition: a record of type target, which is copied. An id that is there already gets the new meaning (a
 * damaged recording), unless that is only that its name is not known any more. Pointers given out before may
 * become invalid. 0 or IOTAP_ENOMEM. */
int epoch_define(struct epoch *, const struct record *def);

/* The same, of a record of type target, which is only kept: the target is made when any is asked for. For
 * readers who pass over most calls. */
int epoch_define_later(struct epoch *, const struct record *rec);

/* Says that another block of calls begins. Pointers given out before may become invalid.
 * 0 or IOTAP_ENOMEM. */
int epoch_next_block(struct epoch *);

/* For readers who pass over blocks of calls: the n entries of such a block's dictionary were used. Needed
 * where counts is set; else no record has to go. 0 or IOTAP_ENOMEM. */
int epoch_pass(struct epoch *, const struct call_target *entries, uint32_t n);

/* The target of a dictionary entry, made if need be; valid until epoch_define, epoch_next_block or
 * epoch_clear. NULL = out of memory. */
struct target *epoch_get(struct epoch *, const struct call_target *entry);

/* The target of an id, valid as that of epoch_get, and as long as no other is asked for: pointers given out before
 * may become invalid. NULL when it is not defined here. 0 or IOTAP_ENOMEM. */
int epoch_find(struct epoch *, uint64_t id, struct target **out);

#endif
