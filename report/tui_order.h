/* tui_order.h - which rows a table of the terminal UI shows, and in what order */
#ifndef REPORT_TUI_ORDER_H
#define REPORT_TUI_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/tui_model.h"

enum tui_tab { TAB_FILES, TAB_NETWORK, TAB_EVENTS, N_TABS };

enum tui_sort {
#define SORT(name, title) SORT_##name,
#include "report/tui_sorts.def"
#undef SORT
	N_SORTS
};

struct tui_place { uint64_t key, calls; uint32_t row; };

struct tui_order {
	struct tui_place *places;
	size_t n, cap;
};

/* All rows of the tab that moved data, the greatest first. Files are with what is neither file nor
 * socket. False: out of memory, and the order is empty. */
bool order_rows(struct tui_order *, const struct tui_model *, enum tui_tab tab, enum tui_sort sort);

/* Where row is, or SIZE_MAX. */
size_t order_find(const struct tui_order *, uint32_t row);

void order_free(struct tui_order *);

#endif
