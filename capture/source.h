/* source.h - something that yields kernel records: the kernel half, or a text for tests
 *
 * Records come in rounds. A round ends with the time up to which everything has been handed out. What
 * a source cannot do is NULL in its table; a text brings its own counters and sums as records.
 */
#ifndef CAPTURE_SOURCE_H
#define CAPTURE_SOURCE_H

#include <stdint.h>

#include "capture/batch.h"
#include "formats/error.h"
#include "formats/kernel_record.h"

struct kernel;
struct source;

enum source_result {		/* or a negative code */
	SOURCE_ROUND = 0,	/* the round is over: batch->until_ns says up to when */
	SOURCE_MORE = 1,	/* the batch is full, the round goes on */
	SOURCE_WAIT = 2,	/* a producer is not done with a record: come again soon */
	SOURCE_END = 3,		/* the round is over and nothing will follow */
};

typedef int source_each_sum(void *arg, unsigned int level, const struct kr_aggregate_key *key,
			    const struct kr_aggregate *sum);
typedef int source_each_mapped(void *arg, const struct kr_mapped_key *key, const struct kr_mapped *sums);
typedef int source_each_unfinished(void *arg, const void *record);	/* struct kr_unfinished */

struct source_ops {
	/* Adds the next records to the batch, which may hold some. enum source_result. */
	int (*take)(struct source *, struct batch *, struct iotap_error *err);
	/* Percent of the fullest ring in use. */
	unsigned int (*fullness)(const struct source *);
	/* Slots in use in all rings. */
	uint64_t (*waiting)(const struct source *);
	/* How long an empty ring takes to fill at the highest rate there is. */
	unsigned int (*fill_ms)(const struct source *);
	/* Sums of the counters, and runs of programs that the kernel skipped. */
	uint64_t (*counters)(const struct source *, uint64_t sums[KC_N]);
	/* Every aggregate. */
	int (*sums)(struct source *, source_each_sum *each, void *arg, struct iotap_error *err);
	/* Every sum of the set mmap, in pages. */
	int (*mapped)(struct source *, source_each_mapped *each, void *arg, struct iotap_error *err);
	/* No new calls from here on; what lies in the rings can still be taken. */
	void (*stop)(struct source *);
	/* Calls that have not ended, once, after stop and the rounds that followed it. */
	int (*unfinished)(struct source *, source_each_unfinished *each, void *arg,
			  struct iotap_error *err);
	/* Definitions the recording no longer holds, uint64_t: as kernel_forget. */
	int (*forget)(struct source *, struct buf *ids, bool *all, struct iotap_error *err);
	/* No calls while it is paused. */
	void (*pause)(struct source *, bool paused);
	/* NULL is not allowed here. */
	void (*close)(struct source *);
};

struct source {
	const struct source_ops *ops;
};

/* Over a kernel half that is loaded; the kernel stays the caller's. NULL: out of memory. */
struct source *source_bpf_new(struct kernel *kernel);

/* Over a text of records and calls (formats/rectext.h), which is read whole. NULL and the reason in
 * err. */
struct source *source_text_open(const char *path, struct iotap_error *err);

/* The records of a text that belong to the header: false when the text has none. Valid as long as the
 * source. */
struct source_header {
	struct rec_host host;
	struct rec_clock clock;
	bool has_host, has_clock;
};
const struct source_header *source_text_header(const struct source *s);

/* How the text says the recording ended, or NULL. */
const struct rec_end *source_text_end(const struct source *s);

static inline void
source_close(struct source *s)
{
	if (s)
		s->ops->close(s);
}

#endif
