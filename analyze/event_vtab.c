/* event_vtab.c - the calls of a recording as a table of SQL, read where they are
 *
 * A plan is written as text: for each value handed over one letter for the column and one for the
 * operator, "bGbLp=" for a range of boot times (>= and <=) and a pid. SQLite checks every condition again, so a
 * plan may leave rows in, never out.
 */
#include "analyze/event_vtab.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/db.h"
#include "analyze/dimension.h"
#include "analyze/event_value.h"
#include "formats/base/buf.h"

enum event_column {
#define EVENT_FIRST EVENT_COLUMN
#define EVENT_COLUMN(name, needs) EVENT_##name,
#include "analyze/event_columns.def"
#undef EVENT_FIRST
#undef EVENT_COLUMN
	EVENT_COLUMNS
};

static const uint32_t needs[] = {
#define EVENT_FIRST EVENT_COLUMN
#define EVENT_COLUMN(name, what) what,
#include "analyze/event_columns.def"
#undef EVENT_FIRST
#undef EVENT_COLUMN
};

struct event_table {
	sqlite3_vtab base;
	struct event_vtab *v;
};

struct event_cursor {
	sqlite3_vtab_cursor base;
	struct event_vtab *v;
	iotap_t *handle;
	struct iotap_batch batch;
	uint32_t columns;
	uint32_t at;
	bool end;
};

/* -- the table -- */

static int
event_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **why)
{
	static const char declaration[] = "CREATE TABLE event ("
#define EVENT_FIRST(name, what) #name " INTEGER"
#define EVENT_COLUMN(name, what) ", " #name " INTEGER"
#include "analyze/event_columns.def"
#undef EVENT_FIRST
#undef EVENT_COLUMN
		")";
	struct event_table *const table = sqlite3_malloc(sizeof(*table));

	(void)argc;
	(void)argv;
	if (!table)
		return SQLITE_NOMEM;
	*table = (struct event_table){.v = aux};
	(void)sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	if (sqlite3_declare_vtab(db, declaration) == SQLITE_OK) {
		*out = &table->base;
		return SQLITE_OK;
	}
	sqlite3_free(table);
	*why = sqlite3_mprintf("%s", sqlite3_errmsg(db));
	return SQLITE_ERROR;
}

static int
event_disconnect(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

/* -- plans -- */

/* The letter of a column that a plan can use; 0 = it cannot. The rowid is the number. */
static char
plan_column(int column)
{
	switch (column) {
	case -1:
	case EVENT_number:
		return 'n';
	case EVENT_time_ns:
		return 't';
	case EVENT_boot_ns:
		return 'b';
	case EVENT_pid:
		return 'p';
	case EVENT_target:
		return 'g';
	default:
		return 0;
	}
}

static char
plan_operator(unsigned char op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		return '=';
	case SQLITE_INDEX_CONSTRAINT_GT:
		return '>';
	case SQLITE_INDEX_CONSTRAINT_GE:
		return 'G';
	case SQLITE_INDEX_CONSTRAINT_LT:
		return '<';
	case SQLITE_INDEX_CONSTRAINT_LE:
		return 'L';
	default:
		return 0;
	}
}

static uint32_t
columns_used(uint64_t used)
{
	uint32_t columns = IOTAP_COL_FLAGS;	/* tells calls that never returned */

	for (int i = 0; i < EVENT_COLUMNS; i++) {
		if (used >> i & 1)
			columns |= needs[i];
	}
	return columns;
}

/* A scan reads everything unless a time or number limits it; pid and target save rows, not reading. So
 * this table is best read once, with the others looked up. */
static double
plan_cost(const char *plan)
{
	double cost = 1e8;

	if (strpbrk(plan, "tbn"))
		cost /= strstr(plan, "n=") || strstr(plan, "b=") || strstr(plan, "t=") ? 1e4 : 1e2;
	return strpbrk(plan, "pg") ? cost / 2 : cost;
}

