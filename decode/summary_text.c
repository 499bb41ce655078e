/* summary_text.c - the summary for people
 *
 * A line of who was traced and how long, a table per class, the totals, and one line for everything
 * that is known to be missing or uncertain: nothing is left out in silence.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/handle.h"
#include "formats/base/buf.h"
#include "formats/base/escape.h"
#include "formats/base/units.h"

#define PROCESSES_SHOWN 10
#define INTERFACE_WIDTH 6

/* Words of a table and of its line in the totals. */
struct words {
	const char *title, *label;
	const char *read, *written;		/* column headings */
	const char *read_total, *written_total;
};

static const struct words words[] = {
	[IOTAP_CLASS_FILE] = {"Files", "files  ", "READ", "WRITTEN", "read", "written"},
	[IOTAP_CLASS_NETWORK] = {"Network", "network", "RECEIVED", "SENT", "received", "sent"},
	[IOTAP_CLASS_OTHER] = {"Other descriptors", "other  ", "READ", "WRITTEN", "read", "written"},
};

static void
put_head(struct buf *out, const struct iotap_summary *s)
{
	const size_t shown = s->n_processes < PROCESSES_SHOWN ? s->n_processes : PROCESSES_SHOWN;
	char text[UNITS_SIZE];

	(void)buf_puts(out, "\niotap summary: ");
	for (size_t i = 0; i < shown; i++) {
		(void)buf_printf(out, "%s%" PRIu32 " (", i > 0 ? ", " : "", s->processes[i]->pid);
		(void)escape_text(out, s->processes[i]->name, s->processes[i]->name_len);
		(void)buf_putc(out, ')');
	}
	if (s->n_processes + s->processes_forgotten > shown && shown > 0)
		(void)buf_printf(out, " and %" PRIu64 " more", s->n_processes + s->processes_forgotten - shown);
	if (shown == 0)
		(void)buf_puts(out, "no process");
	(void)buf_printf(out, " traced for %s\n", units_duration(text, s->duration_ns));
}

static void
put_sum(struct buf *out, const struct iotap_sum *sum)
{
	char text[UNITS_SIZE];

	(void)buf_printf(out, "  %10s %8" PRIu64, units_bytes(text, sum->bytes), sum->calls);
}

/* One remark in the parentheses behind a row. */
static void
put_remark(struct buf *out, bool *any, const char *text)
{
	(void)buf_printf(out, "%s%s", *any ? ", " : " (", text);
	*any = true;
}

static void
put_row(struct buf *out, const struct iotap_grouped_row *grouped, const struct hosts *hosts)
{
	const struct iotap_row *const row = grouped->row;
	char text[UNITS_SIZE], remark[2 * UNITS_SIZE];
	bool any = false;

	put_sum(out, &row->read);
	put_sum(out, &row->write);
	(void)buf_printf(out, "  %6" PRIu64 "  ", row->errors);
	(void)host_put_row_name(out, hosts, row->target);
	if (grouped->peers > 0)
		put_remark(out, &any, units_count(text, grouped->peers, "client"));
	if (row->connections > 1)
		put_remark(out, &any, units_count(text, row->connections, "connection"));
	if (row->messages > 0)
		put_remark(out, &any, units_count(text, row->messages, "message"));
	if (row->unsized_calls > 0) {
		(void)snprintf(remark, sizeof(remark), "%s of unknown size",
			       units_count(text, row->unsized_calls, "call"));
		put_remark(out, &any, remark);
	}
	(void)buf_puts(out, any ? ")\n" : "\n");
}

static void
put_table(struct buf *out, const struct iotap_summary *s, enum iotap_class klass, size_t top,
	  const struct hosts *hosts)
{
	const struct words *const w = &words[klass];
	char text[UNITS_SIZE];
	size_t n = 0;
	size_t shown = 0;

	for (size_t i = 0; i < s->n_grouped; i++)
		n += iotap_row_shows(s->grouped[i].row, klass);
	if (n == 0) {
		(void)buf_printf(out, "\n%s: none\n", w->title);
		return;
	}
	(void)buf_printf(out, "\n%s (%s)\n", w->title, units_count(text, n, "target"));
	(void)buf_printf(out, "  %10s %8s  %10s %8s  %6s  %s\n", w->read, "CALLS", w->written, "CALLS",
			 "FAILED", "TARGET");
	for (size_t i = 0; i < s->n_grouped && (top == 0 || shown < top); i++) {
		if (iotap_row_shows(s->grouped[i].row, klass)) {
			put_row(out, &s->grouped[i], hosts);
			shown++;
		}
	}
	if (shown < n)
		(void)buf_printf(out, "  and %zu more %s\n", n - shown, n - shown == 1 ? "target" : "targets");
}

