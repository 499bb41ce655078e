/* json_notice.c - JSON Lines of what lies between events: start, attached, exec, lost_events ... */
#include <inttypes.h>
#include <string.h>

#include "decode/digits.h"
#include "decode/json.h"
#include "decode/quote.h"
#include "formats/base/arguments.h"
#include "formats/base/unix_time.h"

static void
field(struct buf *out, const char *name, uint64_t v)
{
	(void)buf_printf(out, ",\"%s\":", name);
	json_number(out, v);
}

/* 0 means that nobody knows. */
static void
field_pid(struct buf *out, const char *name, uint32_t pid)
{
	field(out, name, pid != 0 ? pid : IOTAP_UNKNOWN);
}

/* An empty one is not known: null. */
static void
field_str(struct buf *out, const char *name, const char *s)
{
	quote_member(out, name, s[0] != '\0' ? s : NULL, strlen(s));
}

static void
field_name(struct buf *out, const struct iotap_process *process)
{
	quote_member(out, "name", process ? process->name : NULL, process ? process->name_len : 0);
}

/* What is known of a process beside its name; what is not is null. */
static void
field_identity(struct buf *out, const struct iotap_process *p)
{
	field(out, "uid", p->uid != UINT32_MAX ? p->uid : IOTAP_UNKNOWN);
	field(out, "gid", p->gid != UINT32_MAX ? p->gid : IOTAP_UNKNOWN);
	quote_member(out, "cgroup", p->cgroup_len > 0 ? p->cgroup : NULL, p->cgroup_len);
	quote_member(out, "container", p->container_len > 0 ? p->container : NULL, p->container_len);
	field_pid(out, "pid_ns", p->pid_ns);
	field_pid(out, "mnt_ns", p->mnt_ns);
	field_pid(out, "net_ns", p->net_ns);
	field_pid(out, "pid_in_ns", p->pid_in_ns);
}

static void
put_argv(struct buf *out, const struct iotap_process *p, bool hex, bool *valid)
{
	size_t at = 0, n;
	const char *arg;

	while ((arg = arguments_next(p->arguments, p->arguments_len, &at, &n)) != NULL) {
		if (arg > p->arguments)
			(void)buf_putc(out, ',');
		if (hex)
			quote_hex(out, arg, n);
		else
			*valid = quote_json(out, arg, n) && *valid;
	}
}

/* Only where all arguments were recorded. */
static void
field_argv(struct buf *out, const struct iotap_process *p)
{
	bool valid = true;

	if (!p->arguments)
		return;
	(void)buf_puts(out, ",\"argv\":[");
	put_argv(out, p, false, &valid);
	(void)buf_putc(out, ']');
	if (!valid) {
		(void)buf_puts(out, ",\"argv_hex\":[");
		put_argv(out, p, true, &valid);
		(void)buf_putc(out, ']');
	}
	if (arguments_cut(p->arguments, p->arguments_len))
		(void)buf_puts(out, ",\"argv_cut\":true");
}

static void
start_processes(struct buf *out, const struct iotap_process *const *processes, size_t n)
{
	(void)buf_putc(out, '[');
	for (size_t i = 0; i < n; i++) {
		json_process_head(out, processes[i], i > 0);
		field_identity(out, processes[i]);
		field_argv(out, processes[i]);
		(void)buf_putc(out, '}');
	}
	(void)buf_putc(out, ']');
}

void
json_start(struct buf *out, const struct iotap_info *info, const struct iotap_process *const *processes,
	   size_t n)
{
	(void)buf_puts(out, "{\"type\":\"start\"");
	field(out, "time_ns", info->start_boot_ns != 0 ? info->start_time_ns : IOTAP_UNKNOWN);
	(void)buf_puts(out, ",\"processes\":");
	start_processes(out, processes, n);
	field_str(out, "tool", info->tool);
	field_str(out, "hostname", info->hostname);
	field_str(out, "release", info->release);
	(void)buf_puts(out, "}\n");
}

static const char *
end_reason(uint32_t reason)
{
	static const char *const names[] = {"unknown", "signal", "duration", "exited", "output_closed",
					    "error", "input_ended", "size", "events", "rotated", "dumped",
					    "salvaged"};

	return names[reason < sizeof(names) / sizeof(names[0]) ? reason : 0];
}

