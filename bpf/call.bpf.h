/* call.bpf.h - a selected call from enter to record
 *
 * call_begin() keeps what must be read before the call runs, call_end() adds what it made and puts
 * the record on the ring. What differs between calls is in their row (formats/calls.def), never in
 * code here.
 */
#ifndef BPF_CALL_H
#define BPF_CALL_H

#include "bpf/aggregate.bpf.h"
#include "bpf/effect.bpf.h"
#include "bpf/mapped.bpf.h"
#include "bpf/size.bpf.h"

enum { OFFSET_HERE = -1 };		/* preadv2: the file's position */

/* Where the thread stands: what every function below needs. */
struct scene {
	struct task_struct *task;
	struct kr_cpu *cpu;
	struct state *state;
	__u32 cpu_number;
	__u32 tgid;
	__u32 tid;
};

/* The offset of the call, by its row and by what the descriptor is. */
static __always_inline void
call_offset(struct pending *p, const struct look *look, __u8 offset, __u8 dir)
{
	const _Bool append = dir == DIR_WRITE && (look->open_flags & K_O_APPEND);
	_Bool here = offset == OFFSET_POS;	/* the file's position */

	if (offset == OFFSET_P3) {
		here = !p->args[3];
		if (!here && bpf_probe_read_user(&p->offset, sizeof(p->offset), (void *)p->args[3]))
			return;
	} else if (!here) {
		p->offset = p->args[offset & 7];
		here = offset == OFFSET_H3 && p->offset == OFFSET_HERE;
	}
	if (!here) {
		if (append)	/* it appends whatever the argument says */
			p->offset = 0;
		else
			p->flags |= KF_OFFSET;
		return;
	}
	p->offset = append ? 0 : look->pos;
	if (look->has_pos)
		p->flags |= append ? KF_APPEND : KF_OFFSET;
}

/* Which of its two rows a call of EFFECT_TURNS is, now that its file is known; none if that was not asked for. */
static __always_inline void
call_turn(struct pending *p, _Bool reads)
{
	if (reads)
		p->call = CALL_vmsplice_read;	/* its only one */
	if (left_out[p->call & (KR_MAX_CALLS - 1)])
		p->call = CALL_NONE;
}

/* Keeps the start of a call. The caller has set nr and compat and filled args. p->call is CALL_NONE after it
 * when it turned out to be one that was not asked for. */
static __always_inline void
call_begin(const struct scene *here, struct pending *p, __u32 call, const enum how how)
{
	const volatile struct call_spec *const row = &spec[call & (KR_MAX_CALLS - 1)];
	const __s8 fd = row->fd, fd2 = row->fd2;
	const __u8 size = row->size, offset = row->offset;
	struct reading *const r = &here->state->reading;
	struct target_ref ref;
	struct why why;

	p->call = call;
	p->flags = p->compat ? KF_COMPAT : 0;
	p->id = p->id2 = p->file = p->file2 = p->ino = p->requested = 0;
	p->offset = 0;
	p->dev = p->mode = 0;
	p->fd = p->fd2 = -1;
	p->shared = 0;
	p->match = MATCH_NO;
	if (fd >= 0) {
		p->fd = (__s32)p->args[fd & 7];
		p->flags |= p->fd == K_AT_FDCWD ? 0 : KF_FD;
		p->file = file_of(here->task, p->fd, &p->shared, how);
		if (p->file) {
			why_init(&why, here->tgid, KR_ORIGIN_USE);
			identify(&here->state->cached[p->fd & (N_CACHED - 1)], p->file, r, &why,
				 &ref, how);
			pending_target(p, &ref);
			if (offset != OFFSET_NO)
				call_offset(p, &ref.look, offset, row->dir);
		}
		if (row->effect == EFFECT_TURNS)
			call_turn(p, p->file && !(ref.look.open_flags & K_O_ACCMODE));
	}
	if (row->effect == EFFECT_MAPPED && p->mapped) {
		why_init(&why, here->tgid, KR_ORIGIN_USE);
		identify(0, p->mapped, r, &why, &ref, how);
		pending_target(p, &ref);
	}
	if (fd2 >= 0) {
		p->fd2 = (__s32)p->args[fd2 & 7];
		if (p->fd2 == K_AT_FDCWD)
			p->fd2 = -1;	/* no descriptor */
		else
			p->flags |= KF_SECOND;
		p->file2 = file_of(here->task, p->fd2, &p->shared, how);
		if (p->file2) {
			why_init(&why, here->tgid, KR_ORIGIN_USE);
			identify(&here->state->cached[p->fd2 & (N_CACHED - 1)], p->file2, r, &why,
				 &ref, how);
			p->id2 = ref.id;
			if (row->dir != DIR_NONE)	/* of a copy: its source */
				p->match |= ref.match;
			if (!p->id2)
				p->flags |= KF_UNDEFINED;
		}
	}
	if (size < 8) {
		p->requested = p->args[size & 7];
		p->flags |= KF_REQUESTED;
	} else if (size != SIZE_NO) {
		requested_far(p, size);
	}
}

/* The bytes that a call moved, as far as they are known. */
static __always_inline __u64
bytes_moved(const struct pending *p, __u8 ret, __s64 result)
{
	if (result > 0 && ret == RET_BYTES)
		return result;
	if (result == 0 && ret == RET_SIZE)
		return p->requested;
	return (p->flags & KF_MESSAGE_BYTES) && result >= 0 ? p->requested : 0;
}

