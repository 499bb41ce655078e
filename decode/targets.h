/* targets.h - the definitions of one epoch: from the ids of a recording to targets
 *
 * Bounded as the writer's own table is, in entries and in bytes: what was used least recently goes
 * first, at a point where nobody holds a pointer to it. Whatever is missing - evicted, lost, damaged -
 * is made from the dictionary of the block that names it: device and inode are known, the name is not.
 */
#ifndef DECODE_TARGETS_H
#define DECODE_TARGETS_H

#include <stddef.h>
#include <stdint.h>

#include "decode/target.h"
#include "formats/base/map.h"

enum {
	TARGETS_MAX = 65536,
	TARGETS_BYTES_MAX = 40 * 1024 * 1024,
};

struct targets {
	struct map by_id;
	struct target *oldest, *newest;
	size_t n, bytes;
	uint64_t block;			/* number of the block being decoded */
	struct target *unknown;		/* of a call that names nothing */
	struct target *socket;		/* of a call that works on sockets only and names nothing */
	struct buf scratch;
};

/* 0 or IOTAP_ENOMEM. */
int targets_init(struct targets *);
void targets_fini(struct targets *);

/* An epoch begins: forgets all but the two without definition. */
void targets_clear(struct targets *);

/* A definition. An id that is there already gets the new meaning (a damaged recording). Pointers given
 * out before may become invalid. 0 or IOTAP_ENOMEM. */
int targets_define(struct targets *, const struct rec_target *def);

/* Says that another block of calls begins. Pointers given out before may become invalid. */
void targets_next_block(struct targets *);

/* The target of a dictionary entry, made if need be; valid until targets_define, targets_next_block or
 * targets_clear. NULL = out of memory. */
struct target *targets_get(struct targets *, const struct call_target *entry);

/* The target of an id, or NULL when it is not defined here. */
struct target *targets_find(const struct targets *, uint64_t id);

#endif
