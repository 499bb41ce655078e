/* load.h - one recording, event stream or JSON Lines into the tables of a database
 *
 * Works inside the caller's transaction: what it returns decides between commit and rollback. A file
 * is load_file.h's.
 */
#ifndef ANALYZE_LOAD_H
#define ANALYZE_LOAD_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyze/supply.h"
#include "formats/error.h"

enum load_want {
	LOAD_EVENTS = 1 << 0,		/* event_row, event_more */
	LOAD_TOTALS = 1 << 1,		/* the total_by tables, slowest, second */
	LOAD_ALL = LOAD_EVENTS | LOAD_TOTALS
};				/* recordings, processes, targets, losses and notices always */

struct load_progress {		/* called about four times a second; NULL function = not at all */
	void (*tell)(uint64_t calls, void *arg);
	void *arg;
};

struct load_result {
	int64_t recording;
	uint64_t calls;			/* rows of event */
	bool already;			/* this recording was there: nothing was added */
	bool differs;			/* a part of it, or a whole of which it is no part, was there */
	bool complete;			/* false: lost, damaged or cut, see why */
	char why[256];			/* one line */
};

/* Reads the supply to its end. 0, or negative with the text in err. */
int load_recording(sqlite3 *db, struct supply *from, unsigned int want, const struct load_progress *progress,
		   struct load_result *out, struct iotap_error *err);

#endif
