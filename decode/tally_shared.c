/* tally_shared.c - processes that may have written files where no call is: by shared, writable mappings
 *
 * Part of the ledger of blind spots, where the set mmap was off. Bounded: mappings of processes beyond the
 * limit are counted together.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/mapping.h"
#include "decode/tally_parts.h"
#include "formats/error.h"

enum { SHARED_MAX = 256 };

struct tally_shared {
	const struct iotap_process *process;	/* whom the name was taken from: for comparison only */
	struct iotap_shared_row row;
	char name[64];
};

static void
name_take(struct tally_shared *s, const struct iotap_process *process)
{
	const size_t n = process->name_len < sizeof(s->name) ? process->name_len : sizeof(s->name) - 1;

	memcpy(s->name, process->name, n);
	s->name[n] = '\0';
	s->process = process;
}

int
tally_shared(struct tally *t, const struct iotap_batch *b, uint32_t i)
{
	struct tally_shared *s = t->shared;

	if (b->target[i]->kind != IOTAP_KIND_FILE ||
	    !mapping_writes(b->call[i], b->result[i], b->arg0[i], b->arg1[i]))
		return 0;
	tally_add(&t->sums.mmap_calls, 1);
	if (tally_spot(t, SPOT_mmap_calls, b->process[i], 1) < 0)
		return IOTAP_ENOMEM;
	for (size_t n = 0; n < t->n_shared; n++, s++) {
		if (s->row.pid == b->pid[i] && s->process == b->process[i]) {
			tally_add(&s->row.mappings, 1);
			return 0;
		}
	}
	if (t->n_shared == SHARED_MAX) {
		tally_add(&t->sums.shared_further, 1);
		return 0;
	}
	if (!t->shared)
		t->shared = calloc(SHARED_MAX, sizeof(*t->shared));
	if (!t->shared)
		return IOTAP_ENOMEM;
	s = &t->shared[t->n_shared++];
	s->row = (struct iotap_shared_row){.pid = b->pid[i], .mappings = 1};
	name_take(s, b->process[i]);
	return 0;
}

bool
tally_shared_rows(struct tally *t, struct iotap_summary *out)
{
	free(t->sorted_shared);
	t->sorted_shared = calloc(t->n_shared + 1, sizeof(*t->sorted_shared));
	for (size_t i = 0; t->sorted_shared && i < t->n_shared; i++) {
		t->sorted_shared[i] = t->shared[i].row;
		t->sorted_shared[i].name = t->shared[i].name;
	}
	out->shared_mappings = t->sorted_shared;
	out->n_shared_mappings = t->n_shared;
	return t->sorted_shared != NULL;
}

void
tally_shared_fini(struct tally *t)
{
	free(t->shared);
	free(t->sorted_shared);
}
