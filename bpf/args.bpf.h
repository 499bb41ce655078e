/* args.bpf.h - which call a number is, and its arguments
 *
 * i386 programs reach most socket calls through one number, socketcall, with the real arguments in
 * user memory, and messages of System V through ipc: both are taken apart here, so that nobody else
 * knows.
 */
#ifndef BPF_ARGS_H
#define BPF_ARGS_H

#include <bpf/bpf_core_read.h>

#include "bpf/machine.bpf.h"
#include "bpf/ring.bpf.h"

#if defined(__TARGET_ARCH_x86)

enum { I386_OLD_MMAP = 90, I386_SOCKETCALL = 102, I386_IPC = 117, N_SOCKETCALLS = 21 };

/* The calls of linux/net.h: the i386 number of the call of its own, and how many arguments. send
 * and recv are sendto and recvfrom without an address. */
static const volatile struct {
	__u16 nr;
	__u16 n_args;
} socketcalls[N_SOCKETCALLS] = {
	[1] = { 359, 3 },	/* socket */
	[2] = { 361, 3 },	/* bind */
	[3] = { 362, 3 },	/* connect */
	[4] = { 363, 2 },	/* listen */
	[5] = { 364, 3 },	/* accept */
	[8] = { 360, 4 },	/* socketpair */
	[9] = { 369, 4 },	/* send */
	[10] = { 371, 4 },	/* recv */
	[11] = { 369, 6 },	/* sendto */
	[12] = { 371, 6 },	/* recvfrom */
	[13] = { 373, 2 },	/* shutdown */
	[14] = { 366, 5 },	/* setsockopt */
	[16] = { 370, 3 },	/* sendmsg */
	[17] = { 372, 3 },	/* recvmsg */
	[18] = { 364, 4 },	/* accept4 */
	[19] = { 337, 5 },	/* recvmmsg */
	[20] = { 345, 4 },	/* sendmmsg */
};
enum { SOCKETCALL_ACCEPT = 5 };

enum { NIL = 0xff, WIDE_PAIR = 8, WIDE_HIGH_LOW = 16 };
#define PAIR(n) ((n) | WIDE_PAIR)
#define HIGH_LOW(n) ((n) | WIDE_HIGH_LOW)

/* The calls of i386 that pass 64-bit values in two registers, by number. */
static const volatile struct {
	__u8 known;
	__u8 from[7];		/* per argument of the row; one to spare */
} wide_i386[N_I386] = {
#define CALL(...)
#define ALIAS(...)
#define WIDE(nr, ...) [nr] = { 1, { __VA_ARGS__ } },
#include "formats/calls.def"
#undef CALL
#undef ALIAS
};

/* Puts the arguments where the row looks for them. In place: no argument comes from before its own
 * place. */
static __noinline int
args_widen(struct pending *p, __u32 nr)
{
	for (int i = 0; i < 6; i++) {
		const __u8 from = wide_i386[nr & (N_I386 - 1)].from[i];
		__u64 one = p->args[from & 7];
		const __u64 next = p->args[(from + 1) & 7];

		if (from & WIDE_PAIR)
			one |= next << 32;
		else if (from & WIDE_HIGH_LOW)
			one = one << 32 | next;
		p->args[i] = from == NIL ? 0 : one;
	}
	return done();
}

/* The call behind a socketcall, 0 = not selected. */
static __noinline __u32
call_of_socketcall(struct kr_cpu *cpu, struct pending *p, __u32 which, __u64 at)
{
	__u32 small[6] = {};
	__u32 call, nr, n_args;

	if (which >= N_SOCKETCALLS)
		return 0;
	nr = socketcalls[which].nr;
	n_args = socketcalls[which].n_args;
	call = nr < N_I386 ? nr_to_call_i386[nr] : 0;
	if (!nr || !call)
		return 0;
	if (n_args > 6 || bpf_probe_read_user(small, n_args * sizeof(small[0]), (void *)at)) {
		count(cpu, KC_x32_or_unknown);
		return 0;
	}
#pragma unroll
	for (int i = 0; i < 6; i++)
		p->args[i] = small[i];
	return which == SOCKETCALL_ACCEPT ? CALL_accept : call;
}

/* ipc/syscall.c of Linux: which call in the low half of the first argument, a version above it. */
enum { IPC_MSGSND = 11, IPC_MSGRCV = 12, I386_MSGSND = 400, I386_MSGRCV = 401 };

/* The message call behind an ipc call, 0 = not selected or no message. */
static __noinline __u32
call_of_ipc(struct kr_cpu *cpu, struct pending *p, struct pt_regs *regs)
{
	const __u32 which = (__u32)FIELD(regs, bx), flags = (__u32)FIELD(regs, si);
	__u32 buffer_and_type[2] = { (__u32)FIELD(regs, di), (__u32)FIELD(regs, bp) };
	const _Bool sends = (which & 0xffff) == IPC_MSGSND;
	const __u32 call = nr_to_call_i386[sends ? I386_MSGSND : I386_MSGRCV];

	if ((!sends && (which & 0xffff) != IPC_MSGRCV) || !call)
		return 0;
	if (!sends && which >> 16 == 0 &&
	    bpf_probe_read_user(buffer_and_type, sizeof(buffer_and_type), (void *)(__u64)FIELD(regs, di))) {
		count(cpu, KC_x32_or_unknown);
		return 0;
	}
	p->args[0] = (__u32)FIELD(regs, cx);
	p->args[1] = buffer_and_type[0];
	p->args[2] = (__u32)FIELD(regs, dx);
	p->args[3] = sends ? flags : buffer_and_type[1];
	p->args[4] = flags;
	p->args[5] = 0;
	return call;
}

