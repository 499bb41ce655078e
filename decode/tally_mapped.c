/* tally_mapped.c - what the set mmap says of the page cache, by process and file, as part of the tally
 *
 * The records are cumulative; what a key's values grew by since the input began is its row. None of it is
 * part of the bytes of calls.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/tally_parts.h"
#include "formats/base/array.h"
#include "formats/base/hash.h"
#include "formats/error.h"

enum { MAPPED_MAX = 131072, NAME_BYTES = 64 };

struct tally_mapped {
	uint64_t pid, dev, ino, generation;	/* the key */
	struct iotap_mapped_row latest, before;	/* as the kernel counted: now, and when the input began */
	struct target *target;			/* ours */
	char name[NAME_BYTES];
};

static uint64_t
key_of(const struct tally *t, const struct rec_mapped *rec)
{
	return hash_pair(hash_pair(rec->pid, rec->dev, t->seed), hash_pair(rec->ino, rec->generation, t->seed),
			 t->seed);
}

static bool
is_of(const struct tally_mapped *m, const struct rec_mapped *rec)
{
	return m->pid == rec->pid && m->dev == rec->dev && m->ino == rec->ino &&
	       m->generation == rec->generation;
}

static struct tally_mapped *
mapped_add(struct tally *t, const struct rec_mapped *rec, uint64_t hash)
{
	struct tally_mapped *const grown = array_room(t->mapped, t->n_mapped, &t->cap_mapped, sizeof(*grown), 64);

	if (!grown)
		return NULL;
	t->mapped = grown;
	if (!map_put(&t->by_mapped, hash, t->n_mapped))
		return NULL;
	t->mapped[t->n_mapped] = (struct tally_mapped){
		.pid = rec->pid, .dev = rec->dev, .ino = rec->ino, .generation = rec->generation,
	};
	return &t->mapped[t->n_mapped++];
}

/* The entry of a key, made if need be: 0, IOTAP_ENOMEM, IOTAP_ELIMIT. */
static int
mapped_entry(struct tally *t, const struct rec_mapped *rec, struct tally_mapped **out)
{
	for (uint64_t hash = key_of(t, rec);; hash++) {
		const uint64_t *const at = map_find(&t->by_mapped, hash);

		if (at && !is_of(&t->mapped[*at], rec))
			continue;
		if (!at && t->n_mapped == MAPPED_MAX)
			return IOTAP_ELIMIT;
		*out = at ? &t->mapped[*at] : mapped_add(t, rec, hash);
		return *out ? 0 : IOTAP_ENOMEM;
	}
}

/* A target of its own: a definition ends with its epoch. */
static struct target *
target_for(const struct rec_mapped *rec, const struct tally_place *place)
{
	struct call_target of = {.ino = rec->ino, .dev = (uint32_t)rec->dev,
				 .kind = rec->ino ? KR_KIND_FILE : KR_KIND_UNKNOWN};
	struct buf scratch = {.data = NULL};
	struct target *target;

	if (place->target) {
		const size_t size = target_copy_size(place->target);
		struct target *const room = calloc(1, sizeof(*room) + size);

		if (room)
			(void)target_copy(place->target, room);
		return room;
	}
	target = target_new_undefined(&of, &scratch);
	buf_free(&scratch);
	return target;
}

static void
values_of(struct iotap_mapped_row *row, const struct rec_mapped *rec)
{
	row->in_by_faults = rec->in_by_faults;
	row->in_by_calls = rec->in_by_calls;
	row->dirty_by_faults = rec->dirty_by_faults;
	row->dirty_by_calls = rec->dirty_by_calls;
}

static bool
passes(const struct rec_mapped *rec, const struct tally_place *place)
{
	const struct select *const s = place->select;

	if ((s->f.pid != 0 && rec->pid != s->f.pid) || rec->last_ns < s->f.from_ns || rec->first_ns > s->f.to_ns)
		return false;
	return !s->by_target || (place->target && select_target(s, place->target) == SELECT_KEEP);
}

int
tally_mapped(struct tally *t, const struct rec_mapped *rec, const struct tally_place *place,
	     const struct iotap_process *process)
{
	struct tally_mapped *m;
	int r;

	if (!passes(rec, place))
		return 0;
	r = mapped_entry(t, rec, &m);
	if (r < 0)
		return r;
	if (place->baseline && !m->target)	/* the first of its key only */
		values_of(&m->before, rec);
	values_of(&m->latest, rec);
	m->latest.pid = (uint32_t)rec->pid;
	if (process && process->name_len > 0 && m->name[0] == '\0')
		memcpy(m->name, process->name, process->name_len < NAME_BYTES ? process->name_len
									       : NAME_BYTES - 1);
	if (!m->target || (place->target && !m->latest.named)) {
		free(m->target);
		m->target = target_for(rec, place);
		m->latest.named = place->target != NULL;
	}
	return m->target ? 0 : IOTAP_ENOMEM;
}

static uint64_t
by_faults(const struct iotap_mapped_row *row)
{
	return row->in_by_faults + row->dirty_by_faults;
}

static int
compare_mapped(const void *pa, const void *pb)
{
	const struct iotap_mapped_row *const a = pa;
	const struct iotap_mapped_row *const b = pb;
	const size_t n = a->target->key_len < b->target->key_len ? a->target->key_len : b->target->key_len;

	if (by_faults(a) != by_faults(b))
		return by_faults(a) > by_faults(b) ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return memcmp(a->target->key, b->target->key, n);
}

static uint64_t
grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

bool
tally_mapped_rows(struct tally *t, struct iotap_summary *out)
{
	size_t n = 0;

	free(t->sorted_mapped);
	t->sorted_mapped = calloc(t->n_mapped + 1, sizeof(*t->sorted_mapped));
	if (!t->sorted_mapped)
		return false;
	for (size_t i = 0; i < t->n_mapped; i++) {
		const struct tally_mapped *const m = &t->mapped[i];
		struct iotap_mapped_row *const row = &t->sorted_mapped[n];

		*row = m->latest;
		row->target = &m->target->pub;
		row->name = m->name;
		row->in_by_faults = grown(m->latest.in_by_faults, m->before.in_by_faults);
		row->in_by_calls = grown(m->latest.in_by_calls, m->before.in_by_calls);
		row->dirty_by_faults = grown(m->latest.dirty_by_faults, m->before.dirty_by_faults);
		row->dirty_by_calls = grown(m->latest.dirty_by_calls, m->before.dirty_by_calls);
		n += (by_faults(row) | row->in_by_calls | row->dirty_by_calls) != 0;
	}
	qsort(t->sorted_mapped, n, sizeof(*t->sorted_mapped), compare_mapped);
	out->mapped = t->sorted_mapped;
	out->n_mapped = n;
	return true;
}

void
tally_mapped_fini(struct tally *t)
{
	for (size_t i = 0; i < t->n_mapped; i++)
		free(t->mapped[i].target);
	free(t->mapped);
	free(t->sorted_mapped);
	map_fini(&t->by_mapped);
}
