/* question.h - something that SQL can be asked of: a database, or a recording as it is
 *
 * Over a recording only event is read where it is (event_vtab.h). The other tables are filled, in one
 * pass over it, when a statement first reads one of them; the authorizer sees that.
 */
#ifndef ANALYZE_QUESTION_H
#define ANALYZE_QUESTION_H

#include <sqlite3.h>
#include <stdbool.h>

#include "analyze/reach.h"
#include "analyze/event_vtab.h"
#include "analyze/guard.h"
#include "analyze/input.h"
#include "analyze/result.h"
#include "formats/error.h"

struct question {
	sqlite3 *db;
	struct input in;
	struct event_vtab event;
	struct guard_seen seen;
	struct guard_limits limits;	/* of each statement; to be set before question_ask */
	struct guard_deadline deadline;
	bool filled, filled_totals;	/* the other tables of a recording */
	bool asked;			/* there was a statement */
	struct reach *reach;	/* or NULL; borrowed */
	bool incomplete;		/* the answer may lack calls; */
	char why[256];			/* one line */
};

/* Opens name ("-" = standard input). Everything in *q is released by question_close, after a failure too. The
 * program is confined (reach.h) as soon as all is open that has to be; reach may be NULL. */
int question_open(struct question *q, const char *name, struct reach *reach, struct iotap_error *err);
void question_close(struct question *q);

/* Runs the single statement in sql, ours or one of the user's, and hands out each row. What row returns ends it
 * when it is negative. */
int question_rows(struct question *q, const char *sql, int (*row)(sqlite3_stmt *, void *arg), void *arg,
		  struct iotap_error *err);

/* Runs the statements in sql, one after the other, and writes their rows. Only SELECT is allowed.
 * None at all is IOTAP_EUSAGE. */
int question_ask(struct question *q, const char *sql, struct result *result, struct iotap_error *err);

#endif
