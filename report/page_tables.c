/* page_tables.c - the tables of the page
 *
 * A cell that is sorted by its number carries it in data-v; what is shown is for people. Rows are in the
 * order of the summary: most bytes first.
 */
#include <inttypes.h>
#include <stdio.h>

#include "formats/base/arguments.h"
#include "formats/base/units.h"
#include "report/page_parts.h"

enum { ARGUMENTS_BEGIN = 80 };		/* bytes of arguments that are shown at once */

struct heading {
	const char *text;
	bool number;
};

#define NUMBER(text) {text, true}
#define WORDS(text) {text, false}

static void
open_table(struct buf *out, const char *title, uint64_t n, const char *noun, const struct heading *heads,
	   size_t n_heads)
{
	char text[UNITS_SIZE];

	(void)buf_printf(out, "<section><h2>%s (%s)</h2>\n<div class=wide><table class=data><thead><tr>", title,
			 units_count(text, n, noun));
	for (size_t i = 0; i < n_heads; i++)
		(void)buf_printf(out, "<th%s>%s", heads[i].number ? " class=n" : "", heads[i].text);
	(void)buf_puts(out, "</thead><tbody>\n");
}

static void
close_table(struct buf *out, uint64_t shown, uint64_t n, const char *note)
{
	(void)buf_puts(out, "</tbody></table></div>\n");
	if (shown < n)
		(void)buf_printf(out, "<p class=note>and %" PRIu64 " more: <code>--top 0</code> shows all.</p>\n",
				 n - shown);
	if (note)
		(void)buf_printf(out, "<p class=note>%s</p>\n", note);
	(void)buf_puts(out, "</section>\n");
}

static uint64_t
at_most(const struct page *page, uint64_t n)
{
	return page->top > 0 && page->top < n ? page->top : n;
}

/* -- cells -- */

static void
cell_bytes(struct buf *out, uint64_t bytes)
{
	char text[UNITS_SIZE];

	(void)buf_printf(out, "<td class=n data-v=%" PRIu64 ">%s", bytes, units_bytes(text, bytes));
}

static void
cell_count(struct buf *out, uint64_t n)
{
	(void)buf_printf(out, "<td class=n data-v=%" PRIu64 ">%" PRIu64, n, n);
}

static void
cell_failed(struct buf *out, uint64_t n)
{
	(void)buf_printf(out, "<td class=\"n%s\" data-v=%" PRIu64 ">%" PRIu64, n > 0 ? " bad" : "", n, n);
}

/* IOTAP_UNKNOWN = it was not recorded. */
static void
cell_latency(struct buf *out, uint64_t ns)
{
	if (ns == IOTAP_UNKNOWN) {
		(void)buf_puts(out, "<td class=n data-v=-1>-");
		return;
	}
	(void)buf_printf(out, "<td class=n data-v=%" PRIu64 ">", ns);
	page_latency(out, ns);
}

/* A sum of latencies, if there are any. */
static uint64_t
recorded(const struct page *page, uint64_t ns)
{
	return page->summary->no_latency ? IOTAP_UNKNOWN : ns;
}

static void
cell_name(struct buf *out, const char *p, size_t n)
{
	(void)buf_puts(out, "<td class=name>");
	page_text(out, p, n);
}

/* Those that are long begin with their begin, and open. */
static void
cell_arguments(struct buf *out, const char *row, size_t n)
{
	struct buf text = {.data = NULL};
	size_t begin;

	arguments_text(&text, row, n, ARGUMENTS_BEGIN);
	begin = text.len;
	(void)buf_puts(out, n > ARGUMENTS_BEGIN ? "<td class=name><details><summary>" : "<td class=name>");
	page_text(out, buf_cstr(&text), begin);
	if (n > ARGUMENTS_BEGIN) {
		buf_clear(&text);
		arguments_text(&text, row, n, FACTS_ARGUMENTS_MAX);
		(void)buf_puts(out, "</summary>");
		page_text(out, buf_cstr(&text), text.len);
		(void)buf_puts(out, "</details>");
	}
	out->failed |= text.failed;
	buf_free(&text);
}

static void
cell_error(struct buf *out, int32_t err)
{
	char text[32];

	(void)buf_puts(out, err != 0 ? "<td class=bad>" : "<td>");
	page_str(out, err != 0 ? iotap_errno_name(err, text, sizeof(text)) : NULL);
}

static void
cell_call(struct buf *out, uint16_t call)
{
	const char *const name = iotap_call_name(call);

	(void)buf_puts(out, "<td>");
	page_str(out, name ? name : "unknown");
}

/* -- tables -- */

