/* call_parts.h - the payload of a CALLS block taken apart into its columns' bytes
 *
 * n_targets u32, n_threads u32, n_columns u16; n_columns x {id u8, codec u8, stored u32, plain u32};
 * then the columns in that order, each as its codec says, or (BLOCK_ONE_FRAME) all in one piece whose
 * codec the block header has, and cut up by the plain sizes.
 */
#ifndef FORMATS_CALL_PARTS_H
#define FORMATS_CALL_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/bytes.h"
#include "formats/block.h"

enum {
	CALL_PARTS_FIXED = 10,		/* bytes before the directory */
	CALL_PARTS_ENTRY = 10,		/* bytes of an entry of it */
};

struct call_part {
	const uint8_t *p;
	uint32_t stored, plain;
	uint8_t codec;
	bool there;
};

struct call_parts {			/* all zeroes, but for codec, is a valid beginning */
	struct codec *codec;		/* the owner's */
	struct buf scratch;		/* one column, uncompressed */
	struct buf joined;		/* all of a block in one frame, uncompressed */
	uint32_t n_targets, n_threads;
	struct call_part part[256];	/* by column id */
};

void call_parts_fini(struct call_parts *);

/* Reads the directory of a payload; head has been checked. 0, IOTAP_ECORRUPT, IOTAP_EUNSUPPORTED,
 * IOTAP_ENOMEM. The payload must outlive the use of the parts. */
int call_parts_get(struct call_parts *, const struct block_head *head, const uint8_t *payload,
		   struct iotap_error *err);

/* The plain bytes of column id, valid until the next call; empty when it is not there. Same results. */
int call_parts_plain(struct call_parts *, uint8_t id, struct bytes_in *out, struct iotap_error *err);

#endif
