/* question.c - something that SQL can be asked of: a database, or a recording as it is */
#include "analyze/question.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/db.h"
#include "analyze/journal.h"
#include "analyze/load.h"
#include "analyze/schema.h"
#include "analyze/supply.h"

/* -- opening -- */

static void
question_note(struct question *q, const char *why)
{
	if (!q->incomplete)
		(void)sqlite3_snprintf(sizeof(q->why), q->why, "%s", why);
	q->incomplete = true;
}

/* Whether all that was loaded was complete. */
static int
database_note(struct question *q, struct iotap_error *err)
{
	sqlite3_stmt *stmt = NULL;
	int r = db_prepare(q->db, "SELECT coalesce((SELECT l.message FROM loss AS l WHERE l.recording = r.id "
			   "ORDER BY l.id LIMIT 1), 'calls are missing one by one') FROM recording AS r "
			   "WHERE r.complete = 0 ORDER BY r.id LIMIT 1", &stmt, err);

	if (r == 0 && sqlite3_step(stmt) == SQLITE_ROW)
		question_note(q, (const char *)sqlite3_column_text(stmt, 0));
	if (sqlite3_finalize(stmt) != SQLITE_OK && r == 0)
		r = db_error(q->db, err, q->in.name);
	return r;
}

/* What a killed load left beside a database is looked at again with each statement. */
static bool
confine_journal(struct question *q)
{
	char name[REACH_NAME];

	return !q->in.path || !journal_path(name, sizeof(name), q->in.path) || reach_add_input(q->reach, name);
}

static int
confine_question(struct question *q, struct iotap_error *err)
{
	const bool database = q->in.kind == INPUT_DATABASE;

	if (q->reach && (database ? !confine_journal(q)
				    : q->in.seekable && !reach_add_descriptor(q->reach, q->in.fd)))
		return error_errno(err, IOTAP_ESYSTEM, errno, "%s", q->in.name);
	if (!reach_limit(q->reach))
		return error_errno(err, IOTAP_ESYSTEM, errno, "giving up what a question does not need");
	return 0;
}

static int
open_database(struct question *q, struct iotap_error *err)
{
	char path[64];
	int r;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", q->in.fd);
	r = guard_open(&q->db, q->in.path ? q->in.path : path, err);
	if (r == 0)
		r = confine_question(q, err);
	if (r == 0)
		r = schema_temp_views(q->db, true, err);
	return r == 0 ? database_note(q, err) : r;
}

static int
open_recording(struct question *q, struct iotap_error *err)
{
	int r = input_spool(&q->in, err);

	if (r == 0)
		r = confine_question(q, err);
	if (r == 0)
		r = guard_open_private(&q->db, err);
	if (r == 0)
		r = schema_create(q->db, false, err);
	q->event.in = &q->in;
	if (r == 0)
		r = event_vtab_register(q->db, &q->event, NULL, err);
	if (r == 0)
		r = guard_know(q->db, "event", err);
	return r == 0 ? schema_temp_views(q->db, false, err) : r;
}

/* Reads a supply into the private database. */
static int
fill_from(struct question *q, struct input *in, unsigned int want, struct iotap_error *err)
{
	struct load_result loaded;
	struct supply *from;
	int r = supply_open(&from, in, NULL, true, err);

	if (r == 0)
		r = db_exec(q->db, "BEGIN", err);
	if (r == 0)
		r = load_recording(q->db, from, want, NULL, &loaded, err);
	if (r == 0)
		r = db_commit(q->db, err);
	if (r == 0 && !loaded.complete)
		question_note(q, loaded.why);
	supply_close(from);
	return r;
}

static int
open_json(struct question *q, struct iotap_error *err)
{
	int r = confine_question(q, err);

	if (r == 0)
		r = guard_open_private(&q->db, err);
	if (r == 0)
		r = schema_create(q->db, false, err);
	if (r == 0)
		r = fill_from(q, &q->in, LOAD_ALL, err);
	return r == 0 ? schema_temp_views(q->db, true, err) : r;
}

static int
open_kind(struct question *q, struct iotap_error *err)
{
	switch (q->in.kind) {
	case INPUT_DATABASE:
		return open_database(q, err);
	case INPUT_RECORDING:
		return open_recording(q, err);
	case INPUT_JSON:
		return open_json(q, err);
	}
	return error_set(err, IOTAP_EUNSUPPORTED, "%s", q->in.name);
}

int
question_open(struct question *q, const char *name, struct reach *reach, struct iotap_error *err)
{
	int r;

	*q = (struct question){.in = {.fd = -1}, .reach = reach};
	r = input_open(&q->in, name, err);
	if (r == 0)
		r = open_kind(q, err);
	if (r == 0)
		r = guard_know(q->db, "json_each", err);
	return r == 0 ? guard_know(q->db, "json_tree", err) : r;
}

