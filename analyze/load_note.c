/* load_note.c - what a recording says besides its calls: itself, life cycles, losses, counts */
#include "analyze/load_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/db.h"
#include "analyze/words.h"

/* -- the row of the recording -- */

static uint64_t
known(uint64_t v)
{
	return v > 0 ? v : IOTAP_UNKNOWN;
}

static void
recording_bind(sqlite3_stmt *stmt, const struct load *l, const struct iotap_info *info)
{
	char format[32];

	db_bind_text(stmt, 2, l->session);
	db_bind_text(stmt, 5, word_arch(info->arch));
	db_bind_text(stmt, 6, word_os(info->os));
	db_bind_u64(stmt, 7, known(info->cpus));
	(void)snprintf(format, sizeof(format), "%" PRIu32 ".%" PRIu32, info->format_major, info->format_minor);
	if (info->format_major > 0)
		(void)sqlite3_bind_text(stmt, 10, format, -1, SQLITE_TRANSIENT);
	(void)sqlite3_bind_int(stmt, 11, info->is_stream != 0);
	(void)sqlite3_bind_int(stmt, 12, l->from->lossy);
	db_bind_u64(stmt, 13, known(info->start_boot_ns));
	db_bind_u64(stmt, 14, known(info->start_time_ns));
}

static void
bind_string(sqlite3_stmt *stmt, int at, const char *s)
{
	if (s && s[0] != '\0')
		db_bind_name(stmt, at, s, strlen(s));
}

static int
time_base(struct load *l)
{
	sqlite3_stmt *stmt = NULL;
	int64_t base;
	int r = db_prepare(l->db, "INSERT OR IGNORE INTO meta VALUES ('time_base_ns', ?1)", &stmt, l->err);

	(void)sqlite3_bind_int64(stmt, 1, db_i64(l->from->info.start_time_ns));
	if (r == 0)
		r = db_run(stmt, l->err);
	(void)sqlite3_finalize(stmt);
	if (r == 0)
		r = db_integer(l->db, "SELECT value FROM meta WHERE key = 'time_base_ns'", 0, &base, l->err);
	if (r == 0)
		l->rows.time_base_ns = (uint64_t)base;
	return r;
}

int
load_recording_begin(struct load *l, int64_t first_target)
{
	const struct iotap_info *const info = &l->from->info;
	sqlite3_stmt *stmt = NULL;
	int r = db_prepare(l->db, "INSERT INTO recording (id, session, host, kernel, arch, os, cpus, tool, options, "
			   "format, stream, lossy, start_boot_ns, start_ns, first_number, calls, first_target) "
			   "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, 0, ?16)",
			   &stmt, l->err);

	(void)snprintf(l->session, sizeof(l->session), "%016" PRIx64, info->session);
	if (r == 0) {
		(void)sqlite3_bind_int64(stmt, 1, l->recording);
		recording_bind(stmt, l, info);
		bind_string(stmt, 3, info->hostname);
		bind_string(stmt, 4, info->release);
		bind_string(stmt, 8, info->tool);
		bind_string(stmt, 9, info->options);
		(void)sqlite3_bind_int64(stmt, 15, l->rows.first_number);
		(void)sqlite3_bind_int64(stmt, 16, first_target);
		r = db_run(stmt, l->err);
	}
	(void)sqlite3_finalize(stmt);
	return r == 0 ? time_base(l) : r;
}

/* JSON Lines do not say of which session they are: what they consist of stands for it. */
static int
name_by_digest(struct load *l)
{
	sqlite3_stmt *stmt = NULL;
	int r = db_prepare(l->db, "UPDATE recording SET session = ?2 WHERE id = ?1", &stmt, l->err);

	(void)snprintf(l->session, sizeof(l->session), "%016" PRIx64, l->from->digest);
	(void)sqlite3_bind_int64(stmt, 1, l->recording);
	db_bind_text(stmt, 2, l->session);
	if (r == 0)
		r = db_run(stmt, l->err);
	(void)sqlite3_finalize(stmt);
	return r;
}

int
load_end_reached(struct load *l)
{
	l->at_end = true;
	return l->from->info.session == 0 && l->from->digest != 0 ? name_by_digest(l) : 0;
}

