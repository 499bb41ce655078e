/* writer_parts.h - what the files of the writer share: writer.c, writer_epoch.c */
#ifndef FORMATS_WRITER_PARTS_H
#define FORMATS_WRITER_PARTS_H

#include "formats/base/map.h"
#include "formats/block_output.h"
#include "formats/cumulative.h"
#include "formats/definitions.h"
#include "formats/file_header.h"
#include "formats/live.h"
#include "formats/writer.h"

struct writer {
	struct writer_options options;
	struct block_output out;
	struct call_encoder *calls;
	struct definitions *definitions;
	struct map gone;		/* ids that this epoch has a definition of, but not the table */
	struct live *live;
	struct cumulative *cumulative;
	struct block_records records;
	struct buf one;			/* the record that is put */
	enum block_type records_type;	/* of the next block of records */
	struct file_header header;
	uint32_t n_defined;		/* target dictionary entries of the pending calls looked after */
	uint32_t used_bytes;		/* of their definitions */
	uint32_t ahead, ahead_bytes;	/* records put since the first of the pending calls */
	uint32_t serial;		/* of the epoch, over all files */
	uint64_t now_ns;		/* of the last tick, 0 = none yet */
	uint64_t opened_ns;		/* when pending things began to wait */
	uint64_t last_block_ns;
	uint64_t epoch_began_ns, epoch_began_bytes;
	uint64_t calls_here;		/* in this file */
	struct writer_totals totals;
	struct iotap_error err;
};

/* Writes a block of records; closes the pending one, if there is any. 0 or what the output gave. */
int writer_records_write(struct writer *, enum block_type, const struct block_records *);
int writer_records_close(struct writer *);

/* Adds a record to the pending block: a whole one (time_ns: of the record, 0 = it has none), one that is
 * encoded, one of a sum with the definition of its target (struct writer is arg). 0 or an error. */
int writer_raw_put(struct writer *, const struct bytes *raw, uint64_t time_ns);
int writer_record_pending(struct writer *, enum rec_type, const void *rec);
int writer_aggregate_pending(void *arg, enum rec_type, const void *rec);

#endif
