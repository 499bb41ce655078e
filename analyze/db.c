/* db.c - what every user of SQLite here needs: run text, bind what may be unknown, say what failed */
#include "analyze/db.h"

#include <string.h>

#include "formats/base/utf8.h"
#include "formats/iotap.h"

struct db_failure {
	int sqlite;		/* primary result code */
	int code;		/* ours */
	const char *remedy;
};

static const struct db_failure failures[] = {
	{SQLITE_NOMEM, IOTAP_ENOMEM, ""},
	{SQLITE_BUSY, IOTAP_EBUSY, "; another program is using the database: try again when it is done"},
	{SQLITE_LOCKED, IOTAP_EBUSY, ""},
	{SQLITE_FULL, IOTAP_EIO, "; free some space or name another place with -o"},
	{SQLITE_IOERR, IOTAP_EIO, ""},
	{SQLITE_CANTOPEN, IOTAP_EIO, ""},
	{SQLITE_READONLY, IOTAP_EPERM, "; name a database you may write with -o"},
	{SQLITE_CORRUPT, IOTAP_ECORRUPT, "; load the recording into a new database"},
	{SQLITE_NOTADB, IOTAP_ENOTREC, ""},
	{SQLITE_AUTH, IOTAP_EPERM, "; only SELECT is allowed here"},
};

int
db_error(sqlite3 *db, struct iotap_error *err, const char *what)
{
	const int primary = db ? sqlite3_errcode(db) & 0xff : SQLITE_NOMEM;
	/* SQLite's own words may be of the thing that it had no memory for, and no more. */
	const char *const words = primary == SQLITE_NOMEM ? "out of memory" : sqlite3_errmsg(db);

	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		if (failures[i].sqlite == primary)
			return error_set(err, failures[i].code, "%s: %s%s", what, words,
					 failures[i].remedy);
	}
	return error_set(err, IOTAP_ESQL, "%s: %s", what, words);
}

int
db_exec(sqlite3 *db, const char *sql, struct iotap_error *err)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return db_error(db, err, "database");
	return 0;
}

int
db_commit(sqlite3 *db, struct iotap_error *err)
{
	if (sqlite3_get_autocommit(db))
		return error_set(err, IOTAP_ENOMEM, "database: out of memory or of room on the way, nothing was kept; "
				 "free some and try again");
	return db_exec(db, "COMMIT", err);
}

int
db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out, struct iotap_error *err)
{
	if (sqlite3_prepare_v2(db, sql, -1, out, NULL) != SQLITE_OK)
		return db_error(db, err, "database");
	return 0;
}

int
db_run(sqlite3_stmt *stmt, struct iotap_error *err)
{
	(void)sqlite3_step(stmt);
	if (sqlite3_reset(stmt) != SQLITE_OK)
		return db_error(sqlite3_db_handle(stmt), err, "database");
	return 0;
}

int
db_integer(sqlite3 *db, const char *sql, int64_t absent, int64_t *out, struct iotap_error *err)
{
	sqlite3_stmt *stmt = NULL;
	int r = db_prepare(db, sql, &stmt, err);

	*out = absent;
	if (r == 0 && sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL)
		*out = sqlite3_column_int64(stmt, 0);
	if (sqlite3_finalize(stmt) != SQLITE_OK && r == 0)
		r = db_error(db, err, "database");
	return r;
}

void
db_bind_u64(sqlite3_stmt *stmt, int at, uint64_t v)
{
	if (v == IOTAP_UNKNOWN)
		(void)sqlite3_bind_null(stmt, at);
	else
		(void)sqlite3_bind_int64(stmt, at, db_i64(v));
}

/* A NUL (an abstract unix name) would hide the rest of a text from SQL's functions. */
int
db_is_text(const char *p, size_t n)
{
	const uint8_t *const bytes = (const uint8_t *)p;

	for (size_t i = 0; i < n;) {
		uint32_t cp;
		const size_t len = bytes[i] < 0x80 ? 1 : utf8_decode(bytes + i, n - i, &cp);

		if (len == 0 || bytes[i] == 0)
			return 0;
		i += len;
	}
	return 1;
}

void
db_bind_name(sqlite3_stmt *stmt, int at, const char *p, size_t n)
{
	if (!p)
		(void)sqlite3_bind_null(stmt, at);
	else if (db_is_text(p, n))
		(void)sqlite3_bind_text64(stmt, at, p, n, SQLITE_STATIC, SQLITE_UTF8);
	else
		(void)sqlite3_bind_blob64(stmt, at, p, n, SQLITE_STATIC);
}

void
db_bind_text(sqlite3_stmt *stmt, int at, const char *s)
{
	if (!s)
		(void)sqlite3_bind_null(stmt, at);
	else
		(void)sqlite3_bind_text64(stmt, at, s, strlen(s), SQLITE_STATIC, SQLITE_UTF8);
}
