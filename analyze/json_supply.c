/* json_supply.c - JSON Lines as iotap-decode and iotap write them, as batches of calls
 *
 * What a line does not say stays unknown: start times of processes, the boot clock (Unix time stands in
 * for it), devices and inodes, CPUs, flags. Types of lines that are not known are passed over; a line
 * that is no JSON object, or lacks what its type must have, ends the reading with its number.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/json_line.h"
#include "analyze/json_blind.h"
#include "analyze/json_process.h"
#include "analyze/json_target.h"
#include "analyze/supply.h"
#include "formats/base/buf.h"
#include "formats/base/hash.h"
#include "formats/base/io.h"
#include "formats/calls.h"

enum {
	JSON_BATCH = 4096,
	JSON_READ = 1 << 16,
	JSON_LINE_MAX = 1 << 20,
};

/* One row: the element of each array of a batch. */
struct json_columns {
	uint64_t time_ns[JSON_BATCH], duration_ns[JSON_BATCH], requested[JSON_BATCH], offset[JSON_BATCH];
	uint64_t bytes[JSON_BATCH];
	uint64_t arg[JSON_BATCH];
	int64_t result[JSON_BATCH];
	uint32_t flags[JSON_BATCH], tid[JSON_BATCH], pid[JSON_BATCH];
	int32_t fd[JSON_BATCH], fd2[JSON_BATCH];
	uint16_t call[JSON_BATCH], cpu[JSON_BATCH];
	const struct iotap_target *target[JSON_BATCH], *target2[JSON_BATCH];
	const struct iotap_process *process[JSON_BATCH];
};

struct json_state {
	struct supply base;		/* first: the supply is the state */
	int fd;
	struct buf input;		/* what was read and not taken yet, from at on */
	size_t at;
	bool at_end;
	bool held;			/* the line was parsed and waits for the batch before it to go */
	bool skipping;			/* in a summary, whose length has no limit: to the end of the line */
	uint64_t line_number;
	struct json_line *line;
	struct json_targets targets;
	struct json_processes processes;
	struct json_blind blind;
	uint64_t calls, first_ns, last_ns, drops, duration_ns;
	struct iotap_summary summary;	/* its counters, from the summary's line */
	struct json_line *inner;	/* of objects in the line */
	struct json_columns *columns;
	uint32_t n;
	char strings[3][256];		/* of info */
};

static int
json_fail(const struct json_state *s, struct iotap_error *err, const char *what)
{
	return error_set(err, IOTAP_ECORRUPT, "%s: line %" PRIu64 ": %s; nothing was loaded", s->base.name,
			 s->line_number, what);
}

/* -- lines -- */

static int
json_too_long(const struct json_state *s, struct iotap_error *err)
{
	return error_set(err, IOTAP_ELIMIT, "%s: line %" PRIu64 ": longer than %d bytes; nothing was loaded",
			 s->base.name, s->line_number + 1, JSON_LINE_MAX);
}

/* A line that is over the limit: of a summary only the beginning matters, and that can do without. */
static int
json_long_line(struct json_state *s, struct iotap_error *err)
{
	static const char summary[] = "{\"type\":\"summary\"";

	if (!s->skipping && memcmp(s->input.data, summary, strlen(summary)) != 0)
		return json_too_long(s, err);
	s->skipping = true;
	buf_clear(&s->input);
	return 0;
}

static int
json_read(struct json_state *s, struct iotap_error *err)
{
	void *room;
	ssize_t n;
	int r = 0;

	if (s->at > 0)
		memmove(s->input.data, s->input.data + s->at, s->input.len - s->at);
	s->input.len -= s->at;
	s->at = 0;
	if (s->input.len > JSON_LINE_MAX)
		r = json_long_line(s, err);
	if (r < 0)
		return r;
	room = buf_extend(&s->input, JSON_READ);
	if (!room)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	n = io_read_some(s->fd, room, JSON_READ);
	if (n < 0)
		return error_set(err, IOTAP_EIO, "%s: reading failed", s->base.name);
	s->input.len -= JSON_READ - (size_t)n;
	s->at_end = n == 0;
	return 0;
}

