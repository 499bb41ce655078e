/* rewrite.h - what a filter lets through of a recording, written anew: an event stream, or a recording
 *
 * The event stream is the same container with host.stream = 1 and no compression: the same blocks,
 * definitions included, so that every reader takes it and loading it gives what loading the recording
 * gives. Blocks go out as they come in: what is read at once is passed on at once. A recording is written
 * to hide names (redact.h), or to salvage what is whole of a damaged one: it ends as one that says so.
 */
#ifndef DECODE_REWRITE_H
#define DECODE_REWRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/redact.h"
#include "decode/rows.h"
#include "decode/select.h"
#include "decode/epoch.h"
#include "formats/error.h"
#include "formats/iotap.h"
#include "formats/reader.h"
#include "formats/writer.h"

struct rewrite {
	int out_fd;			/* set by the caller, as are the next four */
	bool pipe;			/* out_fd is one */
	bool recording;			/* a recording, not an event stream */
	bool salvage;			/* header and end are made where they are missing */
	struct redact *redact;		/* NULL = names stay */
	struct iotap_error err;
	bool incomplete;		/* something was lost, damaged or cut off */
	bool damaged;			/* of this input: damaged or cut off */
	/* Its own. */
	struct reader *reader;
	struct writer *writer;
	struct select select;
	bool selects;			/* the filter may leave something out */
	struct epoch epoch;
	struct rows rows;
	struct reader_item first;	/* the header block, or what stood in its place */
	bool has_first, ended;
	int idle_result;		/* why the reading was stopped */
	bool has_header, has_end;
	struct rec_clock clock;		/* the last one that is believed */
	uint64_t last_ns;		/* latest time seen */
	struct buf texts;		/* of requests without names */
	struct kr_call *calls;
};

/* Reads the header, and says what it is. 0 or negative; the text is in err, as for rewrite_run. */
int rewrite_open(struct rewrite *, struct reader *, struct iotap_info *info);

/* Writes all the rest. IOTAP_EPIPE: nobody reads it any more. */
int rewrite_run(struct rewrite *, const struct iotap_filter *);

void rewrite_close(struct rewrite *);

#endif
