/* tui_draw.c - draws a model, as a view sees it, onto a canvas
 *
 *	title		who is traced, for how long
 *	rates		what went over in the last whole second, and in all
 *	banner		what was lost; that it has ended
 *	tabs		which there are, how sorted, what part is seen
 *	body		a table of targets, or the events; below it the details of one target
 *	footer		what was done; which keys there are
 *
 * On a short screen the body's first rows come before everything else.
 */
#include "report/tui_draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/base/escape.h"
#include "formats/base/units.h"
#include "report/tui_details.h"
#include "report/tui_path.h"

#define NS_PER_S UINT64_C(1000000000)
#define TITLE_PROCESSES 32
#define ROWS_BESIDE_DETAILS 4u		/* the header and three rows */

void
tui_latency(struct buf *out, uint64_t ns)
{
	const double s = (double)ns / 1e9;

	if (ns < 1000)
		(void)buf_printf(out, "%" PRIu64 "ns", ns);
	else if (ns < 1000000)
		(void)buf_printf(out, "%" PRIu64 "\xc2\xb5s", ns / 1000);
	else if (ns < NS_PER_S)
		(void)buf_printf(out, "%.1fms", (double)(ns / 100000) / 10);
	else if (ns < 100 * NS_PER_S)
		(void)buf_printf(out, "%.2fs", (double)(ns / 10000000) / 100);
	else if (ns < 10000 * NS_PER_S)
		(void)buf_printf(out, "%.1fs", s);
	else
		(void)buf_printf(out, "%.0fs", s);
}

void
tui_idle(struct buf *out, uint64_t ns)
{
	const uint64_t s = ns / NS_PER_S;

	if (s < 1)
		(void)buf_puts(out, "<1s");
	else if (s < 60)
		(void)buf_printf(out, "%" PRIu64 "s", s);
	else if (s < 3600)
		(void)buf_printf(out, "%" PRIu64 "m", s / 60);
	else if (s < 86400)
		(void)buf_printf(out, "%" PRIu64 "h", s / 3600);
	else
		(void)buf_printf(out, "%" PRIu64 "d", s / 86400);
}

void
tui_copied(struct buf *out, const struct tui_model *m, const struct tui_row *row)
{
	const char *const name = model_text(m, row->name);
	const char *const blank = row->kind == IOTAP_KIND_SOCKET ? memchr(name, ' ', row->name.n) : NULL;

	if (row->kind == IOTAP_KIND_FILE)
		(void)buf_put(out, name, row->name.n);
	else if (blank)
		(void)buf_put(out, blank + 1, row->name.n - (size_t)(blank + 1 - name));
}

/* -- the head -- */

/* The next process, if it fits with a word on those behind it, of which there are so many. Its columns, 0 = it
 * does not. */
static unsigned int
draw_process(struct tui_canvas *c, unsigned int x, unsigned int end, const struct tui_model *m,
	     const struct tui_process *p, bool first, size_t behind)
{
	const enum tui_style style = p->exited ? STYLE_DIM : STYLE_PLAIN;
	const char *const name = model_text(m, p->name);
	char number[32], more[32] = "";
	unsigned int needed;

	(void)snprintf(number, sizeof(number), " %" PRIu32 "%s", p->pid, p->exited ? " (exited)" : "");
	if (behind > 0)
		(void)snprintf(more, sizeof(more), " and %zu more", behind);
	needed = (first ? 1 : 2) + canvas_columns(name, p->name.n) + (unsigned int)(strlen(number) + strlen(more));
	if (x + needed > end)
		return 0;
	x += canvas_str(c, 0, x, STYLE_DIM, first ? " " : ", ");
	x += canvas_put(c, 0, x, c->width, style, name, p->name.n);
	(void)canvas_str(c, 0, x, style, number);
	return needed - (unsigned int)strlen(more);
}