static int
event_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	struct buf plan = {.data = NULL};
	int n = 0;

	(void)table;
	for (int i = 0; i < info->nConstraint; i++) {
		const char column = plan_column(info->aConstraint[i].iColumn);
		const char operator = plan_operator(info->aConstraint[i].op);

		if (!info->aConstraint[i].usable || !column || !operator ||
		    (strchr("pg", column) && operator != '='))
			continue;
		(void)buf_printf(&plan, "%c%c", column, operator);
		info->aConstraintUsage[i].argvIndex = ++n;
	}
	info->idxStr = sqlite3_mprintf("%s", buf_cstr(&plan));
	buf_free(&plan);
	if (!info->idxStr)
		return SQLITE_NOMEM;
	info->needToFreeIdxStr = 1;
	info->idxNum = (int)columns_used(info->colUsed);
	info->estimatedCost = plan_cost(info->idxStr);
	info->estimatedRows = (sqlite3_int64)(info->estimatedCost / (strpbrk(info->idxStr, "pg") ? 50 : 10));
	info->orderByConsumed = info->nOrderBy == 1 && !info->aOrderBy[0].desc &&
		plan_column(info->aOrderBy[0].iColumn) == 'n';
	return SQLITE_OK;
}

/* -- scans -- */

static int
event_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	struct event_cursor *const cursor = sqlite3_malloc(sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	*cursor = (struct event_cursor){.v = ((struct event_table *)table)->v, .end = true};
	*out = &cursor->base;
	return SQLITE_OK;
}

static int
event_close(sqlite3_vtab_cursor *cursor)
{
	iotap_close(((struct event_cursor *)cursor)->handle);
	sqlite3_free(cursor);
	return SQLITE_OK;
}

static int
event_fail(struct event_cursor *c, int code, const char *text)
{
	sqlite3_free(c->base.pVtab->zErrMsg);
	c->base.pVtab->zErrMsg = sqlite3_mprintf("%s", text);
	return code == IOTAP_ENOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
}

static int
on_drop(const struct iotap_drop *drop, void *arg)
{
	struct event_vtab *const v = arg;

	if (!v->incomplete)
		(void)sqlite3_snprintf(sizeof(v->why), v->why, "%s", drop->message ? drop->message : "");
	v->incomplete = true;
	return IOTAP_NEXT;
}

/* The next row that is an event: of this batch or of one to come. */
static int
event_advance(struct event_cursor *c)
{
	const struct iotap_handlers handlers = {.size = sizeof(handlers), .drop = on_drop};
	int r;

	for (;;) {
		while (c->at < c->batch.n && event_is_unfinished(c->batch.flags[c->at]))
			c->at++;
		if (c->at < c->batch.n)
			return SQLITE_OK;
		c->batch = (struct iotap_batch){.size = sizeof(c->batch)};
		c->at = 0;
		r = iotap_next_batch(c->handle, c->columns, &handlers, c->v, &c->batch);
		if (r <= 0)
			break;
	}
	c->end = true;
	return r < 0 ? event_fail(c, iotap_errno(c->handle), iotap_errmsg(c->handle)) : SQLITE_OK;
}

/* The bounds that one kind of number gets from a plan, both inclusive. A comparison with NULL holds for
 * no row; one with a real number is rounded outwards. */
struct bounds {
	int64_t low, high;
	bool given;
	bool none;
};

static void
bounds_add(struct bounds *b, char operator, sqlite3_value *value)
{
	const int64_t v = sqlite3_value_int64(value);
	int64_t low = v;
	int64_t high = v;

	b->given = true;
	switch (sqlite3_value_type(value)) {
	case SQLITE_NULL:
		b->none = true;
		return;
	case SQLITE_INTEGER:
		b->none = b->none || (operator == '<' && v == INT64_MIN) || (operator == '>' && v == INT64_MAX);
		low += operator == '>' && v < INT64_MAX;
		high -= operator == '<' && v > INT64_MIN;
		break;
	case SQLITE_FLOAT:
		low -= v > INT64_MIN;
		high += v < INT64_MAX;
		break;
	default:
		return;			/* a text or blob: SQLite compares */
	}
	if (strchr("=>G", operator) && low > b->low)
		b->low = low;
	if (strchr("=<L", operator) && high < b->high)
		b->high = high;
}