/* What went through mappings. Files that only calls touched are not shown here. */
static void
put_mapped(struct buf *out, const struct iotap_summary *s, size_t top)
{
	char bytes[UNITS_SIZE], text[UNITS_SIZE];
	size_t n = 0;

	while (n < s->n_mapped && s->mapped[n].in_by_faults + s->mapped[n].dirty_by_faults > 0)
		n++;
	if (n == 0)
		return;
	(void)buf_printf(out, "\nMapped files (%s; bytes by page faults, no part of the totals)\n",
			 units_count(text, n, "file"));
	(void)buf_printf(out, "  %10s  %10s  %6s  %s\n", "BROUGHT IN", "MADE DIRTY", "PID", "TARGET");
	for (size_t i = 0; i < n && (top == 0 || i < top); i++) {
		const struct iotap_mapped_row *const row = &s->mapped[i];

		(void)buf_printf(out, "  %10s", units_bytes(bytes, row->in_by_faults));
		(void)buf_printf(out, "  %10s  %6" PRIu32 "  ", units_bytes(bytes, row->dirty_by_faults),
				 row->pid);
		(void)target_put_row_name(out, row->target);
		(void)buf_putc(out, '\n');
	}
	if (top != 0 && n > top)
		(void)buf_printf(out, "  and %zu more\n", n - top);
}

static void
put_ops(struct buf *out, const struct iotap_summary *s)
{
	char latency[UNITS_SIZE], text[UNITS_SIZE];

	if (s->n_op_rows == 0) {
		(void)buf_puts(out, "\nOther calls: none\n");
		return;
	}
	(void)buf_printf(out, "\nOther calls (%s)\n", units_count(text, s->ops, "call"));
	(void)buf_printf(out, "  %10s %8s %14s  %s\n", "CALLS", "FAILED", "LATENCY", "CALL");
	for (size_t i = 0; i < s->n_op_rows; i++) {
		const struct iotap_op_row *const op = &s->op_rows[i];
		const char *const name = iotap_call_name(op->call);

		(void)buf_printf(out, "  %10" PRIu64 " %8" PRIu64 " %14s  %s\n", op->calls, op->errors,
				 s->no_latency ? "-" : units_latency(latency, op->latency_ns), name ? name : "unknown");
	}
}

/* -- totals -- */

static void
put_both(struct buf *out, const struct words *w, const struct iotap_sum *in, const struct iotap_sum *to)
{
	char bytes[2][UNITS_SIZE], calls[2][UNITS_SIZE];

	(void)buf_printf(out, "%s %s (%s), %s %s (%s)\n", w->read_total, units_bytes(bytes[0], in->bytes),
			 units_count(calls[0], in->calls, "call"), w->written_total,
			 units_bytes(bytes[1], to->bytes), units_count(calls[1], to->calls, "call"));
}

static void
put_total(struct buf *out, const struct iotap_summary *s, enum iotap_class klass)
{
	(void)buf_printf(out, "  %s  ", words[klass].label);
	put_both(out, &words[klass], &s->read[klass], &s->write[klass]);
}

static void
put_interfaces(struct buf *out, const struct iotap_summary *s)
{
	int width = INTERFACE_WIDTH;
	struct buf name = {.data = NULL};

	for (size_t i = 0; i < s->n_interfaces; i++) {
		const int n = s->interfaces[i].interface ? (int)strlen(s->interfaces[i].interface) : 0;

		width = n > width ? n : width;
	}
	for (size_t i = 0; i < s->n_interfaces; i++) {
		const struct iotap_interface_row *const row = &s->interfaces[i];

		buf_clear(&name);
		if (row->interface)
			(void)escape_text(&name, row->interface, strlen(row->interface));
		(void)buf_printf(out, "    %-*s ", width, row->interface ? buf_cstr(&name) : "none");
		if (!buf_ok(&name))
			out->failed = true;
		put_both(out, &words[IOTAP_CLASS_NETWORK], &row->read, &row->write);
	}
	buf_free(&name);
}

