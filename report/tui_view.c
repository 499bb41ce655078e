/* tui_view.c - what of the model is on the screen, and what keys do to it */
#include "report/tui_view.h"

#include <stdio.h>

void
view_init(struct tui_view *v, bool quiet)
{
	*v = (struct tui_view){.quiet = quiet, .page = 1};
	v->selected[TAB_FILES] = v->selected[TAB_NETWORK] = NOTHING_SELECTED;
}

static bool
is_table(const struct tui_view *v)
{
	return v->tab != TAB_EVENTS;
}

static void
go_to_tab(struct tui_view *v, enum tui_tab tab)
{
	if (tab == TAB_EVENTS && v->quiet)
		return;
	v->tab = tab;
	if (tab == TAB_EVENTS)
		v->details = false;
}

static void
next_tab(struct tui_view *v, int step)
{
	const int n = v->quiet ? TAB_EVENTS : N_TABS;

	go_to_tab(v, (enum tui_tab)(((int)v->tab + step + n) % n));
}

/* -- tables -- */

static void
select_place(struct tui_view *v, const struct tui_order *o, size_t place)
{
	if (o->n == 0)
		return;
	place = place < o->n ? place : o->n - 1;
	v->selected[v->tab] = o->places[place].row;
	if (place < v->top[v->tab])
		v->top[v->tab] = place;
	if (place >= v->top[v->tab] + v->page)
		v->top[v->tab] = place + 1 - v->page;
}

static size_t
minus(size_t a, size_t b)
{
	return a > b ? a - b : 0;
}

static void
move(struct tui_view *v, const struct tui_order *o, int key)
{
	const uint32_t selected = v->selected[v->tab];
	const size_t at = selected == NOTHING_SELECTED ? SIZE_MAX : order_find(o, selected);

	if (key == TUI_KEY_END)
		select_place(v, o, minus(o->n, 1));
	else if (at == SIZE_MAX || key == TUI_KEY_HOME)
		select_place(v, o, 0);
	else if (key == TUI_KEY_UP)
		select_place(v, o, minus(at, 1));
	else if (key == TUI_KEY_DOWN)
		select_place(v, o, at + 1);
	else if (key == TUI_KEY_PAGE_UP)
		select_place(v, o, minus(at, v->page));
	else
		select_place(v, o, at + v->page);
}

void
view_settle(struct tui_view *v, const struct tui_model *shown, const struct tui_order *o)
{
	const size_t page = v->page > 0 ? v->page : 1;
	size_t at;

	if (!is_table(v)) {
		if (v->last_event >= shown->n_events)
			v->last_event = 0;
		return;
	}
	at = v->selected[v->tab] == NOTHING_SELECTED ? SIZE_MAX : order_find(o, v->selected[v->tab]);
	if (at == SIZE_MAX) {
		v->selected[v->tab] = NOTHING_SELECTED;
		v->details = false;
	} else if (at < v->top[v->tab]) {
		v->top[v->tab] = at;
	} else if (at >= v->top[v->tab] + page) {
		v->top[v->tab] = at + 1 - page;
	}
	if (v->top[v->tab] + page > o->n)
		v->top[v->tab] = minus(o->n, page);
}

/* -- events -- */

uint64_t
view_last_event(const struct tui_view *v, const struct tui_model *shown)
{
	const uint64_t kept_from = shown->n_events - model_n_events(shown);
	/* A full page at the least, of what is kept. */
	const uint64_t least = kept_from + v->page < shown->n_events ? kept_from + v->page : shown->n_events;

	if (v->last_event == 0)
		return shown->n_events;
	return v->last_event > least ? v->last_event : least;
}

static void
scroll(struct tui_view *v, const struct tui_model *shown, int key)
{
	const uint64_t last = view_last_event(v, shown);
	const uint64_t step = key == TUI_KEY_PAGE_UP || key == TUI_KEY_PAGE_DOWN ? v->page : 1;

	if (key == TUI_KEY_END)
		v->last_event = 0;
	else if (key == TUI_KEY_HOME)
		v->last_event = 1;
	else if (key == TUI_KEY_UP || key == TUI_KEY_PAGE_UP)
		v->last_event = last > step ? last - step : 1;
	else
		v->last_event = last + step < shown->n_events ? last + step : 0;
	if (v->last_event != 0)
		v->last_event = view_last_event(v, shown);
	if (v->last_event >= shown->n_events)
		v->last_event = 0;
}

/* -- keys -- */

static enum tui_action
escape(struct tui_view *v)
{
	if (v->details)
		v->details = false;
	else if (is_table(v) && v->selected[v->tab] != NOTHING_SELECTED)
		v->selected[v->tab] = NOTHING_SELECTED;
	else
		return ACTION_QUIT;
	return ACTION_NONE;
}

static void
enter(struct tui_view *v, const struct tui_order *o)
{
	if (!is_table(v) || o->n == 0)
		return;
	if (v->selected[v->tab] == NOTHING_SELECTED)
		select_place(v, o, 0);
	v->details = !v->details;
}

static enum tui_action
letter(struct tui_view *v, int key)
{
	switch (key) {
	case 'q':
		return ACTION_QUIT;
	case 'p':
	case ' ':
		v->paused = !v->paused;
		return ACTION_PAUSE;
	case 'r':
		v->selected[TAB_FILES] = v->selected[TAB_NETWORK] = NOTHING_SELECTED;
		v->top[TAB_FILES] = v->top[TAB_NETWORK] = 0;
		v->last_event = 0;
		v->details = false;
		return ACTION_RESET;
	case 's':
		v->sort = (enum tui_sort)((v->sort + 1) % N_SORTS);
		return ACTION_NONE;
	case 'y':
		return is_table(v) && v->selected[v->tab] != NOTHING_SELECTED ? ACTION_COPY : ACTION_NONE;
	case '1':
	case '2':
	case '3':
		go_to_tab(v, (enum tui_tab)(key - '1'));
		return ACTION_NONE;
	default:
		return ACTION_NONE;
	}
}

enum tui_action
view_key(struct tui_view *v, const struct tui_model *shown, const struct tui_order *order, int key)
{
	if (key == 'k' || key == 'j')
		key = key == 'k' ? TUI_KEY_UP : TUI_KEY_DOWN;
	if (key != TUI_KEY_NONE && key != TUI_KEY_RESIZE)
		v->status[0] = '\0';
	switch (key) {
	case TUI_KEY_UP:
	case TUI_KEY_DOWN:
	case TUI_KEY_PAGE_UP:
	case TUI_KEY_PAGE_DOWN:
	case TUI_KEY_HOME:
	case TUI_KEY_END:
		if (is_table(v))
			move(v, order, key);
		else
			scroll(v, shown, key);
		return ACTION_NONE;
	case TUI_KEY_ENTER:
		enter(v, order);
		return ACTION_NONE;
	case TUI_KEY_ESCAPE:
		return escape(v);
	case TUI_KEY_TAB:
	case TUI_KEY_BACK_TAB:
		next_tab(v, key == TUI_KEY_TAB ? 1 : -1);
		return ACTION_NONE;
	case TUI_KEY_INTERRUPT:
		return ACTION_QUIT;
	default:
		return letter(v, key);
	}
}