/* A finished call that found no room on the ring: into the sums. A function of its own for its
 * stack: before 6.13 a chain of functions has 512 bytes together. */
static __noinline int
call_sum(const struct scene *here, const struct pending *p, __s64 result, __u64 duration, __u64 now)
{
	const volatile struct call_spec *const row = &spec[p->call & (KR_MAX_CALLS - 1)];
	const __u8 ret = row->ret;
	struct aggregate_part part = {
		.key = { .tgid = here->tgid, .call = p->call, .id = p->id },
		.bytes = bytes_moved(p, ret, result),
		.messages = ret == RET_MESSAGES && result > 0 ? result : 0,
		.latency_ns = duration,
		.now_ns = now,
		.failed = call_failed(p->call, result),
	};

	RUN(aggregate_call_in(here->cpu, &part));
	if (row->fd2 >= 0 && row->dir != DIR_NONE)
		RUN(aggregate_source(&part, p->id2));
	return done();
}

/* Puts a finished call on the ring, or into the aggregate. end_ns 0 = it returns now. */
static __always_inline void
call_put(const struct scene *here, const struct pending *p, __s64 result, __u64 end_ns)
{
	const volatile struct call_spec *const row = &spec[p->call & (KR_MAX_CALLS - 1)];
	const __s8 keep0 = row->keep0, keep1 = row->keep1;
	__u64 slot, now, duration;
	__u32 index, flags = p->flags;
	const enum filtered filtered = call_filtered(p, result, end_ns);
	struct kr_call *record;

	if (no_latency)
		flags |= KF_UNTIMED;
	if (filtered != FILTERED_NOT) {
		count(here->cpu, KC_filtered);
		if (filtered == FILTERED_BY_PATH && (p->match & MATCH_CLAIMED))
			count(here->cpu, KC_filtered_claimed);
		return;
	}
	slot = ring_take(&here->cpu->calls, call_slots, 1);
	index = here->cpu_number * call_slots + ((__u32)slot & (call_slots - 1));
	record = bpf_map_lookup_elem(&calls, &index);
	now = bpf_ktime_get_boot_ns();
	duration = p->start_ns ? (end_ns ? end_ns : now) - p->start_ns : 0;
	if (flags & KF_UNDEFINED)
		count(here->cpu, KC_undefined);
	if (slot == NO_SLOT || !record) {
		RUN(call_sum(here, p, result, duration, now));
		return;
	}
	record->key_ns = now;
	record->start_ns = p->start_ns;
	record->duration_ns = duration;
	record->tid = here->tid;
	record->tgid = here->tgid;
	record->call = p->call;
	record->cpu = here->cpu_number;
	record->fd = p->fd;
	record->fd2 = p->fd2;
	record->id = p->id;
	record->id2 = p->id2;
	record->offset = p->offset;
	record->requested = p->requested;
	record->result = result;
	record->dev = p->dev;
	record->mode = p->mode;
	record->ino = p->ino;
	record->arg0 = record->arg1 = 0;
	if (keep0 >= 0) {
		record->arg0 = p->args[keep0 & 7];
		flags |= KF_ARGS;
	}
	if (keep1 >= 0) {
		record->arg1 = p->args[keep1 & 7];
		flags |= KF_ARGS;
	}
	record->flags = flags;
	count(here->cpu, KC_recorded);
	ring_commit(&record->commit, slot);
}

/* Whether a descriptor of the call, in a table that other threads use too, is another open file now
 * than at enter. */
static __always_inline _Bool
slot_changed(const struct scene *here, const struct pending *p, const enum how how)
{
	return (p->file && file_of(here->task, p->fd, 0, how) != p->file) ||
		(p->file2 && file_of(here->task, p->fd2, 0, how) != p->file2);
}

/* Of a call that was first looked at when it had ended: the position was read behind what it moved. */
static __always_inline void
offset_back(struct pending *p, __u8 offset, __s64 result)
{
	if (offset == OFFSET_POS || offset == OFFSET_P3 ||
	    (offset == OFFSET_H3 && p->args[3] == (__u64)OFFSET_HERE))
		p->offset -= result;
}

/* The end of a call that has its enter. */
static __always_inline void
call_end(const struct scene *here, struct pending *p, __s64 result, const enum how how)
{
	const volatile struct call_spec *const row = &spec[p->call & (KR_MAX_CALLS - 1)];
	const __u8 effect = row->effect;

	if (!no_latency && p->shared && effect != EFFECT_CLOSES && slot_changed(here, p, how))
		p->flags |= KF_RACED;
	if ((p->flags & KF_APPEND) && result > 0 && !(p->flags & KF_RACED)) {
		struct file *const file = POINTER(struct file, p->file);

		p->offset = GET(file, f_pos) - result;
		p->flags |= KF_OFFSET;
	} else if ((no_latency || (p->flags & KF_BEFORE)) && !(p->flags & KF_RESTARTED) && result > 0) {
		offset_back(p, row->offset, result);
	}
	if (effect != EFFECT_NONE || row->take != TAKE_NONE)
		call_effect(here->state, here->tgid, result);
	if (effect == EFFECT_MAPS && (result >= 0 || result < -K_MAX_ERRNO))
		RUN(mapped_named(here->tgid, p->file, p->id));
	if (row->ret == RET_MESSAGES)
		messages_total(p, result);
	call_put(here, p, result, 0);
}

#endif
