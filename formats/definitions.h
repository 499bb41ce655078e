/* definitions.h - a bounded table of target definitions, as the bytes they were written with
 *
 * The least recently used one goes first when the table is over its limits. Owns its bytes.
 */
#ifndef FORMATS_DEFINITIONS_H
#define FORMATS_DEFINITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/record.h"

struct definitions;

struct definition {
	uint64_t id;
	uint64_t ino;
	uint32_t dev, mode, kind;
	uint32_t mark;			/* the owner's to set; 0 at first */
	uint32_t n_raw;
	uint8_t *raw;			/* the whole record */
	uint32_t newer, older;		/* in order of use: the table's */
};

/* evicted, unless NULL, is told of each definition that has to go, while it is still whole. NULL = out of
 * memory. */
struct definitions *definitions_new(uint32_t max, uint32_t max_bytes,
				    void (*evicted)(void *arg, const struct definition *), void *arg);
void definitions_free(struct definitions *);

/* Forgets all, without telling of it. */
void definitions_clear(struct definitions *);

/* The definition of id, now the most recently used; NULL = none. Valid until the next put. */
struct definition *definitions_use(struct definitions *, uint64_t id);

/* The same, which is no use of it: what no reader knows of must not keep it longer. */
struct definition *definitions_peek(struct definitions *, uint64_t id);

/* True when id is there with this mark and means these very bytes, the whole record. */
bool definitions_stands(struct definitions *, uint64_t id, uint32_t mark, const struct bytes *raw);

/* Enters or replaces one; raw (n bytes) is copied. The entry, or NULL when memory is out. */
struct definition *definitions_put(struct definitions *, const struct rec_target *, const void *raw,
				   uint32_t n);

uint64_t definitions_evicted(const struct definitions *);

#endif