int
load_look_before(struct load *l, enum load_before *out)
{
	sqlite3_stmt *const stmt = l->overlaps;

	*out = LOAD_BEFORE_NOTHING;
	if (l->from->info.session == 0 && !l->at_end)
		return 0;		/* known by its digest, when all is read */
	(void)sqlite3_clear_bindings(stmt);
	db_bind_text(stmt, 1, l->session);
	(void)sqlite3_bind_int64(stmt, 2, l->recording);
	if (l->calls > 0) {
		(void)sqlite3_bind_int64(stmt, 3, db_i64(l->first_ns));
		(void)sqlite3_bind_int64(stmt, 4, db_i64(l->last_ns));
	}
	(void)sqlite3_bind_int64(stmt, 5, db_i64(l->calls));
	if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_int64(stmt, 0) > 0)
		*out = l->calls == 0 || sqlite3_column_int(stmt, 1) != 0 || sqlite3_column_int(stmt, 2) != 0
			       ? LOAD_BEFORE_ALL : LOAD_BEFORE_OTHER;
	return sqlite3_reset(stmt) == SQLITE_OK ? 0 : db_error(l->db, l->err, "database");
}

/* -- notices and drops -- */

int
load_on_notice(const struct iotap_notice *n, void *arg)
{
	struct load *const l = arg;
	sqlite3_stmt *const stmt = l->add_notice;
	int64_t process = 0;

	if (n->process && dimension_process_update(&l->dimension, n->process, &process) < 0)
		return IOTAP_ABORT;
	if (n->type == IOTAP_NOTICE_START)
		return IOTAP_NEXT;
	(void)sqlite3_clear_bindings(stmt);
	(void)sqlite3_bind_int64(stmt, 1, l->recording);
	db_bind_u64(stmt, 2, n->time_ns);
	db_bind_u64(stmt, 3, n->boot_ns);
	db_bind_text(stmt, 4, word_notice(n->type));
	if (process != 0)
		(void)sqlite3_bind_int64(stmt, 5, process);
	db_bind_u64(stmt, 6, known(n->pid));
	db_bind_u64(stmt, 7, known(n->parent));
	db_bind_u64(stmt, 8, known(n->reason));
	db_bind_name(stmt, 9, n->path, n->path_len);
	if (n->message && n->message[0] != '\0')
		db_bind_text(stmt, 10, n->message);
	return db_run(stmt, l->err) < 0 ? IOTAP_ABORT : IOTAP_NEXT;
}

/* What makes the result incomplete, in one line: the first thing that did. */
static void
load_incomplete(struct load *l, const char *message)
{
	l->complete = false;
	if (l->why[0] == '\0' && message)
		(void)sqlite3_snprintf(sizeof(l->why), l->why, "%s", message);
}

/* What the kernel could only sum: no rows of its own, but part of every total. */
int
load_on_aggregate(const struct iotap_aggregate *a, void *arg)
{
	struct load *const l = arg;
	const struct dimension_target *target;
	struct totals_sum sum = {
		.first_ns = a->first_time_ns, .last_ns = a->last_time_ns, .call = a->call,
		.is_source = a->is_source, .calls = a->calls, .bytes = a->bytes, .messages = a->messages,
		.errors = a->errors, .unsized = a->unsized, .latency_ns = a->latency_ns,
	};
	int r = a->process ? dimension_process(&l->dimension, a->process, &sum.process) : 0;

	if (!l->totals)
		return IOTAP_NEXT;
	if (r == 0)
		r = dimension_target(&l->dimension, a->target, &target);
	if (r == 0) {
		sum.target = *target;
		r = totals_add_sum(l->totals, &sum);
	}
	return r < 0 ? IOTAP_ABORT : IOTAP_NEXT;
}

