/* tui_draw.h - draws a model, as a view sees it, onto a canvas */
#ifndef REPORT_TUI_DRAW_H
#define REPORT_TUI_DRAW_H

#include "report/tui_canvas.h"
#include "report/tui_model.h"
#include "report/tui_order.h"
#include "report/tui_view.h"

/* Draws onto c, whose size stays. The view gets to know how many rows its table has room for, and is
 * settled. order is that of the view's tab; not used for events. */
void tui_draw(struct tui_canvas *c, struct tui_view *v, const struct tui_model *m, const struct tui_order *order);

/* "850µs", "12.3ms", "1.24s", "123.4s", "10800s": at most 8 columns. */
void tui_latency(struct buf *out, uint64_t ns);

/* "<1s", "12s", "5m", "3h", "2d" */
void tui_idle(struct buf *out, uint64_t ns);

/* What the key y copies of a row: a path, a unix path, an address; nothing else. */
void tui_copied(struct buf *out, const struct tui_model *m, const struct tui_row *row);

#endif
