/* iterate.bpf.h - what the iterators do per task, open file and mapping
 *
 * They run in process context, in the reader's read(), and may be interrupted by the tracepoint
 * programs: own scratch, atomic counts, no cache.
 */
#ifndef BPF_ITERATE_H
#define BPF_ITERATE_H

#include "bpf/args.bpf.h"
#include "bpf/effect.bpf.h"
#include "bpf/life.bpf.h"
#include "bpf/mapped.bpf.h"
#include "bpf/request.bpf.h"

static __always_inline _Bool
wanted_by_iterators(__u32 tgid)
{
	const unsigned char value = filter[tgid & (PID_SLOTS - 1)];

	return value == FILTER_TRACED || value == FILTER_MARKING;
}

/* State for a thread that runs already: what it comes back from first began before us. */
static __always_inline void
mark_thread(struct task_struct *task)
{
	struct state *state = state_of(task, 0);

	if (state || has_ended(task))
		return;
	state = state_of(task, 1);
	if (state)
		state->flags |= SF_FRESH;
}

static __always_inline int
show_process(struct bpf_iter_meta *meta, struct task_struct *task)
{
	struct kr_task_seen seen_task = {};
	struct kr_life life = {};

	life_fill(&life, task);
	seen_task.tgid = life.tgid;
	seen_task.parent_tgid = BPF_CORE_READ(task, real_parent, tgid);
	seen_task.start_ns = life.start_ns;
	seen_task.uid = life.uid;
	seen_task.gid = life.gid;
	seen_task.in_scope = scope_on && BPF_CORE_READ(task, signal, live.counter) > 0 &&
		scope_wants(task);
	seen_task.pid_in_ns = life.pid_in_ns;
	seen_task.pid_ns = life.pid_ns;
	seen_task.mnt_ns = life.mnt_ns;
	seen_task.net_ns = life.net_ns;
	seen_task.filter = filter[life.tgid & (PID_SLOTS - 1)];
	seen_task.is_kernel = (BPF_CORE_READ(task, flags) & K_PF_KTHREAD) != 0;
	__builtin_memcpy(seen_task.comm, life.comm, KR_COMM_LEN);
	bpf_seq_write(meta->seq, &seen_task, sizeof(seen_task));
	return 0;
}

static __always_inline int
show_pending(struct bpf_iter_meta *meta, __u32 tgid, __u32 tid, const struct pending *p, __u32 flags,
	     __u64 end_ns, __u64 request)
{
	const volatile struct call_spec *const row = &spec[p->call & (KR_MAX_CALLS - 1)];
	struct kr_unfinished out = {};
	struct kr_call *const call = &out.call;

	call->commit = request;
	call->key_ns = bpf_ktime_get_boot_ns();
	call->start_ns = p->start_ns;
	call->tid = tid;
	call->tgid = tgid;
	call->call = p->call;
	call->flags = KF_UNFINISHED | flags | (no_latency ? KF_UNTIMED : 0);
	if (p->call && call_filtered(p, 0, end_ns) != FILTERED_NOT) {
		call->flags |= p->flags & KF_BEFORE;
		call->call = 0;		/* it has not failed, or is not slow so far */
	}
	if (call->call) {
		call->flags |= p->flags;
		if (p->start_ns)
			call->duration_ns = (end_ns ? end_ns : call->key_ns) - p->start_ns;
		call->fd = p->fd;
		call->fd2 = p->fd2;
		call->id = p->id;
		call->id2 = p->id2;
		call->offset = p->offset;
		call->requested = p->requested;
		call->dev = p->dev;
		call->mode = p->mode;
		call->ino = p->ino;
		if (row->keep0 >= 0)
			call->arg0 = p->args[row->keep0 & 7];
		if (row->keep1 >= 0)
			call->arg1 = p->args[row->keep1 & 7];
		if (row->keep0 >= 0 || row->keep1 >= 0)
			call->flags |= KF_ARGS;
	}
	return bpf_seq_write(meta->seq, &out, sizeof(out));
}

/* A thread that has not come back since before attach, or without latencies any thread: in a call if it
 * sleeps and its registers name one (-1 in a page fault or an interrupt). One that runs may have stale
 * registers, and is left out. Such a call is in none of the counters: its enter was not seen, its exit
 * will not be. */