static void
put_target(struct buf *out, const struct page *page, const struct iotap_grouped_row *grouped)
{
	const struct iotap_row *const row = grouped->row;
	char text[UNITS_SIZE];

	(void)buf_puts(out, "<tr>");
	cell_bytes(out, row->read.bytes);
	cell_count(out, row->read.calls);
	cell_bytes(out, row->write.bytes);
	cell_count(out, row->write.calls);
	cell_failed(out, row->errors);
	cell_latency(out, recorded(page, row->latency_ns));
	cell_latency(out, recorded(page, row->latency_max_ns));
	cell_name(out, row->target->key, row->target->key_len);
	if (grouped->peers > 0)
		(void)buf_printf(out, " (%s)", units_count(text, grouped->peers, "client"));
	(void)buf_puts(out, "\n");
}

static void
put_targets(struct buf *out, const struct page *page, enum iotap_class klass)
{
	static const char *const words[][3] = {
		[IOTAP_CLASS_FILE] = {"Files", "Read", "Written"},
		[IOTAP_CLASS_NETWORK] = {"Network", "Received", "Sent"},
		[IOTAP_CLASS_OTHER] = {"Other descriptors", "Read", "Written"},
	};
	const struct heading heads[] = {
		NUMBER(words[klass][1]), NUMBER("calls"), NUMBER(words[klass][2]), NUMBER("calls"),
		NUMBER("failed"), NUMBER("time in calls"), NUMBER("longest"), WORDS("target"),
	};
	const struct iotap_summary *const s = page->summary;
	uint64_t n = 0;
	uint64_t shown = 0;

	for (size_t i = 0; i < s->n_grouped; i++)
		n += iotap_row_shows(s->grouped[i].row, klass);
	if (n == 0)
		return;
	open_table(out, words[klass][0], n, "target", heads, sizeof(heads) / sizeof(heads[0]));
	for (size_t i = 0; i < s->n_grouped && shown < at_most(page, n); i++) {
		if (iotap_row_shows(s->grouped[i].row, klass)) {
			put_target(out, page, &s->grouped[i]);
			shown++;
		}
	}
	close_table(out, shown, n, NULL);
}

static void
put_processes(struct buf *out, const struct page *page)
{
	static const struct heading heads[] = {
		NUMBER("pid"), WORDS("name"), NUMBER("file read"), NUMBER("file written"), NUMBER("received"),
		NUMBER("sent"), NUMBER("calls"), NUMBER("failed"), NUMBER("time in calls"), WORDS("program"),
		WORDS("arguments"),
	};
	const struct buf *const arguments = &page->facts->arguments;
	const size_t n_heads = sizeof(heads) / sizeof(heads[0]) - (arguments->len == 0);
	size_t n;
	const struct facts_process *const rows = facts_processes(page->facts, &n);
	const uint64_t shown = at_most(page, n);

	if (n == 0)
		return;
	open_table(out, "Processes", n, "process", heads, n_heads);
	for (size_t i = 0; i < shown; i++) {
		const struct facts_process *const p = &rows[i];

		(void)buf_puts(out, "<tr>");
		cell_count(out, p->pid);
		(void)buf_puts(out, "<td>");
		page_text(out, p->name, p->name_len);
		for (enum facts_group g = FACTS_FILE_READ; g <= FACTS_NET_WRITE; g++)
			cell_bytes(out, p->bytes[g]);
		cell_count(out, p->calls);
		cell_failed(out, p->failed);
		cell_latency(out, recorded(page, p->latency_ns));
		cell_name(out, p->exe, p->exe_len);
		if (arguments->len > 0)
			cell_arguments(out, (const char *)arguments->data + p->arguments_at, p->arguments_len);
		(void)buf_puts(out, "\n");
	}
	close_table(out, shown, n, page->facts->processes_refused > 0 ? "Not all processes have a row."
				   : page->facts->arguments_refused   ? "Not all arguments found room." : NULL);
}

static void
put_slowest(struct buf *out, const struct page *page)
{
	static const struct heading heads[] = {
		NUMBER("took"), WORDS("returned at"), NUMBER("pid"), NUMBER("thread"), WORDS("call"), NUMBER("bytes"),
		WORDS("error"), WORDS("target"),
	};
	const struct facts *const f = page->facts;

	if (f->n_slowest == 0)
		return;
	open_table(out, "Slowest calls", f->n_slowest, "call", heads, sizeof(heads) / sizeof(heads[0]));
	for (size_t i = 0; i < f->n_slowest; i++) {
		const struct facts_slow *const s = &f->slowest[i];

		(void)buf_puts(out, "<tr>");
		cell_latency(out, s->duration_ns);
		(void)buf_puts(out, "<td class=n>");
		page_time(out, s->time_ns);
		cell_count(out, s->pid);
		cell_count(out, s->tid);
		cell_call(out, s->call);
		if (s->bytes == IOTAP_UNKNOWN)
			(void)buf_puts(out, "<td class=n data-v=-1>");
		else
			cell_bytes(out, s->bytes);
		cell_error(out, s->err);
		cell_name(out, s->name, s->name_len);
		(void)buf_puts(out, "\n");
	}
	close_table(out, f->n_slowest, f->n_slowest, NULL);
}

