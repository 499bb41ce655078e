/* schema.c - the tables and views of an iotap database: making them, and telling ours from others */
#include "analyze/schema.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "analyze/db.h"
#include "analyze/sql_texts.h"
#include "formats/base/buf.h"
#include "formats/calls.h"
#include "formats/iotap.h"

#define ERRNO_END 1024		/* numbers looked through for names; Linux's end at 531 */

static const char *
schema_text(const char *name)
{
	for (const struct sql_text *t = sql_texts; t->name; t++) {
		if (!t->is_report && strcmp(t->name, name) == 0)
			return t->text;
	}
	return "";
}

static int
fill_calls(sqlite3 *db, struct iotap_error *err)
{
	static const char *const dirs[] = {[DIR_NONE] = NULL, [DIR_READ] = "read", [DIR_WRITE] = "write"};
	static const char *const rets[] = {
		[RET_BYTES] = "bytes", [RET_MESSAGES] = "messages", [RET_FD] = "fd",
		[RET_ZERO] = "zero", [RET_ANY] = "any", [RET_SIZE] = "size",
	};
	static const char *const seconds[] = {
		[SECOND_NONE] = NULL, [SECOND_SOURCE] = "source", [SECOND_FROM] = "from", [SECOND_BASE] = "base",
		[SECOND_PATH] = "path", [SECOND_PEER] = "peer",
	};
	sqlite3_stmt *stmt = NULL;
	int r = db_prepare(db, "INSERT INTO call VALUES (?, ?, ?, ?, ?, ?)", &stmt, err);

	for (unsigned int id = 1; r == 0 && id < call_id_end(); id++) {
		const struct call_spec *const spec = call_spec(id);

		if (!spec->known)
			continue;
		(void)sqlite3_bind_int64(stmt, 1, id);
		db_bind_text(stmt, 2, call_name(id));
		db_bind_text(stmt, 3, call_op(id));
		db_bind_text(stmt, 4, dirs[spec->dir]);
		db_bind_text(stmt, 5, rets[spec->ret]);
		db_bind_text(stmt, 6, seconds[call_second(id)]);
		r = db_run(stmt, err);
	}
	(void)sqlite3_finalize(stmt);
	return r;
}

static int
fill_errnos(sqlite3 *db, struct iotap_error *err)
{
	sqlite3_stmt *stmt = NULL;
	int r = db_prepare(db, "INSERT INTO errno VALUES (?, ?)", &stmt, err);

	for (int32_t e = 1; r == 0 && e < ERRNO_END; e++) {
		char text[32];
		const char *const name = iotap_errno_name(e, text, sizeof(text));

		if (!name || name[0] != 'E')
			continue;
		(void)sqlite3_bind_int(stmt, 1, e);
		db_bind_text(stmt, 2, name);
		r = db_run(stmt, err);
	}
	(void)sqlite3_finalize(stmt);
	return r;
}

static int
fill(sqlite3 *db, struct iotap_error *err)
{
	const int r = fill_calls(db, err);

	return r == 0 ? fill_errnos(db, err) : r;
}

