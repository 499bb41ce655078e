/* load.c - one recording, event stream or JSON Lines into the tables of a database
 *
 * A batch at a time: its processes and targets become rows, its calls are summed, then two statements
 * copy the whole batch (array_vtab.h). What stands between batches is load_note.c's.
 */
#include "analyze/load.h"

#include <stdlib.h>

#include "analyze/db.h"
#include "analyze/event_value.h"
#include "analyze/load_state.h"
#include "formats/base/monotonic.h"

enum {
	PROGRESS_NS = 250000000,
	ROOM_LEAST = 16384,		/* calls of a full block */
};
#define SECOND_NS UINT64_C(1000000000)

/* -- begin and end -- */

static int
load_prepare(struct load *l)
{
	const struct {
		sqlite3_stmt **stmt;
		const char *sql;
	} texts[] = {
		{&l->add_rows, LOAD_ROWS_INSERT_ROW},
		{&l->add_more, LOAD_ROWS_INSERT_MORE},
		{&l->add_clock, "INSERT OR REPLACE INTO clock VALUES (?1, ?2)"},
		{&l->add_second, "INSERT OR IGNORE INTO second VALUES (?1, ?2, ?3)"},
		{&l->add_unfinished, "INSERT INTO unfinished VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"},
		{&l->add_notice, "INSERT INTO notice (recording, time_ns, boot_ns, type, process, pid, parent, "
		 "reason, path, message) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"},
		{&l->add_loss, "INSERT INTO loss (recording, cause, time_ns, from_ns, until_ns, calls, offset, "
		 "bytes, pids, message) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"},
		{&l->overlaps, "SELECT count(*), max(complete IS 1 AND stream = 0), "
		 "max(calls = ?5 AND first_ns IS ?3 AND last_ns IS ?4) "
		 "FROM recording WHERE session = ?1 AND id <> ?2 AND "
		 "(?3 IS NULL OR first_ns IS NULL OR (first_ns <= ?4 AND last_ns >= ?3))"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const int r = db_prepare(l->db, texts[i].sql, texts[i].stmt, l->err);

		if (r < 0)
			return r;
	}
	return 0;
}

static int
load_init(struct load *l)
{
	int64_t first_target;
	int r = db_integer(l->db, "SELECT max(id) + 1 FROM recording", 1, &l->recording, l->err);

	load_rows_init(&l->rows);
	if (r == 0)
		r = db_integer(l->db, "SELECT max(number) + 1 FROM (SELECT max(number) AS number FROM event_row "
			       "UNION ALL SELECT max(number) FROM unfinished)", 0, &l->rows.first_number, l->err);
	if (r == 0)
		r = db_integer(l->db, "SELECT max(id) FROM target_row WHERE id < 1 << 62", 0, &first_target, l->err);
	if (l->recording == 1)
		first_target = 0;
	if (r == 0)
		r = load_recording_begin(l, first_target);
	if (r == 0)
		r = dimension_init(&l->dimension, l->db, l->recording, first_target, l->err);
	if (r == 0 && (l->want & LOAD_TOTALS))
		r = totals_new(&l->totals, l->db, l->recording, l->err);
	if (r == 0)
		r = array_vtab_register(l->db, LOAD_ROWS_TABLE, &l->rows.table, l->err);
	return r == 0 ? load_prepare(l) : r;
}

static void
load_fini(struct load *l)
{
	sqlite3_stmt *const stmts[] = {
		l->add_rows, l->add_more, l->add_clock, l->add_second, l->add_unfinished, l->add_notice,
		l->add_loss, l->overlaps,
	};

	for (size_t i = 0; i < sizeof(stmts) / sizeof(stmts[0]); i++)
		(void)sqlite3_finalize(stmts[i]);
	array_vtab_forget(l->db, LOAD_ROWS_TABLE);
	dimension_fini(&l->dimension);
	totals_free(l->totals);
	free(l->thread);
	free(l->target);
	free(l->target2);
	free(l->row);
	free(l->more);
	buf_free(&l->text);
}

/* -- a batch -- */

/* Room for the ids of n calls. */
static int
load_room(struct load *l, uint32_t n)
{
	if (n <= l->cap)
		return 0;
	free(l->thread);
	free(l->target);
	free(l->target2);
	free(l->row);
	free(l->more);
	l->cap = n < ROOM_LEAST ? ROOM_LEAST : n;
	l->thread = malloc(l->cap * sizeof(*l->thread));
	l->target = malloc(l->cap * sizeof(*l->target));
	l->target2 = malloc(l->cap * sizeof(*l->target2));
	l->row = malloc(l->cap * sizeof(*l->row));
	l->more = malloc(l->cap * sizeof(*l->more));
	if (l->thread && l->target && l->target2 && l->row && l->more)
		return 0;
	l->cap = 0;
	return error_set(l->err, IOTAP_ENOMEM, "out of memory");
}

static int
load_clock(struct load *l, const struct iotap_batch *b)
{
	if (l->clock_known && b->unix_offset_ns == l->unix_offset_ns)
		return 0;
	l->clock_known = true;
	l->unix_offset_ns = b->unix_offset_ns;
	(void)sqlite3_bind_int64(l->add_clock, 1, l->rows.first_number + (int64_t)event_number(b, 0));
	(void)sqlite3_bind_int64(l->add_clock, 2, (int64_t)b->unix_offset_ns);
	return db_run(l->add_clock, l->err);
}

static int
load_second(struct load *l, const struct totals_call *c)
{
	const uint64_t second = c->time_ns / SECOND_NS;

	if (second == l->last_second)
		return 0;
	l->last_second = second;
	(void)sqlite3_bind_int64(l->add_second, 1, l->recording);
	(void)sqlite3_bind_int64(l->add_second, 2, (int64_t)second);
	(void)sqlite3_bind_int64(l->add_second, 3, c->number);
	return db_run(l->add_second, l->err);
}

static int
load_unfinished(struct load *l, const struct iotap_batch *b, uint32_t i, const struct totals_call *c)
{
	sqlite3_stmt *const stmt = l->add_unfinished;

	(void)sqlite3_clear_bindings(stmt);
	(void)sqlite3_bind_int64(stmt, 1, c->number);
	(void)sqlite3_bind_int64(stmt, 2, db_i64(c->time_ns));
	db_bind_u64(stmt, 3, c->duration_ns);
	(void)sqlite3_bind_int64(stmt, 4, c->process);
	(void)sqlite3_bind_int64(stmt, 5, b->tid[i]);
	(void)sqlite3_bind_int64(stmt, 6, c->call);
	if (b->fd[i] != -1)
		(void)sqlite3_bind_int(stmt, 7, b->fd[i]);
	(void)sqlite3_bind_int64(stmt, 8, c->target.id);
	db_bind_u64(stmt, 9, b->requested[i]);
	return db_run(stmt, l->err);
}

/* The rows that a call refers to. */
static int
load_ids(struct load *l, const struct iotap_batch *b, uint32_t i, struct totals_call *c)
{
	const struct dimension_target *target;
	int r = dimension_thread(&l->dimension, b->process[i], b->tid[i], &l->thread[i], &c->process);

	if (r == 0)
		r = dimension_target(&l->dimension, b->target[i], &target);
	if (r < 0)
		return r;
	c->target = *target;
	l->target[i] = target->id;
	if (!b->target2[i])
		return 0;
	r = dimension_target(&l->dimension, b->target2[i], &target);
	if (r < 0)
		return r;
	l->target2[i] = target->id;
	c->source = *target;
	c->has_source = true;
	return 0;
}

static int
load_call(struct load *l, const struct iotap_batch *b, uint32_t i)
{
	struct totals_call c = {
		.number = l->rows.first_number + (int64_t)event_number(b, i),
		.time_ns = b->time_ns[i] + b->unix_offset_ns,
		.duration_ns = b->duration_ns[i],
		.result = b->result[i],
		.bytes = b->bytes[i],
		.call = b->call[i],
		.flags = b->flags[i],
	};
	int r = load_ids(l, b, i, &c);

	if (r == 0 && event_is_unfinished(c.flags))
		return load_unfinished(l, b, i, &c);
	l->row[l->rows.table.n++] = i;
	l->calls++;
	if (l->first_ns == 0)
		l->first_ns = c.time_ns;
	l->last_ns = c.time_ns;
	if (r == 0)
		r = load_second(l, &c);
	if (r == 0 && l->totals)
		r = totals_add(l->totals, &c);
	return r;
}

/* Calls that have something for event_more. */
static uint32_t
load_more(struct load *l, const struct iotap_batch *b)
{
	uint32_t n = 0;

	for (size_t at = 0; at < l->rows.table.n; at++) {
		const uint32_t i = l->row[at];

		if (b->fd2[i] != -1 || b->target2[i] || b->arg0[i] != IOTAP_UNKNOWN ||
		    b->arg1[i] != IOTAP_UNKNOWN)
			l->more[n++] = i;
	}
	return n;
}

static int
load_events(struct load *l, const struct iotap_batch *b)
{
	int r = 0;

	l->rows.batch = *b;
	l->rows.thread = l->thread;
	l->rows.target = l->target;
	l->rows.target2 = l->target2;
	l->rows.row = l->row;
	if (l->rows.table.n > 0)
		r = db_run(l->add_rows, l->err);
	if (r < 0)
		return r;
	l->rows.table.n = load_more(l, b);
	l->rows.row = l->more;
	return l->rows.table.n > 0 ? db_run(l->add_more, l->err) : 0;
}

static int
load_batch(struct load *l, const struct iotap_batch *b)
{
	int r = load_room(l, b->n);

	l->rows.table.n = 0;
	if (r == 0)
		r = load_clock(l, b);
	for (uint32_t i = 0; r == 0 && i < b->n; i++)
		r = load_call(l, b, i);
	if (r == 0 && (l->want & LOAD_EVENTS))
		r = load_events(l, b);
	return r;
}

/* -- all of it -- */

static int
load_look(struct load *l)
{
	enum load_before before;
	const int r = load_look_before(l, &before);

	l->already = r == 0 && before == LOAD_BEFORE_ALL;
	l->differs = r == 0 && before == LOAD_BEFORE_OTHER && l->at_end;
	return r;
}

static int
load_all(struct load *l, const struct load_progress *progress)
{
	const struct iotap_handlers handlers = {
		.size = sizeof(handlers), .notice = load_on_notice, .drop = load_on_drop,
		.aggregate = load_on_aggregate,
	};
	uint64_t told_ns = monotonic_ns();
	struct iotap_batch batch;
	bool checked = false;
	int r;

	while ((r = supply_next(l->from, IOTAP_COL_ALL, &handlers, l, &batch, l->err)) > 0) {
		r = load_batch(l, &batch);
		if (r == 0 && !checked && l->calls > 0) {
			checked = true;
			r = load_look(l);
		}
		if (r < 0 || l->already)
			return r;
		if (progress && progress->tell && monotonic_ns() - told_ns > PROGRESS_NS) {
			told_ns = monotonic_ns();
			progress->tell(l->calls, progress->arg);
		}
	}
	if (r == 0)
		r = load_end_reached(l);
	return r == 0 ? load_look(l) : r;
}

int
load_recording(sqlite3 *db, struct supply *from, unsigned int want, const struct load_progress *progress,
	       struct load_result *out, struct iotap_error *err)
{
	struct load l = {
		.db = db, .err = err, .from = from, .want = want, .complete = true, .last_second = UINT64_MAX,
	};
	int r = load_init(&l);

	if (r == 0)
		r = load_all(&l, progress);
	if (r == 0 && !l.already && l.totals)
		r = totals_finish(l.totals);
	if (r == 0 && !l.already)
		r = load_recording_end(&l);
	*out = (struct load_result){
		.recording = l.recording, .calls = l.calls, .already = l.already, .differs = l.differs,
		.complete = l.complete,
	};
	(void)sqlite3_snprintf(sizeof(out->why), out->why, "%s", l.why);
	load_fini(&l);
	return r;
}
