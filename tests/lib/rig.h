/* rig.h - a writer without a file: its blocks are gathered, its evicted definitions counted */
#ifndef TESTS_LIB_RIG_H
#define TESTS_LIB_RIG_H

#include "formats/base/buf.h"
#include "formats/block.h"
#include "formats/writer.h"

#define RIG_MS UINT64_C(1000000)
#define RIG_START_NS UINT64_C(5000000000000)		/* when the first epoch begins */

struct rig {
	struct buf bytes;
	struct writer *w;
	struct block_head last;
	uint32_t n_blocks, n_evicted;
	uint64_t evicted;
	uint32_t next;			/* call */
};

/* Empties the rig; the options for rig_open, to be changed. Each step asserts that it went well. */
struct writer_options rig_options(struct rig *);
void rig_open(struct rig *, const struct writer_options *);
void rig_close(struct rig *);
void rig_epoch(struct rig *, uint64_t boot_ns);

/* Hands n calls over that use no target; one that uses target id; a definition of a file. */
void rig_calls(struct rig *, uint32_t n);
void rig_use(struct rig *, uint64_t id);
void rig_define(struct rig *, uint64_t id, const char *path);

/* The text of the blocks in bytes; the caller frees it. */
char *rig_text(struct rig *);

/* How often the words are in a text; fails unless they are n times in the blocks. */
unsigned int rig_count(const char *text, const char *words);
void rig_expect(struct rig *, const char *words, unsigned int n);

#endif
