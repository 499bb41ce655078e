/* tui_model.c - what the terminal UI knows */
#include "report/tui_model.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/hash.h"

#define NS_PER_S UINT64_C(1000000000)
#define NAMES_MAX ((size_t)256 << 20)
#define NO_ROW UINT32_MAX
#define SERVER (UINT64_C(1) << 32)	/* in by_port, with the index of a row */

bool
model_init(struct tui_model *m, struct buf *names, bool keeps_events)
{
	*m = (struct tui_model){.names = names, .keeps_events = keeps_events};
	map_init(&m->by_key, hash_seed(), TUI_ROWS_MAX);
	map_init(&m->by_target, hash_seed(), 1u << 20);
	map_init(&m->by_port, hash_seed(), TUI_ROWS_MAX);
	m->events = keeps_events ? calloc(TUI_EVENTS, sizeof(*m->events)) : NULL;
	m->processes = calloc(TUI_PROCESSES_MAX, sizeof(*m->processes));
	return (m->events || !keeps_events) && m->processes;
}

void
model_free(struct tui_model *m)
{
	map_fini(&m->by_key);
	map_fini(&m->by_target);
	map_fini(&m->by_port);
	free(m->rows);
	free(m->events);
	free(m->processes);
	*m = (struct tui_model){.names = NULL};
}

bool
model_copy(struct tui_model *to, const struct tui_model *from)
{
	model_free(to);
	*to = *from;
	/* A copy is looked at, not added to. */
	map_init(&to->by_key, 0, 0);
	map_init(&to->by_target, 0, 0);
	map_init(&to->by_port, 0, 0);
	to->cap_rows = from->n_rows;
	to->rows = malloc((from->n_rows + 1) * sizeof(*to->rows));
	to->events = malloc((from->events ? TUI_EVENTS : 1) * sizeof(*to->events));
	to->processes = malloc(TUI_PROCESSES_MAX * sizeof(*to->processes));
	if (!to->rows || !to->events || !to->processes) {
		model_free(to);
		return false;
	}
	if (from->n_rows > 0)
		memcpy(to->rows, from->rows, from->n_rows * sizeof(*to->rows));
	if (from->events)
		memcpy(to->events, from->events, TUI_EVENTS * sizeof(*to->events));
	memcpy(to->processes, from->processes, TUI_PROCESSES_MAX * sizeof(*to->processes));
	return true;
}

void
model_reset(struct tui_model *m)
{
	map_clear(&m->by_key);
	map_clear(&m->by_port);
	m->n_rows = 0;
	m->n_events = 0;
	memset(m->totals, 0, sizeof(m->totals));
	m->calls = m->errors = m->lost = m->aggregated = 0;
	m->under_way = m->last = (struct tui_rate){.bytes = {{0}}};
	m->begin_ns = m->now_ns;
	m->is_reset = true;
}

static struct tui_text
keep(struct tui_model *m, const char *p, size_t n)
{
	const struct tui_text none = {.n = 0};
	const struct tui_text text = {.at = m->names->len, .n = (uint32_t)n};

	/* Beyond the bound names are left out; what is counted stays right. */
	if (n == 0 || m->names->len + n > NAMES_MAX)
		return none;
	if (!buf_put(m->names, p, n)) {
		m->failed = true;
		return none;
	}
	return text;
}

static struct tui_row *
new_row(struct tui_model *m)
{
	struct tui_row *const rows = array_room(m->rows, m->n_rows, &m->cap_rows, sizeof(*rows), 256);

	if (!rows) {
		m->failed = true;
		return NULL;
	}
	m->rows = rows;
	m->rows[m->n_rows] = (struct tui_row){.kind = IOTAP_KIND_UNKNOWN};
	return &m->rows[m->n_rows++];
}

/* -- a row for the peers of a server -- */

