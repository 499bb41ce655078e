/* json_summary.c - the summary as a JSON line */
#include <inttypes.h>
#include <string.h>

#include "decode/json.h"
#include "decode/quote.h"
#include "decode/target.h"
#include "formats/base/escape.h"

#define ENOUGH (64 * 1024)

static void
field(struct buf *out, const char *name, uint64_t v)
{
	(void)buf_printf(out, ",\"%s\":%" PRIu64, name, v);
}

static void
put_total(struct buf *out, const char *name, const struct iotap_sum *sum)
{
	(void)buf_printf(out, "\"%s\":{\"bytes\":%" PRIu64 ",\"calls\":%" PRIu64 "},", name, sum->bytes,
			 sum->calls);
}

static void
put_totals(struct buf *out, const struct iotap_summary *s)
{
	(void)buf_puts(out, ",\"totals\":{");
	put_total(out, "file_read", &s->read[IOTAP_CLASS_FILE]);
	put_total(out, "file_write", &s->write[IOTAP_CLASS_FILE]);
	put_total(out, "net_read", &s->read[IOTAP_CLASS_NETWORK]);
	put_total(out, "net_write", &s->write[IOTAP_CLASS_NETWORK]);
	put_total(out, "other_read", &s->read[IOTAP_CLASS_OTHER]);
	put_total(out, "other_write", &s->write[IOTAP_CLASS_OTHER]);
	(void)buf_printf(out, "\"events\":%" PRIu64 ",\"errors\":%" PRIu64 "}", s->events, s->errors);
}

static void
put_sums(struct buf *out, const struct iotap_sum *in, const struct iotap_sum *to)
{
	field(out, "read_bytes", in->bytes);
	field(out, "read_calls", in->calls);
	field(out, "write_bytes", to->bytes);
	field(out, "write_calls", to->calls);
}

static void
put_interfaces(struct buf *out, const struct iotap_summary *s)
{
	(void)buf_puts(out, ",\"interfaces\":[");
	for (size_t i = 0; i < s->n_interfaces; i++) {
		const char *const name = s->interfaces[i].interface;

		(void)buf_puts(out, i > 0 ? ",{\"interface\":" : "{\"interface\":");
		if (!quote_json_str(out, name)) {
			(void)buf_puts(out, ",\"interface_hex\":");
			quote_hex(out, name, strlen(name));
		}
		put_sums(out, &s->interfaces[i].read, &s->interfaces[i].write);
		(void)buf_putc(out, '}');
	}
	(void)buf_putc(out, ']');
}

/* null where none was recorded. */
static void
latency(struct buf *out, const struct iotap_summary *s, const char *name, uint64_t ns)
{
	if (s->no_latency)
		(void)buf_printf(out, ",\"%s\":null", name);
	else
		field(out, name, ns);
}

static void
put_row(struct buf *out, const struct iotap_summary *s, const struct iotap_row *row, struct buf *name)
{
	buf_clear(name);
	(void)target_put_row_name(name, row->target);
	(void)buf_puts(out, "{\"target\":");
	(void)quote_json(out, name->data, name->len);
	put_sums(out, &row->read, &row->write);
	field(out, "errors", row->errors);
	field(out, "messages", row->messages);
	field(out, "unsized_calls", row->unsized_calls);
	if (row->klass == IOTAP_CLASS_NETWORK)
		field(out, "connections", row->connections);
	field(out, "ops", row->ops);
	latency(out, s, "latency_ns", row->latency_ns);
	latency(out, s, "latency_max_ns", row->latency_max_ns);
	if (!escape_is_clean(row->target->key, row->target->key_len)) {
		(void)buf_puts(out, ",\"target_hex\":");
		quote_hex(out, row->target->key, row->target->key_len);
	}
	(void)buf_putc(out, '}');
}

struct sink {
	struct buf *out;
	void (*full)(void *arg);
	void *arg;
};

static void
put_rows(const struct sink *sink, const struct iotap_summary *s, const char *title,
	 enum iotap_class klass)
{
	struct buf *const out = sink->out;
	struct buf name = {.data = NULL};
	bool any = false;

	(void)buf_printf(out, ",\"%s\":[", title);
	for (size_t i = 0; i < s->n_rows; i++) {
		if (s->rows[i].klass != klass)
			continue;
		if (any)
			(void)buf_putc(out, ',');
		put_row(out, s, &s->rows[i], &name);
		if (!buf_ok(&name))
			out->failed = true;
		any = true;
		if (sink->full && out->len >= ENOUGH)
			sink->full(sink->arg);
	}
	(void)buf_putc(out, ']');
	buf_free(&name);
}

static void
put_ops(struct buf *out, const struct iotap_summary *s)
{
	(void)buf_puts(out, ",\"ops\":[");
	for (size_t i = 0; i < s->n_op_rows; i++) {
		const struct iotap_op_row *const row = &s->op_rows[i];
		const char *const name = iotap_call_name(row->call);

		(void)buf_printf(out, "%s{\"op\":\"%s\",\"syscall\":\"%s\"", i > 0 ? "," : "",
				 name ? iotap_call_op(row->call) : "unknown", name ? name : "unknown");
		field(out, "calls", row->calls);
		field(out, "errors", row->errors);
		latency(out, s, "latency_ns", row->latency_ns);
		(void)buf_putc(out, '}');
	}
	(void)buf_putc(out, ']');
}

static void
put_blind_spots(struct buf *out, const struct iotap_summary *s)
{
	(void)buf_printf(out, ",\"blind_spots\":{\"paused_ns\":%" PRIu64, s->paused_ns);
#define BLIND(name, member, noun, text, said) field(out, #name, s->member);
#include "decode/blind_spots.def"
#undef BLIND
	(void)buf_putc(out, '}');
}

