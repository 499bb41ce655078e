/* guard.c - connections to databases that somebody else made, for statements that somebody wrote
 *
 * After https://www.sqlite.org/security.html. The limits are far over what a question about a
 * recording needs and far under what a machine has.
 */
#include "analyze/guard.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "analyze/db.h"
#include "analyze/journal.h"
#include "analyze/schema.h"
#include "formats/base/monotonic.h"

#define BUSY_MS 2000

enum {
	GUARD_VALUE_BYTES = 64 << 20,
	GUARD_SQL_BYTES = 1 << 20,
	GUARD_EXPRESSION_DEPTH = 200,
	GUARD_COMPOUND = 100,
	GUARD_VDBE_OPS = 1 << 20,
	GUARD_STEPS = 2000,		/* of SQLite's machine between two looks at the clock: about 50 us */
};

static int
guard_switch_off(sqlite3 *db)
{
	static const struct {
		int option, value;
	} switches[] = {
		{SQLITE_DBCONFIG_DEFENSIVE, 1},
		{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
		{SQLITE_DBCONFIG_ENABLE_VIEW, 0},	/* of the file; our own are in temp */
		{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
		{SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
		{SQLITE_DBCONFIG_DQS_DML, 0},
		{SQLITE_DBCONFIG_DQS_DDL, 0},
	};

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		if (sqlite3_db_config(db, switches[i].option, switches[i].value, NULL) != SQLITE_OK)
			return SQLITE_ERROR;
	}
	return SQLITE_OK;
}

int
guard_existing(sqlite3 *db, const char *name, struct iotap_error *err)
{
	int r;

	if (guard_switch_off(db) != SQLITE_OK)
		return db_error(db, err, name);
	r = db_exec(db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", err);
	if (r < 0)
		return error_prefix(err, "%s", name);
	r = schema_check(db, name, err);
	return r == 0 ? schema_check_tables(db, name, err) : r;
}

/* A file that nobody here can write needs no locks, and may lie where none can be made. */
static char *
guard_uri(const char *path)
{
	sqlite3_str *const uri = sqlite3_str_new(NULL);

	sqlite3_str_appendall(uri, "file:");
	if (path[0] != '/')
		sqlite3_str_appendall(uri, "./");
	for (const char *p = path; *p; p++) {
		if (strchr("%?#", *p))
			sqlite3_str_appendf(uri, "%%%02X", (unsigned int)(unsigned char)*p);
		else
			sqlite3_str_appendchar(uri, 1, *p);
	}
	if (access(path, W_OK) < 0 || journal_is_idle_wal(path))
		sqlite3_str_appendall(uri, "?immutable=1");
	return sqlite3_str_finish(uri);
}

/* A load that was killed left its journal: the first who may write undoes what it had written. */
static void
guard_recover(const char *path)
{
	sqlite3 *db = NULL;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK && guard_switch_off(db) == SQLITE_OK)
		(void)sqlite3_exec(db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
	(void)sqlite3_close_v2(db);
}

static int
guard_open_once(sqlite3 **db, const char *uri, const char *path, struct iotap_error *err)
{
	if (sqlite3_open_v2(uri, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
		return db_error(*db, err, path);
	(void)sqlite3_busy_timeout(*db, BUSY_MS);
	return guard_existing(*db, path, err);
}

int
guard_open(sqlite3 **db, const char *path, struct iotap_error *err)
{
	char *const uri = guard_uri(path);
	int r;

	*db = NULL;
	if (!uri)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	r = guard_open_once(db, uri, path, err);
	if (r < 0 && sqlite3_extended_errcode(*db) == SQLITE_READONLY_ROLLBACK && access(path, W_OK) == 0) {
		(void)sqlite3_close_v2(*db);
		*db = NULL;
		r = journal_refuse(path, err);
		if (r == 0) {
			guard_recover(path);
			r = guard_open_once(db, uri, path, err);
		}
	}
	sqlite3_free(uri);
	return r;
}

int
guard_open_private(sqlite3 **db, struct iotap_error *err)
{
	if (sqlite3_open_v2("", db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK ||
	    guard_switch_off(*db) != SQLITE_OK)
		return db_error(*db, err, "database");
	return db_exec(*db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536",
		       err);
}

int
guard_know(sqlite3 *db, const char *table, struct iotap_error *err)
{
	sqlite3_stmt *stmt = NULL;
	char sql[64];
	int r;

	(void)sqlite3_snprintf(sizeof(sql), sql, "SELECT 1 FROM %s", table);
	r = db_prepare(db, sql, &stmt, err);
	(void)sqlite3_finalize(stmt);
	return r;
}

static void
guard_note(struct guard_seen *seen, const char *table)
{
	if (!table || strcmp(table, "event") == 0 || strcmp(table, "call") == 0 || strcmp(table, "errno") == 0 ||
	    strncmp(table, "sqlite_", 7) == 0)
		return;
	seen->dimensions = true;
	if (strncmp(table, "total_by_", 9) == 0 || strcmp(table, "slowest") == 0)
		seen->totals = true;
}

static int
guard_authorize(void *arg, int action, const char *a, const char *b, const char *database, const char *view)
{
	(void)database;
	(void)view;
	if (arg && action == SQLITE_READ)
		guard_note(arg, a);
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return b && sqlite3_stricmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
	default:
		return SQLITE_DENY;
	}
}

int
guard_select_only(sqlite3 *db, struct guard_seen *seen, struct iotap_error *err)
{
	(void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	(void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, GUARD_VALUE_BYTES);
	(void)sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, GUARD_SQL_BYTES);
	(void)sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, GUARD_EXPRESSION_DEPTH);
	(void)sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, GUARD_COMPOUND);
	(void)sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, GUARD_VDBE_OPS);
	(void)sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
	if (sqlite3_set_authorizer(db, guard_authorize, seen) != SQLITE_OK)
		return db_error(db, err, "database");
	return 0;
}

static int
guard_look(void *arg)
{
	struct guard_deadline *const d = arg;

	d->missed = d->missed || monotonic_ns() >= d->at_ns;
	return d->missed;
}

void
guard_time(sqlite3 *db, struct guard_deadline *d, uint64_t timeout_ns)
{
	const uint64_t now = monotonic_ns();

	*d = (struct guard_deadline){
		.at_ns = timeout_ns == 0 ? 0 : timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns,
	};
	sqlite3_progress_handler(db, d->at_ns > 0 ? GUARD_STEPS : 0, d->at_ns > 0 ? guard_look : NULL, d);
}

void
guard_memory(uint64_t bytes)
{
	const uint64_t wanted = bytes == 0 ? GUARD_HEAP_BYTES : bytes < GUARD_HEAP_LEAST ? GUARD_HEAP_LEAST : bytes;

	(void)sqlite3_hard_heap_limit64(db_i64(wanted));
}

int
guard_error(const struct guard_limits *limits, const struct guard_deadline *d, struct iotap_error *err)
{
	if (d->missed)
		return error_set(err, IOTAP_ELIMIT, "sql: not done in %.3g s; ask for less, or allow more with "
				 "--timeout", (double)limits->timeout_ns / 1e9);
	if (err->code == IOTAP_ENOMEM && sqlite3_hard_heap_limit64(-1) > 0)
		return error_set(err, IOTAP_ENOMEM, "sql: out of memory, of which %lld MiB are allowed; ask for "
				 "less, or allow more with --memory", (long long)sqlite3_hard_heap_limit64(-1) >> 20);
	return err->code;
}

void
guard_lift(sqlite3 *db)
{
	(void)sqlite3_set_authorizer(db, NULL, NULL);
}