/* Those that live come first. How many of them there was room for. */
static size_t
draw_processes(struct tui_canvas *c, unsigned int *x, unsigned int end, const struct tui_model *m)
{
	size_t shown = 0;

	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < m->n_processes && shown < TITLE_PROCESSES; i++) {
			const struct tui_process *const p = &m->processes[i];
			unsigned int columns;

			if (p->exited != (round == 1))
				continue;
			columns = draw_process(c, *x, end, m, p, shown == 0, m->n_processes - shown - 1);
			if (columns == 0)
				return shown;
			*x += columns;
			shown++;
		}
	}
	return shown;
}

static void
draw_title(struct tui_canvas *c, const struct tui_model *m)
{
	const uint64_t s = (m->now_ns - m->begin_ns) / NS_PER_S;
	unsigned int x = canvas_str(c, 0, 0, STYLE_BOLD, " iotap ");
	char elapsed[64], more[64], text[UNITS_SIZE];
	unsigned int end;
	size_t shown;

	(void)snprintf(elapsed, sizeof(elapsed), "  %" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "%s ", s / 3600, s / 60 % 60,
		       s % 60, m->is_reset ? " since reset" : "");
	end = c->width > strlen(elapsed) ? c->width - (unsigned int)strlen(elapsed) : c->width;
	shown = draw_processes(c, &x, end, m);
	if (shown < m->n_processes) {
		if (shown > 0)
			(void)snprintf(more, sizeof(more), " and %zu more", m->n_processes - shown);
		else
			(void)snprintf(more, sizeof(more), " %s", units_count(text, m->n_processes, "process"));
		(void)canvas_str(c, 0, x, STYLE_DIM, more);
	}
	if (end < c->width)
		canvas_right(c, 0, end, c->width - end, STYLE_PLAIN, elapsed);
}

static void
draw_rates(struct tui_canvas *c, const struct tui_model *m, unsigned int y)
{
	static const char *const heads[] = {"READ", "WRITTEN", "RECEIVED", "SENT"};
	char text[UNITS_SIZE];

	(void)canvas_str(c, y + 1, 1, STYLE_DIM, "last second");
	(void)canvas_str(c, y + 2, 1, STYLE_DIM, "total");
	for (unsigned int i = 0; i < 4; i++) {
		const unsigned int x = 13 + 14 * i;

		canvas_right(c, y, x, 12, STYLE_DIM, heads[i]);
		canvas_right(c, y + 1, x, 12, STYLE_PLAIN, units_bytes(text, m->last.bytes[i / 2][i % 2]));
		canvas_right(c, y + 2, x, 12, STYLE_PLAIN, units_bytes(text, m->totals[i / 2][i % 2].bytes));
	}
}

/* What must not be overlooked; how many rows it took. */
static unsigned int
draw_banner(struct tui_canvas *c, const struct tui_view *v, const struct tui_model *m, unsigned int y)
{
	unsigned int rows = 0;
	char text[160], calls[UNITS_SIZE];

	if (v->ended) {
		(void)snprintf(text, sizeof(text), " %s; q ends", v->ended);
		(void)canvas_str(c, y + rows++, 0, STYLE_BOLD, text);
	}
	if (m->lost > 0) {
		(void)snprintf(text, sizeof(text), " %s lost: sums are incomplete",
			       units_count(calls, m->lost, "call"));
		(void)canvas_str(c, y + rows++, 0, STYLE_WARNING, text);
	}
	if (m->aggregated > 0) {
		(void)snprintf(text, sizeof(text), " %s known as sums alone: the kernel buffer was full",
			       units_count(calls, m->aggregated, "call"));
		(void)canvas_str(c, y + rows++, 0, STYLE_WARNING, text);
	}
	return rows;
}

static size_t
count_rows(const struct tui_model *m, enum tui_tab tab)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_rows; i++)
		n += m->rows[i].read.calls + m->rows[i].write.calls > 0 && m->rows[i].server == 0 &&
		     (m->rows[i].klass == IOTAP_CLASS_NETWORK) == (tab == TAB_NETWORK);
	return n;
}

