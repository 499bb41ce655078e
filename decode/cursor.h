/* cursor.h - one recording or event stream, taken apart into what happened, in order of time
 *
 * Steps are either rows of calls, or one thing that lies between calls: a notice or a drop. What a
 * block defines applies at once; what a record tells happens at its time. A STATE block begins an
 * epoch: all that waited is told first, then the definitions are forgotten. Decoding a block of calls
 * needs the definitions, processes and state of its epoch and nothing else.
 *
 * Owns reader, definitions and rows; borrows the processes (which several inputs of one machine share),
 * the filter and the tally. Leaves to consume.c: merging inputs, handlers.
 */
#ifndef DECODE_CURSOR_H
#define DECODE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/notice.h"
#include "decode/pending.h"
#include "decode/process.h"
#include "decode/rows.h"
#include "decode/select.h"
#include "decode/tally.h"
#include "decode/absent.h"
#include "decode/epoch.h"
#include "formats/base/unix_time.h"
#include "formats/iotap.h"
#include "formats/reader.h"

enum cursor_next {
	CURSOR_END = 0,		/* no more */
	CURSOR_ROWS = 1,
	CURSOR_ITEM = 2,	/* a notice or a drop */
	CURSOR_STOPPED = 3,	/* the idle function said stop */
};

struct cursor {
	struct reader *reader;
	struct processes *processes;
	struct select *select;
	struct tally *tally;		/* may be NULL */
	struct iotap_error *err;
	struct epoch epoch;
	struct rows rows;
	struct pending pending;
	struct reader_item held;	/* read, but what waits must be told first */
	bool has_held;
	bool ended;			/* the reader has no more */
	bool started;			/* the notice of the start is made */
	bool further;			/* an input before this one is of the same machine */
	bool seen_state;
	bool clock_known;
	bool end_seen;
	bool defers;			/* some blocks of calls are passed over: definitions may not be needed */
	bool seeks;			/* only calls are wanted: to the epoch of the first of them, by the index */
	struct rec_end end;		/* how it ended, once it is told */
	uint32_t columns;
	uint64_t due_ns;		/* what waits and is not later than this is due */
	uint64_t next_number;		/* of the next call in the recording */
	uint64_t unix_offset_ns;	/* Unix time less boot time (base/unix_time.h) */
	uint64_t last_ns;		/* latest time seen, boot clock */
	struct iotap_info info;
	struct buf strings;		/* what info points to */
	int (*on_aggregate)(void *arg, const struct iotap_aggregate *);	/* with a tally */
	void *on_aggregate_arg;
	struct buf scopes;		/* whose processes are all traced, in words, for the same notice */
	uint32_t sets;			/* optional ones that were recorded, enum iotap_set */
	struct buf selected;		/* which of their calls, as options */
	struct buf names;		/* names asked for, quoted, for the notice of the start */
	struct buf command;		/* the command asked for, as typed */
	struct absent absent;		/* interfaces, for a filter that names others */
	uint64_t boot_id_hash;		/* 0 = not known */
};

/* One step between calls: one of notice and drop is set. */
struct cursor_item {
	const struct iotap_notice *notice;
	const struct iotap_drop *drop;
};

/* Reads the header. err gets the text of every failure from now on. The reader becomes the cursor's.
 * 0 or negative. */
int cursor_open(struct cursor *, struct reader *, struct select *, struct iotap_error *err);
void cursor_close(struct cursor *);

/* Reads until the next step is known: enum cursor_next, with its Unix time in *time_ns, or negative.
 * Asked again, it says the same without reading. */
int cursor_ready(struct cursor *, uint64_t *time_ns);

/* After CURSOR_ROWS: the next rows up to Unix time until_ns. 0 or negative. */
int cursor_rows(struct cursor *, uint64_t until_ns, struct iotap_batch *out);

/* After CURSOR_ITEM: the thing itself, applied. 1 = there it is, 0 = nothing that the filter lets
 * through; negative on error. Valid until the next call with the same notices. */
int cursor_item(struct cursor *, struct notices *notices, struct cursor_item *out);

/* Gives a failure its text, unless whoever failed has done so; returns it. */
int cursor_fail(struct cursor *, int code);

/* Boot time as Unix time, within what a kernel says; UINT64_MAX, not known, stays. */
static inline uint64_t
cursor_unix(const struct cursor *c, uint64_t boot_ns)
{
	return boot_ns == UINT64_MAX ? UINT64_MAX : unix_time_add(boot_ns, c->unix_offset_ns);
}

static inline void
cursor_saw(struct cursor *c, uint64_t boot_ns)
{
	if (boot_ns > c->last_ns)
		c->last_ns = boot_ns;
}

/* For cursor.c: a record of the header; a clock, wherever it stands. 0 or negative: IOTAP_ECORRUPT, text in
 * err, for a clock that is not believed; the one before it holds on. */
int cursor_header(struct cursor *c, const struct record *rec);
int cursor_clock(struct cursor *c, const struct rec_clock *clock);

/* For cursor.c: a record of sums; in_state = of the state that begins a file or epoch. 0 or negative. */
int cursor_aggregate(struct cursor *c, const struct record *rec, bool in_state);

#endif