static void
put_totals(struct buf *out, const struct iotap_summary *s, bool files, bool network, bool ops_shown)
{
	char text[UNITS_SIZE];

	(void)buf_puts(out, "\nTotals\n");
	if (files)
		put_total(out, s, IOTAP_CLASS_FILE);
	if (network) {
		put_total(out, s, IOTAP_CLASS_NETWORK);
		put_interfaces(out, s);
	}
	if (s->read[IOTAP_CLASS_OTHER].calls > 0 || s->write[IOTAP_CLASS_OTHER].calls > 0)
		put_total(out, s, IOTAP_CLASS_OTHER);
	(void)buf_printf(out, "  %s, %" PRIu64 " failed\n", units_count(text, s->events, "call"), s->errors);
	/* "Which file does it trip on": opens and connects are among these. */
	if (s->ops > 0)
		(void)buf_printf(out, "  %s that %s no data, %" PRIu64 " failed%s\n",
				 units_count(text, s->ops, "call"), s->ops == 1 ? "moves" : "move", s->op_errors,
				 ops_shown || s->op_errors == 0 ? "" : " (--all-ops shows them)");
}

/* -- what is missing or uncertain -- */

static void
put_selection(struct buf *out, const struct iotap_summary *s)
{
	char text[UNITS_SIZE];

	if (!s->selection)
		return;
	(void)buf_printf(out, "  of a selection only: %s", s->selection);
	if (s->filtered_calls > 0)
		(void)buf_printf(out, "; %s left out", units_count(text, s->filtered_calls, "call"));
	if (s->filtered_claimed > 0)
		(void)buf_printf(out, ", %" PRIu64 " of them for a path that is only claimed",
				 s->filtered_claimed);
	(void)buf_putc(out, '\n');
}

static void
put_note(struct buf *out, uint64_t n, const char *noun, const char *said)
{
	char text[UNITS_SIZE];

	if (n > 0)
		(void)buf_printf(out, "  %s %s\n", units_count(text, n, noun), said);
}

static void
put_losses(struct buf *out, const struct iotap_summary *s)
{
	char text[UNITS_SIZE];

	put_note(out, s->lost_calls, "call", "lost: the totals are incomplete");
	if (s->aggregated_calls > 0) {
		(void)buf_printf(out, "  %s counted while the kernel buffer was full, without a line each",
				 units_count(text, s->aggregated_calls, "call"));
		if (s->aggregated_unknown_target > 0)
			(void)buf_printf(out, "; target unknown for %s",
					 units_count(text, s->aggregated_unknown_target, "call"));
		(void)buf_puts(out, "; try a larger --buffer\n");
	}
	put_note(out, s->aggregated_unplaced, "call",
		 "counted while the kernel buffer was full left out: the filter cannot place them");
	if (s->truncated)
		(void)buf_puts(out, "  the recording ends abruptly\n");
	put_note(out, s->damaged_bytes, "byte", "of the recording damaged and left out");
}

/* Who may have written files by other means than calls. */
static void
put_shared(struct buf *out, const struct iotap_summary *s)
{
	enum { SHOWN = 5 };

	if (s->n_shared_mappings == 0)
		return;
	(void)buf_puts(out, "  mapped files shared and writable:");
	for (size_t i = 0; i < s->n_shared_mappings && i < SHOWN; i++) {
		(void)buf_printf(out, "%s %" PRIu32 " (", i > 0 ? "," : "", s->shared_mappings[i].pid);
		(void)escape_text(out, s->shared_mappings[i].name, strlen(s->shared_mappings[i].name));
		(void)buf_putc(out, ')');
	}
	if (s->n_shared_mappings > SHOWN)
		(void)buf_printf(out, " and %zu more", s->n_shared_mappings - SHOWN);
	(void)buf_puts(out, "; what was written that way is not seen (--with mmap sums it)\n");
}

/* noun NULL: said elsewhere. */
static void
put_blind_spot(struct buf *out, uint64_t n, const char *noun, const char *said)
{
	if (noun)
		put_note(out, n, noun, said);
}

/* Which of several processes these were. What mapped files is told apart. */
static void
put_blind_processes(struct buf *out, const struct iotap_summary *s)
{
	enum { SHOWN = 5 };
	char text[UNITS_SIZE];
	size_t shown = 0;
	uint64_t more = 0, last = 0;

	if (s->n_processes + s->processes_forgotten < 2)
		return;
	for (size_t i = 0; i < s->n_blind; i++) {
		const struct iotap_blind_row *const row = &s->blind[i];
		const bool same = last == row->process;

		if (strcmp(row->spot, "mmap_calls") == 0)
			continue;
		last = row->process;
		if (shown == SHOWN && !same)
			more++;
		if (more > 0)
			continue;
		if (!same) {
			(void)buf_printf(out, "%s  not all is known of %" PRIu32 " (", shown++ > 0 ? "\n" : "",
					 row->pid);
			(void)escape_text(out, row->name, strlen(row->name));
			(void)buf_putc(out, ')');
		}
		(void)buf_printf(out, "%s %s %s", same ? "," : ":", units_count(text, row->calls, "call"), row->said);
	}
	if (more > 0)
		(void)buf_printf(out, "\n  nor of %s more", units_count(text, more, "process"));
	if (shown > 0)
		(void)buf_putc(out, '\n');
}