static void
draw_tabs(struct tui_canvas *c, const struct tui_view *v, const struct tui_model *m, const struct tui_order *o,
	  unsigned int y)
{
	static const char *const names[] = {"Files", "Network", "Events"};
	static const char *const sorts[] = {
#define SORT(name, title) title,
#include "report/tui_sorts.def"
#undef SORT
	};
	char text[96];
	unsigned int x = 1;

	for (unsigned int tab = 0; tab < (v->quiet ? TAB_EVENTS : N_TABS); tab++) {
		const uint64_t n = tab == TAB_EVENTS ? m->n_events
				   : tab == v->tab ? o->n : count_rows(m, (enum tui_tab)tab);

		(void)snprintf(text, sizeof(text), " %u %s (%" PRIu64 ") ", tab + 1, names[tab], n);
		x += canvas_str(c, y, x, tab == v->tab ? STYLE_MARKED : STYLE_DIM, text) + 1;
	}
	if (v->tab != TAB_EVENTS) {
		(void)snprintf(text, sizeof(text), " by %s ", sorts[v->sort]);
		x += canvas_str(c, y, x, STYLE_DIM, text);
	}
	if (v->paused)
		x += canvas_str(c, y, x, STYLE_WARNING, " PAUSED ");
	if (v->tab == TAB_EVENTS) {
		const uint64_t below = m->n_events - view_last_event(v, m);

		(void)snprintf(text, sizeof(text), below > 0 ? "%" PRIu64 " newer below " : " ", below);
	} else {
		const size_t last = v->top[v->tab] + v->page < o->n ? v->top[v->tab] + v->page : o->n;

		(void)snprintf(text, sizeof(text), "%zu-%zu of %zu ", o->n > 0 ? v->top[v->tab] + 1 : 0, last, o->n);
	}
	if (c->width > x + strlen(text))
		canvas_right(c, y, x, c->width - x, STYLE_DIM, text);
}

/* -- the table of targets -- */

static void
put_name(struct tui_canvas *c, const struct tui_view *v, const struct tui_model *m, const struct tui_row *row,
	 unsigned int y, unsigned int x)
{
	const unsigned int width = x < c->width ? c->width - x : 0;
	struct buf printable = {.data = NULL};
	struct buf name = {.data = NULL};
	char text[UNITS_SIZE];

	(void)escape_text(&printable, model_text(m, row->name), row->name.n);
	if (row->kind == IOTAP_KIND_FILE)
		tui_path(&name, buf_cstr(&printable), printable.len, width, v->home);
	else
		(void)buf_put(&name, printable.data, printable.len);
	if (row->connections > 0)
		(void)buf_printf(&name, " (%s)", units_count(text, row->connections, "connection"));
	(void)canvas_put(c, y, x, width, STYLE_PLAIN, buf_cstr(&name), name.len);
	buf_free(&printable);
	buf_free(&name);
}

struct column { const char *title; unsigned int width; enum tui_sort sort; };

static const struct column columns[] = {
	{"READ", 10, SORT_READ}, {"CALLS", 7, SORT_CALLS}, {"WRITTEN", 10, SORT_WRITE}, {"CALLS", 7, SORT_CALLS},
	{"FAILED", 6, N_SORTS}, {"IDLE", 4, SORT_RECENT},
};
#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void
draw_row(struct tui_canvas *c, const struct tui_view *v, const struct tui_model *m, const struct tui_row *row,
	 unsigned int y, bool selected)
{
	const unsigned int gap = event_shape(c->width).gap;
	char cells[N_COLUMNS][UNITS_SIZE];
	struct buf idle = {.data = NULL};
	unsigned int x = 1;

	tui_idle(&idle, m->now_ns > row->last_ns ? m->now_ns - row->last_ns : 0);
	(void)units_bytes(cells[0], row->read.bytes);
	(void)snprintf(cells[1], UNITS_SIZE, "%" PRIu64, row->read.calls);
	(void)units_bytes(cells[2], row->write.bytes);
	(void)snprintf(cells[3], UNITS_SIZE, "%" PRIu64, row->write.calls);
	(void)snprintf(cells[4], UNITS_SIZE, "%" PRIu64, row->errors);
	(void)snprintf(cells[5], UNITS_SIZE, "%s", buf_cstr(&idle));
	buf_free(&idle);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		canvas_right(c, y, x, columns[i].width, i == 4 && row->errors > 0 ? STYLE_BAD : STYLE_PLAIN, cells[i]);
		x += columns[i].width + gap;
	}
	put_name(c, v, m, row, y, x);
	if (selected) {
		(void)canvas_str(c, y, 0, STYLE_MARKED, ">");
		canvas_paint(c, y, 0, c->width, STYLE_MARKED);
	}
}