static void
add_pid(struct tui_row *row, uint32_t pid)
{
	const uint32_t known = row->n_pids < TUI_ROW_PIDS ? row->n_pids : TUI_ROW_PIDS;

	for (uint32_t i = 0; i < known; i++)
		if (row->pids[i] == pid)
			return;
	if (row->n_pids < TUI_ROW_PIDS)
		row->pids[row->n_pids] = pid;
	if (row->n_pids <= TUI_ROW_PIDS)
		row->n_pids++;
}

static void
add_row(struct tui_row *sum, const struct tui_row *a)
{
	sum->read.bytes += a->read.bytes;
	sum->read.calls += a->read.calls;
	sum->write.bytes += a->write.bytes;
	sum->write.calls += a->write.calls;
	sum->errors += a->errors;
	sum->ops += a->ops;
	sum->latency_ns += a->latency_ns;
	sum->n_latencies += a->n_latencies;
	sum->latency_max_ns = a->latency_max_ns > sum->latency_max_ns ? a->latency_max_ns : sum->latency_max_ns;
	if (sum->first_ns == 0 || (a->first_ns > 0 && a->first_ns < sum->first_ns))
		sum->first_ns = a->first_ns;
	sum->last_ns = a->last_ns > sum->last_ns ? a->last_ns : sum->last_ns;
	for (uint32_t i = 0; i < a->n_pids && i < TUI_ROW_PIDS; i++)
		add_pid(sum, a->pids[i]);
}

/* How long the local end is at the beginning of "tcp 10.0.0.9:80 -> 10.0.0.1:40000"; 0 = there are not both. */
static size_t
local_end(const struct iotap_target *t)
{
	static const char arrow[] = " -> ";
	const char *const at = t->klass == IOTAP_CLASS_NETWORK && t->local_port > 0 && t->remote_len > 0
			       ? memmem(t->text, t->text_len, arrow, sizeof(arrow) - 1) : NULL;

	return at ? (size_t)(at - t->text) : 0;
}

/* Makes the row of a local end out of those that its peers have. */
static bool
new_server(struct tui_model *m, const struct iotap_target *t, uint64_t port)
{
	struct tui_row *const server = new_row(m);

	if (!server)
		return false;
	server->name = keep(m, t->text, local_end(t));
	server->klass = IOTAP_CLASS_NETWORK;
	server->kind = IOTAP_KIND_SOCKET;
	for (size_t i = 0; i + 1 < m->n_rows; i++) {
		if (m->rows[i].port != port)
			continue;
		add_row(server, &m->rows[i]);
		server->connections++;
		m->rows[i].server = (uint32_t)m->n_rows;
	}
	return map_put(&m->by_port, port, SERVER | (m->n_rows - 1));
}

/* Takes notice of a new row; the one that its calls count in. NULL: out of memory. */
static struct tui_row *
served_row(struct tui_model *m, size_t row, const struct iotap_target *t)
{
	const size_t n = local_end(t);
	const uint64_t port = n > 0 ? hash_bytes(t->text, n, m->by_port.seed) | 1 : 0;
	const uint64_t *const found = port != 0 ? map_find(&m->by_port, port) : NULL;
	const uint64_t rows = (found ? *found : 0) + 1;

	m->rows[row].port = port;
	if (found && (*found & SERVER)) {
		struct tui_row *const server = &m->rows[*found & ~SERVER];

		m->rows[row].server = (uint32_t)(server - m->rows) + 1;
		server->connections++;
		return server;
	}
	if (port == 0 || (!found && m->by_port.n >= m->by_port.limit))
		return &m->rows[row];
	if (rows < IOTAP_SERVER_PEERS ? !map_put(&m->by_port, port, rows) : !new_server(m, t, port)) {
		m->failed = true;
		return NULL;
	}
	return &m->rows[model_shown(m, (uint32_t)row)];
}

