/* array_vtab.c - rows in memory as a table, for INSERT ... SELECT */
#include "analyze/array_vtab.h"

#include "analyze/db.h"

struct array_table {
	sqlite3_vtab base;
	const struct array_rows *rows;
};

struct array_cursor {
	sqlite3_vtab_cursor base;
	const struct array_rows *rows;
	size_t at;
};

static int
array_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **why)
{
	const struct array_rows *const rows = aux;
	struct array_table *const table = sqlite3_malloc(sizeof(*table));
	int r;

	(void)argc;
	(void)argv;
	(void)why;
	if (!table)
		return SQLITE_NOMEM;
	*table = (struct array_table){.rows = rows};
	r = sqlite3_declare_vtab(db, rows->declaration);
	if (r == SQLITE_OK)
		*out = &table->base;
	else
		sqlite3_free(table);
	return r;
}

static int
array_disconnect(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

static int
array_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	info->estimatedCost = 1000;
	return SQLITE_OK;
}

static int
array_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	struct array_cursor *const cursor = sqlite3_malloc(sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	*cursor = (struct array_cursor){.rows = ((struct array_table *)table)->rows};
	*out = &cursor->base;
	return SQLITE_OK;
}

static int
array_close(sqlite3_vtab_cursor *cursor)
{
	sqlite3_free(cursor);
	return SQLITE_OK;
}

static int
array_filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc, sqlite3_value **argv)
{
	(void)number;
	(void)text;
	(void)argc;
	(void)argv;
	((struct array_cursor *)cursor)->at = 0;
	return SQLITE_OK;
}

static int
array_next(sqlite3_vtab_cursor *cursor)
{
	((struct array_cursor *)cursor)->at++;
	return SQLITE_OK;
}

static int
array_eof(sqlite3_vtab_cursor *cursor)
{
	const struct array_cursor *const c = (const struct array_cursor *)cursor;

	return c->at >= c->rows->n;
}

static int
array_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
	const struct array_cursor *const c = (const struct array_cursor *)cursor;

	c->rows->value(c->rows->arg, c->at, column, context);
	return SQLITE_OK;
}

static int
array_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
	*id = (sqlite3_int64)((struct array_cursor *)cursor)->at;
	return SQLITE_OK;
}

/* Without xCreate: the table is there without having been created, and only so. */
static const sqlite3_module array_module = {
	.xConnect = array_connect,
	.xBestIndex = array_best_index,
	.xDisconnect = array_disconnect,
	.xOpen = array_open,
	.xClose = array_close,
	.xFilter = array_filter,
	.xNext = array_next,
	.xEof = array_eof,
	.xColumn = array_column,
	.xRowid = array_rowid,
};

int
array_vtab_register(sqlite3 *db, const char *name, const struct array_rows *rows, struct iotap_error *err)
{
	if (sqlite3_create_module(db, name, &array_module, (void *)(uintptr_t)rows) != SQLITE_OK)
		return db_error(db, err, "database");
	return 0;
}

void
array_vtab_forget(sqlite3 *db, const char *name)
{
	(void)sqlite3_create_module(db, name, NULL, NULL);
}
