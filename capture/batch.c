/* batch.c - a piece of the trace on its way from the rings to the recording */
#include "capture/batch.h"

#include <stdlib.h>
#include <string.h>

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
	b->turn = 0;
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

static size_t
slots_for(size_t text)
{
	return text <= KR_NOTE_INLINE
		       ? 1
		       : 1 + (text - KR_NOTE_INLINE + KR_NOTE_SLOT - 1) / KR_NOTE_SLOT;
}

bool
batch_set_arg0(struct batch *b, size_t *at, const struct kr_note *note, const void *arg0, size_t n)
{
	const size_t from = (size_t)((const uint8_t *)note - b->notes.data);
	const size_t text = note->life.text_len;
	const size_t kept = n < KR_NOTE_TEXT_MAX - text ? n : KR_NOTE_TEXT_MAX - text;
	const size_t end = from + slots_for(text + kept) * KR_NOTE_SLOT;
	const size_t behind = b->notes.len - *at;
	struct kr_note *changed;

	if (end > *at && !buf_reserve(&b->notes, end - *at))
		return false;
	memmove(b->notes.data + end, b->notes.data + *at, behind);
	b->notes.len = end + behind;
	*at = end;
	changed = (struct kr_note *)(void *)(b->notes.data + from);
	changed->n_slots = (kr_u16)((end - from) / KR_NOTE_SLOT);
	changed->text_total = (kr_u32)(text + kept);
	changed->life.arg0_len = (kr_u16)kept;
	memcpy(b->notes.data + from + KR_NOTE_HEAD + KR_NOTE_FIXED + text, arg0, kept);
	return true;
}
