/* batch.c - a piece of the trace on its way from the rings to the recording */
#include "capture/batch.h"

#include <stdlib.h>

bool
batch_init(struct batch *b)
{
	*b = (struct batch){0};
	b->calls = malloc(BATCH_CALLS * sizeof(*b->calls));
	return b->calls != NULL;
}

void
batch_fini(struct batch *b)
{
	if (!b)
		return;
	free(b->calls);
	b->calls = NULL;
	buf_free(&b->notes);
	buf_free(&b->records);
}

void
batch_clear(struct batch *b)
{
	b->n_calls = 0;
	b->n_notes = 0;
	buf_clear(&b->notes);
	buf_clear(&b->records);
	b->until_ns = 0;
	b->epoch = false;
	b->counters.n_values = 0;
}

const struct kr_note *
batch_next_note(const struct batch *b, size_t *at)
{
	const struct kr_note *note;

	if (*at >= b->notes.len)
		return NULL;
	note = (const struct kr_note *)(const void *)(b->notes.data + *at);
	*at += (size_t)note->n_slots * KR_NOTE_SLOT;
	return note;
}

void
batch_drop_note(struct batch *b, const struct kr_note *note)
{
	const size_t at = (size_t)((const uint8_t *)note - b->notes.data);

	((struct kr_note *)(void *)(b->notes.data + at))->type = KR_NONE;
}
