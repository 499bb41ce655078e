/* tally_unseen.c - calls behind which there was more than is recorded, as an optional set was off
 *
 * Part of the ledger of blind spots. Which calls these are is in unseen.def; mappings that were written
 * are tally_shared.c's. An input's own sets count, so that one which has a set says nothing of it beside
 * another one that has it not.
 */
#include "decode/tally_parts.h"
#include "formats/sets.h"

static const struct unseen {
	uint32_t set;
	uint16_t call;
	int64_t least;
	size_t member;		/* of the summary: offset */
	enum tally_spot spot;
} rows[] = {
#define UNSEEN(set, call, least, member) \
	{SET_##set, CALL_##call, least, offsetof(struct iotap_summary, member), SPOT_##member},
#include "decode/unseen.def"
#undef UNSEEN
};

static const struct unseen *
unseen_find(unsigned int call, uint32_t sets)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].call == call)
			return sets & rows[i].set ? NULL : &rows[i];
	}
	return NULL;
}

static int
unseen_add(struct tally *t, const struct unseen *row, const struct iotap_process *process, uint64_t n)
{
	tally_add((uint64_t *)(void *)((char *)&t->sums + row->member), n);
	return tally_spot(t, row->spot, process, n);
}

int
tally_unseen(struct tally *t, const struct iotap_batch *b, uint32_t i, uint32_t sets)
{
	const struct unseen *const row = unseen_find(b->call[i], sets);

	if (row && b->result[i] >= row->least && !(b->flags[i] & KF_PHANTOM) &&
	    unseen_add(t, row, b->process[i], 1) < 0)
		return IOTAP_ENOMEM;
	return sets & SET_mmap ? 0 : tally_shared(t, b, i);
}

int
tally_unseen_sum(struct tally *t, unsigned int call, const struct tally_amount *a,
		 const struct tally_place *place)
{
	const struct unseen *const row = unseen_find(call, place->sets);

	return row && a->calls > a->errors ? unseen_add(t, row, place->process, a->calls - a->errors) : 0;
}
