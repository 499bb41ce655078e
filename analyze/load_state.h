/* load_state.h - what load.c and load_note.c share: one load while it runs */
#ifndef ANALYZE_LOAD_STATE_H
#define ANALYZE_LOAD_STATE_H

#include "analyze/dimension.h"
#include "analyze/load.h"
#include "analyze/load_rows.h"
#include "analyze/totals.h"
#include "formats/base/buf.h"

struct load {
	sqlite3 *db;
	struct iotap_error *err;
	struct supply *from;
	unsigned int want;
	int64_t recording;
	char session[20];
	struct dimension dimension;
	struct totals *totals;		/* NULL = not wanted */
	struct load_rows rows;
	sqlite3_stmt *add_rows, *add_more, *add_clock, *add_second, *add_unfinished;
	sqlite3_stmt *add_notice, *add_loss, *overlaps;
	int64_t *thread, *target, *target2;	/* ids, one a call of the batch */
	uint32_t *row, *more;			/* which calls go into event_row and event_more */
	uint32_t cap;
	uint64_t unix_offset_ns;
	bool clock_known;
	uint64_t last_second;
	uint64_t first_ns, last_ns;	/* Unix time of the first and the last call; 0 = none yet */
	uint64_t calls;
	bool already, differs;		/* see load.h */
	bool at_end;			/* of the supply */
	bool complete;
	char why[256];
	struct buf text;		/* of a loss */
};

/* load_note.c: the row of the recording, to be filled in at the end. first_target: see schema.sql. */
int load_recording_begin(struct load *l, int64_t first_target);

int load_end_reached(struct load *l);

/* What the database has of the same capture and the same time. */
enum load_before {
	LOAD_BEFORE_NOTHING,
	LOAD_BEFORE_ALL,		/* the same calls, or the whole of which these can be a part only */
	LOAD_BEFORE_OTHER		/* other calls: a part, as long as this load is not at its end */
};

int load_look_before(struct load *l, enum load_before *out);

/* What the supply's handlers do. */
int load_on_notice(const struct iotap_notice *notice, void *arg);
int load_on_drop(const struct iotap_drop *drop, void *arg);
int load_on_aggregate(const struct iotap_aggregate *aggregate, void *arg);

/* The summary: processes as they ended, counters, the rest of the recording's row. */
int load_recording_end(struct load *l);

#endif
