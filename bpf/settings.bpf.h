/* settings.bpf.h - what user space tells the programs
 *
 * Settings in .rodata are set between open and load; the verifier then knows them and drops what
 * they switch off. The filter and the words of .data may change while the programs run.
 */
#ifndef BPF_SETTINGS_H
#define BPF_SETTINGS_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.bpf.h"
#include "formats/calls.h"
#include "formats/kernel_record.h"

enum {
	PID_SLOTS = 1 << 22,		/* PID_MAX_LIMIT, linux/threads.h */
	N_NATIVE = 1024,		/* sizes of the number tables */
	N_I386 = 512,
};

/* A function called for its effect returns done(), and is called through RUN(). A constant or
 * unused result would be dropped by the compiler, which leaves in r0 whatever was there; the
 * verifier refuses that when it is a stack pointer. */
static __always_inline int
done(void)
{
	int zero;

	asm volatile("%0 = 0" : "=r"(zero));
	return zero;
}

#define RUN(call) do { \
	const int ran_ = (call); \
	asm volatile("" : : "r"(ran_)); \
} while (0)

/* One byte a process, index tgid & (PID_SLOTS - 1). A byte and not a bit: no neighbour is lost
 * when two CPUs write. Alone in .bss, so that its mapping is exactly 4 MiB. */
enum filter_value {
	FILTER_NO = 0,
	FILTER_TRACED = 1,
	FILTER_EXCLUDED = 2,		/* never becomes traced by fork, exec or rename */
	FILTER_MARKING = 3,		/* the iterators see it, the call programs not yet */
	FILTER_NAMED = 4,		/* it has an excluded name: as excluded, until its next exec */
};
unsigned char filter[PID_SLOTS];

const volatile __u32 call_slots = 0;	/* slots per CPU, a power of two */
const volatile __u32 note_slots = 0;
const volatile __u32 n_names = 0;	/* entries of the map names, enum name_bit each */
const volatile __u32 n_excluded = 0;	/* of these */
const volatile _Bool follow_children = 0;
const volatile _Bool have_rdonly_cast = 0;	/* the kernel has bpf_rdonly_cast (6.2) */
#define CAST_TYPE(name, always) const volatile __u32 type_of_##name = 0;
#include "bpf/cast_types.def"
#undef CAST_TYPE
const volatile _Bool no_latency = 0;	/* calls are seen at their exit only, KF_UNTIMED */

/* Filters, see select.bpf.h: of the calls that were asked for, those that took so long, that failed,
 * that are about one of these paths. */
const volatile __u64 min_latency_ns = 0;
const volatile _Bool failed_only = 0;
const volatile __u32 glob_words = 0;	/* in use; 0 = any path */
const volatile __u64 glob_begin[KR_GLOB_WORDS] = {};
const volatile __u64 glob_end[KR_GLOB_WORDS] = {};
const volatile __u64 glob_stay[KR_GLOB_WORDS] = {};
const volatile __u64 glob_take[256 * KR_GLOB_WORDS] = {};

/* System call numbers of this machine to ids of calls.def, the calls that were asked for only. */
const volatile __u16 nr_to_call[N_NATIVE] = {};
const volatile __u16 nr_to_call_i386[N_I386] = {};
const volatile struct call_spec spec[KR_MAX_CALLS] = {};
const volatile _Bool left_out[KR_MAX_CALLS] = {};	/* by id, not asked for: a call with a TWIN may be one */

/* What an entry of the map names says. */
enum name_bit { NAME_WANTED = 1, NAME_EXCLUDED = 2 };

/* .data: not zero, so that the compiler keeps them out of .bss. */
__u64 next_id = 1;	/* the next target id; only programs write it */
__u32 pauses = 2;	/* user space adds 1: while it is odd, calls are not looked at */
__u32 excluded_group = ~0u;	/* process group whose members scope_wants leaves out */
__u64 seen_gen = 1;	/* user space adds 1 after it deleted entries of the map seen */

#endif
