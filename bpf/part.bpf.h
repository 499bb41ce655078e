/* part.bpf.h - calls about several things at once: a record for each message, for each range
 *
 * sendmmsg and recvmmsg have a peer a message, FIDEDUPERANGE a file a range. Each of the first ones becomes
 * a record of its own behind that of the call (a PART of formats/calls.def), with its targets, its size and
 * what came of it; how many more there were is counted. Bytes are the call's: a part repeats them as its
 * result. It has no time of its own either.
 *
 * Works on the state per CPU of request.bpf.h: the thread's own holds the call.
 *
 * Source: include/linux/socket.h, include/linux/compat.h, include/uapi/linux/fs.h.
 */
#ifndef BPF_PART_H
#define BPF_PART_H

#include "bpf/request.bpf.h"

enum { PARTS_MAX = 32 };

struct dedupe_info {		/* struct file_dedupe_range_info */
	__s64 fd;
	__u64 offset, bytes;
	__s32 status;
	__u32 reserved;
};

enum { DEDUPE_LENGTH = 8, DEDUPE_COUNT = 16, DEDUPE_INFOS = 24 };	/* in struct file_dedupe_range */

struct part_walk {
	__u64 at;		/* of the array in user memory */
	__u64 length;		/* of each range */
	__u32 n, source;	/* how many; descriptor that ranges are compared with */
};

/* Puts the part that is in the state of this CPU. */
static __always_inline void
part_put(const struct scene *here, __s64 result)
{
	struct pending *const p = &here->state->now;

	p->start_ns = 0;
	p->flags |= KF_UNTIMED;
	count_shared(here->cpu, KC_parts);
	call_put(here, p, result, 0);
}

static __always_inline int
part_message(__u32 index, struct part_walk *walk)
{
	struct scene here = {};
	struct request_work *const w = request_scene(&here);
	struct pending *p;
	__u32 len = 0;

	if (index >= walk->n || !w)
		return 1;
	p = &w->state.now;
	*p = w->request.call;
	p->args[1] = walk->at + (p->compat ? 32ull : 64ull) * index;
	if (bpf_probe_read_user(&len, sizeof(len), (void *)(p->args[1] + (p->compat ? 28 : 56))))
		return 1;
	p->args[2] = index;
	p->call = p->call == CALL_sendmmsg ? CALL_sendmmsg_message : CALL_recvmmsg_message;
	p->flags &= ~(KF_REQUESTED | KF_MESSAGE_BYTES | KF_SECOND);
	requested_far(p, SIZE_MSG1);
	call_claims(p, here.tgid, 0);
	part_put(&here, len);
	return 0;
}

PLACE_STEP(part_message, 1, struct part_walk)

/* A function of its own for its stack. */
static __noinline int
part_range_begin(const struct scene *here, struct pending *p, const struct dedupe_info *info)
{
	p->args[0] = info->fd;
	p->args[3] = info->offset;
	p->args[4] = (__s64)info->status;
	call_begin(here, p, CALL_dedupe_range, COPY);
	return done();
}

static __always_inline int
part_range(__u32 index, struct part_walk *walk)
{
	struct scene here = {};
	struct request_work *const w = request_scene(&here);
	struct dedupe_info *info;
	struct pending *p;

	if (index >= walk->n || !w)
		return 1;
	p = &w->state.now;
	info = (struct dedupe_info *)w->raw;
	if (bpf_probe_read_user(info, sizeof(*info), (void *)(walk->at + sizeof(*info) * index)))
		return 1;
	p->args[1] = walk->source;
	p->args[2] = walk->length;
	p->args[5] = index;
	p->nr = 0;
	p->compat = w->request.call.compat;
	RUN(part_range_begin(&here, p, info));
	part_put(&here, info->status < 0 ? info->status : (__s64)info->bytes);
	return 0;
}

PLACE_STEP(part_range, 1, struct part_walk)

/* Takes the head of what FIDEDUPERANGE was given; how many ranges. */
static __always_inline __u32
part_ranges(struct part_walk *walk, const struct pending *p)
{
	const __u64 head = p->args[2];
	__u16 n = 0;

	walk->source = p->args[0];
	walk->at = head + DEDUPE_INFOS;
	if (bpf_probe_read_user(&walk->length, 8, (void *)(head + DEDUPE_LENGTH)) ||
	    bpf_probe_read_user(&n, 2, (void *)(head + DEDUPE_COUNT)))
		return 0;
	return n;
}

/* After the exit of a call that has parts, which the state of the thread still holds. Called by the program
 * itself, for the stack. */
static __noinline int
part_exit(struct task_struct *task, __s64 result, _Bool ranges)
{
	const struct state *const state = state_of(task, 0);
	struct request_work *const w = request_work_here();
	struct part_walk walk = {};
	__u32 number, n;
	struct kr_cpu *const cpu = cpu_here(&number);

	if (!state || !w || !cpu || result < 0 || !state->now.file)
		return done();
	w->request.call = state->now;
	if (min_latency_ns && state->now.start_ns &&
	    bpf_ktime_get_boot_ns() - state->now.start_ns < min_latency_ns)
		return done();		/* nor is the call recorded */
	walk.at = state->now.args[1];
	n = ranges ? part_ranges(&walk, &state->now) : result;
	walk.n = n > PARTS_MAX ? PARTS_MAX : n;
	if (n > walk.n)
		__sync_fetch_and_add(&cpu->counter[KC_parts_left_out], n - walk.n);
	if (ranges)
		PLACE_LOOP(part_range, walk.n, PARTS_MAX, walk);
	else
		PLACE_LOOP(part_message, walk.n, PARTS_MAX, walk);
	return done();
}

#endif
