/* epoch.c - the definitions of one epoch
 *
 * In a list by their last use, which is counted per block, not per call: a block's dictionary names each
 * once. The least recently used one goes when the table is full, into the table of records. There it stays
 * while it is a target again, and is put anew when it goes again.
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
	t->left = definitions_new(EPOCH_RECORDS_MAX, EPOCH_RECORD_BYTES_MAX, NULL, NULL);
	if (!t->unknown || !t->socket || !t->left) {
		epoch_fini(t);
		return IOTAP_ENOMEM;
	}
	return 0;
}

void
epoch_fini(struct epoch *t)
{
	epoch_clear(t);
	definitions_free(t->left);
	t->left = NULL;
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
	if (t->left)
		definitions_clear(t->left);
	map_clear(&t->by_id);
	buf_clear(&t->later);
	t->n_later = 0;
	t->counts = false;
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

/* What the tally noted in a target, in the mark of its record: its row, that it has none, or its calls
 * until it has one. */
enum { NOTES_ROW = 1 << 30, NOTES_REFUSED = 1 << 29, NOTES_MAX = NOTES_REFUSED - 1 };

static uint32_t
notes_of(const struct target *t)
{
	if (t->row > 0 && t->row <= NOTES_MAX)
		return NOTES_ROW | t->row;
	return (t->refused ? NOTES_REFUSED : 0) | (t->ops < NOTES_MAX ? t->ops : NOTES_MAX);
}

static void
notes_restore(struct target *t, uint32_t notes)
{
	t->refused = notes & NOTES_REFUSED;
	*(notes & NOTES_ROW ? &t->row : &t->ops) = notes & NOTES_MAX;
}

/* A target goes: keeps its record, if it was made of one. 0 or IOTAP_ENOMEM. */
static int
epoch_leave(struct epoch *t, const struct target *old)
{
	const struct rec_target id = {.id = old->pub.id};
	const struct bytes raw = target_raw(old);
	struct definition *const left = raw.n > 0 ? definitions_put(t->left, &id, raw.p, raw.n) : NULL;

	if (left)
		left->mark = notes_of(old);
	return raw.n > 0 && !left ? IOTAP_ENOMEM : 0;
}

/* Makes room down to the limits. 0 or IOTAP_ENOMEM. */
static int
epoch_evict(struct epoch *t)
{
	while (t->n > EPOCH_TARGETS_MAX || t->bytes > EPOCH_BYTES_MAX) {
		struct target *const old = t->oldest;

		/* An id defined twice: the map names the later one. */
		if (map_find_ptr(&t->by_id, old->pub.id) == old) {
			if (epoch_leave(t, old) < 0)
				return IOTAP_ENOMEM;
			(void)map_remove(&t->by_id, old->pub.id);
		}
		epoch_unlink(t, old);
		t->n--;
		t->bytes -= old->bytes;
		free(old);
	}
	return 0;
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

/* The target of an id, used now; made anew of its record if it went. NULL = there is none, or *r is
 * IOTAP_ENOMEM. */
static struct target *
epoch_use(struct epoch *t, uint64_t id, int *r)
{
	struct target *target = map_find_ptr(&t->by_id, id);
	const bool full = t->bytes > EPOCH_BYTES_HELD;
	const struct definition *const left = target || full ? NULL : definitions_use(t->left, id);
	struct record rec;

	*r = 0;
	if (target) {
		epoch_unlink(t, target);
		epoch_append(t, target);
	} else if (left) {
		struct bytes_in in = bytes_in(left->raw, left->n_raw);

		(void)record_next(&in, &rec, NULL);	/* once read, it can be read again */
		target = target_new(&rec.u.target, &rec.raw, &t->scratch);
		if (target)
			notes_restore(target, left->mark);
		*r = epoch_add(t, id, target);
	}
	return *r == 0 ? target : NULL;
}

int
epoch_define(struct epoch *t, const struct record *rec)
{
	const struct rec_target *const def = &rec->u.target;
	int r;

	if ((def->flags & TARGET_EVICTED) && (map_find(&t->by_id, def->id) || definitions_use(t->left, def->id)))
		return 0;	/* what is there knows more */
	r = epoch_add(t, def->id, target_new(def, &rec->raw, &t->scratch));
	return r < 0 ? r : epoch_evict(t);
}

/* Makes the targets that were put off, in their order. */
static int
epoch_settle(struct epoch *t)
{
	struct bytes_in in = bytes_in(t->later.data, t->later.len);
	struct record rec;
	int r = 0;

	while (r == 0 && record_next(&in, &rec, NULL) == 0)
		r = epoch_define(t, &rec);
	buf_clear(&t->later);
	t->n_later = 0;
	t->counts = true;
	return r;
}

int
epoch_define_later(struct epoch *t, const struct record *rec)
{
	if (!buf_put(&t->later, rec->raw.p, rec->raw.n))
		return IOTAP_ENOMEM;
	return ++t->n_later >= EPOCH_LATER_RECORDS || t->later.len > EPOCH_LATER_MAX ? epoch_settle(t) : 0;
}

int
epoch_next_block(struct epoch *t)
{
	const int r = t->later.len > 0 ? epoch_settle(t) : 0;

	return r < 0 ? r : epoch_evict(t);
}

int
epoch_pass(struct epoch *t, const struct call_target *entries, uint32_t n)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < n; i++) {
		(void)epoch_use(t, entries[i].id, &r);
		if (r == 0)
			r = epoch_evict(t);
	}
	return r;
}

struct target *
epoch_get(struct epoch *t, const struct call_target *entry)
{
	const uint64_t id = entry->id != 0 ? entry->id : target_undefined_id(entry->dev, entry->ino);
	int r;
	struct target *target = epoch_use(t, id, &r);

	if (target || r < 0)
		return target;
	target = target_new_undefined(entry, &t->scratch);
	return epoch_add(t, id, target) < 0 ? NULL : target;
}

int
epoch_find(struct epoch *t, uint64_t id, struct target **out)
{
	int r = epoch_next_block(t);

	*out = r == 0 ? epoch_use(t, id, &r) : NULL;
	return r;
}
