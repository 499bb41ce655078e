/* rows.h - one block of calls as rows: decoded, filtered, with targets and processes
 *
 * Arrays come straight from the block's decoder where nothing was filtered out; rows that a filter
 * leaves standing are gathered into arrays of its own. Handed out in slices: between two slices the
 * stream may say that a process has another name, or that a pid means another process.
 * Everything handed out lives until the next rows_load.
 */
#ifndef DECODE_ROWS_H
#define DECODE_ROWS_H

#include <stdint.h>

#include "decode/process.h"
#include "decode/select.h"
#include "decode/epoch.h"
#include "formats/call_block.h"
#include "formats/iotap.h"

struct rows {
	struct call_decoder *decoder;
	struct call_columns c;		/* of the rows that passed */
	uint32_t columns;		/* asked for, IOTAP_COL_... */
	uint32_t n, at;			/* rows, and the next one to hand out */
	uint64_t first_number;		/* of the block's first call in the recording */
	const uint64_t *number;		/* of each row; NULL = in a row from first_number */
	const struct iotap_target **target, **target2;
	uint32_t *tid, *pid;
	const struct iotap_process **process;
	struct target **by_entry;	/* 0 = the unknown one, then the dictionary */
	struct process **by_thread;	/* NULL = to be asked for */
	uint64_t process_changes;	/* of the table, when by_thread was filled */
	uint64_t unix_offset_ns;	/* of the clock that the next block's calls are of; the owner's to set */
	uint64_t time_shift_ns;		/* an offset too: a time is moved by it before the filter sees it */
	uint64_t *bytes;		/* what each call moved */
	const uint64_t *requested;	/* that of c, without what is no request */
	struct buf store[26];		/* memory of the arrays above and of gathered columns */
};

/* 0 or IOTAP_ENOMEM. */
int rows_init(struct rows *);
void rows_fini(struct rows *);

/* Decodes a block. columns: IOTAP_COL_... ored; the time always comes along. select counts the calls it
 * leaves out for their interface. 0, or the error of the decoder (text in err; IOTAP_ECORRUPT also when
 * a call's time does not fit the clock), or IOTAP_ENOMEM; then there are no rows. */
int rows_load(struct rows *, const struct block_head *head, const uint8_t *payload, uint32_t columns,
	      uint64_t first_number, struct epoch *epoch, struct select *select,
	      struct iotap_error *err);

/* For a block that is passed over: what it uses is used, no rows come of it. Results as of rows_load. */
int rows_pass(struct rows *, const struct block_head *head, const uint8_t *payload, struct epoch *epoch,
	      struct iotap_error *err);

/* The next rows, up to the first one at or after until_ns, as a batch whose unix_offset_ns is the
 * caller's to set. There must be one. 0 or IOTAP_ENOMEM. */
int rows_take(struct rows *, uint64_t until_ns, struct processes *processes, struct iotap_batch *out);

static inline bool
rows_left(const struct rows *r)
{
	return r->at < r->n;
}

static inline uint64_t
rows_next_ns(const struct rows *r)
{
	return r->c.key[r->at];
}

#endif