/* Only where the recording is one. */
static void
put_selection(struct buf *out, const struct iotap_summary *s)
{
	if (!s->selection)
		return;
	(void)buf_puts(out, ",\"selection\":{\"options\":");
	(void)quote_json_str(out, s->selection);
	field(out, "filtered_calls", s->filtered_calls);
	field(out, "filtered_claimed", s->filtered_claimed);
	(void)buf_putc(out, '}');
}

/* What was appended to the fields of the first version. */
static void
put_appended(struct buf *out, const struct iotap_summary *s)
{
	put_ops(out, s);
	field(out, "op_calls", s->ops);
	field(out, "op_errors", s->op_errors);
	field(out, "lost_calls", s->lost_calls);
	field(out, "aggregated_calls", s->aggregated_calls);
	field(out, "aggregated_unknown_target", s->aggregated_unknown_target);
	field(out, "aggregated_unplaced", s->aggregated_unplaced);
	field(out, "phantom_calls", s->phantom);
	field(out, "compat_calls", s->compat);
	field(out, "undefined_calls", s->undefined);
	field(out, "rows_refused", s->rows_refused);
	field(out, "processes_forgotten", s->processes_forgotten);
	field(out, "damaged_bytes", s->damaged_bytes);
	(void)buf_printf(out, ",\"truncated\":%s,\"complete\":%s", s->truncated ? "true" : "false",
			 s->complete ? "true" : "false");
	if (s->command_pid != 0) {
		field(out, "command_pid", s->command_pid);
		field(out, "command_status", s->command_status);
	}
	put_blind_spots(out, s);
	put_selection(out, s);
}

/* Only without the set mmap. */
static void
put_shared(struct buf *out, const struct iotap_summary *s)
{
	if (s->n_shared_mappings == 0)
		return;
	for (size_t i = 0; i < s->n_shared_mappings; i++) {
		const struct iotap_shared_row *const row = &s->shared_mappings[i];

		(void)buf_printf(out, "%s{\"pid\":%" PRIu32 ",\"name\":",
				 i > 0 ? "," : ",\"shared_mappings\":[", row->pid);
		(void)quote_json_str(out, row->name);
		field(out, "mappings", row->mappings);
		(void)buf_putc(out, '}');
	}
	(void)buf_putc(out, ']');
	field(out, "shared_mappings_further", s->shared_further);
}

/* Only where there are any. */
static void
put_blind(struct buf *out, const struct iotap_summary *s)
{
	if (s->n_blind == 0)
		return;
	for (size_t i = 0; i < s->n_blind; i++) {
		const struct iotap_blind_row *const row = &s->blind[i];
		const bool same = i > 0 && row[-1].process == row->process;

		if (!same) {
			(void)buf_printf(out, "%s{\"pid\":%" PRIu32 ",\"name\":",
					 i > 0 ? "}," : ",\"blind_spots_by_process\":[", row->pid);
			(void)quote_json_str(out, row->name);
		}
		field(out, row->spot, row->calls);
	}
	(void)buf_puts(out, "}]");
	field(out, "blind_spots_further", s->blind_further);
}

/* Only with the set mmap. */
static void
put_mapped(const struct sink *sink, const struct iotap_summary *s)
{
	struct buf *const out = sink->out;
	struct buf name = {.data = NULL};

	if (s->n_mapped == 0)
		return;
	for (size_t i = 0; i < s->n_mapped; i++) {
		const struct iotap_mapped_row *const row = &s->mapped[i];

		(void)buf_printf(out, "%s{\"pid\":%" PRIu32 ",\"target\":", i > 0 ? "," : ",\"mapped\":[",
				 row->pid);
		buf_clear(&name);
		(void)target_put_row_name(&name, row->target);
		(void)quote_json(out, name.data, name.len);
		if (!buf_ok(&name))
			out->failed = true;
		field(out, "in_by_faults", row->in_by_faults);
		field(out, "dirty_by_faults", row->dirty_by_faults);
		field(out, "in_by_calls", row->in_by_calls);
		field(out, "dirty_by_calls", row->dirty_by_calls);
		(void)buf_putc(out, '}');
		if (sink->full && out->len >= ENOUGH)
			sink->full(sink->arg);
	}
	(void)buf_putc(out, ']');
	field(out, "mapped_no_room_pages", s->mapped_no_room_pages);
	buf_free(&name);
}

void
json_summary(struct buf *out, const struct iotap_summary *s, void (*full)(void *arg), void *arg)
{
	const struct sink sink = {.out = out, .full = full, .arg = arg};

	(void)buf_puts(out, "{\"type\":\"summary\"");
	field(out, "duration_ns", s->duration_ns);
	(void)buf_puts(out, ",\"processes\":");
	json_processes(out, s->processes, s->n_processes);
	put_totals(out, s);
	put_interfaces(out, s);
	field(out, "lost_events", s->n_drops);
	field(out, "unfinished_calls", s->unfinished);
	field(out, "calls_started_before_trace", s->before);
	(void)buf_printf(out, ",\"untraced_children\":{\"ended\":%" PRIu64 ",\"full\":%" PRIu64
			 ",\"not_followed\":%" PRIu64 "}", s->untraced_ended, s->untraced_full, s->not_followed);
	field(out, "unknown_interface_calls", s->unknown_interface_calls);
	put_rows(&sink, s, "files", IOTAP_CLASS_FILE);
	put_rows(&sink, s, "network", IOTAP_CLASS_NETWORK);
	put_rows(&sink, s, "other", IOTAP_CLASS_OTHER);
	put_appended(out, s);
	put_mapped(&sink, s);
	put_shared(out, s);
	put_blind(out, s);
	(void)buf_puts(out, "}\n");
}
