/* definitions.c - a bounded table of target definitions, as the bytes they were written with
 *
 * Entries stand in one array that grows; a list in order of use runs through it by index, and a
 * table leads from id to index. Entry 0 is the ends of the list.
 */
#include "formats/definitions.h"

#include <stdlib.h>

#include "formats/ids.h"

struct definitions {
	struct ids by_id;
	struct definition *entries;	/* [0]: newer = oldest entry, older = newest one */
	uint32_t n, cap, max;		/* entries, [0] included */
	uint32_t free;			/* first of the unused ones, linked by older; 0 = none */
	uint64_t bytes, max_bytes, n_evicted;
	void (*evicted)(void *arg, const struct definition *);
	void *evicted_arg;
};

struct definitions *
definitions_new(uint32_t max, uint32_t max_bytes,
		void (*evicted)(void *arg, const struct definition *), void *arg)
{
	struct definitions *const d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	ids_init(&d->by_id);
	d->max = max + 1;
	d->max_bytes = max_bytes;
	d->evicted = evicted;
	d->evicted_arg = arg;
	d->cap = 64;
	d->entries = calloc(d->cap, sizeof(*d->entries));
	d->n = 1;
	if (!d->entries) {
		free(d);
		return NULL;
	}
	return d;
}

void
definitions_clear(struct definitions *d)
{
	for (uint32_t i = 1; i < d->n; i++)
		free(d->entries[i].raw);
	ids_fini(&d->by_id);
	ids_init(&d->by_id);
	d->entries[0] = (struct definition){.id = 0};
	d->n = 1;
	d->free = 0;
	d->bytes = 0;
}

void
definitions_free(struct definitions *d)
{
	if (!d)
		return;
	definitions_clear(d);
	free(d->entries);
	free(d);
}

static void
list_remove(struct definitions *d, uint32_t i)
{
	const struct definition *const e = &d->entries[i];

	d->entries[e->newer].older = e->older;
	d->entries[e->older].newer = e->newer;
}

static void
list_add_newest(struct definitions *d, uint32_t i)
{
	struct definition *const e = &d->entries[i];

	e->newer = 0;
	e->older = d->entries[0].older;
	d->entries[e->older].newer = i;
	d->entries[0].older = i;
}

static void
definition_drop(struct definitions *d, uint32_t i)
{
	struct definition *const e = &d->entries[i];

	list_remove(d, i);
	ids_remove(&d->by_id, e->id);
	d->bytes -= e->n_raw;
	free(e->raw);
	*e = (struct definition){.older = d->free};
	d->free = i;
}

static void
definition_evict_oldest(struct definitions *d)
{
	const uint32_t oldest = d->entries[0].newer;

	if (d->evicted)
		d->evicted(d->evicted_arg, &d->entries[oldest]);
	definition_drop(d, oldest);
	d->n_evicted++;
}

/* An unused entry; 0 = out of memory. */
static uint32_t
definition_room(struct definitions *d)
{
	const uint32_t i = d->free;

	if (i) {
		d->free = d->entries[i].older;
		return i;
	}
	if (d->n == d->cap) {
		struct definition *const more = realloc(d->entries, 2 * (size_t)d->cap * sizeof(*more));

		if (!more)
			return 0;
		d->entries = more;
		d->cap *= 2;
	}
	return d->n++;
}

struct definition *
definitions_peek(struct definitions *d, uint64_t id)
{
	const uint32_t at = ids_find(&d->by_id, id);

	return at == 0 ? NULL : &d->entries[at];
}

struct definition *
definitions_use(struct definitions *d, uint64_t id)
{
	const uint32_t at = ids_find(&d->by_id, id);

	if (at == 0)
		return NULL;
	list_remove(d, at);
	list_add_newest(d, at);
	return &d->entries[at];
}

bool
definitions_stands(struct definitions *d, uint64_t id, uint32_t mark, const struct bytes *raw)
{
	const struct definition *const e = definitions_peek(d, id);

	return e && e->mark == mark && e->n_raw == raw->n && memcmp(e->raw, raw->p, raw->n) == 0;
}

struct definition *
definitions_put(struct definitions *d, const struct rec_target *target, const void *raw, uint32_t n)
{
	uint8_t *const copy = malloc(n > 0 ? n : 1);
	const uint32_t at = ids_find(&d->by_id, target->id);
	uint32_t i;

	if (!copy)
		return NULL;
	memcpy(copy, raw, n);
	if (at != 0)
		definition_drop(d, at);
	while (d->entries[0].newer && (d->by_id.n + 1 >= d->max || d->bytes + n > d->max_bytes))
		definition_evict_oldest(d);
	i = definition_room(d);
	if (!i || !ids_put(&d->by_id, target->id, i)) {
		if (i) {
			d->entries[i] = (struct definition){.older = d->free};
			d->free = i;
		}
		free(copy);
		return NULL;
	}
	d->entries[i] = (struct definition){.id = target->id, .ino = target->ino,
					    .dev = (uint32_t)target->dev, .mode = (uint32_t)target->mode,
					    .kind = (uint32_t)target->kind, .n_raw = n, .raw = copy};
	d->bytes += n;
	list_add_newest(d, i);
	return &d->entries[i];
}

uint64_t
definitions_evicted(const struct definitions *d)
{
	return d->n_evicted;
}
