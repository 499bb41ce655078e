/* source_bpf.c - the kernel half as a source: its rings merged, its iterators and sums as they are */
#include "capture/source.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "capture/kernel.h"
#include "capture/merge.h"

enum {
	SETTLE_MS = 10,		/* programs under way when their links went have ended after that */
	CALLS_PER_MS = 5000,	/* on one CPU: nobody is faster, traced */
	NOTES_PER_MS = 400,	/* opens of files that are new each time */
};

struct source_bpf {
	struct source base;
	struct kernel *kernel;
	struct merge *merge;
	bool in_round;
};

static struct source_bpf *
self(const struct source *s)
{
	return (struct source_bpf *)(uintptr_t)s;
}

static uint64_t
boot_clock(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int
take(struct source *s, struct batch *b, struct iotap_error *err)
{
	struct source_bpf *const me = self(s);
	int r;

	if (!me->in_round) {
		r = merge_begin(me->merge, err);
		if (r != 0)
			return r < 0 ? r : SOURCE_WAIT;
		me->in_round = true;
	}
	r = merge_take(me->merge, b, err);
	if (r == 0)
		me->in_round = false;
	return r < 0 ? r : r == 1 ? SOURCE_MORE : SOURCE_ROUND;
}

static unsigned int
fullness(const struct source *s)
{
	unsigned int percent;

	(void)merge_waiting(self(s)->merge, &percent);
	return percent;
}

static uint64_t
waiting(const struct source *s)
{
	unsigned int percent;

	return merge_waiting(self(s)->merge, &percent);
}

static unsigned int
fill_ms(const struct source *s)
{
	const struct merge_areas *const a = kernel_areas(self(s)->kernel);
	const unsigned int calls = a->call_slots / CALLS_PER_MS;
	const unsigned int notes = a->note_slots / NOTES_PER_MS;

	return notes < calls ? notes : calls;
}

static uint64_t
counters(const struct source *s, uint64_t sums[KC_N])
{
	kernel_counters(self(s)->kernel, sums);
	return kernel_misses(self(s)->kernel);
}

static int
sums(struct source *s, source_each_sum *each, void *arg, struct iotap_error *err)
{
	return kernel_aggregates(self(s)->kernel, each, arg, err);
}

static int
mapped(struct source *s, source_each_mapped *each, void *arg, struct iotap_error *err)
{
	return kernel_mapped(self(s)->kernel, each, arg, err);
}

static void
stop(struct source *s)
{
	const struct timespec settle = {.tv_nsec = SETTLE_MS * 1000000L};

	kernel_stop_calls(self(s)->kernel);
	(void)nanosleep(&settle, NULL);
}

static int
unfinished(struct source *s, source_each_unfinished *each, void *arg, struct iotap_error *err)
{
	const int r = kernel_unfinished(self(s)->kernel, each, arg, err);

	kernel_stop(self(s)->kernel);
	return r;
}

static int
forget(struct source *s, struct buf *ids, bool *all, struct iotap_error *err)
{
	return kernel_forget(self(s)->kernel, ids, all, err);
}

static void
pause_calls(struct source *s, bool paused)
{
	kernel_pause(self(s)->kernel, paused);
}

static void
close_source(struct source *s)
{
	merge_free(self(s)->merge);
	free(self(s));
}

struct source *
source_bpf_new(struct kernel *kernel)
{
	static const struct source_ops ops = {
		.take = take, .fullness = fullness, .waiting = waiting, .fill_ms = fill_ms,
		.counters = counters, .sums = sums, .mapped = mapped,
		.stop = stop, .unfinished = unfinished,
		.forget = forget, .pause = pause_calls, .close = close_source,
	};
	struct source_bpf *const me = calloc(1, sizeof(*me));

	if (!me)
		return NULL;
	me->base.ops = &ops;
	me->kernel = kernel;
	me->merge = merge_new(kernel_areas(kernel), boot_clock);
	if (!me->merge) {
		free(me);
		return NULL;
	}
	return &me->base;
}
