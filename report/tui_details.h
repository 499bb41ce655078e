/* tui_details.h - lines of single calls, and all that is known of one target */
#ifndef REPORT_TUI_DETAILS_H
#define REPORT_TUI_DETAILS_H

#include "report/tui_canvas.h"
#include "report/tui_model.h"
#include "report/tui_view.h"

/* Which columns a line of a call has; fd and requested only on wide screens. */
struct event_shape { unsigned int gap; bool fd, requested; };

struct event_shape event_shape(unsigned int width);
void event_heading(struct tui_canvas *, unsigned int y, const struct event_shape *);
void event_draw(struct tui_canvas *, unsigned int y, const struct event_shape *, const struct tui_model *,
		const struct tui_event *);

/* Rows that the details of the selected row take, at most so many. */
unsigned int details_height(const struct tui_canvas *, const struct tui_view *, const struct tui_model *,
			    unsigned int most);

/* Draws them into height rows from y on. */
void details_draw(struct tui_canvas *, const struct tui_view *, const struct tui_model *, unsigned int y,
		  unsigned int height);

#endif
