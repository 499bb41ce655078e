/* tui_order.c - which rows a table of the terminal UI shows, and in what order */
#include "report/tui_order.h"

#include <stdlib.h>

static int
greatest_first(const void *pa, const void *pb)
{
	const struct tui_place *const a = pa;
	const struct tui_place *const b = pb;

	if (a->key != b->key)
		return a->key < b->key ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static uint64_t
key_of(const struct tui_row *row, enum tui_sort sort)
{
	const uint64_t keys[] = {
		[SORT_BYTES] = row->read.bytes + row->write.bytes, [SORT_READ] = row->read.bytes,
		[SORT_WRITE] = row->write.bytes, [SORT_CALLS] = row->read.calls + row->write.calls,
		[SORT_RECENT] = row->last_ns,
	};

	return keys[sort];
}

bool
order_rows(struct tui_order *o, const struct tui_model *m, enum tui_tab tab, enum tui_sort sort)
{
	o->n = 0;
	if (o->cap < m->n_rows) {
		struct tui_place *const grown = realloc(o->places, m->n_rows * sizeof(*grown));

		if (!grown)
			return false;
		o->places = grown;
		o->cap = m->n_rows;
	}
	for (size_t i = 0; i < m->n_rows; i++) {
		const struct tui_row *const row = &m->rows[i];
		const uint64_t calls = row->read.calls + row->write.calls;

		if (calls > 0 && row->server == 0 && (row->klass == IOTAP_CLASS_NETWORK) == (tab == TAB_NETWORK))
			o->places[o->n++] = (struct tui_place){.key = key_of(row, sort), .calls = calls,
							       .row = (uint32_t)i};
	}
	if (o->n > 0)
		qsort(o->places, o->n, sizeof(o->places[0]), greatest_first);
	return true;
}

size_t
order_find(const struct tui_order *o, uint32_t row)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->places[i].row == row)
			return i;
	return SIZE_MAX;
}

void
order_free(struct tui_order *o)
{
	free(o->places);
	*o = (struct tui_order){.n = 0};
}
