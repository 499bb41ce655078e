/* encoder.h - the second thread: batches in, blocks out
 *
 * It owns the writer (formats/writer.h) while it runs. The queue is short: when the output blocks, it
 * fills, batches run out, merging stops, the rings fill and the kernel half sums up instead. So nothing
 * that reads slowly can slow a traced process. A failure of the output ends the thread's work; it is
 * kept for encoder_failed.
 */
#ifndef CAPTURE_ENCODER_H
#define CAPTURE_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/batch.h"
#include "capture/outlet.h"
#include "capture/places.h"
#include "capture/translate.h"
#include "formats/error.h"
#include "formats/writer.h"

struct encoder;

struct encoder_options {
	struct writer_options writer;		/* evicted is set here */
	struct places *places;			/* fills in cgroups; NULL = nobody asks */
	translate_name *name_from;		/* translate.h */
	void *name_arg;
	struct outlet *outlet;			/* the caller's; used by the thread while it runs */
	bool stays_root;			/* as privileges_of_thread */
	bool cost;				/* say what we take ourselves */
};

/* NULL and the reason in err. */
struct encoder *encoder_new(const struct encoder_options *options, struct iotap_error *err);

/* Header and first epoch, from the calling thread; then the thread is started, with every signal
 * blocked and no capabilities of its own. */
int encoder_start(struct encoder *e, const struct rec_host *host, const struct rec_clock *clock,
		  const struct rec_request *requests, size_t n_requests,
		  const struct rec_counters *counters, struct iotap_error *err);

/* An empty batch to fill. NULL: all are under way and wait is false, or the output has failed. */
struct batch *encoder_batch(struct encoder *e, bool wait);

/* Takes the batch back, filled; it is written in its turn. */
void encoder_put(struct encoder *e, struct batch *b);

/* True when the writer would like to hear that the time is now_ns, even in an empty batch. */
bool encoder_wants(const struct encoder *e, uint64_t now_ns);

/* What the next batch should bring about. A turn other than OUTLET_NOTHING, which is to go into the next
 * batch, is asked for once. dump: a copy of the flight recorder is wanted; if *dump is left true, it has
 * to be asked for again. */
enum outlet_due encoder_turn(struct encoder *e, bool *dump);

/* 0, or the reason (end.reason) why there is enough. */
unsigned int encoder_limit(const struct encoder *e);

/* 0, or the failure of the output with its text. */
int encoder_failed(struct encoder *e, struct iotap_error *err);

/* Definitions that left the writer's table: appends uint64_t to out. False: there were more than can be
 * listed, or than out can take. */
bool encoder_evicted(struct encoder *e, struct buf *out);

/* Waits until everything is written, ends the thread, and writes the end: counters.written is filled in
 * here. The first failure, or 0. */
int encoder_end(struct encoder *e, const struct rec_clock *clock, struct counters *counters,
		const struct rec_end *end, struct iotap_error *err);

/* After the output failed, instead of encoder_end: what was written in part is taken away, as far as it is
 * a file, and the recording ends with a word about the calls that are not in it: of those that the kernel
 * recorded, all but the written ones. As good as it gets: no result. */
void encoder_salvage(struct encoder *e, const struct rec_clock *clock, struct counters *counters,
		     uint64_t recorded, const struct rec_end *end);

/* Calls and bytes written; after encoder_end. */
void encoder_totals(const struct encoder *e, struct writer_totals *out);

/* Ends the thread if it runs. NULL is allowed. */
void encoder_free(struct encoder *e);

#endif
