/* pairing.bpf.h - a call's two ends: what is kept at its enter, and what becomes of it at its exit
 *
 * Written as a record, summed, or only counted: each of these ways is a term of the laws in
 * formats/kernel_record.h. The programs themselves are in iotap.bpf.c.
 */
#ifndef BPF_PAIRING_H
#define BPF_PAIRING_H

#include "bpf/args.bpf.h"
#include "bpf/iterate.bpf.h"
#include "bpf/restart.bpf.h"

/* The thread is in this call from here on. */
static __always_inline void
enter_call(const struct scene *here, struct pt_regs *regs, __u32 nr, __u32 compat, const enum how how)
{
	struct pending *const p = &here->state->now;
	__u32 call;

	here->state->flags = (here->state->flags & SF_WAITING) | SF_IN_CALL;
	p->nr = nr;
	p->compat = compat;
	p->call = call = call_of(here->cpu, p, regs, nr, 1);
	if (call)
		call_begin(here, p, call, how);
}

static __always_inline int
enter_traced(struct task_struct *task, struct pt_regs *regs, __u32 nr, const enum how how)
{
	struct scene here = { .task = task, .tgid = FIELD(task, tgid), .tid = FIELD(task, pid) };
	const __u32 compat = is_compat(task), now = pauses;

	if (now & 1)
		return 0;
	here.cpu = cpu_here(&here.cpu_number);
	if (!here.cpu)
		return 0;
	count(here.cpu, KC_enters);
	here.state = state_of(task, 1);
	if (!here.state) {
		count(here.cpu, KC_no_state);
		return 0;
	}
	if (here.state->pauses != now)
		RUN(state_after_pause(&here, now));
	if (here.state->flags & SF_IN_CALL)
		count(here.cpu, KC_replaced);
	if ((here.state->flags & SF_WAITING) && wait_enter(&here, regs, nr, compat))
		return 0;
	if (is_exit(nr, compat)) {
		count(here.cpu, KC_never_returning);
		here.state->flags &= SF_WAITING;
		return 0;
	}
	enter_call(&here, regs, nr, compat, how);
	if (here.state->now.call)
		here.state->now.start_ns = bpf_ktime_get_boot_ns();
	return 0;
}

#ifdef OLD_KERNEL

/* Its stack and that of wait_enter() are not needed at the same time. */
static __noinline int
enter_call_apart(const struct scene *here, struct pt_regs *regs, __u32 nr, __u32 compat)
{
	enter_call(here, regs, nr, compat, COPY);
	return done();
}

#define ENTER_CALL(here, regs, nr, compat, how) RUN(enter_call_apart(here, regs, nr, compat))

#else

#define ENTER_CALL(here, regs, nr, compat, how) enter_call(here, regs, nr, compat, how)

#endif

/* Without latencies no program is attached to the enter: at the exit what it would have done is made
 * up for, from the same registers. After rt_sigreturn these are the interrupted ones, without a number,
 * which exit_paired() looks at. */
static __always_inline void
enter_late(const struct scene *here, struct pt_regs *regs, const enum how how)
{
	const __u32 nr = regs_number(regs), compat = is_compat(here->task);

	count(here->cpu, KC_enters);
	if ((here->state->flags & SF_WAITING) && (__s32)nr >= 0 && wait_enter(here, regs, nr, compat))
		return;
	ENTER_CALL(here, regs, nr, compat, how);
	here->state->now.start_ns = 0;
}

/* Functions of their own for their stack. */
static __noinline int
enter_late_direct(const struct scene *here, struct pt_regs *regs)
{
	enter_late(here, regs, DIRECT);
	return done();
}

static __noinline int
enter_late_copy(const struct scene *here, struct pt_regs *regs)
{
	enter_late(here, regs, COPY);
	return done();
}

/* A call that began before attach is kept as it stands at its exit: the argument registers are
 * still intact. A function of its own for its stack. */
static __noinline int
call_begin_late(const struct scene *here, struct pending *p, __u32 call)
{
	call_begin(here, p, call, COPY);
	p->flags |= KF_BEFORE;
	p->start_ns = 0;
	return done();
}

/* An exit without its enter: which kind. 1 when the call is to be recorded all the same, as state->now
 * has it: it began before attach. */