static void
json_begin(struct buf *out, const char *type)
{
	(void)buf_printf(out, "{\"type\":\"%s\"", type);
}

void
json_notice(struct buf *out, const struct iotap_notice *n)
{
	switch (n->type) {
	case IOTAP_NOTICE_START:
		return;
	case IOTAP_NOTICE_ATTACHED:
		json_begin(out, "attached");
		field(out, "pid", n->pid);
		field_name(out, n->process);
		field_pid(out, "parent", n->parent);
		break;
	case IOTAP_NOTICE_EXEC:
		json_begin(out, "exec");
		field(out, "pid", n->pid);
		quote_member(out, "path", n->path, n->path_len);
		field_name(out, n->process);
		break;
	case IOTAP_NOTICE_RENAMED:
		json_begin(out, "renamed");
		field(out, "pid", n->pid);
		field(out, "tid", n->tid);
		quote_member(out, "name", n->name, n->name_len);
		break;
	case IOTAP_NOTICE_EXITED:
		json_begin(out, "exited");
		field(out, "pid", n->pid);
		field_name(out, n->process);
		field(out, "status", n->process ? n->process->exit_status : IOTAP_UNKNOWN);
		break;
	case IOTAP_NOTICE_UNTRACED:
		json_begin(out, "untraced");
		field(out, "pid", n->pid);
		field_pid(out, "parent", n->parent);
		(void)buf_printf(out, ",\"reason\":\"%s\"", n->reason == 1 ? "ended" : "full");
		break;
	case IOTAP_NOTICE_TEXT:
		json_begin(out, "notice");
		(void)buf_printf(out, ",\"level\":\"%s\"", n->level >= 2 ? "warning" : "information");
		quote_member(out, "text", n->message, strlen(n->message));
		break;
	case IOTAP_NOTICE_CLOCK_STEP:
		json_begin(out, "clock_step");
		(void)buf_printf(out, ",\"step_ns\":%" PRId64, n->step_ns);
		break;
	case IOTAP_NOTICE_END:
		json_begin(out, "end");
		(void)buf_printf(out, ",\"reason\":\"%s\"", end_reason(n->reason));
		break;
	}
	field(out, "time_ns", n->time_ns);
	if (n->type == IOTAP_NOTICE_ATTACHED && n->process)
		field_identity(out, n->process);
	if ((n->type == IOTAP_NOTICE_ATTACHED || n->type == IOTAP_NOTICE_EXEC) && n->process)
		field_argv(out, n->process);
	(void)buf_puts(out, "}\n");
}

void
json_drop(struct buf *out, const struct iotap_drop *d)
{
	static const char *const causes[] = {
		[IOTAP_DROP_RING] = "buffer", [IOTAP_DROP_NOTES] = "names", [IOTAP_DROP_QUEUE] = "queue",
		[IOTAP_DROP_OUTPUT] = "output", [IOTAP_DROP_DAMAGE] = "damage",
		[IOTAP_DROP_TRUNCATED] = "truncated",
	};
	const uint64_t took_ns = d->until_ns > d->from_ns ? d->until_ns - d->from_ns : 0;
	const uint64_t until = d->until_ns == IOTAP_UNKNOWN || d->time_ns == IOTAP_UNKNOWN ?
			       IOTAP_UNKNOWN : unix_time_add(d->time_ns, took_ns);

	json_begin(out, "lost_events");
	field(out, "time_ns", d->time_ns);
	field(out, "until_ns", until);
	field(out, "count", d->count);
	(void)buf_printf(out, ",\"cause\":\"%s\",\"pids\":[", causes[d->cause]);
	for (size_t i = 0; i < d->n_pids; i++)
		(void)buf_printf(out, "%s%" PRIu32, i > 0 ? "," : "", d->pids[i]);
	(void)buf_putc(out, ']');
	if (d->cause == IOTAP_DROP_DAMAGE || d->cause == IOTAP_DROP_TRUNCATED) {
		field(out, "offset", d->offset);
		field(out, "size", d->bytes);
	}
	(void)buf_puts(out, "}\n");
}
