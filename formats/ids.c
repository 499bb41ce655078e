/* ids.c - from ids that are given one after the other to small numbers
 *
 * A page holds the numbers of 64 neighbours and is there while it holds any. The few pages that were
 * looked up last are found without the map.
 */
#include "formats/ids.h"

#include <stdlib.h>

#include "formats/base/hash.h"

enum { PAGE_BITS = 6, PAGE_IDS = 1 << PAGE_BITS };

struct ids_page {
	uint64_t first;			/* id >> PAGE_BITS */
	uint32_t used;
	uint32_t number[PAGE_IDS];	/* 0 = none */
};

void
ids_init(struct ids *t)
{
	*t = (struct ids){0};
	map_init(&t->pages, hash_seed(), 0);
}

void
ids_fini(struct ids *t)
{
	uint64_t first, *page;
	size_t at = 0;

	while (map_next(&t->pages, &at, &first, &page))
		free((void *)(uintptr_t)*page);
	map_fini(&t->pages);
	*t = (struct ids){0};
}

static struct ids_page **
hot_of(struct ids *t, uint64_t id)
{
	return &t->hot[(id >> PAGE_BITS) % IDS_HOT];
}

/* The page of an id; NULL = none. */
static struct ids_page *
page_of(struct ids *t, uint64_t id)
{
	struct ids_page **const hot = hot_of(t, id), *found;

	if (*hot && (*hot)->first == id >> PAGE_BITS)
		return *hot;
	found = map_find_ptr(&t->pages, id >> PAGE_BITS);
	if (found)
		*hot = found;
	return found;
}

static struct ids_page *
page_new(struct ids *t, uint64_t id)
{
	struct ids_page *const page = calloc(1, sizeof(*page));

	if (!page)
		return NULL;
	page->first = id >> PAGE_BITS;
	if (!map_put_ptr(&t->pages, page->first, page)) {
		free(page);
		return NULL;
	}
	return *hot_of(t, id) = page;
}

uint32_t
ids_find(struct ids *t, uint64_t id)
{
	const struct ids_page *const page = page_of(t, id);

	return page ? page->number[id % PAGE_IDS] : 0;
}

bool
ids_put(struct ids *t, uint64_t id, uint32_t number)
{
	struct ids_page *page = page_of(t, id);
	uint32_t *place;

	if (!page)
		page = page_new(t, id);
	if (!page)
		return false;
	place = &page->number[id % PAGE_IDS];
	if (*place == 0) {
		page->used++;
		t->n++;
	}
	*place = number;
	return true;
}

void
ids_remove(struct ids *t, uint64_t id)
{
	struct ids_page *const page = page_of(t, id);

	if (!page || page->number[id % PAGE_IDS] == 0)
		return;
	page->number[id % PAGE_IDS] = 0;
	t->n--;
	if (--page->used > 0)
		return;
	*hot_of(t, id) = NULL;
	(void)map_remove(&t->pages, page->first);
	free(page);
}
