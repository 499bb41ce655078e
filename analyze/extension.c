/* extension.c - a recording in any program that has SQLite: SELECT iotap_open('t.iotap')
 *
 * Built as iotap_vtab.so, not part of iotap-analyze. The function makes the tables and views of
 * iotap-sql(5) for this connection only (schema temp) and fills them, event aside, which is read where it
 * is. It gives the number of calls. One recording a connection.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/db.h"
#include "analyze/event_vtab.h"
#include "analyze/input.h"
#include "analyze/load.h"
#include "analyze/schema.h"
#include "analyze/supply.h"

#define EXTENSION_EXPORT __attribute__((visibility("default")))

/* What event reads, until the connection is closed. */
struct opened {
	struct event_vtab event;	/* first */
	struct input in;
	char *name;
};

static void
opened_free(void *p)
{
	struct opened *const o = p;

	input_close(&o->in);
	free(o->name);
	free(o);
}

static int
opened_new(struct opened **out, const char *name, struct iotap_error *err)
{
	struct opened *const o = calloc(1, sizeof(*o));
	int r;

	*out = NULL;
	if (!o || !(o->name = strdup(name))) {
		free(o);
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	}
	o->event.in = &o->in;
	r = input_open(&o->in, o->name, err);
	if (r == 0 && o->in.kind != INPUT_RECORDING)
		r = error_set(err, IOTAP_EUSAGE, "%s: is %s, not a recording", o->in.name,
			      input_kind_name(o->in.kind));
	if (r == 0)
		r = input_spool(&o->in, err);
	if (r < 0)
		opened_free(o);
	else
		*out = o;
	return r;
}

static int
fill_tables(sqlite3 *db, const struct opened *o, struct load_result *loaded, struct iotap_error *err)
{
	struct input again = o->in;
	struct supply *from = NULL;
	int r = input_reopen(&o->in, &again.fd, err);

	if (r == 0)
		r = supply_open(&from, &again, NULL, true, err);
	if (r == 0)
		r = load_recording(db, from, LOAD_TOTALS, NULL, loaded, err);
	supply_close(from);
	return r;
}

static int
open_recording(sqlite3 *db, const char *name, struct load_result *loaded, struct iotap_error *err)
{
	struct opened *o;
	int64_t n;
	int r = db_integer(db, "SELECT count(*) FROM temp.sqlite_schema WHERE name = 'definition'", 0, &n, err);

	if (r == 0 && n > 0)
		r = error_set(err, IOTAP_EEXIST, "a recording is open in this connection; open another connection");
	if (r == 0)
		r = opened_new(&o, name, err);
	if (r < 0)
		return r;
	r = schema_create_temp(db, err);
	if (r == 0)
		r = fill_tables(db, o, loaded, err);
	if (r < 0) {
		opened_free(o);
		return r;
	}
	r = event_vtab_register(db, &o->event, opened_free, err);
	return r == 0 ? schema_temp_views(db, false, err) : r;
}

static void
sql_open(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	sqlite3 *const db = sqlite3_context_db_handle(context);
	const char *const name = (const char *)sqlite3_value_text(argv[0]);
	struct iotap_error err = {.code = 0};
	struct load_result loaded;

	(void)argc;
	if (!name)
		return;
	if (db_exec(db, "SAVEPOINT iotap_open", &err) == 0 && open_recording(db, name, &loaded, &err) == 0 &&
	    db_exec(db, "RELEASE iotap_open", &err) == 0) {
		sqlite3_result_int64(context, db_i64(loaded.calls));
		return;
	}
	(void)sqlite3_exec(db, "ROLLBACK TO iotap_open; RELEASE iotap_open", NULL, NULL, NULL);
	sqlite3_result_error(context, err.text, -1);
}

/* The name that SQLite makes from iotap_vtab.so. Only from the top of a statement, never from a view or
 * trigger of a database: it opens files. */
EXTENSION_EXPORT int sqlite3_iotapvtab_init(sqlite3 *db, char **why, const void *routines);

int
sqlite3_iotapvtab_init(sqlite3 *db, char **why, const void *routines)
{
	(void)why;
	(void)routines;
	return sqlite3_create_function(db, "iotap_open", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
				       sql_open, NULL, NULL);
}
