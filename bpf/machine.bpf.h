/* machine.bpf.h - what differs between machines: registers, numbers, calls of 32-bit programs
 *
 * x86-64 and arm64; nothing else of the kernel half knows which one it runs on. Sources:
 * arch/x86/include/asm/{ptrace,thread_info}.h, arch/arm64/include/asm/{ptrace,thread_info}.h,
 * arch/arm/tools/syscall.tbl, include/uapi/asm-generic/unistd.h of Linux.
 *
 * Calls of 32-bit programs: on x86-64 they go by the numbers of i386 (args.bpf.h). On arm64 they have
 * numbers of 32-bit ARM, which calls.def has no column for: they are counted (compat, and unknown
 * number), none is taken for a 64-bit one.
 */
#ifndef BPF_MACHINE_H
#define BPF_MACHINE_H

#include "bpf/old.bpf.h"

/* Numbers of calls that are more than a row: they end a thread, or rewrite registers. */
enum {
#if defined(__TARGET_ARCH_x86)
	NR_RT_SIGRETURN = 15, NR_EXECVE = 59, NR_EXIT = 60, NR_RESTART = 219, NR_EXIT_GROUP = 231,
	NR_EXECVEAT = 322,
	COMPAT_EXIT_GROUP = 252, COMPAT_EXECVEAT = 358,
#elif defined(__TARGET_ARCH_arm64)
	NR_RT_SIGRETURN = 139, NR_EXECVE = 221, NR_EXIT = 93, NR_RESTART = 128, NR_EXIT_GROUP = 94,
	NR_EXECVEAT = 281,
	COMPAT_EXIT_GROUP = 248, COMPAT_EXECVEAT = 387,
#else
#error "no registers are known of this machine"
#endif
	/* The same on i386 and 32-bit ARM. */
	COMPAT_RESTART = 0, COMPAT_EXIT = 1, COMPAT_EXECVE = 11, COMPAT_SIGRETURN = 119,
	COMPAT_RT_SIGRETURN = 173,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)

struct pt_regs {
	unsigned long bp, r10, r9, r8, cx, dx, si, di, orig_ax, ax, bx, ip, sp;
};

#pragma clang attribute pop

enum { TS_COMPAT_ = 2 };

static __always_inline _Bool
is_compat(const struct task_struct *task)
{
	return FIELD(task, thread_info.status) & TS_COMPAT_;
}

/* The number of the call that a thread is in; less than 0 = in none. */
static __always_inline int
regs_number(const struct pt_regs *regs)
{
	return (int)FIELD(regs, orig_ax);
}

static __always_inline __u64
regs_ip(const struct pt_regs *regs)
{
	return FIELD(regs, ip);
}

/* The six arguments of a 64-bit call; at exit they are still there. */
static __always_inline void
regs_arguments(const struct pt_regs *regs, __u64 args[8])
{
	args[0] = FIELD(regs, di);
	args[1] = FIELD(regs, si);
	args[2] = FIELD(regs, dx);
	args[3] = FIELD(regs, r10);
	args[4] = FIELD(regs, r8);
	args[5] = FIELD(regs, r9);
}

/* Those of a 32-bit one. */
static __always_inline void
regs_compat_arguments(const struct pt_regs *regs, __u64 args[8])
{
	args[0] = (__u32)FIELD(regs, bx);
	args[1] = (__u32)FIELD(regs, cx);
	args[2] = (__u32)FIELD(regs, dx);
	args[3] = (__u32)FIELD(regs, si);
	args[4] = (__u32)FIELD(regs, di);
	args[5] = (__u32)FIELD(regs, bp);
}

#else

struct pt_regs {
	unsigned long regs[31], sp, pc, orig_x0;
	int syscallno;
};

#pragma clang attribute pop

enum { TIF_32BIT_ = 22 };

static __always_inline _Bool
is_compat(const struct task_struct *task)
{
	return FIELD(task, thread_info.flags) >> TIF_32BIT_ & 1;
}

static __always_inline int
regs_number(const struct pt_regs *regs)
{
	return FIELD(regs, syscallno);
}

static __always_inline __u64
regs_ip(const struct pt_regs *regs)
{
	return FIELD(regs, pc);
}

/* The first register holds the result at exit. */
static __always_inline void
regs_arguments(const struct pt_regs *regs, __u64 args[8])
{
	args[0] = FIELD(regs, orig_x0);
	args[1] = FIELD(regs, regs[1]);
	args[2] = FIELD(regs, regs[2]);
	args[3] = FIELD(regs, regs[3]);
	args[4] = FIELD(regs, regs[4]);
	args[5] = FIELD(regs, regs[5]);
}

#endif

static __always_inline __u64
regs_sp(const struct pt_regs *regs)
{
	return FIELD(regs, sp);
}

#endif