/* The oldest mmap of i386 has its six arguments in memory. */
static __noinline int
args_from_memory(struct pending *p, __u64 at)
{
	__u32 small[6] = {};

	bpf_probe_read_user(small, sizeof(small), (void *)at);
#pragma unroll
	for (int i = 0; i < 6; i++)
		p->args[i] = small[i];
	return done();
}

static __noinline __u32
call_of_compat(struct kr_cpu *cpu, struct pending *p, struct pt_regs *regs, __u32 nr)
{
	count(cpu, KC_compat);
	if (nr == I386_IPC)
		return call_of_ipc(cpu, p, regs);
	if (nr == I386_SOCKETCALL)
		return call_of_socketcall(cpu, p, (__u32)FIELD(regs, bx), (__u32)FIELD(regs, cx));
	regs_compat_arguments(regs, p->args);
	if (nr == I386_OLD_MMAP)
		RUN(args_from_memory(p, p->args[0]));
	if (nr < N_I386) {
		if (wide_i386[nr].known)
			RUN(args_widen(p, nr));
		return nr_to_call_i386[nr];
	}
	count(cpu, KC_x32_or_unknown);
	return 0;
}

#else

/* Numbers of 32-bit ARM, which no row has. */
static __noinline __u32
call_of_compat(struct kr_cpu *cpu, struct pending *p, struct pt_regs *regs, __u32 nr)
{
	count(cpu, KC_compat);
	count(cpu, KC_x32_or_unknown);
	return 0;
}

#endif

/* The commands of ioctl that make two files share data, linux/fs.h. */
#define FICLONE_ 0x40049409u
#define FICLONERANGE_ 0x4020940du
#define FIDEDUPERANGE_ 0xc0189436u

#ifdef OLD_KERNEL

/* The mapping of an address lies in a tree of the process until 6.1, one above the other: to the left those
 * below. It is gone through without its lock: another thread may be changing it. 0, or less: not found, for
 * sure or not. */
enum { MAPPING_STEPS = 64, MAPPING_NONE = -1, MAPPING_UNSURE = -K_EBUSY };

static __always_inline long
mapping_step(__u64 *node, __u64 address, __u64 *file)
{
	struct rb_node *const at = (struct rb_node *)*node;
	struct vm_area_struct___tree *const area =
		(void *)(*node - bpf_core_field_offset(struct vm_area_struct___tree, vm_rb));

	if (BPF_CORE_READ(area, vm_end) <= address) {
		*node = (__u64)BPF_CORE_READ(at, rb_right);
		return 1;
	}
	if (BPF_CORE_READ(area, vm_start) > address) {
		*node = (__u64)BPF_CORE_READ(at, rb_left);
		return 1;
	}
	*file = (__u64)BPF_CORE_READ(area, vm_file);
	return 0;
}

static __noinline long
mapping_find(__u64 address, __u64 *file)
{
	struct mm_struct___tree *const mm = (void *)BPF_CORE_READ(task_here(), mm);
	__u64 node;

	if (!bpf_core_field_exists(mm->mm_rb))
		return MAPPING_UNSURE;
	node = (__u64)BPF_CORE_READ(mm, mm_rb.rb_node);
	for (int i = 0; i < MAPPING_STEPS; i++) {
		if (!node)
			return MAPPING_NONE;
		if (!mapping_step(&node, address, file))
			return 0;
	}
	return MAPPING_UNSURE;
}

#else

static long
note_file(struct task_struct *task, struct vm_area_struct *vma, __u64 *file)
{
	*file = (__u64)BPF_CORE_READ(vma, vm_file);
	return 0;
}

#define mapping_find(address, file) bpf_find_vma(task_here(), address, note_file, file, 0)

#endif

/* Whether a call about a mapping is about one of a file. Where that cannot be seen, because another thread
 * is changing the mappings, it is taken for one, of a file that is not known. */
static __noinline int
find_mapped(struct pending *p)
{
	__u64 file = 0;
	const long error = mapping_find(p->args[0], &file);

	p->mapped = file;
	return file || error == -K_EBUSY;
}

/* A call that is selected with some of its commands only, or on some kinds of memory. */
static __always_inline __u32
call_with_command(struct pending *p, __u32 call, _Bool entering)
{
	const __u8 effect = spec[call & (KR_MAX_CALLS - 1)].effect;
	const __u32 command = p->args[1];

	p->mapped = 0;
	if (effect == EFFECT_CLONES)
		return command == FICLONE_ || command == FICLONERANGE_ || command == FIDEDUPERANGE_ ? call : 0;
	if (effect == EFFECT_MAPS)
		return p->args[3] & K_MAP_ANONYMOUS ? 0 : call;
	if (effect == EFFECT_MAPPED)	/* at the end of the call there is no mapping any more */
		return entering && find_mapped(p) ? call : 0;
	return call;
}

/* Our id of a number, 0 = not selected; fills the arguments of a selected one. entering: the running thread
 * is about to make the call. */
static __always_inline __u32
call_of(struct kr_cpu *cpu, struct pending *p, struct pt_regs *regs, __u32 nr, _Bool entering)
{
	__u32 call;

	if (p->compat)
		return call_with_command(p, call_of_compat(cpu, p, regs, nr), entering);
	if (nr >= N_NATIVE) {
		count(cpu, KC_x32_or_unknown);
		return 0;
	}
	call = nr_to_call[nr];
	if (!call)
		return 0;
	regs_arguments(regs, p->args);
	return call_with_command(p, call, entering);
}

#endif
