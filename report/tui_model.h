/* tui_model.h - what the terminal UI knows: sums for each target, the latest events, rates
 *
 * Filled by events in memory that has a bound: TUI_ROWS_MAX targets (one more row takes the rest together),
 * TUI_EVENTS events, TUI_PROCESSES_MAX processes. Names are kept once, in a buffer that only grows, so
 * that a copy of a model (a pause) shares them. "Now" is the time of the stream, not of a clock here.
 */
#ifndef REPORT_TUI_MODEL_H
#define REPORT_TUI_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/base/map.h"
#include "formats/iotap.h"

enum {
	TUI_ROWS_MAX = 65536, TUI_EVENTS = 10000, TUI_PROCESSES_MAX = 4096,
	TUI_ROW_PIDS = 8,		/* processes of a row that are named */
};

struct tui_text { size_t at; uint32_t n; };	/* in names */

struct tui_row {
	struct tui_text name;		/* the row's key: bytes as they are */
	enum iotap_class klass;
	enum iotap_kind kind;
	struct iotap_sum read, write;
	uint64_t errors, ops, latency_ns, latency_max_ns, n_latencies;
	uint64_t first_ns, last_ns;	/* Unix time */
	uint32_t pids[TUI_ROW_PIDS];
	uint32_t n_pids;		/* more than TUI_ROW_PIDS: not all are there */
	uint64_t port;			/* hash of the local end that a peer came to, 0 = none */
	uint32_t server;		/* the row, + 1, that this one is part of: it is not shown */
	uint32_t connections;		/* rows that are part of this one */
};

struct tui_event {
	uint64_t time_ns, duration_ns, requested, bytes, messages;
	uint32_t pid, row;
	int32_t fd, err;
	uint16_t call;
	struct tui_text target;		/* printable */
};

struct tui_process {
	uint32_t pid;
	bool exited;
	struct tui_text name;
};

/* What went over in a second. */
struct tui_rate { uint64_t bytes[2][2], calls[2][2]; };	/* [file, network][read, write] */

struct tui_model {
	struct buf *names;		/* shared between copies */
	struct map by_key, by_target;	/* hash of a key: its row; id of a target: its text */
	struct map by_port;		/* hash of a local end: how many rows, or SERVER and their row */
	struct tui_row *rows;
	size_t n_rows, cap_rows;
	struct tui_event *events;	/* a ring */
	uint64_t n_events;		/* all that ever came */
	struct tui_process *processes;
	size_t n_processes;
	struct iotap_sum totals[3][2];	/* by enum iotap_class; read, write */
	uint64_t calls, errors, lost, aggregated;
	uint64_t begin_ns, now_ns;	/* Unix time */
	uint64_t second;		/* the one under way: now_ns / 1e9 */
	struct tui_rate under_way, last;
	bool keeps_events, is_reset;
	bool failed;			/* out of memory */
};

/* False: out of memory. names is the caller's and lives as long as the model and its copies. */
bool model_init(struct tui_model *, struct buf *names, bool keeps_events);
void model_free(struct tui_model *);

/* to becomes what from is now; to is a model of zeroes or an earlier copy. False: out of memory. */
bool model_copy(struct tui_model *to, const struct tui_model *from);

/* All sums and events to nothing; processes stay. */
void model_reset(struct tui_model *);

/* False: out of memory, then and ever after. */
bool model_event(struct tui_model *, const struct iotap_event *event);
bool model_aggregate(struct tui_model *, const struct iotap_aggregate *aggregate);
void model_drop(struct tui_model *, const struct iotap_drop *drop);
bool model_notice(struct tui_model *, const struct iotap_notice *notice);
bool model_process(struct tui_model *, const struct iotap_process *process, bool exited);

/* Time goes on, also when nothing happens. */
void model_now(struct tui_model *, uint64_t unix_ns);

/* Event i of those kept, the oldest first. */
static inline const struct tui_event *
model_event_at(const struct tui_model *m, size_t i)
{
	const uint64_t first = m->n_events > TUI_EVENTS ? m->n_events - TUI_EVENTS : 0;

	return &m->events[(first + i) % TUI_EVENTS];
}

static inline size_t
model_n_events(const struct tui_model *m)
{
	return m->n_events < TUI_EVENTS ? (size_t)m->n_events : TUI_EVENTS;
}

/* The row that row is shown in. */
static inline uint32_t
model_shown(const struct tui_model *m, uint32_t row)
{
	return row < m->n_rows && m->rows[row].server > 0 ? m->rows[row].server - 1 : row;
}

static inline const char *
model_text(const struct tui_model *m, struct tui_text t)
{
	return t.n > 0 ? (const char *)m->names->data + t.at : "";
}

#endif
