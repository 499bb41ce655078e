/* block_output.h - whole blocks on their way out: numbering, the index, failure for good */
#ifndef FORMATS_BLOCK_OUTPUT_H
#define FORMATS_BLOCK_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/block.h"
#include "formats/call_block.h"
#include "formats/room.h"

/* Writes a whole block. 0, or a negative code with the text set. */
typedef int block_sink(void *arg, const struct block_head *head, const void *block, size_t n,
		       struct iotap_error *err);

enum { BLOCK_TAIL = 16 };		/* blocks that can be taken back */

/* A whole block that was written. */
struct block_written {
	uint64_t at;			/* where it begins */
	uint32_t calls;
};

struct block_output {
	int fd;				/* where blocks go; not owned */
	block_sink *sink;		/* instead, if not NULL */
	void *sink_arg;
	enum block_codec codec;
	uint32_t max_index;		/* entries of the INDEX block, 0 = none is wanted */
	bool keeps_room;		/* for the end */
	struct iotap_error *err;	/* the owner's */

	struct codec *packer;
	struct buf block;		/* on its way */
	struct buf index;
	uint32_t n_index;
	uint64_t session, sequence;
	uint32_t epoch;
	uint64_t blocks, bytes;		/* written to this output */
	bool failed;			/* a write failed: for good, err has it */
	bool gave_up;			/* all that is wanted is the end */
	struct room room;
	struct block_written tail[BLOCK_TAIL];	/* the newest ones of this epoch */
	uint32_t n_tail;
};

/* Records for one block. */
struct block_records {
	struct buf bytes;
	uint32_t n;
	uint64_t first_ns, last_ns;
};

/* The members up to err are set. session 0 = a random one. False = out of memory. */
bool block_output_init(struct block_output *, int level, uint64_t session);
void block_output_fini(struct block_output *);

/* Begins anew on another descriptor: a new session, sequence, epoch and sizes from 0. */
void block_output_restart(struct block_output *, int fd);

/* Write one block each. 0, or a negative code with the text in err. */
int block_output_records(struct block_output *, enum block_type, const struct block_records *);
int block_output_calls(struct block_output *, struct call_encoder *);

/* The INDEX block, if one is wanted and there is anything in it. */
int block_output_index(struct block_output *);

/* After END: gives back what was reserved for it. */
void block_output_end(struct block_output *);

/* After a write that failed: takes away what there is of that block, and the index. From here on nothing
 * is reserved any more. False: it cannot be taken away. */
bool block_output_give_up(struct block_output *);

/* After that: forgets the newest whole block, which had so many calls; give_up then takes it away. False:
 * none is known that an epoch could do without. */
bool block_output_take_back(struct block_output *, uint32_t *calls);

#endif
