/* guard.h - connections to databases that somebody else made, for statements that somebody wrote
 *
 * Reading only, nothing of the file's own code is run, nothing else can be opened: see
 * docs/iotap-analyze.1, SECURITY.
 */
#ifndef ANALYZE_GUARD_H
#define ANALYZE_GUARD_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "formats/error.h"

/* Tables that the statement prepared last reads, as the authorizer sees them; reset by the caller. */
struct guard_seen {
	bool dimensions;		/* any table but event (and what the views use of meta, clock) */
	bool totals;			/* a total_by table, slowest, second */
};

/* What one statement may cost. */
struct guard_limits {
	uint64_t timeout_ns;		/* 0 = any time */
	uint64_t memory_bytes;		/* of SQLite in the whole program; 0 = GUARD_HEAP_BYTES */
};

enum { GUARD_HEAP_BYTES = 1 << 30, GUARD_HEAP_LEAST = 4 << 20 };

/* When the statement that runs has to be done. */
struct guard_deadline {
	uint64_t at_ns;			/* CLOCK_MONOTONIC, 0 = never */
	bool missed;
};

/* Opens a database file for reading and refuses what is not ours. */
int guard_open(sqlite3 **db, const char *path, struct iotap_error *err);

/* Opens a private database, on disk when it grows, gone when closed. */
int guard_open_private(sqlite3 **db, struct iotap_error *err);

/* Checks that an open database is ours and switches off what is stored code in it. */
int guard_existing(sqlite3 *db, const char *name, struct iotap_error *err);

/* Before the first guard_select_only: makes the tables that exist without having been created (json_each,
 * json_tree, and event over a recording) known to the connection, which the authorizer would take for
 * a writing of the schema. */
int guard_know(sqlite3 *db, const char *table, struct iotap_error *err);

/* From now on only SELECT: no PRAGMA, ATTACH, writing, loading of code; limits on sizes. seen may be
 * NULL and must outlive the connection. */
int guard_select_only(sqlite3 *db, struct guard_seen *seen, struct iotap_error *err);

/* From now on everything on the connection ends with an error when timeout_ns are over (0 = never): *d is
 * reset, tells afterwards, and must outlive the connection. */
void guard_time(sqlite3 *db, struct guard_deadline *d, uint64_t timeout_ns);

/* Memory of SQLite in the whole program. */
void guard_memory(uint64_t bytes);

/* The words for a statement that ended with the error in err, which may be one of the limits. d says
 * whether time was over. Returns the code. */
int guard_error(const struct guard_limits *, const struct guard_deadline *d, struct iotap_error *err);

/* Lifts it, for our own statements. */
void guard_lift(sqlite3 *db);

#endif
