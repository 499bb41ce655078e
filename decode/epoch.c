/* epoch.c - the definitions of one epoch
 *
 * In a list by their last use, which is counted per block, not per call: a block's dictionary names each
 * once. The least recently used one goes when the table is full.
 */
#include "decode/epoch.h"

#include <stdlib.h>

#include "formats/base/bytes.h"
#include "formats/base/hash.h"
#include "formats/error.h"

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
	buf_free(&t->later);
	free(t->unknown);
	free(t->socket);
	t->unknown = t->socket = NULL;
}

void
epoch_clear(struct epoch *t)
{
	while (t->oldest) {
		struct target *const newer = t->oldest->newer;

		free(t->oldest);
		t->oldest = newer;
	}
	t->newest = NULL;
	t->n = t->bytes = 0;
	map_clear(&t->by_id);
	buf_clear(&t->later);
}

static void
epoch_unlink(struct epoch *t, struct target *target)
{
	*(target->older ? &target->older->newer : &t->oldest) = target->newer;
	*(target->newer ? &target->newer->older : &t->newest) = target->older;
}

static void
epoch_append(struct epoch *t, struct target *target)
{
	target->older = t->newest;
	target->newer = NULL;
	*(t->newest ? &t->newest->newer : &t->oldest) = target;
	t->newest = target;
}

/* Makes room down to the limits. */
static void
epoch_evict(struct epoch *t)
{
	while (t->n > EPOCH_TARGETS_MAX || t->bytes > EPOCH_BYTES_MAX) {
		struct target *const old = t->oldest;

		epoch_unlink(t, old);
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
	int r;

	if ((def->flags & TARGET_EVICTED) && map_find_ptr(&t->by_id, def->id))
		return 0;	/* what is there knows more */
	r = epoch_add(t, def->id, target_new(def, &t->scratch));
	if (r == 0)
		epoch_evict(t);
	return r;
}

/* Makes the targets that were put off, in their order. */
static int
epoch_settle(struct epoch *t)
{
	struct bytes_in in = bytes_in(t->later.data, t->later.len);
	struct record rec;
	int r = 0;

	while (r == 0 && record_next(&in, &rec, NULL) == 0)
		r = epoch_define(t, &rec.u.target);
	buf_clear(&t->later);
	return r;
}

int
epoch_define_later(struct epoch *t, const struct record *rec)
{
	if (!buf_put(&t->later, rec->raw.p, rec->raw.n))
		return IOTAP_ENOMEM;
	return t->later.len > EPOCH_LATER_MAX ? epoch_settle(t) : 0;
}

int
epoch_next_block(struct epoch *t)
{
	const int r = t->later.len > 0 ? epoch_settle(t) : 0;

	epoch_evict(t);
	return r;
}

struct target *
epoch_get(struct epoch *t, const struct call_target *entry)
{
	const uint64_t id = entry->id != 0 ? entry->id : target_undefined_id(entry->dev, entry->ino);
	struct target *target = map_find_ptr(&t->by_id, id);

	if (target) {
		epoch_unlink(t, target);
		epoch_append(t, target);
		return target;
	}
	target = target_new_undefined(entry, &t->scratch);
	return epoch_add(t, id, target) < 0 ? NULL : target;
}

struct target *
epoch_find(struct epoch *t, uint64_t id)
{
	if (t->later.len > 0 && epoch_settle(t) < 0)
		return NULL;
	return map_find_ptr(&t->by_id, id);
}