static __noinline int
exit_alone(const struct scene *here, struct pt_regs *regs, __u32 nr)
{
	struct state *const state = here->state;
	const __u32 compat = is_compat(here->task);
	struct pending *p;
	__u32 call;

	if (!state) {
		count(here->cpu, KC_stateless);
	} else if (state->flags & SF_NEWBORN) {
		state->flags &= ~SF_NEWBORN;
		count(here->cpu, KC_newborn);
	} else if (state->flags & SF_FRESH) {
		state->flags &= ~SF_FRESH;
		p = &state->now;
		p->nr = nr;
		p->compat = compat;
		p->call = call = call_of(here->cpu, p, regs, nr, 0);
		if (call)
			RUN(call_begin_late(here, p, call));
		if (!p->call) {
			count(here->cpu, KC_before_unselected);
			return 0;
		}
		count(here->cpu, KC_before);
		return 1;
	} else {
		count(here->cpu, KC_phantom);
	}
	return 0;
}

/* An exit that belongs to the enter before it. 1 when the call is to be recorded now. */
static __always_inline int
exit_paired(const struct scene *here, struct state *state, struct pt_regs *regs, __s64 result)
{
	struct pending *const p = &state->now;

	state->flags &= ~SF_IN_CALL;
	if ((state->flags & SF_WAITING) &&
	    (is_sigreturn(p->nr, p->compat) || (no_latency && (__s32)p->nr < 0)))
		RUN(wait_sigreturn(here, regs));
	if (!p->call) {
		count(here->cpu, KC_not_selected);
		return 0;
	}
	if (is_restart_code(result)) {
		RUN(wait_begin(here, regs));
		return 0;
	}
	count(here->cpu, KC_paired);
	return 1;
}

/* What is left to do of a call that was recorded: the program does it, where the stack is shallow. */
enum { NOTHING_MORE, MORE_SUBMITS, MORE_REAPS, MORE_MESSAGES, MORE_RANGES };

static __always_inline int
exit_more(const struct pending *p)
{
	const volatile struct call_spec *const row = &spec[p->call & (KR_MAX_CALLS - 1)];
	const __u8 effect = row->effect;

	if (row->ret == RET_MESSAGES)
		return MORE_MESSAGES;
	if (effect == EFFECT_CLONES)
		return (__u32)p->args[1] == FIDEDUPERANGE_ ? MORE_RANGES : NOTHING_MORE;
	if (!(sets & SET_libaio))
		return NOTHING_MORE;
	return effect == EFFECT_SUBMITS ? MORE_SUBMITS : effect == EFFECT_REAPS ? MORE_REAPS : NOTHING_MORE;
}

/* One call_end for both kinds: it is most of the program, and verified as often as it is written. */
static __always_inline int
exit_traced(struct task_struct *task, struct pt_regs *regs, __s64 result, const enum how how)
{
	struct scene here = { .task = task, .tgid = FIELD(task, tgid), .tid = FIELD(task, pid) };
	const __u32 nr = regs_number(regs), now = pauses;
	struct state *state;

	if (now & 1)
		return 0;
	here.cpu = cpu_here(&here.cpu_number);
	if (!here.cpu)
		return 0;
	count(here.cpu, KC_exits);
	here.state = state = state_of(task, no_latency);
	if (state && state->pauses != now)
		RUN(state_after_pause(&here, now));
	if (no_latency && state && !(state->flags & (SF_FRESH | SF_NEWBORN))) {
		if (how == DIRECT)
			RUN(enter_late_direct(&here, regs));
		else
			RUN(enter_late_copy(&here, regs));
	}
	if (state && (state->flags & SF_IN_CALL) &&
	    (state->now.nr == nr || rewrites_number(state->now.nr, state->now.compat))) {
		if (!exit_paired(&here, state, regs, result))
			return 0;
	} else {
		if (!exit_alone(&here, regs, nr) || !state)
			return 0;
		if (is_restart_code(result))
			result = -K_EINTR;
	}
	call_end(&here, &state->now, result, how);
	return exit_more(&state->now);
}

/* What a process that is not traced pays for ends before these two: in functions of their own,
 * their many registers are not saved for it. */
static __noinline int
enter_noted(struct task_struct *task, struct pt_regs *regs, __u32 nr)
{
	if (CAN_CAST)
		enter_traced(task, regs, nr, DIRECT);
	else
		enter_traced(task, regs, nr, COPY);
	return done();
}

static __noinline int
exit_noted(struct task_struct *task, struct pt_regs *regs, __s64 result)
{
	if (CAN_CAST)
		return exit_traced(task, regs, result, DIRECT);
	return exit_traced(task, regs, result, COPY);
}

#endif
