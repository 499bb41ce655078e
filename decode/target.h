/* target.h - what calls refer to: a definition of the recording, concluded once and never changed
 *
 * A target is one allocation: the public struct, then all its strings, then the record it was made of, so
 * that it can be let go and made anew. It belongs to the table of
 * its epoch (epoch.h), or to the handle (the two that need no definition), or to the tally (copies).
 * The members behind pub are notes of the library's own modules about the target; nothing that is
 * shown depends on them.
 */
#ifndef DECODE_TARGET_H
#define DECODE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/call_block.h"
#include "formats/iotap.h"
#include "formats/record.h"

#define TARGET_UNDEFINED_BIT (UINT64_C(1) << 62)	/* of an id: made from device and inode */

struct target {
	struct iotap_target pub;	/* first, so that a pointer to it is one to the target */
	struct target *older, *newer;	/* epoch.c: by their last use */
	uint32_t bytes;			/* of the allocation */
	uint32_t n_raw;			/* its last ones: the record; 0 = not kept, or no definition */
	uint32_t row;			/* tally.c: its row + 1; 0 = none yet */
	uint32_t ops;			/* tally.c: calls that moved no data, before there was a row */
	uint16_t interface;		/* tally.c: its interface + 1 */
	bool refused;			/* tally.c: found no room for a row */
	char strings[];
};

/* The target of a definition. raw: the whole record, to be kept with it (NULL = none). scratch is any
 * buffer; its content is replaced. NULL = out of memory. */
struct target *target_new(const struct rec_target *def, const struct bytes *raw, struct buf *scratch);

/* The record that target_new() was given. */
struct bytes target_raw(const struct target *);

/* The target of an id that has no definition in this epoch: kind, device and inode are all there is.
 * With id 0 the id is made from device and inode. */
struct target *target_new_undefined(const struct call_target *entry, struct buf *scratch);

/* "Unknown", and "a socket, it is not known which": for calls whose record names no target. */
struct target *target_new_unknown(struct buf *scratch);
struct target *target_new_socket(struct buf *scratch);

/* A copy without the JSON form and without notes, for the rows of a summary, into memory of at least
 * target_copy_size bytes, aligned for the struct. of is the pub of a struct target. */
size_t target_copy_size(const struct iotap_target *of);
struct iotap_target *target_copy(const struct iotap_target *of, void *memory);

/* The id of something known by device and inode only. */
uint64_t target_undefined_id(uint32_t dev, uint64_t ino);

/* How a row of the summary is named: its key made printable. */
bool target_put_row_name(struct buf *out, const struct iotap_target *t);

/* How many bytes at the beginning of an anonymous inode's name are the kernel's name of a known kind, as
 * all of "[eventfd]" or "pidfd:" of "pidfd:[7]"; 0 = it is of no known kind. */
size_t target_anon_known(const char *name, size_t n);

/* target_name.c: fills in the strings of *t (path, claimed, peer, device, text, key, json) as offsets
 * into scratch, which gets the bytes. path, claimed and peer of *t are those of the definition. */
struct target_names {
	size_t path, claimed, peer, device, text, key, json;	/* offsets; SIZE_MAX = NULL */
};
bool target_name(struct iotap_target *t, struct target_names *at, struct buf *scratch);

#endif
