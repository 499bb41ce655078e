/* old.bpf.h - what kernels before 5.17 have to be asked for in another way
 *
 * The same sources make two objects: iotap.bpf.c as they stand, iotap_old.bpf.c with OLD_KERNEL for
 * kernels from 5.10 on that lack something the first one is made of. User space chooses
 * (capture/kernel.c), by what the kernel has. What differs is here, in thread.bpf.h and in loop.bpf.h:
 *
 *   bpf_get_current_task_btf() (5.11)   a number, whose fields are copied
 *   task storage in tracepoints (5.12)  a map by struct task_struct * (thread.bpf.h)
 *   atomic operations with a result (5.12)
 *                                       plain ones: programs on one CPU do not run inside each other,
 *                                       iterators apart, which say that they are at it (note.bpf.h)
 *   pointers as arguments of functions that the verifier goes through once (5.12)
 *                                       it goes through them at every call
 *   bpf_task_pt_regs() (5.15)           a call that was under way before attach and still is at the end
 *                                       is left out
 *   bpf_loop() (5.17)                   a loop with an end that calls (loop.bpf.h)
 *   bpf_find_vma() (5.17)               a search in the tree, which they have (args.bpf.h)
 */
#ifndef BPF_OLD_H
#define BPF_OLD_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "bpf/kernel.bpf.h"

#ifdef OLD_KERNEL

#define FIELD(pointer, field) ({ \
	const typeof(pointer) from_ = pointer; \
	\
	BPF_CORE_READ(from_, field); })
#define ONCE static __noinline
#define BY_NUMBERS static __always_inline
#define BY_NUMBERS_STATIC static __always_inline
#define BODY(name) name##_body
#define CAN_CAST 0

static __always_inline struct task_struct *
task_here(void)
{
	return (struct task_struct *)bpf_get_current_task();
}

/* They are not asked for: what is under way since before attach, and still at the end, is left out. */
#define registers_stand(task) 0
#define registers_of(task) ((struct pt_regs *)0)

static __always_inline _Bool
has_ended(struct task_struct *task)
{
	return (BPF_CORE_READ(task, flags) & K_PF_EXITING) != 0;
}

#else

/* Whether the registers that a thread came into the kernel with are what they were: it sleeps. */
#define registers_stand(task) ((task)->__state != 0)

/* Where they are. */
#define registers_of(task) ((struct pt_regs *)bpf_task_pt_regs(task))

/* Whether a thread has been seen to end, or will be in a moment, and its state has to be forgotten then. */
#define has_ended(task) 0

/* A field of a task or of registers that a program was given. */
#define FIELD(pointer, field) ((pointer)->field)

/* A function that the verifier goes through once, and not once per way to it. */
#define ONCE __noinline

/* Another one, which an older kernel can go through once too: there this is its body, and what is called
 * takes numbers and finds what it works on in a map. */
#define BY_NUMBERS __noinline
#define BY_NUMBERS_STATIC static __noinline
#define BODY(name) name

/* Whether pointers may be made of numbers (identity.bpf.h). */
#define CAN_CAST have_rdonly_cast

static __always_inline struct task_struct *
task_here(void)
{
	return bpf_get_current_task_btf();
}

#endif
#endif
