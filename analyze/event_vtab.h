/* event_vtab.h - the calls of a recording as a table of SQL, read where they are
 *
 * Only the columns that a statement uses are decoded, and of the recording only the part that its
 * conditions on boot_ns, time_ns and number leave; conditions on pid and target are left to the reader
 * too. The same names, values and ids as the view event of a loaded database.
 */
#ifndef ANALYZE_EVENT_VTAB_H
#define ANALYZE_EVENT_VTAB_H

#include <sqlite3.h>
#include <stdbool.h>

#include "analyze/input.h"
#include "formats/error.h"

struct event_vtab {			/* owned by the caller, outlives the connection */
	const struct input *in;		/* seekable: every scan opens it anew */
	bool incomplete;		/* a scan met losses, damage or an early end; */
	char why[256];			/* the first of them */
};

/* Makes table event in db. destroy, which may be NULL, gets v when the connection is closed, or on failure. */
int event_vtab_register(sqlite3 *db, struct event_vtab *v, void (*destroy)(void *v), struct iotap_error *err);

#endif