/* The row of a target; beyond the bound, that of the rest. NULL: out of memory. */
static struct tui_row *
row_of(struct tui_model *m, const struct iotap_target *t)
{
	static const char rest[] = "(all others)";
	const bool full = m->by_key.n + 1 >= TUI_ROWS_MAX;
	uint64_t hash = hash_bytes(t->key, t->key_len, m->by_key.seed);
	struct tui_row *row;

	for (;; hash++) {
		const uint64_t *const at = map_find(&m->by_key, hash);

		if (!at)
			break;
		row = &m->rows[*at];
		if (row->name.n == t->key_len && row->klass == t->klass &&
		    memcmp(model_text(m, row->name), t->key, t->key_len) == 0)
			return &m->rows[model_shown(m, (uint32_t)*at)];
	}
	if (full && m->n_rows > 0 && m->rows[m->n_rows - 1].kind == IOTAP_KIND_UNKNOWN &&
	    m->rows[m->n_rows - 1].name.n == sizeof(rest) - 1)
		return &m->rows[m->n_rows - 1];
	row = new_row(m);
	if (!row)
		return NULL;
	if (!full && !map_put(&m->by_key, hash, m->n_rows - 1))
		m->failed = true;
	row->name = full ? keep(m, rest, sizeof(rest) - 1) : keep(m, t->key, t->key_len);
	row->klass = full ? IOTAP_CLASS_OTHER : t->klass;
	row->kind = full ? IOTAP_KIND_UNKNOWN : t->kind;
	return full ? row : served_row(m, m->n_rows - 1, t);
}

static void
keep_event(struct tui_model *m, const struct iotap_event *e, const struct tui_row *row)
{
	const uint64_t *const known = map_find(&m->by_target, e->target->id);
	struct tui_event *const to = &m->events[m->n_events++ % TUI_EVENTS];

	*to = (struct tui_event){
		.time_ns = e->time_ns, .duration_ns = e->duration_ns, .requested = e->requested,
		.bytes = e->bytes, .messages = e->messages, .pid = e->pid, .fd = e->fd, .err = e->err,
		.call = e->call, .row = row ? (uint32_t)(row - m->rows) : NO_ROW,
	};
	/* An id means one target for ever; those without one are named anew each time. */
	if (e->target->id != 0 && known) {
		to->target = (struct tui_text){.at = (size_t)(*known >> 20), .n = (uint32_t)(*known & 0xfffff)};
		return;
	}
	to->target = keep(m, e->target->text, e->target->text_len < 0xfffff ? e->target->text_len : 0xfffff);
	if (e->target->id != 0 && m->by_target.n < m->by_target.limit &&
	    !map_put(&m->by_target, e->target->id, (uint64_t)to->target.at << 20 | to->target.n))
		m->failed = true;
}

static void
add_moved(struct tui_model *m, enum iotap_class klass, enum iotap_dir dir, uint64_t bytes, uint64_t calls)
{
	const size_t side = dir == IOTAP_DIR_WRITE;

	m->totals[klass][side].bytes += bytes;
	m->totals[klass][side].calls += calls;
	if (klass != IOTAP_CLASS_OTHER) {
		m->under_way.bytes[klass][side] += bytes;
		m->under_way.calls[klass][side] += calls;
	}
}

bool
model_event(struct tui_model *m, const struct iotap_event *e)
{
	struct tui_row *const row = row_of(m, e->target);
	const uint64_t bytes = e->bytes == IOTAP_UNKNOWN ? 0 : e->bytes;

	model_now(m, e->time_ns);
	m->calls++;
	m->errors += e->failed != 0;
	if (e->dir != IOTAP_DIR_NONE)
		add_moved(m, e->klass, e->dir, bytes, 1);
	if (row) {
		struct iotap_sum *const sum = e->dir == IOTAP_DIR_WRITE ? &row->write : &row->read;

		if (e->dir == IOTAP_DIR_NONE) {
			row->ops++;
		} else {
			sum->bytes += bytes;
			sum->calls++;
		}
		row->errors += e->failed != 0;
		if (e->duration_ns != IOTAP_UNKNOWN) {
			row->latency_ns += e->duration_ns;
			row->n_latencies++;
			if (e->duration_ns > row->latency_max_ns)
				row->latency_max_ns = e->duration_ns;
		}
		row->first_ns = row->first_ns == 0 ? e->time_ns : row->first_ns;
		row->last_ns = e->time_ns > row->last_ns ? e->time_ns : row->last_ns;
		add_pid(row, e->pid);
	}
	if (m->keeps_events && e->dir != IOTAP_DIR_NONE)
		keep_event(m, e, row);
	return !m->failed;
}

