/* tui_details.c - lines of single calls, and all that is known of one target */
#include "report/tui_details.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "formats/base/escape.h"
#include "formats/base/units.h"
#include "report/tui_draw.h"

#define NS_PER_S UINT64_C(1000000000)
#define NARROW 99u
#define WIDE 119u
#define FACTS 4u		/* lines of facts below the name */
#define LATEST 5u		/* calls shown */

/* -- calls -- */

struct event_shape
event_shape(unsigned int width)
{
	return (struct event_shape){.gap = width < NARROW ? 1 : 2, .fd = width >= NARROW, .requested = width >= WIDE};
}

static void
put_clock(struct buf *out, uint64_t unix_ns)
{
	const time_t seconds = (time_t)(unix_ns / NS_PER_S);
	char text[16] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%H:%M:%S", &tm) > 0)
		(void)buf_printf(out, "%s.%03" PRIu64, text, unix_ns % NS_PER_S / 1000000);
	else
		(void)buf_puts(out, "??:??:??.???");
}

/* What a call gave. */
static void
put_result(struct buf *out, const struct tui_event *e)
{
	char text[UNITS_SIZE];

	if (e->err != 0)
		(void)buf_puts(out, iotap_errno_name(e->err, text, sizeof(text)));
	else if (e->bytes != IOTAP_UNKNOWN)
		(void)buf_printf(out, "%" PRIu64, e->bytes);
	else if (e->messages != IOTAP_UNKNOWN)
		(void)buf_puts(out, units_count(text, e->messages, "msg"));
	else
		(void)buf_puts(out, "?");
}

struct cell { const char *title; unsigned int width; bool shown, left; };

enum { CELL_TIME, CELL_PID, CELL_OP, CELL_FD, CELL_REQUESTED, CELL_RESULT, CELL_LATENCY, N_CELLS };

static void
make_cells(struct cell cells[N_CELLS], const struct event_shape *shape)
{
	const bool narrow = shape->gap == 1;

	cells[CELL_TIME] = (struct cell){"TIME", 12, true, true};
	cells[CELL_PID] = (struct cell){"PID", 7, true, false};
	cells[CELL_OP] = (struct cell){"OP", narrow ? 9 : 13, true, true};
	cells[CELL_FD] = (struct cell){"FD", 4, shape->fd, false};
	cells[CELL_REQUESTED] = (struct cell){"REQUESTED", 10, shape->requested, false};
	cells[CELL_RESULT] = (struct cell){"RESULT", narrow ? 10 : 11, true, false};
	cells[CELL_LATENCY] = (struct cell){"LATENCY", 8, true, false};
}

static unsigned int
put_cells(struct tui_canvas *c, unsigned int y, const struct event_shape *shape, const char *const texts[N_CELLS],
	  enum tui_style style, bool failed)
{
	struct cell cells[N_CELLS];
	unsigned int x = 1;

	make_cells(cells, shape);
	for (size_t i = 0; i < N_CELLS; i++) {
		const char *const text = texts ? texts[i] : cells[i].title;
		const enum tui_style own = failed && i == CELL_RESULT ? STYLE_BAD : style;

		if (!cells[i].shown)
			continue;
		if (cells[i].left)
			(void)canvas_put(c, y, x, cells[i].width, own, text, strlen(text));
		else
			canvas_right(c, y, x, cells[i].width, own, text);
		x += cells[i].width + shape->gap;
	}
	return x;
}

void
event_heading(struct tui_canvas *c, unsigned int y, const struct event_shape *shape)
{
	const unsigned int x = put_cells(c, y, shape, NULL, STYLE_DIM, false);

	(void)canvas_str(c, y, x, STYLE_DIM, "TARGET");
}

void
event_draw(struct tui_canvas *c, unsigned int y, const struct event_shape *shape, const struct tui_model *m,
	   const struct tui_event *e)
{
	const char *const op = iotap_call_op(e->call);
	char pid[16], fd[16] = "-", requested[32] = "-";
	struct buf clock = {.data = NULL}, result = {.data = NULL}, latency = {.data = NULL};
	unsigned int x;

	put_clock(&clock, e->time_ns);
	put_result(&result, e);
	if (e->duration_ns == IOTAP_UNKNOWN)
		(void)buf_puts(&latency, "-");
	else
		tui_latency(&latency, e->duration_ns);
	(void)snprintf(pid, sizeof(pid), "%" PRIu32, e->pid);
	if (e->fd >= 0)
		(void)snprintf(fd, sizeof(fd), "%" PRId32, e->fd);
	if (e->requested != IOTAP_UNKNOWN)
		(void)snprintf(requested, sizeof(requested), "%" PRIu64, e->requested);

	const char *const texts[N_CELLS] = {
		[CELL_TIME] = buf_cstr(&clock), [CELL_PID] = pid, [CELL_OP] = op ? op : "?", [CELL_FD] = fd,
		[CELL_REQUESTED] = requested, [CELL_RESULT] = buf_cstr(&result), [CELL_LATENCY] = buf_cstr(&latency),
	};

	x = put_cells(c, y, shape, texts, STYLE_PLAIN, e->err != 0);
	(void)canvas_put(c, y, x, c->width, STYLE_PLAIN, model_text(m, e->target), e->target.n);
	buf_free(&clock);
	buf_free(&result);
	buf_free(&latency);
}