/* The next line, taken apart: 1, or 0 at the end. */
static int
json_next_line(struct json_state *s, struct iotap_error *err)
{
	while (!s->held) {
		const size_t left = s->input.len - s->at;
		const char *const from = left > 0 ? (const char *)s->input.data + s->at : "";
		const char *const newline = left > 0 ? memchr(from, '\n', left) : NULL;
		const size_t n = newline ? (size_t)(newline - from) : left;
		int r;

		if (!newline && !s->at_end) {
			r = json_read(s, err);
			if (r < 0)
				return r;
			continue;
		}
		if (left == 0)
			return 0;
		if (n > JSON_LINE_MAX)
			return json_too_long(s, err);
		s->line_number++;
		s->base.digest = hash_bytes(from, n, s->base.digest);
		s->at += n + (newline ? 1 : 0);
		r = s->skipping || n == 0 || (n == 1 && *from == '\r');
		s->skipping = false;
		if (r)
			continue;
		if (!json_line_parse(s->line, from, n))
			return json_fail(s, err, "not a JSON object");
		s->held = true;
	}
	return 1;
}

/* -- events -- */

static uint32_t
json_u32(const struct json_state *s, enum json_field field)
{
	const uint64_t v = json_line_u64(s->line, field);

	return v <= UINT32_MAX ? (uint32_t)v : 0;
}

static int32_t
json_fd(const struct json_state *s, enum json_field field)
{
	const uint64_t v = json_line_u64(s->line, field);

	return v <= INT32_MAX ? (int32_t)v : -1;
}

/* What the kernel returned, as far as the line tells. */
static int64_t
json_result(const struct json_state *s)
{
	const int64_t e = json_line_i64(s->line, JSON_errno_value, 0);
	const int64_t result = json_line_i64(s->line, JSON_result, INT64_MIN);
	const uint64_t bytes = json_line_u64(s->line, JSON_bytes);
	const uint64_t messages = json_line_u64(s->line, JSON_messages);

	if (e > 0)
		return -e;
	if (result != INT64_MIN)
		return result;
	if (messages != IOTAP_UNKNOWN)
		return (int64_t)messages;
	return bytes != IOTAP_UNKNOWN ? (int64_t)bytes : 0;
}

static const struct iotap_target *
json_target(struct json_state *s)
{
	size_t n;
	const char *const object = json_line_text(s->line, JSON_target, &n);

	return json_targets_get(&s->targets, s->line, object, n);
}

/* What the second one is depends on the call, and so does its key. */
static const struct iotap_target *
json_target2(struct json_state *s)
{
	static const enum json_field fields[] = {JSON_source, JSON_peer, JSON_second};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		size_t n;
		const char *const object = json_line_text(s->line, fields[i], &n);

		if (object)
			return json_targets_get(&s->targets, s->line, object, n);
	}
	return NULL;
}

static enum call_dir
json_dir(struct json_state *s)
{
	size_t n;
	const char *const dir = json_line_text(s->line, JSON_dir, &n);

	return !dir ? DIR_NONE : strcmp(dir, "read") == 0 ? DIR_READ : DIR_WRITE;
}