static void
put_notes(struct buf *out, const struct iotap_summary *s)
{
	char text[UNITS_SIZE];

	put_losses(out, s);
	put_shared(out, s);
	put_note(out, s->mapped_no_room_pages, "page", "of mapped files of processes beyond the limit: summed nowhere");
	if (s->no_latency)
		(void)buf_puts(out, "  latency not recorded (--no-latency)\n");
	put_note(out, s->before, "call", "began before tracing: latency unknown");
	put_note(out, s->unfinished, "call", "not finished when tracing stopped");
	put_note(out, s->undefined, "call",
		 "on targets whose name is not in the recording (no room for it, or damage)");
	put_note(out, s->phantom, "call", "returned without having been made (seccomp, a debugger): no bytes counted");
	put_note(out, s->compat, "call", "by 32-bit programs");
	put_note(out, s->not_followed, "child process", s->not_followed == 1 ?
		 "not traced (-f traces it, too)" : "not traced (-f traces them, too)");
	put_note(out, s->untraced_full, "child process",
		 "not traced: as many processes as possible were");
	put_note(out, s->untraced_ended, "child process", "ended before it could be traced");
	put_note(out, s->unknown_interface_calls, "call",
		 "left out: which interface it went over is not known");
#define BLIND(name, member, noun, text, said) put_blind_spot(out, s->member, noun, text);
#include "decode/blind_spots.def"
#undef BLIND
	put_blind_processes(out, s);
	if (s->paused_ns > 0)
		(void)buf_printf(out, "  not recorded for %s: paused\n", units_duration(text, s->paused_ns));
	put_note(out, s->rows_refused, "target", "beyond the limit of the table: summed in one row");
}

static void
put_tables(struct buf *out, const struct iotap_summary *s, size_t top, bool files, bool network,
	   const struct hosts *hosts)
{
	bool other = false;

	if (files)
		put_table(out, s, IOTAP_CLASS_FILE, top, hosts);
	if (network)
		put_table(out, s, IOTAP_CLASS_NETWORK, top, hosts);
	for (size_t i = 0; i < s->n_rows; i++)
		other = other || iotap_row_shows(&s->rows[i], IOTAP_CLASS_OTHER);
	if (other && files && network)
		put_table(out, s, IOTAP_CLASS_OTHER, top, hosts);
}

static char *
finish(struct buf *out)
{
	if (!buf_putc(out, '\0')) {
		buf_free(out);
		return NULL;
	}
	return (char *)out->data;
}

IOTAP_API void
iotap_set_host_names(iotap_t *h, iotap_host_name *name, void *arg)
{
	h->hosts = (struct hosts){name, arg};
}

IOTAP_API char *
iotap_summary_text(iotap_t *h, unsigned int top, unsigned int show)
{
	const unsigned int both = IOTAP_SHOW_FILES | IOTAP_SHOW_NETWORK;
	const bool files = (show & both) == 0 || (show & IOTAP_SHOW_FILES);
	const bool network = ((show & both) == 0 || (show & IOTAP_SHOW_NETWORK)) &&
			     h->select.f.classes != 1u << IOTAP_CLASS_FILE;
	struct iotap_summary s;
	struct buf out;

	buf_init(&out, 0);
	if (iotap_get_summary(h, &s) < 0)
		return NULL;
	if (show & IOTAP_SHOW_NOTES) {
		put_notes(&out, &s);
		return finish(&out);
	}
	put_head(&out, &s);
	put_tables(&out, &s, top, files && h->select.f.n_interfaces == 0, network, &h->hosts);
	if (files && h->select.f.n_interfaces == 0)
		put_mapped(&out, &s, top);
	if (show & IOTAP_SHOW_OPS)
		put_ops(&out, &s);
	put_totals(&out, &s, files && h->select.f.n_interfaces == 0, network,
		   show & IOTAP_SHOW_OPS);
	put_selection(&out, &s);
	put_notes(&out, &s);
	return finish(&out);
}