static void
draw_table(struct tui_canvas *c, const struct tui_view *v, const struct tui_model *m, const struct tui_order *o,
	   unsigned int y)
{
	const unsigned int gap = event_shape(c->width).gap;
	const size_t top = v->top[v->tab];
	unsigned int x = 1;

	for (size_t i = 0; i < N_COLUMNS; i++) {
		const bool sorted = columns[i].sort == v->sort ||
				    (v->sort == SORT_BYTES && (i == 0 || i == 2));

		canvas_right(c, y, x, columns[i].width, sorted ? STYLE_SORTED : STYLE_DIM, columns[i].title);
		x += columns[i].width + gap;
	}
	(void)canvas_str(c, y, x, STYLE_DIM, "TARGET");
	for (unsigned int i = 0; i < v->page && top + i < o->n; i++) {
		const uint32_t row = o->places[top + i].row;

		draw_row(c, v, m, &m->rows[row], y + 1 + i, row == v->selected[v->tab]);
	}
	if (o->n == 0)
		(void)canvas_str(c, y + 1, 1, STYLE_DIM, "nothing yet");
}

/* -- events -- */

static void
draw_events(struct tui_canvas *c, const struct tui_view *v, const struct tui_model *m, unsigned int y)
{
	const struct event_shape shape = event_shape(c->width);
	const uint64_t last = view_last_event(v, m);
	const uint64_t kept_from = m->n_events - model_n_events(m);
	const uint64_t first = last > v->page && last - v->page > kept_from ? last - v->page : kept_from;

	event_heading(c, y, &shape);
	for (uint64_t n = first; n < last; n++)
		event_draw(c, y + 1 + (unsigned int)(n - first), &shape, m, model_event_at(m, (size_t)(n - kept_from)));
	if (m->n_events == 0)
		(void)canvas_str(c, y + 1, 1, STYLE_DIM, "nothing yet");
}

static void
draw_footer(struct tui_canvas *c, const struct tui_view *v)
{
	static const char hints[] = "Tab view  s sort  Enter details  y copy  p pause  r reset  q quit ";
	const unsigned int y = c->height - 1;
	const unsigned int left = canvas_str(c, y, 1, STYLE_BOLD, v->status) + 2;

	if (c->width >= left + sizeof(hints) - 1)
		canvas_right(c, y, left, c->width - left, STYLE_DIM, hints);
}

void
tui_draw(struct tui_canvas *c, struct tui_view *v, const struct tui_model *m, const struct tui_order *order)
{
	const bool roomy = c->height >= 12;	/* else the body alone */
	unsigned int y = 0;
	unsigned int body, details = 0;

	if (c->height == 0 || c->width == 0)
		return;
	if (roomy) {
		draw_title(c, m);
		draw_rates(c, m, 1);
		y = 4 + draw_banner(c, v, m, 4);
	}
	if (v->tab != TAB_EVENTS)	/* it may have become part of a server's */
		v->selected[v->tab] = model_shown(m, v->selected[v->tab]);
	body = c->height > y + 2 ? c->height - y - 2 : 0;	/* below the tabs, above the footer */
	if (v->details && v->tab != TAB_EVENTS && v->selected[v->tab] < m->n_rows && body > ROWS_BESIDE_DETAILS)
		details = details_height(c, v, m, body - ROWS_BESIDE_DETAILS);
	v->page = body > details + 1 ? body - details - 1 : 1;
	view_settle(v, m, order);
	draw_tabs(c, v, m, order, y);
	if (v->tab == TAB_EVENTS)
		draw_events(c, v, m, y + 1);
	else
		draw_table(c, v, m, order, y + 1);
	if (details > 0 && v->details)
		details_draw(c, v, m, c->height - 1 - details, details);
	draw_footer(c, v);
}
