/* batch_vtab.c - one batch of calls as a table, for INSERT ... SELECT */
#include "analyze/batch_vtab.h"

#include <stdlib.h>

#include "analyze/db.h"
#include "analyze/event_value.h"

struct batch_cursor {
	sqlite3_vtab_cursor base;
	const struct batch_rows *rows;
	uint32_t at;
};

struct batch_table {
	sqlite3_vtab base;
	const struct batch_rows *rows;
};

static int
batch_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **why)
{
	struct batch_table *const table = sqlite3_malloc(sizeof(*table));

	int r;

	(void)argc;
	(void)argv;
	(void)why;
	if (!table)
		return SQLITE_NOMEM;
	*table = (struct batch_table){.rows = aux};
	r = sqlite3_declare_vtab(db, "CREATE TABLE batch (number INTEGER, time INTEGER, duration_ns INTEGER, "
				    "thread INTEGER, call INTEGER, fd INTEGER, target INTEGER, requested INTEGER, "
				    "bytes INTEGER, result INTEGER, offset INTEGER, flags INTEGER, cpu INTEGER, "
				    "fd2 INTEGER, target2 INTEGER, arg0 INTEGER, arg1 INTEGER)");
	if (r == SQLITE_OK)
		*out = &table->base;
	else
		sqlite3_free(table);
	return r;
}

static int
batch_disconnect(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

static int
batch_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	info->estimatedCost = 1000;
	return SQLITE_OK;
}

static int
batch_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	struct batch_cursor *const cursor = sqlite3_malloc(sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	*cursor = (struct batch_cursor){.rows = ((struct batch_table *)table)->rows};
	*out = &cursor->base;
	return SQLITE_OK;
}

static int
batch_close(sqlite3_vtab_cursor *cursor)
{
	sqlite3_free(cursor);
	return SQLITE_OK;
}

static int
batch_filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc, sqlite3_value **argv)
{
	(void)number;
	(void)text;
	(void)argc;
	(void)argv;
	((struct batch_cursor *)cursor)->at = 0;
	return SQLITE_OK;
}

static int
batch_next(sqlite3_vtab_cursor *cursor)
{
	((struct batch_cursor *)cursor)->at++;
	return SQLITE_OK;
}

static int
batch_eof(sqlite3_vtab_cursor *cursor)
{
	const struct batch_cursor *const c = (const struct batch_cursor *)cursor;

	return c->at >= c->rows->n_rows;
}

/* The columns of event_row in their order, then those of event_more. */
enum batch_column {
	BATCH_NUMBER, BATCH_TIME, BATCH_DURATION, BATCH_THREAD, BATCH_CALL, BATCH_FD, BATCH_TARGET,
	BATCH_REQUESTED, BATCH_BYTES, BATCH_RESULT, BATCH_OFFSET, BATCH_FLAGS, BATCH_CPU,
	BATCH_FD2, BATCH_TARGET2, BATCH_ARG0, BATCH_ARG1
};

static int
batch_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
	const struct batch_cursor *const c = (const struct batch_cursor *)cursor;
	const struct batch_rows *const rows = c->rows;
	const struct iotap_batch *const b = &rows->batch;
	const uint32_t i = rows->row[c->at];

	switch ((enum batch_column)column) {
	case BATCH_NUMBER:
		sqlite3_result_int64(context, rows->first_number + (int64_t)event_number(b, i));
		break;
	case BATCH_TIME:
		sqlite3_result_int64(context,
				     (int64_t)(b->time_ns[i] + b->unix_offset_ns - rows->time_base_ns));
		break;
	case BATCH_DURATION:
		event_result(context, b->duration_ns[i]);
		break;
	case BATCH_THREAD:
		sqlite3_result_int64(context, rows->thread[i]);
		break;
	case BATCH_CALL:
		sqlite3_result_int(context, b->call[i]);
		break;
	case BATCH_FD:
		if (b->fd[i] != -1)
			sqlite3_result_int(context, b->fd[i]);
		break;
	case BATCH_TARGET:
		sqlite3_result_int64(context, rows->target[i]);
		break;
	case BATCH_REQUESTED:
		event_result(context, b->requested[i]);
		break;
	case BATCH_BYTES:
		event_result(context, b->bytes[i]);
		break;
	case BATCH_RESULT:
		if (b->bytes[i] == IOTAP_UNKNOWN || b->bytes[i] != (uint64_t)b->result[i])
			sqlite3_result_int64(context, b->result[i]);
		break;
	case BATCH_OFFSET:
		event_result(context, b->offset[i]);
		break;
	case BATCH_FLAGS:
		sqlite3_result_int64(context, event_flags(b->flags[i]));
		break;
	case BATCH_CPU:
		sqlite3_result_int(context, b->cpu[i]);
		break;
	case BATCH_FD2:
		if (b->fd2[i] != -1)
			sqlite3_result_int(context, b->fd2[i]);
		break;
	case BATCH_TARGET2:
		if (b->target2[i])
			sqlite3_result_int64(context, rows->target2[i]);
		break;
	case BATCH_ARG0:
		event_result(context, b->arg0[i]);
		break;
	case BATCH_ARG1:
		event_result(context, b->arg1[i]);
		break;
	}
	return SQLITE_OK;
}

static int
batch_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
	*id = ((struct batch_cursor *)cursor)->at;
	return SQLITE_OK;
}

static const sqlite3_module batch_module = {
	.xConnect = batch_connect,
	.xBestIndex = batch_best_index,
	.xDisconnect = batch_disconnect,
	.xOpen = batch_open,
	.xClose = batch_close,
	.xFilter = batch_filter,
	.xNext = batch_next,
	.xEof = batch_eof,
	.xColumn = batch_column,
	.xRowid = batch_rowid,
};

int
batch_vtab_register(sqlite3 *db, const struct batch_rows *rows, struct iotap_error *err)
{
	if (sqlite3_create_module(db, "batch", &batch_module, (void *)rows) != SQLITE_OK)
		return db_error(db, err, "database");
	return 0;
}
