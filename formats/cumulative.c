/* cumulative.c - the latest sums of the kernel half, to be said again where an epoch needs them */
#include "formats/cumulative.h"

#include <stdlib.h>

#include "formats/base/hash.h"
#include "formats/base/map.h"

/* Both structs have no gaps: fields are numbers of 64 bits. */
struct aggregate {
	enum rec_type type;
	bool said;			/* false: what was last taken could not be written */
	uint32_t epoch;			/* in which it was last written */
	union {
		struct rec_aggregate of;
		struct rec_aggregate_source source;
		struct rec_mapped mapped;
	};
};

struct cumulative {
	struct map by_key;		/* hash of the key -> index */
	struct aggregate *all;
	uint32_t n, cap;
};

struct cumulative *
cumulative_new(void)
{
	struct cumulative *const a = calloc(1, sizeof(*a));

	if (a)
		map_init(&a->by_key, hash_seed(), CUMULATIVE_KEPT);
	return a;
}

void
cumulative_free(struct cumulative *a)
{
	if (!a)
		return;
	map_fini(&a->by_key);
	free(a->all);
	free(a);
}

/* One key in 2^64 may be taken for another: then that one is not said again. */
static uint64_t
key_of(enum rec_type type, const void *rec)
{
	const struct rec_aggregate *const of = rec;
	const struct rec_aggregate_source *const source = rec;
	const struct rec_mapped *const mapped = rec;

	if (type == REC_mapped)
		return hash_pair(hash_pair(mapped->pid, mapped->dev, 3),
				 hash_pair(mapped->ino, mapped->generation, 3), 3);
	if (type == REC_aggregate_source)
		return hash_pair(hash_pair(source->pid, source->call, 1), source->id, 1);
	return hash_pair(hash_pair(hash_pair(of->pid, of->call, 2), of->level, 2), of->id, 2);
}

static size_t
size_of(enum rec_type type)
{
	if (type == REC_mapped)
		return sizeof(struct rec_mapped);
	return type == REC_aggregate_source ? sizeof(struct rec_aggregate_source) : sizeof(struct rec_aggregate);
}

static struct aggregate *
aggregate_new(struct cumulative *a, uint64_t key)
{
	if (a->n == CUMULATIVE_KEPT)
		return NULL;
	if (a->n == a->cap) {
		const uint32_t cap = a->cap > 0 ? 2 * a->cap : 64;
		struct aggregate *const more = realloc(a->all, cap * sizeof(*more));

		if (!more)
			return NULL;
		a->all = more;
		a->cap = cap;
	}
	return map_put(&a->by_key, key, a->n) ? &a->all[a->n++] : NULL;
}

/* Marks it as said only when it is. */
static int
aggregate_say(struct aggregate *e, uint32_t epoch, cumulative_write write, void *arg)
{
	const int r = write(arg, e->type, &e->of);

	e->said = r == 0;
	e->epoch = epoch;
	return r;
}

int
cumulative_put(struct cumulative *a, enum rec_type type, const void *rec, uint32_t epoch,
	       cumulative_write write, void *arg)
{
	const uint64_t key = key_of(type, rec);
	const uint64_t *const at = map_find(&a->by_key, key);
	struct aggregate *const e = at ? &a->all[*at] : aggregate_new(a, key);

	if (!e)
		return write(arg, type, rec);
	if (at && e->said && e->epoch == epoch && e->type == type && memcmp(&e->of, rec, size_of(type)) == 0)
		return 0;
	e->type = type;
	memcpy(&e->of, rec, size_of(type));
	return aggregate_say(e, epoch, write, arg);
}

int
cumulative_restate(struct cumulative *a, uint32_t epoch, cumulative_write write, void *arg)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < a->n; i++) {
		if (!a->all[i].said || a->all[i].epoch != epoch)
			r = aggregate_say(&a->all[i], epoch, write, arg);
	}
	return r;
}