int
schema_create(sqlite3 *db, bool views, struct iotap_error *err)
{
	char pragma[80];
	int r;

	(void)sqlite3_snprintf(sizeof(pragma), pragma, "PRAGMA application_id=%d; PRAGMA user_version=%d",
			       SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	r = db_exec(db, pragma, err);
	if (r == 0)
		r = db_exec(db, schema_text("schema"), err);
	if (r == 0 && views)
		r = db_exec(db, schema_text("views"), err);
	return r == 0 ? fill(db, err) : r;
}

int
schema_check(sqlite3 *db, const char *name, struct iotap_error *err)
{
	int64_t id;
	int64_t version;

	if (db_integer(db, "PRAGMA application_id", 0, &id, err) < 0 ||
	    db_integer(db, "PRAGMA user_version", 0, &version, err) < 0)
		return error_prefix(err, "%s", name);
	if (id != SCHEMA_APPLICATION_ID)
		return error_set(err, IOTAP_ENOTREC,
				 "%s: not an iotap database; make one with 'iotap-analyze load -o DB "
				 "RECORDING'", name);
	if (version != SCHEMA_VERSION)
		return error_set(err, IOTAP_EVERSION,
				 "%s: database version %" PRId64 ", this program reads %d; %sload the recording into a "
				 "new database",
				 name, version, SCHEMA_VERSION,
				 version > SCHEMA_VERSION ? "use a newer iotap-analyze or " : "");
	return 0;
}

/* The tables that this version makes, in a database of their own. */
static int
reference_open(sqlite3 **db, struct iotap_error *err)
{
	if (sqlite3_open(":memory:", db) != SQLITE_OK)
		return db_error(*db, err, "database");
	return db_exec(*db, schema_text("schema"), err);
}

/* 1 = the file has this very table, 0 = it has not, negative. */
static int
has_table(sqlite3_stmt *stmt, sqlite3_stmt *reference, const char *name, struct iotap_error *err)
{
	int found;

	if (sqlite3_bind_value(stmt, 1, sqlite3_column_value(reference, 0)) != SQLITE_OK ||
	    sqlite3_bind_value(stmt, 2, sqlite3_column_value(reference, 1)) != SQLITE_OK)
		return db_error(sqlite3_db_handle(stmt), err, name);
	found = sqlite3_step(stmt) == SQLITE_ROW;
	if (sqlite3_reset(stmt) != SQLITE_OK)
		return db_error(sqlite3_db_handle(stmt), err, name);
	return found;
}

/* Who made the file is not known: a table must be what it is called, word by word, and a virtual table
 * would run code on data of his choice. Further tables and indexes are the user's own affair. */
int
schema_check_tables(sqlite3 *db, const char *name, struct iotap_error *err)
{
	sqlite3 *reference = NULL;
	sqlite3_stmt *here = NULL;
	sqlite3_stmt *there = NULL;
	int64_t n;
	int r = db_integer(db, "SELECT count(*) FROM main.sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'", 0, &n, err);

	if (r == 0 && n > 0)
		r = error_set(err, IOTAP_EUNSUPPORTED, "%s: holds virtual tables, which iotap never makes; load "
			      "the recording into a new database", name);
	if (r == 0)
		r = reference_open(&reference, err);
	if (r == 0)
		r = db_prepare(reference, "SELECT name, sql FROM sqlite_schema WHERE type = 'table'", &there, err);
	if (r == 0)
		r = db_prepare(db, "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?1 AND sql = ?2",
			       &here, err);
	while (r == 0 && sqlite3_step(there) == SQLITE_ROW) {
		r = has_table(here, there, name, err);
		if (r == 0)
			r = error_set(err, IOTAP_ECORRUPT, "%s: table %s is not as iotap makes it; load the "
				      "recording into a new database", name, sqlite3_column_text(there, 0));
		r = r > 0 ? 0 : r;
	}
	(void)sqlite3_finalize(here);
	if (sqlite3_finalize(there) != SQLITE_OK && r == 0)
		r = db_error(reference, err, "database");
	(void)sqlite3_close_v2(reference);
	return r;
}

/* Runs n bytes of our own SQL with the word TEMP put into its CREATE statements, each of which begins
 * with these words at the start of a line. */
static int
run_as_temp(sqlite3 *db, const char *text, size_t n, const char *words, struct iotap_error *err)
{
	const char *const end = text + n;
	const char *at;
	struct buf sql;
	int r;

	buf_init(&sql, 0);
	while ((at = strstr(text, words)) != NULL && at < end) {
		(void)buf_printf(&sql, "%.*sCREATE TEMP ", (int)(at - text), text);
		text = at + strlen("CREATE ");
	}
	(void)buf_put(&sql, text, (size_t)(end - text));
	r = buf_cstr(&sql) && buf_ok(&sql) ? db_exec(db, (const char *)sql.data, err)
					   : error_set(err, IOTAP_ENOMEM, "out of memory");
	buf_free(&sql);
	return r;
}

int
schema_create_temp(sqlite3 *db, struct iotap_error *err)
{
	const char *const text = schema_text("schema");
	const int r = run_as_temp(db, text, strlen(text), "CREATE TABLE ", err);

	return r == 0 ? fill(db, err) : r;
}

/* The view event is the first one. */
int
schema_temp_views(sqlite3 *db, bool with_event, struct iotap_error *err)
{
	static const char words[] = "CREATE VIEW ";
	const char *text = strstr(schema_text("views"), words);

	if (!with_event)
		text = strstr(text + 1, words);
	return run_as_temp(db, text, strlen(text), words, err);
}
