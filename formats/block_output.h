/* block_output.h - whole blocks on their way out: numbering, the index, failure for good */
#ifndef FORMATS_BLOCK_OUTPUT_H
#define FORMATS_BLOCK_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/block.h"
#include "formats/call_block.h"

/* Writes a whole block. 0, or a negative code with the text set. */
typedef int block_sink(void *arg, const struct block_head *head, const void *block, size_t n,
		       struct iotap_error *err);

struct block_output {
	int fd;				/* where blocks go; not owned */
	block_sink *sink;		/* instead, if not NULL */
	void *sink_arg;
	enum block_codec codec;
	uint32_t max_index;		/* entries of the INDEX block, 0 = none is wanted */
	struct iotap_error *err;	/* the owner's */

	struct codec *packer;
	struct buf block;		/* on its way */
	struct buf index;
	uint32_t n_index;
	uint64_t session, sequence;
	uint32_t epoch;
	uint64_t blocks, bytes;		/* written to this output */
	bool failed;			/* a write failed: for good, err has it */
};

/* Records for one block. */
struct block_records {
	struct buf bytes;
	uint32_t n;
	uint64_t first_ns, last_ns;
};

/* The first six members are set. session 0 = a random one. False = out of memory. */
bool block_output_init(struct block_output *, int level, uint64_t session);
void block_output_fini(struct block_output *);

/* Begins anew on another descriptor: a new session, sequence, epoch and sizes from 0. */
void block_output_restart(struct block_output *, int fd);

/* Write one block each. 0, or a negative code with the text in err. */
int block_output_records(struct block_output *, enum block_type, const struct block_records *);
int block_output_calls(struct block_output *, struct call_encoder *);

/* The INDEX block, if one is wanted and there is anything in it. */
int block_output_index(struct block_output *);

#endif
