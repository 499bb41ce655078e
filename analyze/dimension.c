/* dimension.c - processes, threads and targets: from those of a recording to rows of the database
 *
 * Targets are dimension_target.c's.
 */
#include "analyze/dimension.h"

#include <stdlib.h>

#include "analyze/db.h"
#include "analyze/dimension_target.h"
#include "formats/base/arguments.h"
#include "formats/base/hash.h"

#define PROCESS_COLUMNS "recording, pid, start_ns, parent, uid, how, name, exe, arg0, cwd, first_ns, last_ns, " \
	"exited, exit_status, gid, pid_ns, mnt_ns, net_ns, pid_in_ns, cgroup, container"

static int
dimension_prepare(struct dimension *d)
{
	const struct {
		sqlite3_stmt **stmt;
		const char *sql;
	} texts[] = {
		{&d->add_process, "INSERT INTO process (id, " PROCESS_COLUMNS ") VALUES "
		 "(?15, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
		 "?16, ?17, ?18, ?19, ?20, ?21, ?22)"},
		{&d->update_process, "UPDATE process SET parent = ?4, uid = ?5, how = ?6, name = ?7, exe = ?8, "
		 "arg0 = ?9, cwd = ?10, first_ns = ?11, last_ns = ?12, exited = ?13, exit_status = ?14, "
		 "gid = ?16, pid_ns = ?17, mnt_ns = ?18, net_ns = ?19, pid_in_ns = ?20, cgroup = ?21, container = ?22 "
		 "WHERE id = ?15"},
		{&d->find_process, "SELECT id FROM process WHERE recording = ?1 AND pid = ?2 AND start_ns IS ?3"},
		{&d->drop_arguments, "DELETE FROM argument WHERE process = ?1"},
		{&d->add_argument, "INSERT INTO argument VALUES (?1, ?2, ?3)"},
		{&d->add_thread, "INSERT INTO thread (id, process, pid, tid) VALUES (?1, ?2, ?3, ?4)"},
		{&d->find_thread, "SELECT id FROM thread WHERE process = ?1 AND tid = ?2"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const int r = db_prepare(d->db, texts[i].sql, texts[i].stmt, d->err);

		if (r < 0)
			return r;
	}
	return dimension_target_prepare(d);
}

int
dimension_init(struct dimension *d, sqlite3 *db, int64_t recording, int64_t first_target,
	       struct iotap_error *err)
{
	int r;

	*d = (struct dimension){
		.db = db, .err = err, .recording = recording, .first_target = first_target,
		.seed = hash_seed(),
	};
	map_init(&d->processes, d->seed, DIMENSION_PROCESSES);
	map_init(&d->process_numbers, d->seed, DIMENSION_PROCESSES);
	map_init(&d->threads, d->seed, DIMENSION_THREADS);
	map_init(&d->targets, d->seed, DIMENSION_TARGETS);
	map_init(&d->definitions, d->seed, DIMENSION_DEFINITIONS);
	map_init(&d->names, d->seed, 0);
	r = db_integer(db, "SELECT coalesce(max(id), 0) + 1 FROM thread", 1, &d->next_thread, err);
	if (r == 0)
		r = db_integer(db, "SELECT max(id) + 1 FROM definition", 1, &d->next_definition, err);
	if (r == 0)
		r = db_integer(db, "SELECT min(id) - 1 FROM target_row", TARGET_FURTHER - 1, &d->next_raw, err);
	if (d->next_raw >= TARGET_FURTHER)
		d->next_raw = TARGET_FURTHER - 1;
	if (r == 0)
		r = dimension_prepare(d);
	if (r == 0)
		r = dimension_target_begin(d);
	return r;
}

void
dimension_fini(struct dimension *d)
{
	sqlite3_stmt *const stmts[] = {
		d->add_process, d->find_process, d->update_process, d->add_thread, d->find_thread,
		d->drop_arguments, d->add_argument,
		d->add_definition, d->add_target, d->add_raw, d->find_target, d->find_raw,
	};

	for (size_t i = 0; i < sizeof(stmts) / sizeof(stmts[0]); i++)
		(void)sqlite3_finalize(stmts[i]);
	map_fini(&d->processes);
	map_fini(&d->process_numbers);
	map_fini(&d->threads);
	map_fini(&d->targets);
	map_fini(&d->definitions);
	map_fini(&d->names);
	free(d->entries);
	*d = (struct dimension){.db = NULL};
}

/* Decode gives an empty string where it knows nothing. */
static void
bind_known(sqlite3_stmt *stmt, int at, const char *p, size_t n)
{
	db_bind_name(stmt, at, n > 0 ? p : NULL, n);
}

static void
process_bind(const struct dimension *d, sqlite3_stmt *stmt, const struct iotap_process *p, int64_t id)
{
	(void)sqlite3_bind_int64(stmt, 1, d->recording);
	(void)sqlite3_bind_int64(stmt, 2, p->pid);
	db_bind_u64(stmt, 3, p->start_ns);
	db_bind_u64(stmt, 4, p->parent > 0 ? p->parent : IOTAP_UNKNOWN);
	db_bind_u64(stmt, 5, p->uid != UINT32_MAX ? p->uid : IOTAP_UNKNOWN);
	db_bind_u64(stmt, 6, p->how > 0 ? p->how : IOTAP_UNKNOWN);
	bind_known(stmt, 7, p->name, p->name_len);
	bind_known(stmt, 8, p->exe, p->exe_len);
	bind_known(stmt, 9, p->arg0, p->arg0_len);
	bind_known(stmt, 10, p->cwd, p->cwd_len);
	db_bind_u64(stmt, 11, p->first_ns);
	db_bind_u64(stmt, 12, p->last_ns);
	(void)sqlite3_bind_int(stmt, 13, p->exited != 0);
	db_bind_u64(stmt, 14, p->exited ? p->exit_status : IOTAP_UNKNOWN);
	(void)sqlite3_bind_int64(stmt, 15, id);
	db_bind_u64(stmt, 16, p->gid != UINT32_MAX ? p->gid : IOTAP_UNKNOWN);
	db_bind_u64(stmt, 17, p->pid_ns > 0 ? p->pid_ns : IOTAP_UNKNOWN);
	db_bind_u64(stmt, 18, p->mnt_ns > 0 ? p->mnt_ns : IOTAP_UNKNOWN);
	db_bind_u64(stmt, 19, p->net_ns > 0 ? p->net_ns : IOTAP_UNKNOWN);
	db_bind_u64(stmt, 20, p->pid_in_ns > 0 ? p->pid_in_ns : IOTAP_UNKNOWN);
	bind_known(stmt, 21, p->cgroup, p->cgroup_len);
	bind_known(stmt, 22, p->container, p->container_len);
}

/* A row found by one integer column, or absent; the statement has its values bound. */
static int
find_row(struct dimension *d, sqlite3_stmt *stmt, int64_t absent, int64_t *id)
{
	*id = sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : absent;
	if (sqlite3_reset(stmt) != SQLITE_OK)
		return db_error(d->db, d->err, "database");
	return 0;
}

/* The id of the recording, unless a process of another recording has it already: then the next free
 * one. */
static int
process_add(struct dimension *d, const struct iotap_process *p, int64_t *id)
{
	int64_t wanted = dimension_process_id(p);

	for (;;) {
		int step;

		process_bind(d, d->add_process, p, wanted);
		step = sqlite3_step(d->add_process);
		(void)sqlite3_reset(d->add_process);
		*id = wanted;
		if (step == SQLITE_DONE)
			return 0;
		if (sqlite3_extended_errcode(d->db) != SQLITE_CONSTRAINT_PRIMARYKEY &&
		    sqlite3_extended_errcode(d->db) != SQLITE_CONSTRAINT_ROWID)
			return db_error(d->db, d->err, "process");
		wanted = wanted == INT64_MAX ? 1 : wanted + 1;
	}
}

int
dimension_process(struct dimension *d, const struct iotap_process *p, int64_t *id)
{
	const uint64_t *const known = map_find(&d->processes, p->id);
	int r;

	if (known) {
		*id = (int64_t)*known;
		return 0;
	}
	(void)sqlite3_bind_int64(d->find_process, 1, d->recording);
	(void)sqlite3_bind_int64(d->find_process, 2, p->pid);
	db_bind_u64(d->find_process, 3, p->start_ns);
	r = find_row(d, d->find_process, 0, id);
	if (r == 0 && *id == 0)
		r = process_add(d, p, id);
	if (r < 0)
		return r;
	if (!map_put(&d->processes, p->id, (uint64_t)*id)) {
		map_clear(&d->processes);
		if (!map_put(&d->processes, p->id, (uint64_t)*id))
			return error_set(d->err, IOTAP_ENOMEM, "out of memory");
	}
	return 0;
}

/* The arguments that it has now. */
static int
process_arguments(struct dimension *d, const struct iotap_process *p, int64_t id)
{
	size_t at = 0, n;
	const char *argument;
	int r;

	(void)sqlite3_bind_int64(d->drop_arguments, 1, id);
	r = db_run(d->drop_arguments, d->err);
	for (int i = 0; r == 0 && (argument = arguments_next(p->arguments, p->arguments_len, &at, &n)) != NULL; i++) {
		(void)sqlite3_bind_int64(d->add_argument, 1, id);
		(void)sqlite3_bind_int(d->add_argument, 2, i);
		db_bind_name(d->add_argument, 3, argument, n);
		r = db_run(d->add_argument, d->err);
	}
	return r;
}

int
dimension_process_update(struct dimension *d, const struct iotap_process *p, int64_t *id)
{
	int r = dimension_process(d, p, id);

	if (r == 0) {
		process_bind(d, d->update_process, p, *id);
		r = db_run(d->update_process, d->err);
	}
	d->has_arguments = d->has_arguments || p->arguments;
	return r == 0 && d->has_arguments ? process_arguments(d, p, *id) : r;
}

/* The key of a thread: a small number of its process, and the tid. */
static bool
thread_key(struct dimension *d, int64_t process, uint32_t tid, uint64_t *key)
{
	const uint64_t *const number = map_find(&d->process_numbers, (uint64_t)process);
	const uint64_t next = d->process_numbers.n;

	*key = (number ? *number : next) << 32 | tid;
	return number || map_put(&d->process_numbers, (uint64_t)process, next);
}

static int
thread_add(struct dimension *d, const struct iotap_process *p, int64_t process, uint32_t tid, int64_t *id)
{
	int r;

	(void)sqlite3_bind_int64(d->find_thread, 1, process);
	(void)sqlite3_bind_int64(d->find_thread, 2, tid);
	r = find_row(d, d->find_thread, 0, id);
	if (r < 0 || *id != 0)
		return r;
	*id = d->next_thread++;
	(void)sqlite3_bind_int64(d->add_thread, 1, *id);
	(void)sqlite3_bind_int64(d->add_thread, 2, process);
	(void)sqlite3_bind_int64(d->add_thread, 3, p->pid);
	(void)sqlite3_bind_int64(d->add_thread, 4, tid);
	return db_run(d->add_thread, d->err);
}

static int
thread_row(struct dimension *d, const struct iotap_process *p, uint32_t tid, struct dimension_thread *row)
{
	const uint64_t *known;
	uint64_t key;
	int r = dimension_process(d, p, &row->process_row);

	if (r < 0)
		return r;
	if (!thread_key(d, row->process_row, tid, &key)) {
		map_clear(&d->process_numbers);
		map_clear(&d->threads);
		if (!thread_key(d, row->process_row, tid, &key))
			return error_set(d->err, IOTAP_ENOMEM, "out of memory");
	}
	known = map_find(&d->threads, key);
	if (known) {
		row->id = (int64_t)*known;
		return 0;
	}
	r = thread_add(d, p, row->process_row, tid, &row->id);
	if (r == 0 && !map_put(&d->threads, key, (uint64_t)row->id)) {
		map_clear(&d->threads);
		if (!map_put(&d->threads, key, (uint64_t)row->id))
			return error_set(d->err, IOTAP_ENOMEM, "out of memory");
	}
	return r;
}

int
dimension_thread(struct dimension *d, const struct iotap_process *p, uint32_t tid, int64_t *id,
		 int64_t *process)
{
	struct dimension_thread *const recent = &d->recent_threads[tid % DIMENSION_RECENT_THREADS];

	if (recent->process != p->id || recent->tid != tid) {
		const int r = thread_row(d, p, tid, recent);

		if (r < 0)
			return r;
		recent->process = p->id;
		recent->tid = tid;
	}
	*id = recent->id;
	*process = recent->process_row;
	return 0;
}