struct plan {
	struct bounds boot, time, number, pid, target;
};

static void
plan_read(struct plan *p, const char *text, int argc, sqlite3_value **argv)
{
	const struct {
		char letter;
		struct bounds *bounds;
	} rows[] = {{'b', &p->boot}, {'t', &p->time}, {'n', &p->number}, {'p', &p->pid}, {'g', &p->target}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		*rows[i].bounds = (struct bounds){.low = INT64_MIN, .high = INT64_MAX};
	for (int at = 0; at < argc; at++) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			if (rows[i].letter == text[2 * at])
				bounds_add(rows[i].bounds, text[2 * at + 1], argv[at]);
		}
	}
}

static bool
plan_is_empty(const struct plan *p)
{
	const struct bounds *const all[] = {&p->boot, &p->time, &p->number, &p->pid, &p->target};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i]->none || all[i]->low > all[i]->high)
			return true;
	}
	return p->boot.high < 0 || p->number.high < 0;
}

/* True when the plan leaves out calls by their place. */
static bool
plan_limits(const struct plan *p)
{
	return p->boot.given || p->time.given || p->number.given;
}

/* What the reader is asked for. */
static void
plan_filter(const struct plan *p, struct iotap_filter *f, struct iotap_window *w)
{
	*f = (struct iotap_filter){
		.from_ns = p->boot.low > 0 ? (uint64_t)p->boot.low : 0,
		.to_ns = p->boot.high < INT64_MAX ? (uint64_t)p->boot.high : UINT64_MAX,
	};
	*w = (struct iotap_window){
		.size = sizeof(*w), .from_time_ns = p->time.low, .to_time_ns = p->time.high,
		.first_number = p->number.low > 0 ? (uint64_t)p->number.low : 0,
		.last_number = p->number.high < INT64_MAX ? (uint64_t)p->number.high : UINT64_MAX,
	};
	if (p->pid.given && p->pid.low == p->pid.high && p->pid.low > 0 && p->pid.low <= UINT32_MAX)
		f->pid = (uint32_t)p->pid.low;
	if (p->target.given && p->target.low == p->target.high && p->target.low > 0)
		f->target = (uint64_t)p->target.low;
}

static int
event_filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc, sqlite3_value **argv)
{
	struct event_cursor *const c = (struct event_cursor *)cursor;
	struct iotap_error err = {.code = 0};
	struct iotap_window window;
	struct iotap_filter f;
	struct plan plan;
	char why[512];
	int fd;

	iotap_close(c->handle);
	c->handle = NULL;
	c->batch.n = c->at = 0;
	c->columns = (uint32_t)number;
	c->end = true;
	plan_read(&plan, text, argc, argv);
	if (plan_is_empty(&plan))
		return SQLITE_OK;
	plan_filter(&plan, &f, &window);
	if (input_reopen(c->v->in, &fd, &err) < 0)
		return event_fail(c, err.code, err.text);
	c->handle = iotap_open(fd, c->v->in->name, &f, why, sizeof(why));
	if (!c->handle)
		return event_fail(c, IOTAP_ENOTREC, why);
	if (plan_limits(&plan) && iotap_set_window(c->handle, &window) < 0)
		return event_fail(c, iotap_errno(c->handle), iotap_errmsg(c->handle));
	c->end = false;
	return event_advance(c);
}

static int
event_next(sqlite3_vtab_cursor *cursor)
{
	struct event_cursor *const c = (struct event_cursor *)cursor;

	c->at++;
	return event_advance(c);
}

