/* db.h - what every user of SQLite here needs: run text, bind what may be unknown, say what failed */
#ifndef ANALYZE_DB_H
#define ANALYZE_DB_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/error.h"

/* Stores "what: SQLite's words, remedy" for the last failure of db and returns the matching
 * IOTAP_E...: EBUSY locked, EIO full or unreadable, ENOMEM, ECORRUPT, else ESQL. db may be NULL (out
 * of memory). */
int db_error(sqlite3 *db, struct iotap_error *err, const char *what);

/* Runs one or more statements that give no rows anybody wants. */
int db_exec(sqlite3 *db, const char *sql, struct iotap_error *err);

/* COMMIT; of a transaction that SQLite has given up meanwhile (out of memory, disk full) it says that. */
int db_commit(sqlite3 *db, struct iotap_error *err);

/* Compiles one statement, to be finalized by the caller. */
int db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out, struct iotap_error *err);

/* Steps a statement that gives no row, and resets it. */
int db_run(sqlite3_stmt *stmt, struct iotap_error *err);

/* The single integer a statement gives; absent when it gives no row or NULL. */
int db_integer(sqlite3 *db, const char *sql, int64_t absent, int64_t *out, struct iotap_error *err);

/* Binding: IOTAP_UNKNOWN becomes NULL; what is over the largest integer of SQL becomes that. */
void db_bind_u64(sqlite3_stmt *stmt, int at, uint64_t v);

/* Bytes of a name: TEXT when they are UTF-8 without NUL, else BLOB; NULL stays NULL. The bytes must live until the
 * statement is reset. */
void db_bind_name(sqlite3_stmt *stmt, int at, const char *p, size_t n);

/* A C string that is known to be UTF-8; NULL stays NULL. */
void db_bind_text(sqlite3_stmt *stmt, int at, const char *s);

/* The rule of db_bind_name. */
int db_is_text(const char *p, size_t n);

/* The integer that stands for v in SQL (v is not IOTAP_UNKNOWN). */
static inline int64_t
db_i64(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

#endif
