/* merge.h - the consumer's half of the ring rule (formats/kernel_record.h): many rings, one order
 *
 * A round takes the clock, then the heads, waits until every slot up to them is committed, and hands
 * out all records with a key up to the clock in the order (key, note before call, cpu, slot). Nothing
 * is held back by time and nothing is skipped. Slots are freed as their records are handed out.
 *
 * The rings belong to the caller (memory shared with the kernel half, or a test's); what they hold is
 * checked before it is used. Not for two threads.
 */
#ifndef CAPTURE_MERGE_H
#define CAPTURE_MERGE_H

#include <stdint.h>

#include "capture/batch.h"
#include "formats/error.h"
#include "formats/kernel_record.h"

/* The three areas, for n_cpus possible CPUs; slots are per CPU and powers of two. */
struct merge_areas {
	struct kr_cpu *control;
	const struct kr_call *calls;
	struct kr_note *notes;		/* written to: see merge.c */
	uint32_t n_cpus;
	uint32_t call_slots;
	uint32_t note_slots;
};

struct merge;

/* clock gives CLOCK_BOOTTIME in nanoseconds. NULL: out of memory. */
struct merge *merge_new(const struct merge_areas *areas, uint64_t (*clock)(void));
void merge_free(struct merge *m);

/* Begins a round. 0; or 1 when a slot has not been committed yet: call again, the round goes on where
 * it stopped. IOTAP_ENOMEM, IOTAP_ECORRUPT (a ring holds what no producer writes). */
int merge_begin(struct merge *m, struct iotap_error *err);

/* Adds the next records of the round to b, which may hold something already. 1: b is full, call again
 * with another one; 0: the round is over and b->until_ns says up to when. IOTAP_ENOMEM. */
int merge_take(struct merge *m, struct batch *b, struct iotap_error *err);

/* Slots between tail and head over all rings, as of now, and the fullest ring in percent. */
uint64_t merge_waiting(const struct merge *m, unsigned int *fullest_percent);

#endif
