/* loop.bpf.h - a step done over and over: bpf_loop(), or in older kernels a loop with a fixed end
 *
 * There some steps are a function that the verifier goes through once, whatever the loop around it. Such a
 * function takes numbers only: what it works on lies in a map. That of a SCRATCH loop is the scratch
 * area, that of a PLACE loop a copy of the caller's struct.
 *
 *	SCRATCH_STEP(name, some)		int name(__u32 index, struct scratch *) is the step
 *	SCRATCH_LOOP(name, n, limit, scratch)	name(0 ..) n times, or until it returns 1; n <= limit
 *	PLACE_STEP(name, some, struct)		int name(__u32 index, struct *)
 *	PLACE_LOOP(name, n, limit, place)	place: struct on the stack
 */
#ifndef BPF_LOOP_H
#define BPF_LOOP_H

#include "bpf/maps.bpf.h"
#include "bpf/old.bpf.h"

#ifdef OLD_KERNEL

#define SOME_STEPS(name, some, place) \
	for (__u32 i_ = 0; (place) && i_ < (some) && first + i_ < n; i_++) { \
		if (name(first + i_, place)) \
			return 1; \
	} \
	return 0

#define LOOP_OF_STEPS(limit, some, steps) do { \
	for (__u32 i_ = 0; i_ < ((limit) + (some) - 1) / (some); i_++) { \
		if (steps) \
			break; \
	} \
} while (0)

#define SCRATCH_STEP(name, some) \
	enum { name##_some = (some) }; \
	\
	__noinline int \
	name##_steps(__u32 first, __u32 n, __u32 which) \
	{ \
		struct scratch *const s_ = bpf_map_lookup_elem(&scratch, &which); \
	\
		asm volatile("" : : "r"(first), "r"(n));	/* else callers leave them out */ \
		SOME_STEPS(name, some, s_); \
	}

#define SCRATCH_LOOP(name, n, limit, s) \
	LOOP_OF_STEPS(limit, name##_some, name##_steps(i_ * name##_some, n, (s)->which))

#define PLACE_STEP(name, some, what) \
	enum { name##_some = (some) }; \
	\
	struct { \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); \
		__uint(max_entries, 1); \
		__type(key, __u32); \
		__type(value, what); \
	} name##_place SEC(".maps"); \
	\
	static __always_inline what * \
	name##_there(void) \
	{ \
		const __u32 zero = 0; \
	\
		return bpf_map_lookup_elem(&name##_place, &zero); \
	} \
	\
	__noinline int \
	name##_steps(__u32 first, __u32 n) \
	{ \
		what *const place = name##_there(); \
	\
		asm volatile("" : : "r"(first), "r"(n)); \
		SOME_STEPS(name, some, place); \
	}

#define PLACE_LOOP(name, n, limit, place) do { \
	typeof(place) *const there_ = name##_there(); \
	\
	if (!there_) \
		break; \
	*there_ = place; \
	LOOP_OF_STEPS(limit, name##_some, name##_steps(i_ * name##_some, n)); \
	place = *there_; \
} while (0)

#else

/* bpf_loop() hands on pointers to the stack only. */
#define SCRATCH_STEP(name, some) \
	static long \
	name##_step(__u32 index, struct scratch **at) \
	{ \
		return name(index, *at); \
	}

#define SCRATCH_LOOP(name, n, limit, s) bpf_loop(n, name##_step, &s, 0)

#define PLACE_STEP(name, some, what) \
	static long \
	name##_step(__u32 index, what *at) \
	{ \
		return name(index, at); \
	}

#define PLACE_LOOP(name, n, limit, place) bpf_loop(n, name##_step, &place, 0)

#endif
#endif
