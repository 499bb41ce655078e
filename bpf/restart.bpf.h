/* restart.bpf.h - calls that the kernel restarts: one call to the program, several enters and exits
 *
 * An exit with a restart code waits in the thread's state. The next enter decides:
 *   - same number (or restart_syscall), same user ip and sp: the restart; the call goes on;
 *   - rt_sigreturn, a deeper stack or the signal stack: a handler runs meanwhile; waits on;
 *   - anything else: the program saw EINTR.
 * The exit of rt_sigreturn decides too: it shows whether the program goes on at the call's own
 * instruction (restart) or behind it (EINTR), which otherwise looks the same for a loop that
 * simply calls again.
 */
#ifndef BPF_RESTART_H
#define BPF_RESTART_H

#include "bpf/call.bpf.h"

enum {
	ENOIOCTLCMD_ = 515,	/* amid the restart codes, but none */
};

static __always_inline _Bool
is_exit(__u32 nr, __u32 compat)
{
	return compat ? nr == COMPAT_EXIT || nr == COMPAT_EXIT_GROUP
		      : nr == NR_EXIT || nr == NR_EXIT_GROUP;
}

static __always_inline _Bool
is_sigreturn(__u32 nr, __u32 compat)
{
	return compat ? nr == COMPAT_SIGRETURN || nr == COMPAT_RT_SIGRETURN : nr == NR_RT_SIGRETURN;
}

/* Calls that put another number into the registers before they return. */
static __always_inline _Bool
rewrites_number(__u32 nr, __u32 compat)
{
	return is_sigreturn(nr, compat) || (compat ? nr == COMPAT_EXECVE || nr == COMPAT_EXECVEAT
						   : nr == NR_EXECVE || nr == NR_EXECVEAT);
}

static __always_inline _Bool
is_restart_code(__s64 result)
{
	return result <= -K_ERESTARTSYS && result >= -K_ERESTART_RESTARTBLOCK &&
		result != -ENOIOCTLCMD_;
}

/* Writes the waiting call as one that ended with EINTR. */
static __noinline int
wait_interrupted(const struct scene *here)
{
	struct state *const state = here->state;

	state->flags &= ~SF_WAITING;
	state->wait.flags |= KF_INTERRUPTED;
	count(here->cpu, KC_interrupted);
	call_put(here, &state->wait, -K_EINTR, state->wait_end_ns);
	return done();
}

/* After a pause nothing is known of the thread but that it may be inside a call. */
static __noinline int
state_after_pause(const struct scene *here, __u32 now)
{
	struct state *const state = here->state;

	if (state->flags & SF_WAITING)
		RUN(wait_interrupted(here));
	if (state->flags & SF_IN_CALL)
		count(here->cpu, KC_replaced);
	state->flags = SF_FRESH;
	state->pauses = now;
	return done();
}

/* The call that just ended with a restart code waits. */
static __noinline int
wait_begin(const struct scene *here, struct pt_regs *regs)
{
	struct state *const state = here->state;

	if (state->flags & SF_WAITING)	/* one more inside a handler */
		RUN(wait_interrupted(here));
	count(here->cpu, KC_restart_waits);
	state->wait = state->now;
	state->wait_ip = regs_ip(regs);
	state->wait_sp = regs_sp(regs);
	state->wait_end_ns = bpf_ktime_get_boot_ns();
	state->flags |= SF_WAITING;
	return done();
}

/* An enter while a call waits; 1 = it is that call, which goes on. */
static __noinline int
wait_enter(const struct scene *here, struct pt_regs *regs, __u32 nr, __u32 compat)
{
	struct state *const state = here->state;
	struct task_struct *const task = here->task;
	const __u64 sp = regs_sp(regs), stack = FIELD(task, sas_ss_sp);
	const __u32 restart_nr = compat ? COMPAT_RESTART : NR_RESTART;

	if ((nr == state->wait.nr || nr == restart_nr) && regs_ip(regs) == state->wait_ip &&
	    sp == state->wait_sp) {
		count(here->cpu, KC_joined);
		state->now = state->wait;
		state->now.nr = nr;
		state->now.flags |= KF_RESTARTED;
		state->flags = SF_IN_CALL;
		return 1;
	}
	if (!is_sigreturn(nr, compat) && sp >= state->wait_sp &&
	    !(stack && sp - stack <= FIELD(task, sas_ss_size)))
		RUN(wait_interrupted(here));
	return 0;
}

/* A handler has returned: behind the waiting call, or to its instruction? */
static __noinline int
wait_sigreturn(const struct scene *here, struct pt_regs *regs)
{
	const struct state *const state = here->state;

	if (regs_ip(regs) == state->wait_ip && regs_sp(regs) == state->wait_sp)
		RUN(wait_interrupted(here));
	return done();
}

#endif
