/* select.bpf.h - filters: which of the calls that were asked for are recorded
 *
 * A call that took too little time, that did not fail, or whose target has another path than those wanted
 * is counted (filtered) and left out when it is done. All that it told of targets and processes stays.
 * One of which a filter cannot tell is recorded: the latency of a call that began before attach, the
 * path of a target that found no room for its definition.
 *
 * Paths are compared once, when a target gets its definition, and the answer is kept with it. All
 * patterns are one automaton of KR_GLOB_WORDS * 64 places: a set of places is a bit each. From place i a
 * byte of glob_take leads to i + 1, and any byte back to i where glob_stay says so (a star); each pattern
 * has a place to begin at and one to end at, which nothing leads out of. User space makes the tables
 * (capture/glob.c), and has the same loop. One step a byte of the path, whatever the patterns are.
 */
#ifndef BPF_SELECT_H
#define BPF_SELECT_H

#include "bpf/loop.bpf.h"

/* One byte of the path; 1 = there is none left. */
static __always_inline int
match_byte(__u32 index, struct scratch *s)
{
	const __u32 c = (unsigned char)s->text[(s->start + index) & 16383];
	__u64 carry = 0;

	if (s->start + index >= s->stop)
		return 1;
#pragma unroll
	for (unsigned int w = 0; w < KR_GLOB_WORDS; w++) {
		__u64 old, took;

		if (w >= glob_words)
			break;
		old = s->at[w];
		took = old & glob_take[c * KR_GLOB_WORDS + w];
		s->at[w] = took << 1 | carry | (old & glob_stay[w]);
		carry = took >> 63;
	}
	return 0;
}

SCRATCH_STEP(match_byte, 32)

/* Whether the path that was just walked, all of the text so far, is wanted: enum match. */
BY_NUMBERS_STATIC int
BODY(path_match)(struct scratch *s)
{
	__u64 reached = 0;

	if (!glob_words || s->target.kind != KR_KIND_FILE)
		return MATCH_NO;
	if (!(s->target.flags & KT_CONFIRMED))
		return MATCH_CLAIMED;
#pragma unroll
	for (unsigned int w = 0; w < KR_GLOB_WORDS; w++)
		s->at[w] = glob_begin[w];
	SCRATCH_LOOP(match_byte, KR_PATH_MAX, KR_PATH_MAX, s);
#pragma unroll
	for (unsigned int w = 0; w < KR_GLOB_WORDS; w++)
		reached |= s->at[w] & glob_end[w];
	return reached ? MATCH_YES : MATCH_NO;
}

#ifdef OLD_KERNEL

__noinline int
path_match_of(__u32 which)
{
	struct scratch *const s = bpf_map_lookup_elem(&scratch, &which);

	return s ? path_match_body(s) : MATCH_NO;
}

#define path_match(s) path_match_of((s)->which)

#endif

/* Whether a call failed. A connect that goes on in the background has not. */
static __always_inline _Bool
call_failed(__u32 call, __s64 result)
{
	return result < 0 && !(result == -K_EINPROGRESS &&
			       spec[call & (KR_MAX_CALLS - 1)].effect == EFFECT_CONNECTS);
}

enum filtered { FILTERED_NOT = 0, FILTERED = 1, FILTERED_BY_PATH = 2 };

/* Whether a finished call is left out. end_ns 0 = it returns now. */
static __always_inline enum filtered
call_filtered(const struct pending *p, __s64 result, __u64 end_ns)
{
	if (failed_only && !call_failed(p->call, result))
		return FILTERED;
	if (min_latency_ns && !(p->flags & KF_BEFORE) &&
	    (end_ns ? end_ns : bpf_ktime_get_boot_ns()) - p->start_ns < min_latency_ns)
		return FILTERED;
	if (glob_words && !(p->match & MATCH_YES) && !(p->flags & KF_UNDEFINED))
		return FILTERED_BY_PATH;
	return FILTERED_NOT;
}

#endif