static void
put_failures(struct buf *out, const struct page *page)
{
	static const struct heading heads[] = {
		NUMBER("times"), WORDS("call"), WORDS("error"), WORDS("first on"),
	};
	size_t n;
	const struct facts_failure *const rows = facts_failures(page->facts, &n);
	const uint64_t shown = at_most(page, n);

	if (n == 0)
		return;
	open_table(out, "Failed calls", n, "kind", heads, sizeof(heads) / sizeof(heads[0]));
	for (size_t i = 0; i < shown; i++) {
		(void)buf_puts(out, "<tr>");
		cell_count(out, rows[i].n);
		cell_call(out, rows[i].call);
		cell_error(out, rows[i].err);
		cell_name(out, rows[i].name, rows[i].name_len);
		(void)buf_puts(out, "\n");
	}
	close_table(out, shown, n, page->facts->failures_refused > 0 ? "Not all kinds have a row." : NULL);
}

static void
put_ops(struct buf *out, const struct page *page)
{
	static const struct heading heads[] = {
		NUMBER("times"), NUMBER("failed"), NUMBER("time in calls"), WORDS("call"),
	};
	const struct iotap_summary *const s = page->summary;

	if (s->n_op_rows == 0)
		return;
	open_table(out, "Calls that move no data", s->n_op_rows, "kind", heads, sizeof(heads) / sizeof(heads[0]));
	for (size_t i = 0; i < s->n_op_rows; i++) {
		(void)buf_puts(out, "<tr>");
		cell_count(out, s->op_rows[i].calls);
		cell_failed(out, s->op_rows[i].errors);
		cell_latency(out, recorded(page, s->op_rows[i].latency_ns));
		cell_call(out, s->op_rows[i].call);
		(void)buf_puts(out, "\n");
	}
	close_table(out, s->n_op_rows, s->n_op_rows, NULL);
}

static void
put_interfaces(struct buf *out, const struct page *page)
{
	static const struct heading heads[] = {
		WORDS("interface"), NUMBER("received"), NUMBER("calls"), NUMBER("sent"), NUMBER("calls"),
	};
	const struct iotap_summary *const s = page->summary;

	if (s->n_interfaces == 0)
		return;
	open_table(out, "Network interfaces", s->n_interfaces, "row", heads, sizeof(heads) / sizeof(heads[0]));
	for (size_t i = 0; i < s->n_interfaces; i++) {
		const struct iotap_interface_row *const row = &s->interfaces[i];

		(void)buf_puts(out, "<tr><td>");
		page_str(out, row->interface ? row->interface : "none");
		cell_bytes(out, row->read.bytes);
		cell_count(out, row->read.calls);
		cell_bytes(out, row->write.bytes);
		cell_count(out, row->write.calls);
		(void)buf_puts(out, "\n");
	}
	close_table(out, s->n_interfaces, s->n_interfaces, NULL);
}

static void
put_blind(struct buf *out, const struct page *page)
{
	static const struct heading heads[] = {NUMBER("pid"), WORDS("process"), NUMBER("calls"), WORDS("what")};
	const struct iotap_summary *const s = page->summary;
	const uint64_t shown = at_most(page, s->n_blind);

	if (s->n_blind == 0)
		return;
	open_table(out, "Not seen, by process", s->n_blind, "row", heads, sizeof(heads) / sizeof(heads[0]));
	for (size_t i = 0; i < shown; i++) {
		const struct iotap_blind_row *const row = &s->blind[i];

		(void)buf_puts(out, "<tr>");
		cell_count(out, row->pid);
		(void)buf_puts(out, "<td>");
		page_str(out, row->name);
		cell_count(out, row->calls);
		(void)buf_puts(out, "<td>");
		page_str(out, row->said);
		(void)buf_puts(out, "\n");
	}
	close_table(out, shown, s->n_blind, NULL);
}

void
page_tables(struct buf *out, const struct page *page)
{
	if (page->files)
		put_targets(out, page, IOTAP_CLASS_FILE);
	if (page->network)
		put_targets(out, page, IOTAP_CLASS_NETWORK);
	if (page->files && page->network)
		put_targets(out, page, IOTAP_CLASS_OTHER);
	put_slowest(out, page);
	put_failures(out, page);
	put_processes(out, page);
	put_ops(out, page);
	if (page->network)
		put_interfaces(out, page);
	put_blind(out, page);
}
