/* epoch.c - the definitions of one epoch
 *
 * Recency is kept per block, not per call: an entry that a block's dictionary named carries that
 * block's number. When the table is full, the oldest entry goes, unless it was used lately; then it
 * counts as new once more (the second chance of paging).
 */
#include "decode/epoch.h"

#include <stdlib.h>

#include "formats/base/hash.h"
#include "formats/error.h"

#define LATELY 16	/* blocks */

int
epoch_init(struct epoch *t)
{
	*t = (struct epoch){.n = 0};
	map_init(&t->by_id, hash_seed(), 0);
	buf_init(&t->scratch, 0);
	t->unknown = target_new_unknown(&t->scratch);
	t->socket = target_new_socket(&t->scratch);
	if (!t->unknown || !t->socket) {
		epoch_fini(t);
		return IOTAP_ENOMEM;
	}
	return 0;
}

void
epoch_fini(struct epoch *t)
{
	epoch_clear(t);
	map_fini(&t->by_id);
	buf_free(&t->scratch);
	free(t->unknown);
	free(t->socket);
	t->unknown = t->socket = NULL;
}

void
epoch_clear(struct epoch *t)
{
	while (t->oldest) {
		struct target *const next = t->oldest->next;

		free(t->oldest);
		t->oldest = next;
	}
	t->newest = NULL;
	t->n = t->bytes = 0;
	map_clear(&t->by_id);
}

static struct target *
epoch_unlink_oldest(struct epoch *t)
{
	struct target *const out = t->oldest;

	t->oldest = out->next;
	if (!t->oldest)
		t->newest = NULL;
	out->next = NULL;
	return out;
}

static void
epoch_append(struct epoch *t, struct target *target)
{
	if (t->newest)
		t->newest->next = target;
	else
		t->oldest = target;
	t->newest = target;
}

/* Makes room down to the limits. Each entry gets its second chance once a round. */
static void
epoch_evict(struct epoch *t)
{
	size_t chances = t->n;

	while (t->n > EPOCH_TARGETS_MAX || t->bytes > EPOCH_BYTES_MAX) {
		struct target *const old = epoch_unlink_oldest(t);

		if (chances > 0 && old->used + LATELY >= t->block && old->used > 0) {
			chances--;
			epoch_append(t, old);
			continue;
		}
		/* An id defined twice: the map names the later one. */
		if (map_find_ptr(&t->by_id, old->pub.id) == old)
			(void)map_remove(&t->by_id, old->pub.id);
		t->n--;
		t->bytes -= old->bytes;
		free(old);
	}
}

static int
epoch_add(struct epoch *t, uint64_t id, struct target *target)
{
	if (!target)
		return IOTAP_ENOMEM;
	if (!map_put_ptr(&t->by_id, id, target)) {
		free(target);
		return IOTAP_ENOMEM;
	}
	epoch_append(t, target);
	t->n++;
	t->bytes += target->bytes;
	return 0;
}

int
epoch_define(struct epoch *t, const struct rec_target *def)
{
	const int r = epoch_add(t, def->id, target_new(def, &t->scratch));

	if (r == 0)
		epoch_evict(t);
	return r;
}

void
epoch_next_block(struct epoch *t)
{
	t->block++;
	epoch_evict(t);
}

struct target *
epoch_get(struct epoch *t, const struct call_target *entry)
{
	const uint64_t id = entry->id != 0 ? entry->id : target_undefined_id(entry->dev, entry->ino);
	struct target *target = map_find_ptr(&t->by_id, id);

	if (!target) {
		target = target_new_undefined(entry, &t->scratch);
		if (epoch_add(t, id, target) < 0)
			return NULL;
	}
	target->used = t->block;
	return target;
}

struct target *
epoch_find(const struct epoch *t, uint64_t id)
{
	return map_find_ptr(&t->by_id, id);
}
