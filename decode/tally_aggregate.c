/* tally_aggregate.c - calls that the kernel half could only sum, as part of the tally
 *
 * The records are cumulative; the latest value of each key is kept, and what it grew by is added.
 */
#include <stdlib.h>

#include "decode/tally_parts.h"
#include "formats/base/array.h"
#include "formats/base/hash.h"
#include "formats/error.h"

/* In place of a level, in the keys: the other side of copies. A level of a record is below it. */
#define LEVEL_SOURCE UINT64_MAX

enum aggregate_verdict { AGGREGATE_KEEP, AGGREGATE_DROP, AGGREGATE_UNPLACED };

/* The entry of an aggregate's key, made if need be. 0, IOTAP_ENOMEM, or IOTAP_ELIMIT: the kernel half
 * has room for far fewer keys. */
static int
aggregate_entry(struct tally *t, const struct rec_aggregate *rec, struct tally_aggregate **out)
{
	struct tally_aggregate *more;
	uint64_t hash = hash_pair(hash_pair(rec->level * 512 + rec->call, rec->pid, t->seed), rec->id,
				  t->seed);

	for (;; hash++) {
		const uint64_t *const at = map_find(&t->by_aggregate, hash);
		struct tally_aggregate *e;

		if (!at)
			break;
		e = &t->aggregates[*at];
		if (e->level == rec->level && e->pid == rec->pid && e->call == rec->call &&
		    e->id == rec->id) {
			*out = e;
			return 0;
		}
	}
	if (t->n_aggregates == AGGREGATES_MAX)
		return IOTAP_ELIMIT;
	more = array_room(t->aggregates, t->n_aggregates, &t->cap_aggregates, sizeof(*more), 256);
	if (!more)
		return IOTAP_ENOMEM;
	t->aggregates = more;
	if (!map_put(&t->by_aggregate, hash, t->n_aggregates))
		return IOTAP_ENOMEM;
	t->aggregates[t->n_aggregates] = (struct tally_aggregate){
		.level = rec->level, .pid = rec->pid, .call = rec->call, .id = rec->id,
	};
	*out = &t->aggregates[t->n_aggregates++];
	return 0;
}

static uint64_t
grown(uint64_t *latest, uint64_t now)
{
	const uint64_t by = now > *latest ? now - *latest : 0;

	*latest = now;
	return by;
}

/* A sum whose target is not known goes to the row of what is not known, in the class its call belongs to
 * for sure. */
static int
aggregate_add(struct tally *t, const struct rec_aggregate *rec, const struct tally_place *place,
	      const struct tally_amount *a)
{
	const struct call_spec *const spec = call_spec((unsigned int)rec->call);
	int r = 0;

	tally_add(&t->sums.aggregated_calls, a->calls);
	if (!place->target) {
		tally_add(&t->sums.aggregated_unknown_target, a->calls);
		r = tally_spot(t, SPOT_aggregated_unknown_target, place->process, a->calls);
	}
	if (r < 0)
		return r;
	if (spec->dir == DIR_NONE) {
		tally_op(t, (unsigned int)rec->call, a);
		return tally_unseen_sum(t, (unsigned int)rec->call, a, place);
	}
	if (place->target && tally_over_unknown(place->target))
		r = tally_spot(t, SPOT_unknown_interface_calls, place->process, a->calls);
	if (place->target)
		return r < 0 ? r : tally_moved(t, place->target, a);
	return tally_moved(t, spec->on == ON_SOCK ? place->socket : place->unknown, a);
}

/* A sum without a process, or without a target, may hold calls that the filter would let through: then
 * it is left out, and counted. */
static enum aggregate_verdict
aggregate_judge(const struct rec_aggregate *rec, const struct tally_place *place)
{
	enum { LEVEL_CALL = 3 };	/* records.def: summed by call alone */
	const struct iotap_target *const target = place->target;
	const struct select *const select = place->select;

	if (rec->last_ns < select->f.from_ns || rec->first_ns > select->f.to_ns)
		return AGGREGATE_DROP;
	if (select->f.pid != 0 && rec->level != LEVEL_CALL && rec->pid != select->f.pid)
		return AGGREGATE_DROP;
	if ((select->f.pid != 0 && rec->level == LEVEL_CALL) || (select->by_target && !target))
		return AGGREGATE_UNPLACED;
	return !select->by_target || select_target(select, target) == SELECT_KEEP ? AGGREGATE_KEEP
										  : AGGREGATE_DROP;
}

/* What the values of a key grew by, if the filter lets it through. 1 = add it, 0 = nothing to add. */
static int
aggregate_growth(struct tally *t, const struct rec_aggregate *rec, const struct tally_place *place,
		 struct tally_amount *a)
{
	struct tally_aggregate *e;
	const int r = aggregate_entry(t, rec, &e);
	bool baseline;

	if (r < 0)
		return r;
	baseline = place->baseline && e->calls == 0;	/* the first one of its key only */
	a->calls = grown(&e->calls, rec->calls);
	a->bytes = grown(&e->bytes, rec->bytes);
	a->errors = grown(&e->errors, rec->errors);
	a->latency_ns = grown(&e->latency_ns, rec->latency_ns);
	a->messages = grown(&e->messages, rec->messages);
	if (baseline || a->calls == 0)
		return 0;
	switch (aggregate_judge(rec, place)) {
	case AGGREGATE_UNPLACED:
		if (rec->level != LEVEL_SOURCE)
			tally_add(&t->sums.aggregated_unplaced, a->calls);
		return 0;
	case AGGREGATE_DROP:
		return 0;
	case AGGREGATE_KEEP:
		break;
	}
	return 1;
}

int
tally_aggregate(struct tally *t, const struct rec_aggregate *rec, const struct tally_place *place,
		struct tally_amount *grew)
{
	const struct call_spec *const spec = call_spec((unsigned int)rec->call);
	struct tally_amount a = {.dir = (enum call_dir)spec->dir};
	const int r = aggregate_growth(t, rec, place, &a);

	grew->calls = 0;
	if (r <= 0)
		return r;
	if (spec->dir != DIR_NONE && spec->ret != RET_BYTES && a.bytes == 0 && a.messages == 0)
		a.unsized = a.calls > a.errors ? a.calls - a.errors : 0;
	*grew = a;
	return aggregate_add(t, rec, place, &a);
}

int
tally_aggregate_source(struct tally *t, const struct rec_aggregate_source *rec,
		       const struct tally_place *place, struct tally_amount *grew)
{
	const struct rec_aggregate as = {
		.level = LEVEL_SOURCE, .pid = rec->pid, .call = rec->call, .id = rec->id,
		.calls = rec->calls, .bytes = rec->bytes, .errors = rec->errors,
		.latency_ns = rec->latency_ns, .first_ns = rec->first_ns, .last_ns = rec->last_ns,
	};
	struct tally_amount a = {.dir = DIR_READ};
	const int r = aggregate_growth(t, &as, place, &a);

	grew->calls = 0;
	if (r <= 0 || !place->target)
		return r < 0 ? r : 0;
	*grew = a;
	return tally_source(t, place->target, a);
}

void
tally_counters(struct tally *t, const struct rec_counters *rec, int baseline)
{
	struct bytes_in in = bytes_in(rec->values.p, rec->values.n);

	for (unsigned int i = 0; i < KC_N && bytes_left(&in) > 0; i++) {
		const uint64_t v = bytes_get_varint(&in);

		if (in.bad)
			return;
		t->counters[i] = v;
		if (baseline)
			t->counters_before[i] = v;
	}
	t->misses = rec->program_misses;
	if (baseline)
		t->misses_before = rec->program_misses;
}

