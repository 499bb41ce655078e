/* show.h - what iotap-decode prints: lines, notices, the summary, each to where it belongs
 *
 * Text: events and summary to standard output, notices to standard error behind "iotap: ". JSON Lines:
 * everything to standard output. Lines are gathered and written when enough of them are there, when the
 * next read would block, before a notice goes to standard error, and at the end.
 */
#ifndef DECODE_SHOW_H
#define DECODE_SHOW_H

#include <stdbool.h>

#include "decode/text.h"
#include "formats/base/buf.h"
#include "formats/iotap.h"

struct show {
	bool json;
	bool csv, tsv;			/* one of them, and not text: events only */
	bool explain;			/* and only this one call, in words */
	uint64_t explain_number;
	bool explained;
	bool quiet;			/* no event lines */
	bool lives_untold;		/* nor notices of processes that come, change and end */
	bool all_ops;			/* text: a line for calls that move no data, too */
	bool live;			/* text: the start says how to stop */
	unsigned int started;		/* starts told of so far */
	const char *replaying;		/* text: the start says what is shown; NULL = not a replay */
	iotap_t *iotap;
	struct text text;		/* its out holds the lines of either format */
	bool closed;			/* nobody reads any more */
	bool failed;			/* a write failed otherwise; errno_value says how */
	int errno_value;
	bool incomplete;		/* something was lost, damaged or cut off */
};

extern const struct iotap_handlers show_handlers;	/* arg: the struct show */

/* The summary, in its format. False = out of memory. */
bool show_summary(struct show *, unsigned int top, unsigned int show);

/* Writes what is gathered. False = closed or failed. */
bool show_flush(struct show *);

void show_fini(struct show *);

#endif