int
load_on_drop(const struct iotap_drop *d, void *arg)
{
	struct load *const l = arg;
	sqlite3_stmt *const stmt = l->add_loss;

	load_incomplete(l, d->message);
	buf_clear(&l->text);
	for (size_t i = 0; i < d->n_pids; i++)
		(void)buf_printf(&l->text, "%s%" PRIu32, i > 0 ? " " : "", d->pids[i]);
	(void)sqlite3_clear_bindings(stmt);
	(void)sqlite3_bind_int64(stmt, 1, l->recording);
	db_bind_text(stmt, 2, word_cause(d->cause));
	db_bind_u64(stmt, 3, d->from_ns == IOTAP_UNKNOWN ? IOTAP_UNKNOWN : d->time_ns);
	db_bind_u64(stmt, 4, d->from_ns);
	db_bind_u64(stmt, 5, d->until_ns);
	db_bind_u64(stmt, 6, d->count);
	if (d->cause == IOTAP_DROP_DAMAGE || d->cause == IOTAP_DROP_TRUNCATED) {
		db_bind_u64(stmt, 7, d->offset);
		db_bind_u64(stmt, 8, d->bytes);
	}
	if (d->n_pids > 0)
		db_bind_text(stmt, 9, buf_cstr(&l->text));
	db_bind_text(stmt, 10, d->message);
	return db_run(stmt, l->err) < 0 ? IOTAP_ABORT : IOTAP_NEXT;
}

/* -- the end -- */

static int
write_counters(struct load *l, const struct iotap_summary *s)
{
	const struct {
		const char *name;
		uint64_t value;
	} counters[] = {
		{"aggregated_calls", s->aggregated_calls},
		{"aggregated_unknown_target", s->aggregated_unknown_target},
		{"lost_calls", s->lost_calls},
		{"losses", s->n_drops},
		{"damaged_bytes", s->damaged_bytes},
		{"unfinished", s->unfinished},
		{"before", s->before},
		{"phantom", s->phantom},
		{"compat", s->compat},
		{"undefined", s->undefined},
		{"untraced_ended", s->untraced_ended},
		{"untraced_full", s->untraced_full},
		{"untraced_not_followed", s->not_followed},
		{"processes_forgotten", s->processes_forgotten},
		{"targets_further", l->dimension.further},
		{"filtered_calls", s->filtered_calls},
		{"filtered_claimed", s->filtered_claimed},
	};
	sqlite3_stmt *stmt = NULL;
	int r = db_prepare(l->db, "INSERT INTO counter VALUES (?1, ?2, ?3)", &stmt, l->err);

	for (size_t i = 0; r == 0 && l->from->has_ledger && i < sizeof(counters) / sizeof(counters[0]); i++) {
		(void)sqlite3_bind_int64(stmt, 1, l->recording);
		db_bind_text(stmt, 2, counters[i].name);
		(void)sqlite3_bind_int64(stmt, 3, db_i64(counters[i].value));
		r = db_run(stmt, l->err);
	}
	(void)sqlite3_finalize(stmt);
	return r;
}

/* Where nobody told, there are no rows. */
static int
write_blind_spots(struct load *l, const struct iotap_summary *s)
{
	const struct {
		const char *name;
		uint64_t value;
	} spots[] = {
		{"paused_ns", s->paused_ns},
#define BLIND(name, member, noun, text, said) {#name, s->member},
#include "decode/blind_spots.def"
#undef BLIND
	};
	sqlite3_stmt *stmt = NULL;
	int r = db_prepare(l->db, "INSERT INTO blind_spots VALUES (?1, ?2, ?3)", &stmt, l->err);

	for (size_t i = 0; r == 0 && l->from->has_ledger && i < sizeof(spots) / sizeof(spots[0]); i++) {
		(void)sqlite3_bind_int64(stmt, 1, l->recording);
		db_bind_text(stmt, 2, spots[i].name);
		(void)sqlite3_bind_int64(stmt, 3, db_i64(spots[i].value));
		r = db_run(stmt, l->err);
	}
	(void)sqlite3_finalize(stmt);
	return r;
}

/* The row of a process was written before, unless it has been forgotten. */
static int
write_blind_processes(struct load *l, const struct iotap_summary *s)
{
	sqlite3_stmt *stmt = NULL;
	int r = 0;

	if (s->n_blind > 0)
		r = db_prepare(l->db, "INSERT INTO blind_spots_by_process VALUES (?1, ?2, ?3, ?4, ?5)", &stmt, l->err);
	for (size_t i = 0; r == 0 && i < s->n_blind; i++) {
		const struct iotap_blind_row *const row = &s->blind[i];
		const uint64_t *const process = map_find(&l->dimension.processes, row->process);

		(void)sqlite3_clear_bindings(stmt);
		(void)sqlite3_bind_int64(stmt, 1, l->recording);
		if (process)
			(void)sqlite3_bind_int64(stmt, 2, (sqlite3_int64)*process);
		(void)sqlite3_bind_int64(stmt, 3, row->pid);
		db_bind_text(stmt, 4, row->spot);
		(void)sqlite3_bind_int64(stmt, 5, db_i64(row->calls));
		r = db_run(stmt, l->err);
	}
	(void)sqlite3_finalize(stmt);
	return r;
}