static int
event_eof(sqlite3_vtab_cursor *cursor)
{
	return ((const struct event_cursor *)cursor)->end;
}

/* -- values -- */

static void
result_fd(sqlite3_context *context, int32_t fd)
{
	if (fd != -1)
		sqlite3_result_int(context, fd);
}

static int64_t
err_of(int64_t result)
{
	return result < 0 && result >= -4095 ? -result : 0;	/* MAX_ERRNO, linux/err.h */
}

static int
event_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
	const struct event_cursor *const c = (const struct event_cursor *)cursor;
	const struct iotap_batch *const b = &c->batch;
	const uint32_t i = c->at;

	switch ((enum event_column)column) {
	case EVENT_number:
		sqlite3_result_int64(context, db_i64(event_number(b, i)));
		break;
	case EVENT_time_ns:
		sqlite3_result_int64(context, (int64_t)(b->time_ns[i] + b->unix_offset_ns));
		break;
	case EVENT_boot_ns:
		sqlite3_result_int64(context, db_i64(b->time_ns[i]));
		break;
	case EVENT_duration_ns:
		event_result(context, b->duration_ns[i]);
		break;
	case EVENT_process:
		sqlite3_result_int64(context, dimension_process_id(b->process[i]));
		break;
	case EVENT_pid:
		sqlite3_result_int64(context, b->pid[i]);
		break;
	case EVENT_tid:
		sqlite3_result_int64(context, b->tid[i]);
		break;
	case EVENT_call:
		sqlite3_result_int(context, b->call[i]);
		break;
	case EVENT_fd:
		result_fd(context, b->fd[i]);
		break;
	case EVENT_target:
		sqlite3_result_int64(context, dimension_target_id(b->target[i]));
		break;
	case EVENT_fd2:
		result_fd(context, b->fd2[i]);
		break;
	case EVENT_target2:
		if (b->target2[i])
			sqlite3_result_int64(context, dimension_target_id(b->target2[i]));
		break;
	case EVENT_requested:
		event_result(context, b->requested[i]);
		break;
	case EVENT_result:
		sqlite3_result_int64(context, b->result[i]);
		break;
	case EVENT_bytes:
		event_result(context, b->bytes[i]);
		break;
	case EVENT_offset:
		event_result(context, b->offset[i]);
		break;
	case EVENT_err:
		sqlite3_result_int64(context, err_of(b->result[i]));
		break;
	case EVENT_flags:
		sqlite3_result_int64(context, event_flags(b->flags[i]));
		break;
	case EVENT_cpu:
		sqlite3_result_int(context, b->cpu[i]);
		break;
	case EVENT_arg0:
		event_result(context, b->arg0[i]);
		break;
	case EVENT_arg1:
		event_result(context, b->arg1[i]);
		break;
	case EVENT_COLUMNS:
		break;
	}
	return SQLITE_OK;
}

static int
event_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
	const struct event_cursor *const c = (const struct event_cursor *)cursor;

	*id = db_i64(event_number(&c->batch, c->at));
	return SQLITE_OK;
}

/* xCreate is the same as xConnect: the table keeps nothing. */
static const sqlite3_module event_module = {
	.xCreate = event_connect,
	.xConnect = event_connect,
	.xBestIndex = event_best_index,
	.xDisconnect = event_disconnect,
	.xDestroy = event_disconnect,
	.xOpen = event_open,
	.xClose = event_close,
	.xFilter = event_filter,
	.xNext = event_next,
	.xEof = event_eof,
	.xColumn = event_column,
	.xRowid = event_rowid,
};

int
event_vtab_register(sqlite3 *db, struct event_vtab *v, void (*destroy)(void *v), struct iotap_error *err)
{
	if (sqlite3_create_module_v2(db, "event", &event_module, v, destroy) != SQLITE_OK)
		return db_error(db, err, "database");
	return 0;
}