/* -- details -- */

static const struct tui_row *
selected_row(const struct tui_view *v, const struct tui_model *m)
{
	return &m->rows[v->selected[v->tab]];
}

/* Lines that the name takes, wrapped at the width. */
static unsigned int
name_lines(const struct tui_canvas *c, const struct tui_model *m, const struct tui_row *row)
{
	const unsigned int width = c->width > 2 ? c->width - 2 : 1;
	const unsigned int columns = canvas_columns(model_text(m, row->name), row->name.n);

	return columns == 0 ? 1 : (columns + width - 1) / width;
}

static unsigned int
latest(const struct tui_view *v, const struct tui_model *m, uint64_t found[LATEST])
{
	unsigned int n = 0;

	for (size_t i = model_n_events(m); i-- > 0 && n < LATEST;)
		if (model_shown(m, model_event_at(m, i)->row) == v->selected[v->tab])
			found[n++] = i;
	return n;
}

unsigned int
details_height(const struct tui_canvas *c, const struct tui_view *v, const struct tui_model *m, unsigned int most)
{
	uint64_t found[LATEST];
	const unsigned int n = 1 + name_lines(c, m, selected_row(v, m)) + FACTS + latest(v, m, found);

	return n < most ? n : most;
}

static void
put_facts(struct buf lines[FACTS], const struct tui_model *m, const struct tui_row *row)
{
	char read[UNITS_SIZE], written[UNITS_SIZE];

	(void)buf_printf(&lines[0], "read %s in %" PRIu64 ", written %s in %" PRIu64 ", failed %" PRIu64
			 ", other calls %" PRIu64, units_bytes(read, row->read.bytes), row->read.calls,
			 units_bytes(written, row->write.bytes), row->write.calls, row->errors, row->ops);
	if (row->latency_ns > 0 && row->n_latencies > 0) {
		(void)buf_puts(&lines[1], "a call took ");
		tui_latency(&lines[1], row->latency_ns / row->n_latencies);
		(void)buf_puts(&lines[1], " on average, ");
		tui_latency(&lines[1], row->latency_max_ns);
		(void)buf_puts(&lines[1], " at most");
	} else {
		(void)buf_puts(&lines[1], "latency not recorded");
	}
	(void)buf_puts(&lines[2], "first used ");
	put_clock(&lines[2], row->first_ns);
	(void)buf_puts(&lines[2], ", last used ");
	put_clock(&lines[2], row->last_ns);
	(void)buf_puts(&lines[3], "by ");
	for (uint32_t i = 0; i < row->n_pids && i < TUI_ROW_PIDS; i++) {
		(void)buf_printf(&lines[3], "%s%" PRIu32, i > 0 ? ", " : "", row->pids[i]);
		for (size_t p = m->n_processes; p-- > 0;) {
			if (m->processes[p].pid == row->pids[i]) {
				(void)buf_putc(&lines[3], ' ');
				(void)escape_text(&lines[3], model_text(m, m->processes[p].name),
						  m->processes[p].name.n);
				break;
			}
		}
	}
	if (row->n_pids > TUI_ROW_PIDS)
		(void)buf_puts(&lines[3], " and more");
}

void
details_draw(struct tui_canvas *c, const struct tui_view *v, const struct tui_model *m, unsigned int y,
	     unsigned int height)
{
	const struct tui_row *const row = selected_row(v, m);
	const struct event_shape shape = event_shape(c->width);
	const unsigned int width = c->width > 2 ? c->width - 2 : 1;
	const unsigned int end = y + height;
	const unsigned int n_name = name_lines(c, m, row);
	struct buf name = {.data = NULL};
	struct buf facts[FACTS] = {{.data = NULL}};
	uint64_t found[LATEST];
	const unsigned int n = latest(v, m, found);

	canvas_paint(c, y++, 0, c->width, STYLE_BAR);
	(void)escape_text(&name, model_text(m, row->name), row->name.n);
	for (unsigned int i = 0, at = 0; i < n_name && y < end && at <= name.len; i++, y++) {
		/* As many whole characters as fill the columns. */
		size_t bytes = name.len - at < 4 * (size_t)width ? name.len - at : 4 * (size_t)width;

		while (bytes > 0 && (canvas_columns(buf_cstr(&name) + at, bytes) > width ||
				     (at + bytes < name.len && (name.data[at + bytes] & 0xc0) == 0x80)))
			bytes--;
		(void)canvas_put(c, y, 1, width, STYLE_BOLD, buf_cstr(&name) + at, bytes);
		at += (unsigned int)bytes;
	}
	put_facts(facts, m, row);
	for (unsigned int i = 0; i < FACTS; i++, y++) {
		if (y < end)
			(void)canvas_str(c, y, 1, STYLE_PLAIN, buf_cstr(&facts[i]));
		buf_free(&facts[i]);
	}
	for (unsigned int i = n; i-- > 0 && y < end; y++)
		event_draw(c, y, &shape, m, model_event_at(m, found[i]));
	buf_free(&name);
}
