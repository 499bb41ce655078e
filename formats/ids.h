/* ids.h - from ids that are given one after the other to small numbers
 *
 * Ids that are near each other stand beside each other, unlike in a map: who goes through them in order
 * finds the next one in the cache. Any id is legal; ids far apart cost a page of 64 places each.
 */
#ifndef FORMATS_IDS_H
#define FORMATS_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/map.h"

enum { IDS_HOT = 8 };

struct ids_page;

struct ids {
	struct map pages;		/* id / 64 to struct ids_page */
	struct ids_page *hot[IDS_HOT];	/* by the low bits of id / 64: the last one that was looked up */
	uint32_t n;			/* entries */
};

/* An empty table, which allocates nothing; ids_fini() releases what one holds. */
void ids_init(struct ids *);
void ids_fini(struct ids *);

/* The number of an id, 0 = none. */
uint32_t ids_find(struct ids *, uint64_t id);

/* Gives an id its number, which is not 0; false when memory is out. */
bool ids_put(struct ids *, uint64_t id, uint32_t number);

/* Forgets an id, which need not be there. */
void ids_remove(struct ids *, uint64_t id);

#endif
