/* mapped.c - the sums of the set mmap as records: those that have changed
 *
 * A sum is known by a hash of its key, and by a hash of its values as they were written: one change in
 * 2^64 is written late.
 *
 * A child has the mappings of its parent without a call of its own: a file without a name is called as
 * another process calls it.
 */
#include "capture/mapped.h"

#include <stdbool.h>
#include <stdlib.h>

#include "formats/base/hash.h"
#include "formats/base/map.h"
#include "formats/record.h"

struct mapped {
	uint64_t page_bytes, seed;
	struct map written;		/* hash of a key to that of its values */
	struct map names;		/* hash of a file to the id of a target */
	bool again;			/* a name was learned after a sum that might have needed it */
	bool nameless;			/* there was one in this reading */
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
	map_init(&m->names, m->seed, 0);
	return m;
}

void
mapped_free(struct mapped *m)
{
	if (!m)
		return;
	map_fini(&m->written);
	map_fini(&m->names);
	free(m);
}

/* The id that the sums have; or that of the same file in another process, 0 = none so far. */
static int
name_of(struct mapped *m, const struct kr_mapped_key *key, kr_u64 *id)
{
	struct kr_mapped_key of_any = *key;
	const uint64_t *known;
	uint64_t file;

	if (key->ino == 0)		/* the sum of files that found no room */
		return 0;
	of_any.tgid = 0;
	file = hash_bytes(&of_any, sizeof(of_any), m->seed);
	known = map_find(&m->names, file);
	if (*id == 0) {
		*id = known ? *known : 0;
		m->nameless = m->nameless || !known;
		return 0;
	}
	if (known)
		return 0;
	m->again = m->again || m->nameless;
	return map_put(&m->names, file, *id) ? 0 : error_set(m->err, IOTAP_ENOMEM, "out of memory");
}

static int
sums_write(void *arg, const struct kr_mapped_key *key, const struct kr_mapped *found)
{
	struct mapped *const m = arg;
	struct kr_mapped of = *found;
	const struct kr_mapped *const sums = &of;
	const int named = name_of(m, key, &of.id);
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

	if (named < 0 || (before && *before == values))
		return named;
	if (!map_put(&m->written, which, values))
		return error_set(m->err, IOTAP_ENOMEM, "out of memory");
	return record_put(m->records, REC_mapped, &rec, m->err);
}

int
mapped_tick(struct mapped *m, struct source *s, struct buf *records, struct iotap_error *err)
{
	int r;

	if (!s->ops->mapped)
		return 0;
	m->records = records;
	m->err = err;
	m->again = m->nameless = false;
	r = s->ops->mapped(s, sums_write, m, err);
	return r == 0 && m->again ? s->ops->mapped(s, sums_write, m, err) : r;
}
