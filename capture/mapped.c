/* mapped.c - the sums of the set mmap as records: those that have changed
 *
 * A sum is known by a hash of its key, and by a hash of its values as they were written: one change in
 * 2^64 is written late.
 */
#include "capture/mapped.h"

#include <stdlib.h>

#include "formats/base/hash.h"
#include "formats/base/map.h"
#include "formats/record.h"

struct mapped {
	uint64_t page_bytes, seed;
	struct map written;		/* hash of a key to that of its values */
	struct buf *records;		/* of this reading */
	struct iotap_error *err;
};

struct mapped *
mapped_new(uint64_t page_bytes)
{
	struct mapped *const m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->page_bytes = page_bytes;
	m->seed = hash_seed();
	map_init(&m->written, m->seed, 0);
	return m;
}

void
mapped_free(struct mapped *m)
{
	if (!m)
		return;
	map_fini(&m->written);
	free(m);
}

static int
sums_write(void *arg, const struct kr_mapped_key *key, const struct kr_mapped *sums)
{
	struct mapped *const m = arg;
	const uint64_t which = hash_bytes(key, sizeof(*key), m->seed);
	const uint64_t values = hash_bytes(sums, sizeof(*sums), m->seed);
	const uint64_t *const before = map_find(&m->written, which);
	const struct rec_mapped rec = {
		.pid = key->tgid, .dev = key->dev, .ino = key->ino, .generation = key->generation,
		.id = sums->id, .in_by_faults = sums->in_by_faults * m->page_bytes,
		.in_by_calls = sums->in_by_calls * m->page_bytes,
		.dirty_by_faults = sums->dirty_by_faults * m->page_bytes,
		.dirty_by_calls = sums->dirty_by_calls * m->page_bytes,
		.first_ns = sums->first_ns, .last_ns = sums->last_ns,
	};

	if (before && *before == values)
		return 0;
	if (!map_put(&m->written, which, values))
		return error_set(m->err, IOTAP_ENOMEM, "out of memory");
	return record_put(m->records, REC_mapped, &rec, m->err);
}

int
mapped_tick(struct mapped *m, struct source *s, struct buf *records, struct iotap_error *err)
{
	if (!s->ops->mapped)
		return 0;
	m->records = records;
	m->err = err;
	return s->ops->mapped(s, sums_write, m, err);
}
