/* map.h - a hash map from 64-bit keys to 64-bit values (numbers, indices, pointers)
 *
 * Open addressing, linear probing, a power of two of slots at most three quarters full. Deletion
 * moves the following entries back, so there are no tombstones and a map that lives long stays
 * fast. Any key and any value is legal, 0 included. The map owns its slots and knows nothing of
 * what a value points to. The order of iteration depends on the seed: it must never reach any
 * output.
 */
#ifndef FORMATS_BASE_MAP_H
#define FORMATS_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;	/* 0 = free; the entry of key 0 itself lives in struct map */
	uint64_t value;
};

struct map {
	struct map_slot *slots;
	size_t n_slots;		/* 0 or a power of two */
	size_t n;		/* entries, that of key 0 included */
	size_t limit;		/* most entries; 0 = no limit of its own */
	uint64_t seed;
	uint64_t zero_value;
	bool has_zero;
};

/* An empty map of at most limit entries (0 = no limit). seed comes from hash_seed(), or is fixed
 * in a test. Allocates nothing. */
void map_init(struct map *m, uint64_t seed, size_t limit);

/* Releases the slots and leaves an empty valid map. NULL is allowed. */
void map_fini(struct map *m);

/* Forgets every entry, keeps the memory. */
void map_clear(struct map *m);

/* The value of key, to be read or changed in place until the next put, remove or clear; NULL =
 * none. */
uint64_t *map_find(const struct map *m, uint64_t key);

/* Sets the value of key, new or not. False when the map is at its limit or memory is out: then the
 * map is as it was. */
bool map_put(struct map *m, uint64_t key, uint64_t value);

/* Removes key; false when there was none. */
bool map_remove(struct map *m, uint64_t key);

/* Walks all entries: start with *at = 0, call until it gives false. The map must not be changed
 * meanwhile, but values may be written through *value. */
bool map_next(const struct map *m, size_t *at, uint64_t *key, uint64_t **value);

static inline void *
map_find_ptr(const struct map *m, uint64_t key)
{
	const uint64_t *const v = map_find(m, key);

	return v ? (void *)(uintptr_t)*v : NULL;
}

static inline bool
map_put_ptr(struct map *m, uint64_t key, void *p)
{
	return map_put(m, key, (uint64_t)(uintptr_t)p);
}

#endif
