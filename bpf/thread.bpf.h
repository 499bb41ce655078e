/* thread.bpf.h - the state of a thread: task storage, or in older kernels a map by struct task_struct *
 *
 * A map has to be told when a task ends: its pointer may be another's afterwards.
 */
#ifndef BPF_THREAD_H
#define BPF_THREAD_H

#include "bpf/maps.bpf.h"
#include "bpf/old.bpf.h"

#ifdef OLD_KERNEL

/* What new state begins as: zeroes, too many for a stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct state);
} no_state SEC(".maps");

static __always_inline struct state *
state_of(const struct task_struct *task, _Bool make)
{
	const __u64 key = (__u64)task;
	const __u32 zero = 0;
	struct state *const state = bpf_map_lookup_elem(&tasks, &key);
	const struct state *none;

	if (state || !make)
		return state;
	none = bpf_map_lookup_elem(&no_state, &zero);
	if (none)
		bpf_map_update_elem(&tasks, &key, none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&tasks, &key);
}

static __always_inline void
state_ended(const struct task_struct *task)
{
	const __u64 key = (__u64)task;

	bpf_map_delete_elem(&tasks, &key);
}

#else

/* The state of a thread; NULL = it has none, or with make: there was no memory for it. */
static __always_inline struct state *
state_of(struct task_struct *task, _Bool make)
{
	return bpf_task_storage_get(&tasks, task, 0, make ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
}

/* A thread has come to its end. */
static __always_inline void
state_ended(struct task_struct *task)
{
}

#endif
#endif