void
question_close(struct question *q)
{
	(void)sqlite3_close_v2(q->db);
	input_close(&q->in);
	*q = (struct question){.in = {.fd = -1}};
}

/* -- asking -- */

/* What load_recording fills, to be filled again with more. */
static int
empty_tables(struct question *q, struct iotap_error *err)
{
	return db_exec(q->db, "DELETE FROM meta; DELETE FROM recording; DELETE FROM counter; DELETE FROM clock; "
		       "DELETE FROM blind_spots; DELETE FROM blind_spots_by_process; "
		       "DELETE FROM second; DELETE FROM process; DELETE FROM argument; DELETE FROM thread; "
		       "DELETE FROM unfinished; "
		       "DELETE FROM target_row WHERE id > 0 OR id < -2; DELETE FROM definition WHERE id > 3; "
		       "DELETE FROM target_raw; DELETE FROM mapped; DELETE FROM loss; DELETE FROM notice", err);
}

/* Fills the tables that the statement just prepared reads. */
static int
question_fill(struct question *q, struct iotap_error *err)
{
	struct input again = q->in;
	int r = 0;

	if (q->in.kind != INPUT_RECORDING || !q->seen.dimensions ||
	    (q->filled && (q->filled_totals || !q->seen.totals)))
		return 0;
	guard_lift(q->db);
	if (q->filled)
		r = empty_tables(q, err);
	if (r == 0)
		r = input_reopen(&q->in, &again.fd, err);
	if (r == 0)
		r = fill_from(q, &again, q->seen.totals ? LOAD_TOTALS : 0, err);
	q->filled = r == 0;
	q->filled_totals = r == 0 && q->seen.totals;
	return r;
}

/* What is wrong with the words of a statement, and where the words are. */
static int
statement_error(const struct question *q, struct iotap_error *err)
{
	const int r = db_error(q->db, err, "sql");

	if (r != IOTAP_ESQL)
		return r;
	return error_set(err, r, "sql: %s; iotap-sql(5) has the tables and columns", sqlite3_errmsg(q->db));
}

static int
run_result(sqlite3_stmt *stmt, void *arg)
{
	return result_run(arg, stmt);
}

struct rows {
	int (*row)(sqlite3_stmt *, void *arg);
	void *arg;
	struct iotap_error *err;
};

static int
run_rows(sqlite3_stmt *stmt, void *arg)
{
	const struct rows *const rows = arg;
	int step = sqlite3_step(stmt);
	int r = 0;

	for (; r == 0 && step == SQLITE_ROW; step = r == 0 ? sqlite3_step(stmt) : step)
		r = rows->row(stmt, rows->arg);
	return r == 0 && step != SQLITE_DONE ? db_error(sqlite3_db_handle(stmt), rows->err, "sql") : r;
}

/* Compiles the first statement, fills what it reads, runs it. Behind the last one only blanks, semicolons
 * and comments are left, which make no statement. */
static int
ask_one(struct question *q, const char *sql, const char **rest, int (*run)(sqlite3_stmt *, void *), void *arg,
	struct iotap_error *err)
{
	sqlite3_stmt *stmt = NULL;
	int r = guard_select_only(q->db, &q->seen, err);

	q->seen = (struct guard_seen){.dimensions = false};
	guard_time(q->db, &q->deadline, q->limits.timeout_ns);
	if (r == 0 && sqlite3_prepare_v2(q->db, sql, -1, &stmt, rest) != SQLITE_OK)
		r = statement_error(q, err);
	if (r == 0 && stmt)
		r = question_fill(q, err);
	if (r == 0 && stmt)
		r = run(stmt, arg);
	q->asked = q->asked || stmt;
	(void)sqlite3_finalize(stmt);
	return r < 0 && r != IOTAP_EPIPE ? guard_error(&q->limits, &q->deadline, err) : r;
}

int
question_ask(struct question *q, const char *sql, struct result *result, struct iotap_error *err)
{
	int r = 0;

	guard_memory(q->limits.memory_bytes);
	q->asked = false;
	while (r == 0 && *sql != '\0')
		r = ask_one(q, sql, &sql, run_result, result, err);
	if (r == 0 && !q->asked)
		r = error_set(err, IOTAP_EUSAGE, "sql: no statement was given; name one, or write it to standard "
			      "input");
	if (q->event.incomplete)
		question_note(q, q->event.why);
	return r;
}

int
question_rows(struct question *q, const char *sql, int (*row)(sqlite3_stmt *, void *arg), void *arg,
	      struct iotap_error *err)
{
	struct rows rows = {row, arg, err};
	int r;

	guard_memory(q->limits.memory_bytes);
	r = ask_one(q, sql, NULL, run_rows, &rows, err);
	if (q->event.incomplete)
		question_note(q, q->event.why);
	return r;
}