bool
model_aggregate(struct tui_model *m, const struct iotap_aggregate *a)
{
	struct tui_row *const row = row_of(m, a->target);
	const enum iotap_dir dir = a->is_source ? IOTAP_DIR_READ : iotap_call_dir(a->call);

	if (!a->is_source) {
		m->calls += a->calls;
		m->aggregated += a->calls;
		m->errors += a->errors;
	}
	if (dir != IOTAP_DIR_NONE)
		add_moved(m, a->target->klass, dir, a->bytes, a->calls);
	if (row) {
		struct iotap_sum *const sum = dir == IOTAP_DIR_WRITE ? &row->write : &row->read;

		if (dir == IOTAP_DIR_NONE) {
			row->ops += a->calls;
		} else {
			sum->bytes += a->bytes;
			sum->calls += a->calls;
		}
		row->errors += a->errors;
		row->latency_ns += a->latency_ns;
		row->n_latencies += a->calls;
		row->last_ns = a->last_time_ns > row->last_ns ? a->last_time_ns : row->last_ns;
		if (a->process)
			add_pid(row, a->process->pid);
	}
	return !m->failed;
}

void
model_drop(struct tui_model *m, const struct iotap_drop *drop)
{
	if (drop->cause != IOTAP_DROP_DAMAGE && drop->cause != IOTAP_DROP_TRUNCATED &&
	    drop->count != IOTAP_UNKNOWN)
		m->lost += drop->count;
}

static struct tui_process *
process_of(struct tui_model *m, uint32_t pid)
{
	for (size_t i = m->n_processes; i-- > 0;)
		if (m->processes[i].pid == pid && !m->processes[i].exited)
			return &m->processes[i];
	return NULL;
}

bool
model_process(struct tui_model *m, const struct iotap_process *p, bool exited)
{
	struct tui_process *known = process_of(m, p->pid);

	if (!known && !exited && m->n_processes < TUI_PROCESSES_MAX) {
		known = &m->processes[m->n_processes++];
		*known = (struct tui_process){.pid = p->pid};
	}
	if (!known)
		return !m->failed;
	known->exited = exited;
	if (known->name.n != p->name_len || memcmp(model_text(m, known->name), p->name, p->name_len) != 0)
		known->name = keep(m, p->name, p->name_len);
	return !m->failed;
}

bool
model_notice(struct tui_model *m, const struct iotap_notice *n)
{
	if (n->type == IOTAP_NOTICE_START && m->begin_ns == 0)
		m->begin_ns = m->now_ns = n->time_ns;
	if (n->process)
		(void)model_process(m, n->process, n->type == IOTAP_NOTICE_EXITED || n->type == IOTAP_NOTICE_UNTRACED);
	return !m->failed;
}

void
model_now(struct tui_model *m, uint64_t unix_ns)
{
	const uint64_t second = unix_ns / NS_PER_S;

	if (unix_ns > m->now_ns)
		m->now_ns = unix_ns;
	if (second <= m->second)
		return;
	m->last = second == m->second + 1 ? m->under_way : (struct tui_rate){.bytes = {{0}}};
	m->under_way = (struct tui_rate){.bytes = {{0}}};
	m->second = second;
}