static int
json_event(struct json_state *s, struct iotap_error *err)
{
	struct json_columns *const c = s->columns;
	const uint32_t i = s->n;
	const struct iotap_process *const p = json_processes_get(&s->processes, json_u32(s, JSON_pid));
	size_t n;
	const char *const name = json_line_text(s->line, JSON_syscall, &n);

	c->time_ns[i] = json_line_u64(s->line, JSON_time_ns);
	if (c->time_ns[i] == IOTAP_UNKNOWN || !name || json_line_u64(s->line, JSON_pid) > UINT32_MAX)
		return json_fail(s, err, "an event without time_ns, pid or syscall");
	c->call[i] = (uint16_t)call_that_moves(call_from_name(name), json_dir(s));
	if (c->call[i] == CALL_NONE)
		return json_fail(s, err, "a call that this version does not know");
	c->duration_ns[i] = json_line_u64(s->line, JSON_latency_ns);
	c->requested[i] = json_line_u64(s->line, JSON_requested);
	c->bytes[i] = json_line_u64(s->line, JSON_bytes);
	c->offset[i] = json_line_u64(s->line, JSON_offset);
	c->arg[i] = IOTAP_UNKNOWN;
	c->result[i] = json_result(s);
	c->flags[i] = json_line_u64(s->line, JSON_messages) != IOTAP_UNKNOWN ? IOTAP_F_MESSAGE_BYTES : 0;
	c->pid[i] = json_u32(s, JSON_pid);
	c->tid[i] = json_u32(s, JSON_tid);
	c->cpu[i] = 0;
	c->fd[i] = json_fd(s, JSON_fd);
	c->fd2[i] = json_fd(s, JSON_source_fd) >= 0 ? json_fd(s, JSON_source_fd) : json_fd(s, JSON_fd2);
	c->target[i] = json_target(s);
	c->target2[i] = json_target2(s);
	if (!p || !c->target[i])
		return json_fail(s, err, "a target that is no object");
	c->process[i] = p;
	if (s->calls++ == 0)
		s->first_ns = s->last_ns = c->time_ns[i];
	if (c->time_ns[i] < s->first_ns)	/* lines may have been sorted by another column */
		s->first_ns = c->time_ns[i];
	if (c->time_ns[i] > s->last_ns)
		s->last_ns = c->time_ns[i];
	s->n++;
	return 0;
}

static void
json_batch(struct json_state *s, struct iotap_batch *out)
{
	const struct json_columns *const c = s->columns;

	*out = (struct iotap_batch){
		.size = sizeof(*out), .n = s->n, .first_number = s->calls - s->n,
		.first_ns = c->time_ns[0], .last_ns = c->time_ns[s->n - 1],
		.time_ns = c->time_ns, .duration_ns = c->duration_ns, .call = c->call, .flags = c->flags,
		.tid = c->tid, .pid = c->pid, .process = c->process, .cpu = c->cpu, .fd = c->fd, .fd2 = c->fd2,
		.target = c->target, .target2 = c->target2, .requested = c->requested, .bytes = c->bytes,
		.result = c->result,
		.offset = c->offset, .arg0 = c->arg, .arg1 = c->arg,
	};
	s->n = 0;
}

/* -- notices and losses -- */

static const struct {
	const char *type;
	enum iotap_notice_type notice;
} notices[] = {
	{"attached", IOTAP_NOTICE_ATTACHED}, {"exec", IOTAP_NOTICE_EXEC}, {"renamed", IOTAP_NOTICE_RENAMED},
	{"exited", IOTAP_NOTICE_EXITED}, {"untraced", IOTAP_NOTICE_UNTRACED}, {"notice", IOTAP_NOTICE_TEXT},
	{"clock_step", IOTAP_NOTICE_CLOCK_STEP}, {"end", IOTAP_NOTICE_END},
};

static int
json_notice(struct json_state *s, enum iotap_notice_type type, const struct iotap_handlers *handlers, void *arg)
{
	struct iotap_notice n = {
		.size = sizeof(n), .type = type, .time_ns = json_line_u64(s->line, JSON_time_ns),
		.pid = json_u32(s, JSON_pid), .parent = json_u32(s, JSON_parent), .message = "",
	};
	size_t len;
	const char *const text = json_line_text(s->line, JSON_text, &len);

	n.boot_ns = n.time_ns;
	n.path = json_line_text(s->line, JSON_path, &n.path_len);
	if (text)
		n.message = text;
	if (type == IOTAP_NOTICE_UNTRACED)
		n.reason = json_line_is(s->line, JSON_reason, "ended") ? 1 : 2;
	if (type == IOTAP_NOTICE_ATTACHED || type == IOTAP_NOTICE_EXEC || type == IOTAP_NOTICE_RENAMED ||
	    type == IOTAP_NOTICE_EXITED)
		n.process = json_processes_notice(&s->processes, s->line, type, n.time_ns);
	return handlers && handlers->notice ? handlers->notice(&n, arg) : 0;
}