static int
write_mapped(struct load *l, const struct iotap_summary *s)
{
	sqlite3_stmt *stmt = NULL;
	int r = 0;

	if (s->n_mapped == 0)
		return 0;
	/* A database of an earlier version may have to be given the table. */
	r = db_exec(l->db, "CREATE TABLE IF NOT EXISTS mapped (recording INTEGER NOT NULL, pid INTEGER NOT NULL, "
		    "process ANY, path ANY, in_by_faults INTEGER NOT NULL, in_by_calls INTEGER NOT NULL, "
		    "dirty_by_faults INTEGER NOT NULL, dirty_by_calls INTEGER NOT NULL) STRICT", l->err);
	if (r == 0)
		r = db_prepare(l->db, "INSERT INTO mapped VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", &stmt,
			       l->err);
	for (size_t i = 0; r == 0 && i < s->n_mapped; i++) {
		const struct iotap_mapped_row *const row = &s->mapped[i];
		const uint64_t values[] = {row->in_by_faults, row->in_by_calls, row->dirty_by_faults,
					   row->dirty_by_calls};

		(void)sqlite3_clear_bindings(stmt);
		(void)sqlite3_bind_int64(stmt, 1, l->recording);
		(void)sqlite3_bind_int64(stmt, 2, row->pid);
		bind_string(stmt, 3, row->name);
		bind_string(stmt, 4, row->target->path_len > 0 ? row->target->path : row->target->text);
		for (size_t j = 0; j < sizeof(values) / sizeof(values[0]); j++)
			(void)sqlite3_bind_int64(stmt, (int)j + 5, db_i64(values[j]));
		r = db_run(stmt, l->err);
	}
	(void)sqlite3_finalize(stmt);
	return r;
}

static int
write_processes(struct load *l, const struct iotap_summary *s)
{
	int64_t id;
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->n_processes; i++)
		r = dimension_process_update(&l->dimension, s->processes[i], &id);
	return r;
}

static int
write_recording(struct load *l, const struct iotap_summary *s)
{
	sqlite3_stmt *stmt = NULL;
	int r = db_prepare(l->db, "UPDATE recording SET first_ns = ?2, last_ns = ?3, duration_ns = ?4, calls = ?5, "
			   "complete = ?6, end_reason = ?7, command_pid = ?8, command_status = ?9 WHERE id = ?1",
			   &stmt, l->err);

	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(stmt, 1, l->recording);
	db_bind_u64(stmt, 2, l->calls > 0 ? l->first_ns : IOTAP_UNKNOWN);
	db_bind_u64(stmt, 3, l->calls > 0 ? l->last_ns : IOTAP_UNKNOWN);
	db_bind_u64(stmt, 4, s->duration_ns);
	(void)sqlite3_bind_int64(stmt, 5, db_i64(l->calls));
	(void)sqlite3_bind_int(stmt, 6, l->complete);
	db_bind_u64(stmt, 7, known(s->end_reason));
	db_bind_u64(stmt, 8, known(s->command_pid));
	db_bind_u64(stmt, 9, s->command_pid > 0 ? s->command_status : IOTAP_UNKNOWN);
	r = db_run(stmt, l->err);
	(void)sqlite3_finalize(stmt);
	return r;
}

int
load_recording_end(struct load *l)
{
	struct iotap_summary s;
	int r = supply_summary(l->from, &s, l->err);

	if (r < 0)
		return r;
	if (!s.complete)
		load_incomplete(l, s.truncated ? "the recording ends abruptly" : "calls are missing one by one");
	r = write_processes(l, &s);
	if (r == 0)
		r = write_counters(l, &s);
	if (r == 0)
		r = write_blind_spots(l, &s);
	if (r == 0)
		r = write_blind_processes(l, &s);
	if (r == 0)
		r = write_mapped(l, &s);
	if (r == 0)
		r = write_recording(l, &s);
	return r;
}
