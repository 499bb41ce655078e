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
} rows[] = {
#define UNSEEN(set, call, least, member) \
	{SET_##set, CALL_##call, least, offsetof(struct iotap_summary, member)},
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

static void
unseen_add(struct tally *t, const struct unseen *row, uint64_t n)
{
	tally_add((uint64_t *)(void *)((char *)&t->sums + row->member), n);
}

int
tally_unseen(struct tally *t, const struct iotap_batch *b, uint32_t i, uint32_t sets)
{
	const struct unseen *const row = unseen_find(b->call[i], sets);

	if (row && b->result[i] >= row->least && !(b->flags[i] & KF_PHANTOM))
		unseen_add(t, row, 1);
	return sets & SET_mmap ? 0 : tally_shared(t, b, i);
}

void
tally_unseen_sum(struct tally *t, unsigned int call, const struct tally_amount *a, uint32_t sets)
{
	const struct unseen *const row = unseen_find(call, sets);

	if (row && a->calls > a->errors)
		unseen_add(t, row, a->calls - a->errors);
}