static __noinline int
call_from_before(struct task_struct *task, struct state *state)
{
	struct pt_regs *const regs = registers_of(task);
	struct pending *const p = &state->now;
	const volatile struct call_spec *row;
	struct kr_cpu *cpu;
	struct target_ref ref;
	__u32 number, call;
	__u64 file;

	cpu = cpu_here(&number);
	if (!cpu || !registers_stand(task) || regs_number(regs) < 0)
		return 0;
	p->nr = regs_number(regs);
	p->compat = is_compat(task);
	p->call = call = call_of(cpu, p, regs, p->nr, 0);
	if (!call)
		return 0;
	row = &spec[call & (KR_MAX_CALLS - 1)];
	p->flags = (state->flags & SF_FRESH ? KF_BEFORE : 0) | (p->compat ? KF_COMPAT : 0);
	p->start_ns = p->id = p->id2 = p->ino = p->requested = 0;
	p->dev = p->mode = 0;
	p->match = MATCH_NO;
	p->fd2 = -1;
	if (row->size < 8) {
		p->requested = p->args[row->size & 7];
		p->flags |= KF_REQUESTED;
	}
	if (row->fd < 0)
		return 1;
	p->fd = p->args[row->fd & 7];
	p->flags |= KF_FD;
	file = file_of(task, p->fd, 0, COPY);
	if (file) {
		struct why why = { .tgid = task->tgid, .origin = KR_ORIGIN_USE, .iterator = 1 };

		identify(0, file, &state->reading, &why, &ref, COPY);
		pending_target(p, &ref);
	}
	if (row->effect == EFFECT_TURNS)
		call_turn(p, file && !(ref.look.open_flags & K_O_ACCMODE));
	return p->call != CALL_NONE;
}

/* Writes what a thread left unfinished, and forgets it: whoever sees the flags first, this or the
 * program at the thread's end, accounts for it. */
static __always_inline int
show_unfinished(struct bpf_iter_meta *meta, struct task_struct *task)
{
	struct state *const state = state_of(task, 0);
	int error = 0;
	__u32 number;

	if (!state)
		return 0;
	if ((state->flags & SF_IN_CALL) && state->pauses != pauses) {
		/* It may have ended during the pause. */
		struct kr_cpu *const cpu = cpu_here(&number);

		state->flags &= ~SF_IN_CALL;
		if (cpu)
			count_shared(cpu, KC_replaced);
	}
	if (state->flags & SF_WAITING)
		error |= show_pending(meta, task->tgid, task->pid, &state->wait, KF_INTERRUPTED, state->wait_end_ns, 0);
	if (state->flags & SF_IN_CALL)
		error |= show_pending(meta, task->tgid, task->pid, &state->now, 0, 0, 0);
	else if (no_latency ? !(state->flags & SF_WAITING) && call_from_before(task, state)
			    : (state->flags & SF_FRESH) && call_from_before(task, state))
		error |= show_pending(meta, task->tgid, task->pid, &state->now, 0, 0, 0);
	if (!error)	/* otherwise the reader comes back for the same task */
		state->flags &= ~(SF_WAITING | SF_IN_CALL | SF_FRESH);
	return 0;
}

/* A request in flight, copied first: the verifier lets nobody index into what an iterator over a map is
 * given. At stop, nobody else uses the room for it. */
static __always_inline int
show_request(struct bpf_iter_meta *meta, const struct request *r)
{
	struct request_work *const w = request_work_here();

	if (!w)
		return 0;
	w->request = *r;
	return show_pending(meta, w->request.tgid, w->request.tid, &w->request.call, 0, 0, 1);
}

static __always_inline int
show_open_file(struct bpf_iter_meta *meta, __u32 tgid, __u32 fd, __u64 file)
{
	struct kr_open_fd out = { .tgid = tgid, .fd = fd };
	struct target_ref ref;
	struct reading r;
	struct why why = { .tgid = tgid, .origin = KR_ORIGIN_ATTACH, .iterator = 1 };

	identify(0, file, &r, &why, &ref, COPY);
	out.id = ref.id;
	out.time_ns = bpf_ktime_get_boot_ns();
	bpf_seq_write(meta->seq, &out, sizeof(out));
	return 0;
}

/* A mapping that was made before tracing began: its file gets a name for the sums of the set mmap. One
 * file has several mappings as a rule, the first one does it. */
static __always_inline int
show_mapping(struct bpf_iter_meta *meta, __u32 tgid, __u64 file)
{
	struct kr_open_fd out = { .tgid = tgid, .fd = -1, .time_ns = bpf_ktime_get_boot_ns() };
	struct why why = { .tgid = tgid, .origin = KR_ORIGIN_ATTACH, .iterator = 1 };
	struct target_ref ref;
	struct reading r;

	if (mapped_has_name(tgid, file))
		return 0;
	if (mapped_at_attach < KR_MAPPED_AT_ATTACH) {
		identify(0, file, &r, &why, &ref, COPY);
		out.id = ref.id;
		mapped_at_attach += mapped_named(tgid, file, ref.id);
	}
	bpf_seq_write(meta->seq, &out, sizeof(out));
	return 0;
}

#endif
