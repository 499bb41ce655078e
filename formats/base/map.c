/* map.c - a hash map from 64-bit keys to 64-bit values (numbers, indices, pointers)
 *
 * An entry stands in the first free slot at or after its home, hash & mask, going round. A lookup
 * walks from home to the first free slot. Removing entry i leaves a hole; walking on, any entry
 * whose home is not cyclically in (hole, its place] is moved into the hole, which thereby moves on,
 * until a free slot ends the run. Key 0 marks a free slot, so the entry of key 0 is kept beside the
 * table.
 */
#include "formats/base/map.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/hash.h"

#define MAP_FIRST_SLOTS 16

void
map_init(struct map *m, uint64_t seed, size_t limit)
{
	*m = (struct map){.seed = seed, .limit = limit};
}

void
map_fini(struct map *m)
{
	if (!m)
		return;
	free(m->slots);
	map_init(m, m->seed, m->limit);
}

void
map_clear(struct map *m)
{
	if (m->n_slots > 0)
		memset(m->slots, 0, m->n_slots * sizeof(*m->slots));
	m->n = 0;
	m->has_zero = false;
}

static size_t
map_home(const struct map *m, uint64_t key)
{
	return (size_t)hash_u64(key, m->seed) & (m->n_slots - 1);
}

/* The slot of key, or the free slot where it would go. There is always a free one. */
static struct map_slot *
map_slot(const struct map *m, uint64_t key)
{
	size_t i = map_home(m, key);

	while (m->slots[i].key != key && m->slots[i].key != 0)
		i = (i + 1) & (m->n_slots - 1);
	return &m->slots[i];
}

uint64_t *
map_find(const struct map *m, uint64_t key)
{
	struct map_slot *slot;

	if (key == 0)
		return m->has_zero ? (uint64_t *)&m->zero_value : NULL;
	if (m->n_slots == 0)
		return NULL;
	slot = map_slot(m, key);
	return slot->key == key ? &slot->value : NULL;
}

static bool
map_grow(struct map *m)
{
	const struct map old = *m;
	const size_t n_slots = old.n_slots > 0 ? old.n_slots * 2 : MAP_FIRST_SLOTS;

	if (n_slots < old.n_slots)
		return false;
	m->slots = calloc(n_slots, sizeof(*m->slots));
	if (!m->slots) {
		m->slots = old.slots;
		return false;
	}
	m->n_slots = n_slots;
	for (size_t i = 0; i < old.n_slots; i++) {
		if (old.slots[i].key != 0)
			*map_slot(m, old.slots[i].key) = old.slots[i];
	}
	free(old.slots);
	return true;
}

/* For a key that is not there; slot is the free one where it goes, NULL for key 0. */
static bool
map_add(struct map *m, struct map_slot *slot, uint64_t key, uint64_t value)
{
	if (m->limit > 0 && m->n >= m->limit)
		return false;
	if (key == 0) {
		m->has_zero = true;
		m->zero_value = value;
	} else {
		if (m->n >= m->n_slots / 4 * 3) {
			if (!map_grow(m))
				return false;
			slot = map_slot(m, key);
		}
		*slot = (struct map_slot){.key = key, .value = value};
	}
	m->n++;
	return true;
}

bool
map_put(struct map *m, uint64_t key, uint64_t value)
{
	struct map_slot *const slot = key != 0 && m->n_slots > 0 ? map_slot(m, key) : NULL;

	if (slot && slot->key == key) {
		slot->value = value;
		return true;
	}
	if (key == 0 && m->has_zero) {
		m->zero_value = value;
		return true;
	}
	return map_add(m, slot, key, value);
}

/* Fills the hole at slot i from the entries after it. */
static void
map_close_hole(struct map *m, size_t hole)
{
	const size_t mask = m->n_slots - 1;

	for (size_t i = (hole + 1) & mask; m->slots[i].key != 0; i = (i + 1) & mask) {
		const size_t home = map_home(m, m->slots[i].key);

		/* How far each is from home: an entry may go back at most that far. */
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole].key = 0;
}

bool
map_remove(struct map *m, uint64_t key)
{
	if (!map_find(m, key))
		return false;
	if (key == 0)
		m->has_zero = false;
	else
		map_close_hole(m, (size_t)(map_slot(m, key) - m->slots));
	m->n--;
	return true;
}

/* *at counts the entry of key 0 as place 0 and slot i as place i + 1. */
bool
map_next(const struct map *m, size_t *at, uint64_t *key, uint64_t **value)
{
	if (*at == 0) {
		(*at)++;
		if (m->has_zero) {
			*key = 0;
			*value = (uint64_t *)&m->zero_value;
			return true;
		}
	}
	while (*at - 1 < m->n_slots) {
		struct map_slot *const slot = &m->slots[(*at)++ - 1];

		if (slot->key != 0) {
			*key = slot->key;
			*value = &slot->value;
			return true;
		}
	}
	return false;
}
