/* maps.bpf.h - every map of the kernel half
 *
 * Sizes written as 1 are set by the loader: control to the possible CPUs, calls and notes to
 * CPUs x slots, names to what is needed.
 */
#ifndef BPF_MAPS_H
#define BPF_MAPS_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/settings.bpf.h"
#include "bpf/state.bpf.h"

enum {
	SEEN_FILES = 65536,
	CLAIM_SETS = 8192,	/* a power of two; of two claims each */
	CLAIM_BYTES = 112,
	AGGREGATE_PROCESSES = 4096,
	TASKS = 131072,		/* of traced processes, at a time, where there is no task storage */
	/* A path grows backwards from PATH_END, everything else forwards. */
	PATH_END = KR_PATH_MAX + 8,
	SCRATCH_TEXT = 16384 + 1024,
};

/* What a claim is known by: claim.bpf.h. */
struct claim_key {
	__u32 tgid;
	__u16 take;		/* and whether an address is the own one */
	__u16 len;		/* 0 = it cannot be known again */
	__u64 base;		/* or the number that it is */
	char text[CLAIM_BYTES];	/* the rest is zero */
};

struct claimed {
	struct claim_key key;
	__u64 id, gen;
	__u64 seal;		/* of key and id: 0, or anything else, while it is written */
};

/* Room to build one note, too large for a stack. */
struct scratch {
	__u32 busy;		/* taken by a program */
	__u32 start, stop;	/* text[start .. stop) is the note's text */
	__u32 cut;		/* the walk did not reach the top */
#ifdef OLD_KERNEL
	__u32 which;		/* as in scratch_take */
	__u32 rest_cpu, rest_total;	/* a text that is being copied: note.bpf.h */
	__u64 rest_slot;
#endif
	__u64 dentry, mount;	/* where the walk is: struct dentry *, struct mount * */
	__u64 hash, arg_hash;	/* names being hashed */
	__u64 at[KR_GLOB_WORDS];	/* places of the patterns: select.bpf.h */
	struct seen seen;
	struct claim_key claim;
	union {
		struct kr_target target;
		struct kr_life life;
		__u64 fixed[KR_NOTE_FIXED / 8];
	};
	char text[SCRATCH_TEXT];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kr_cpu);
} control SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kr_call);
} calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kr_note);
} notes SEC(".maps");

#ifdef OLD_KERNEL
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, TASKS);
	__type(key, __u64);		/* struct task_struct * */
	__type(value, struct state);
} tasks SEC(".maps");
#else
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct state);
} tasks SEC(".maps");
#endif

/* struct file * to its definition. Least recently used ones go; they are defined anew then. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, SEEN_FILES);
	__type(key, __u64);
	__type(value, struct seen);
} seen SEC(".maps");

/* What was said and its definition. A set is full with two: the older one goes. An LRU map of these
 * spent a third of what a walk through many names pays on its lists. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2 * CLAIM_SETS);
	__type(key, __u32);
	__type(value, struct claimed);
} claims SEC(".maps");

/* FNV-1a of a wanted name in lower case to anything: see life.bpf.h. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u32);
} names SEC(".maps");

/* What became of calls that found no room: three levels, the last cannot fail. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KR_AGGREGATE_KEYS);
	__type(key, struct kr_aggregate_key);
	__type(value, struct kr_aggregate);
} aggregate SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, AGGREGATE_PROCESSES);
	__type(key, struct kr_aggregate_key);
	__type(value, struct kr_aggregate);
} aggregate_process SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, KR_MAX_CALLS);
	__type(key, __u32);
	__type(value, struct kr_aggregate);
} aggregate_call SEC(".maps");

/* One for tracepoint programs, one for iterators, which tracepoint programs may interrupt. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

#endif
