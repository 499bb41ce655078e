/* tui_view.h - what of the model is on the screen, and what keys do to it
 *
 * Nothing is selected at first. The selection is a target, not a place: it stays with its row when rows
 * change places, and goes when the row does. The events follow the newest until somebody scrolls back.
 */
#ifndef REPORT_TUI_VIEW_H
#define REPORT_TUI_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/tui_model.h"
#include "report/tui_order.h"

enum tui_key {
	TUI_KEY_NONE = 0,		/* from 0x20 on: the character itself */
	TUI_KEY_UP = 1, TUI_KEY_DOWN, TUI_KEY_PAGE_UP, TUI_KEY_PAGE_DOWN, TUI_KEY_HOME, TUI_KEY_END,
	TUI_KEY_ENTER, TUI_KEY_ESCAPE, TUI_KEY_TAB, TUI_KEY_BACK_TAB, TUI_KEY_INTERRUPT, TUI_KEY_RESIZE
};

/* What is to be done that the view cannot do by itself. */
enum tui_action { ACTION_NONE, ACTION_QUIT, ACTION_PAUSE, ACTION_RESET, ACTION_COPY };

#define NOTHING_SELECTED UINT32_MAX

struct tui_view {
	enum tui_tab tab;
	enum tui_sort sort;
	bool paused, details, quiet;	/* quiet: no Events tab */
	uint32_t selected[2];		/* row, of Files and Network */
	size_t top[2];			/* place of the first row shown */
	uint64_t last_event;		/* number of events up to the last one shown; 0 = follow */
	unsigned int page;			/* rows of the body that fit, as last drawn */
	const char *ended;		/* why there is nothing to come; NULL = it goes on */
	const char *home;		/* shown as ~ in paths; NULL = none */
	char status[160];
};

void view_init(struct tui_view *, bool quiet);

/* The view after a key. shown is what is on the screen: a copy while paused; order is that of the tab. */
enum tui_action view_key(struct tui_view *, const struct tui_model *shown, const struct tui_order *order, int key);

/* After the order changed: the selection and the first row are ones that exist, the selection in sight. */
void view_settle(struct tui_view *, const struct tui_model *shown, const struct tui_order *order);

/* The number of events up to the last one that is shown. */
uint64_t view_last_event(const struct tui_view *, const struct tui_model *shown);

#endif