static int
json_drop(struct json_state *s, const struct iotap_handlers *handlers, void *arg)
{
	static const struct {
		const char *word;
		enum iotap_drop_cause cause;
	} causes[] = {
		{"buffer", IOTAP_DROP_RING}, {"names", IOTAP_DROP_NOTES}, {"queue", IOTAP_DROP_QUEUE},
		{"output", IOTAP_DROP_OUTPUT}, {"damage", IOTAP_DROP_DAMAGE}, {"truncated", IOTAP_DROP_TRUNCATED},
	};
	struct iotap_drop d = {
		.size = sizeof(d), .cause = IOTAP_DROP_RING, .time_ns = json_line_u64(s->line, JSON_time_ns),
		.from_ns = json_line_u64(s->line, JSON_time_ns), .until_ns = json_line_u64(s->line, JSON_until_ns),
		.count = json_line_u64(s->line, JSON_count), .offset = json_line_u64(s->line, JSON_offset),
		.bytes = json_line_u64(s->line, JSON_size), .message = "calls were lost",
	};

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		if (json_line_is(s->line, JSON_cause, causes[i].word))
			d.cause = causes[i].cause;
	}
	s->drops++;
	return handlers && handlers->drop ? handlers->drop(&d, arg) : 0;
}

/* A counter of the summary; 0 where it is not. */
static uint64_t
counted(const struct json_line *line, enum json_field field)
{
	const uint64_t v = json_line_u64(line, field);

	return v != IOTAP_UNKNOWN ? v : 0;
}

static int
json_ledger(struct json_state *s, struct iotap_error *err)
{
	struct iotap_summary *const sum = &s->summary;
	size_t n;
	int r;
	const char *const spots = json_line_text(s->line, JSON_blind_spots, &n);

	sum->lost_calls = counted(s->line, JSON_lost_calls);
	sum->aggregated_calls = counted(s->line, JSON_aggregated_calls);
	sum->unfinished = counted(s->line, JSON_unfinished_calls);
	sum->before = counted(s->line, JSON_calls_started_before_trace);
	sum->processes_forgotten = counted(s->line, JSON_processes_forgotten);
	sum->damaged_bytes = counted(s->line, JSON_damaged_bytes);
	s->base.has_ledger = spots && json_line_parse(s->inner, spots, n);
	if (!s->base.has_ledger)
		return 0;
	sum->paused_ns = counted(s->inner, JSON_paused_ns);
#define BLIND(name, member, noun, text, said) sum->member = counted(s->inner, JSON_##name);
#include "decode/blind_spots.def"
#undef BLIND
	r = json_blind_take(&s->blind, s->line, s->inner, &s->processes);
	if (r == IOTAP_ENOMEM)
		return error_set(err, r, "out of memory");
	return r == 0 ? 0 : json_fail(s, err, "blind_spots_by_process is not as iotap-decode writes it");
}

static int
json_between(struct json_state *s, const struct iotap_handlers *handlers, void *arg, struct iotap_error *err)
{
	if (json_line_is(s->line, JSON_type, "lost_events"))
		return json_drop(s, handlers, arg);
	if (json_line_is(s->line, JSON_type, "start"))
		return json_processes_start(&s->processes, s->line, s->inner) ? 0 : IOTAP_ABORT;
	if (json_line_is(s->line, JSON_type, "summary")) {
		s->duration_ns = json_line_u64(s->line, JSON_duration_ns);
		return json_ledger(s, err);
	}
	for (size_t i = 0; i < sizeof(notices) / sizeof(notices[0]); i++) {
		if (json_line_is(s->line, JSON_type, notices[i].type))
			return json_notice(s, notices[i].notice, handlers, arg);
	}
	return 0;
}

/* -- the supply -- */

