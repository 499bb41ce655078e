/* batch.h - a piece of the trace on its way from the rings to the recording
 *
 * Calls and notes of one time range, each list in key order: everything the kernel recorded after the
 * batch before it and up to the last key in here is in here. A note belongs before every call with
 * the same or a later key. Records are what capture itself has to say, in writing order; they come
 * after the batch's calls. A batch owns its memory and is used again and again.
 */
#ifndef CAPTURE_BATCH_H
#define CAPTURE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/base/bytes.h"
#include "formats/kernel_record.h"
#include "formats/record.h"

enum {
	BATCH_CALLS = 8192,		/* 1 MiB */
	BATCH_NOTE_BYTES = 1 << 20,	/* when this many are there no further note is added */
};

/* The kernel's counters as a record; values points into the struct itself once counters_seal was
 * called on the copy in use. */
struct counters {
	struct rec_counters rec;
	uint8_t values[KC_N * BYTES_VARINT_MAX];
	uint32_t n_values;
};

struct batch {
	struct kr_call *calls;		/* BATCH_CALLS of them */
	size_t n_calls;
	struct buf notes;		/* struct kr_note in whole slots, back to back; checked */
	size_t n_notes;
	struct buf records;		/* serialised, formats/record.h */
	uint64_t until_ns;		/* everything up to here is out; 0 = the round goes on */
	unsigned int turn;		/* enum outlet_due: before anything of this batch, with these: */
	struct rec_clock clock;
	struct counters counters;	/* n_values = 0: none */
};

/* False: out of memory. */
bool batch_init(struct batch *b);

/* NULL is allowed. */
void batch_fini(struct batch *b);

/* Empties it, keeps the memory. */
void batch_clear(struct batch *b);

static inline bool
batch_is_empty(const struct batch *b)
{
	return b->n_calls == 0 && b->n_notes == 0 && b->records.len == 0;
}

/* The note at *at (0 at first), *at moved behind it; NULL after the last one. */
const struct kr_note *batch_next_note(const struct batch *b, size_t *at);

/* Makes a note of the batch none, so that nothing comes of it. */
void batch_drop_note(struct batch *b, const struct kr_note *note);

/* Gives the exec note that ends at *at (batch_next_note) another argv[0], as much of it as a note can
 * hold; *at is behind the note again. Pointers to notes are void afterwards. False: out of memory, the
 * note is as it was. */
bool batch_set_arg0(struct batch *b, size_t *at, const struct kr_note *note, const void *arg0,
		    size_t n);

static inline const struct rec_counters *
counters_seal(struct counters *c)
{
	c->rec.values = rec_bytes(c->values, c->n_values);
	return c->n_values > 0 ? &c->rec : NULL;
}

/* Text of a note that lies in consecutive memory: note->text_total bytes, which runs on from the
 * first slot into the following ones. */
static inline const uint8_t *
note_text(const struct kr_note *note)
{
	return (const uint8_t *)note + KR_NOTE_HEAD + KR_NOTE_FIXED;
}

#endif
