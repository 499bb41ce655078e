/* epoch.h - the definitions of one epoch: from the ids of a recording to targets
 *
 * Bounded as the writer's own table is, in entries and in bytes: what was used least recently goes
 * first, at a point where nobody holds a pointer to it. Whatever is missing - evicted, lost, damaged -
 * is made from the dictionary of the block that names it: device and inode are known, the name is not.
 */
#ifndef DECODE_EPOCH_H
#define DECODE_EPOCH_H

#include <stddef.h>
#include <stdint.h>

#include "decode/target.h"
#include "formats/base/map.h"

enum {
	EPOCH_TARGETS_MAX = 65536,
	EPOCH_BYTES_MAX = 40 * 1024 * 1024,
	EPOCH_LATER_MAX = 1024 * 1024,	/* bytes of records that are put off */
};

struct epoch {
	struct map by_id;
	struct target *oldest, *newest;
	size_t n, bytes;
	struct target *unknown;		/* of a call that names nothing */
	struct target *socket;		/* of a call that works on sockets only and names nothing */
	struct buf scratch;
	struct buf later;		/* records of targets that are not made yet */
};

/* 0 or IOTAP_ENOMEM. */
int epoch_init(struct epoch *);
void epoch_fini(struct epoch *);

/* An epoch begins: forgets all but the two without definition. */
void epoch_clear(struct epoch *);

/* A definition. An id that is there already gets the new meaning (a damaged recording), unless that is
 * only that its name is not known any more. Pointers given
 * out before may become invalid. 0 or IOTAP_ENOMEM. */
int epoch_define(struct epoch *, const struct rec_target *def);

/* The same, of a record of type target, which is only kept: the target is made when any is asked for. For
 * readers who pass over most calls. */
int epoch_define_later(struct epoch *, const struct record *rec);

/* Says that another block of calls begins. Pointers given out before may become invalid.
 * 0 or IOTAP_ENOMEM. */
int epoch_next_block(struct epoch *);

/* The target of a dictionary entry, made if need be; valid until epoch_define, epoch_next_block or
 * epoch_clear. NULL = out of memory. */
struct target *epoch_get(struct epoch *, const struct call_target *entry);

/* The target of an id, or NULL when it is not defined here. */
struct target *epoch_find(struct epoch *, uint64_t id);

#endif