static int
json_next(struct supply *base, uint32_t columns, const struct iotap_handlers *handlers, void *arg,
	  struct iotap_batch *out, struct iotap_error *err)
{
	struct json_state *const s = (struct json_state *)base;
	int r = 1;

	(void)columns;			/* all are there */
	json_targets_trim(&s->targets);
	while (s->n < JSON_BATCH && (r = json_next_line(s, err)) > 0) {
		const bool is_event = json_line_is(s->line, JSON_type, "event") ||
				      json_line_is(s->line, JSON_type, "op");

		if (!is_event && s->n > 0)
			break;		/* the calls before it go first */
		s->held = false;
		r = is_event ? json_event(s, err) : json_between(s, handlers, arg, err);
		if (r < 0)
			return r == IOTAP_ABORT && !is_event ? IOTAP_EABORT : r;
	}
	if (s->n < JSON_BATCH && r < 0)
		return r;
	if (s->n == 0)
		return 0;
	json_batch(s, out);
	return 1;
}

static int
json_summary(struct supply *base, struct iotap_summary *out, struct iotap_error *err)
{
	const struct json_state *const s = (const struct json_state *)base;

	(void)err;
	*out = s->summary;
	out->size = sizeof(*out);
	out->events = s->calls;
	out->n_drops = s->drops;
	out->blind = s->blind.rows;
	out->n_blind = s->blind.n;
	out->complete = s->drops == 0;
	out->duration_ns = s->duration_ns != 0 ? s->duration_ns : s->last_ns - s->first_ns;
	return 0;
}

static void
json_close(struct supply *base)
{
	struct json_state *const s = (struct json_state *)base;

	json_blind_fini(&s->blind);
	json_processes_fini(&s->processes);
	json_targets_fini(&s->targets);
	json_line_free(s->line);
	json_line_free(s->inner);
	buf_free(&s->input);
	free(s->columns);
	(void)close(s->fd);
	free(s);
}

/* What the first line says, if it is the start; it waits for its turn. */
static int
json_start(struct json_state *s, struct iotap_error *err)
{
	static const enum json_field fields[] = {JSON_tool, JSON_hostname, JSON_release};
	const int r = json_next_line(s, err);

	for (size_t i = 0; r > 0 && i < sizeof(fields) / sizeof(fields[0]); i++) {
		size_t n;
		const char *const text = json_line_text(s->line, fields[i], &n);

		if (fields[i] == JSON_hostname &&
		    json_line_name(s->line, fields[i], JSON_hostname_hex, s->strings[i], sizeof(s->strings[i]), &n))
			continue;
		(void)snprintf(s->strings[i], sizeof(s->strings[i]), "%s", text ? text : "");
	}
	if (r <= 0)
		return r;
	s->base.info.tool = s->strings[0];
	s->base.info.hostname = s->strings[1];
	s->base.info.release = s->strings[2];
	s->base.info.start_time_ns = json_line_u64(s->line, JSON_time_ns);
	if (s->base.info.start_time_ns == IOTAP_UNKNOWN)
		s->base.info.start_time_ns = 0;
	return 0;
}

int
json_supply_open(struct supply **out, int fd, const char *name, struct iotap_error *err)
{
	static const struct supply_ops ops = {json_next, json_summary, json_close};
	struct json_state *const s = calloc(1, sizeof(*s));
	int r;

	*out = NULL;
	if (!s) {
		(void)close(fd);
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	}
	s->base = (struct supply){.ops = &ops, .name = name, .lossy = true};
	s->fd = fd;
	json_processes_init(&s->processes);
	s->columns = malloc(sizeof(*s->columns));
	s->line = json_line_new(err);
	s->inner = json_line_new(err);
	r = json_targets_init(&s->targets, err);
	if (!s->columns)
		r = error_set(err, IOTAP_ENOMEM, "out of memory");
	if (r == 0 && (!s->line || !s->inner))
		r = err->code;
	if (r == 0)
		r = json_start(s, err);
	if (r < 0)
		json_close(&s->base);
	else
		*out = &s->base;
	return r;
}
