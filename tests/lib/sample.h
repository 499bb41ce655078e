/* sample.h - a recording made in memory, the same every time, with a bit of everything in it */
#ifndef TESTS_LIB_SAMPLE_H
#define TESTS_LIB_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/block.h"
#include "formats/kernel_record.h"

enum { SAMPLE_BLOCKS_MAX = 256 };

struct sample {
	struct buf bytes;
	uint32_t n;			/* blocks */
	size_t at[SAMPLE_BLOCKS_MAX], end[SAMPLE_BLOCKS_MAX];
	struct block_head heads[SAMPLE_BLOCKS_MAX];
};

struct sample_shape {
	enum block_codec codec;
	uint64_t session;
	uint32_t n_epochs;
	uint32_t n_periods;		/* of records and calls, in each epoch */
	uint32_t n_calls;		/* in each period */
};

/* A small one: every type of block, 3 epochs, 40 calls a period, session 77. */
extern const struct sample_shape sample_small;

/* Fails the running test if it cannot be made. */
void sample_make(struct sample *, const struct sample_shape *);
void sample_fini(struct sample *);

/* The i-th call of an endless row: every flag, every sort of target, times that go up. */
struct kr_call sample_call(uint32_t i);

/* A copy of exactly n bytes on the heap, so that a sanitizer sees any byte read beyond them. */
uint8_t *sample_copy(const void *p, size_t n);

/* Numbers that look random and are the same every time. *state begins as any number. */
uint64_t sample_lot(uint64_t *state);

/* The text of all that a reader says of n bytes: items and contents, for comparing. */
void sample_read(const void *p, size_t n, struct buf *text);

#endif
