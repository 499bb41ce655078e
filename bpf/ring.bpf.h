/* ring.bpf.h - counters, and room in the two rings of this CPU
 *
 * Counters are plain adds in tracepoint programs: these run with preemption off (6.18: the machine
 * code of __bpf_trace_sys_enter raises __preempt_count around the programs; before 6.13 every
 * tracepoint did), nothing that runs in interrupts counts, and each CPU has counters of its own.
 * Iterators run in process context, always add atomically, and cannot be interleaved with a plain add
 * for the same reason.
 *
 * Room is taken by compare-and-exchange, not by a bare add: an iterator can be interrupted between
 * looking at the tail and moving the head. It is a full barrier all the same, which the consumer's
 * rule needs: the clock is read after the new head is visible.
 */
#ifndef BPF_RING_H
#define BPF_RING_H

#include "bpf/maps.bpf.h"
#include "bpf/old.bpf.h"

#define NO_SLOT (~0ull)

static __always_inline struct kr_cpu *
cpu_here(__u32 *number)
{
	*number = bpf_get_smp_processor_id();
	return bpf_map_lookup_elem(&control, number);
}

static __always_inline void
count(struct kr_cpu *cpu, const enum kr_counter which)
{
	cpu->counter[which]++;
}

static __always_inline void
count_shared(struct kr_cpu *cpu, const enum kr_counter which)
{
	__sync_fetch_and_add(&cpu->counter[which], 1);
}

#ifdef OLD_KERNEL

/* Nobody comes between on this CPU: note.bpf.h. The step is a full barrier on x86. */
static __always_inline __u64
ring_take(struct kr_ring *ring, __u32 slots, __u32 n)
{
	const __u64 head = *(volatile __u64 *)&ring->head, tail = *(volatile __u64 *)&ring->tail;

	if (head - tail + n + KR_RESERVE > slots)
		return NO_SLOT;
	__sync_fetch_and_add(&ring->head, n);
	return head;
}

#else

/* First of n consecutive slot numbers, or NO_SLOT when fewer than KR_RESERVE would stay free. */
static __always_inline __u64
ring_take(struct kr_ring *ring, __u32 slots, __u32 n)
{
	__u64 head, tail;

#pragma unroll
	for (int i = 0; i < 3; i++) {
		head = *(volatile __u64 *)&ring->head;
		tail = *(volatile __u64 *)&ring->tail;
		if (head - tail + n + KR_RESERVE > slots)
			return NO_SLOT;
		if (__sync_val_compare_and_swap(&ring->head, head, head + n) == head)
			return head;
	}
	return NO_SLOT;
}

#endif

/* Makes a filled record visible: after everything in it. x86 keeps its stores in order, so that a
 * plain one will do there (7 ns less); elsewhere an exchange, which is a barrier. */
static __always_inline void
ring_commit(__u64 *commit, __u64 slot)
{
#ifdef __TARGET_ARCH_x86
	barrier();
	*(volatile __u64 *)commit = slot + 1;
#else
	__sync_lock_test_and_set(commit, slot + 1);
#endif
}

#endif
