/* iotap.bpf.c - the kernel half: every system call of the traced processes, with its target
 *
 * What it hands over is in formats/kernel_record.h, what a call is in formats/calls.def. User
 * space (capture/) loads this object, says who is traced, and reads three mmap-ed maps.
 *
 * Settings, between open and load (skel->rodata): call_slots, note_slots (powers of two, the same
 * for every CPU), follow_children, n_names, have_rdonly_cast (the kernel's BTF has FUNC
 * bpf_rdonly_cast), type_of_... (bpf/cast_types.def), no_latency, nr_to_call, nr_to_call_i386 (ids
 * of selected calls, others 0), spec (rows of all calls).
 * max_entries: control = possible CPUs, calls = CPUs x call_slots, notes = CPUs x note_slots,
 * names = n_names or more.
 *
 * Maps: control, calls, notes (mmap-ed: counters and rings); aggregate, aggregate_process
 * (struct kr_aggregate_key to struct kr_aggregate), aggregate_call (u32 call id, per CPU): what
 * found no room, cumulative; names (u64 FNV-1a of a lower-case name to u32, not read); seen
 * (struct file * to definition): an evicted definition is deleted by its value's id, then
 * data->seen_gen is raised by 1; tasks, scratch: private. iotap_old.bpf.c (old.bpf.h) also has ids
 * (struct ids of note.bpf.h, per CPU): filled after load.
 *
 * Filter: bss->filter[tgid & 0x3fffff], enum filter_value in settings.bpf.h.
 *
 * Programs: iotap_enter, iotap_exit, iotap_newtask, iotap_exec, iotap_rename, iotap_procexit
 * (tracepoints); iotap_tasks, iotap_undone, iotap_files, iotap_requests (iterators); of the optional sets
 * (sets: enum iotap_set, autoload is user space's) iotap_submit, iotap_submit_sqe, iotap_refused,
 * iotap_complete, iotap_complete_7; iotap_page_in, iotap_page_dirty, iotap_exec_mapped,
 * iotap_mappings (an iterator). The kernel shows at most 15
 * characters of a name.
 *
 * Pause: data->pauses raised by 1, which makes it odd; it goes on when raised again. Life cycle is
 * noted all the same; what was under way then is counted as replaced.
 *
 * Start: 1. attach the tracepoints. 2. filter = 3 (marking) for each target. 3. read iotap_tasks:
 * one struct kr_task_seen a process; threads of marked processes get state. 4. with descendants:
 * mark those found, read again, until a pass finds none. 5. read iotap_files: definitions go to
 * the notes ring, one struct kr_open_fd a descriptor is read; with the set mmap likewise
 * iotap_mappings (fd -1, id 0 = no room for its name). 6. filter = 1, only where it still is
 * 3 (compare and exchange: the process may have ended, its number may be another's).
 * A COMMAND is marked so while it waits between fork and exec.
 *
 * Stop: 1. filter = 0 everywhere. 2. detach all but iotap_procexit, wait 10 ms: programs under
 * way end. 3. drain the rings. 4. read iotap_undone: struct kr_unfinished each. 5. detach
 * iotap_procexit. 6. drain again, read counters and aggregates. Then both laws hold.
 */
#define IOTAP_BPF

#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/aio.bpf.h"
#include "bpf/iterate.bpf.h"
#include "bpf/life.bpf.h"
#include "bpf/pairing.bpf.h"
#include "bpf/part.bpf.h"
#include "bpf/uring.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("tp_btf/sys_enter")		/* not loaded without latencies */
int
BPF_PROG(iotap_enter, struct pt_regs *regs, long nr)
{
	struct task_struct *const task = task_here();

	if (filter[FIELD(task, tgid) & (PID_SLOTS - 1)] != FILTER_TRACED)
		return 0;
	return enter_noted(task, regs, nr);
}

SEC("tp_btf/sys_exit")
int
BPF_PROG(iotap_exit, struct pt_regs *regs, long result)
{
	struct task_struct *const task = task_here();
	int more;

	if (filter[FIELD(task, tgid) & (PID_SLOTS - 1)] != FILTER_TRACED)
		return 0;
	more = exit_noted(task, regs, result);
	if (more == MORE_MESSAGES || more == MORE_RANGES)
		RUN(part_exit(task, result, more == MORE_RANGES));
	else if (more != NOTHING_MORE)
		RUN(aio_exit(task, result, more == MORE_SUBMITS));
	return 0;
}

static __always_inline void
count_child(enum kr_counter which)
{
	__u32 number;
	struct kr_cpu *const cpu = cpu_here(&number);

	if (cpu)
		count_shared(cpu, which);
}

/* A thread gets state at once, so that its first exit is known for what it is; a process too, when
 * children are followed: it is traced from its first instruction. */
SEC("tp_btf/task_newtask")
int
BPF_PROG(iotap_newtask, struct task_struct *child, unsigned long clone_flags)
{
	struct task_struct *const parent = task_here();
	const __u32 parent_tgid = FIELD(parent, tgid), tgid = FIELD(child, tgid);
	const unsigned char value = filter[parent_tgid & (PID_SLOTS - 1)];
	const _Bool thread = clone_flags & K_THREAD;
	const _Bool ours = value == FILTER_TRACED || value == FILTER_MARKING;
	_Bool by_scope = 0;
	struct state *state;

	if (thread ? !ours : !scope_on && !ours)
		return 0;
	if (!thread) {
		if (filter[tgid & (PID_SLOTS - 1)] == FILTER_EXCLUDED)
			return 0;
		by_scope = !ours || !follow_children;
		if (by_scope && !(scope_on && scope_wants(child))) {
			if (ours)
				count_child(KC_not_followed);
			return 0;
		}
	}
	state = state_of(child, 1);
	if (state) {
		state->flags = thread && value == FILTER_MARKING ? SF_FRESH : SF_NEWBORN;
		state->pauses = pauses;
	}
	if (thread)
		return 0;
	filter[tgid & (PID_SLOTS - 1)] = note_fork(child, parent_tgid, !ours) ? FILTER_TRACED
									      : FILTER_NAMED;
	return 0;
}

/* A process that is wanted is traced from here on, one of an excluded name is not. Either way the end
 * of a call whose beginning was counted will not be seen as that. */
static __always_inline void
from_here(struct task_struct *task, __u32 tgid, int wanted)
{
	struct state *state;
	__u32 number;
	struct kr_cpu *const cpu = cpu_here(&number);

	if (!wanted)
		return;
	state = state_of(task, wanted > 0);
	if (state && cpu && (state->flags & SF_IN_CALL))
		count_shared(cpu, KC_replaced);
	if (state)
		state->flags = wanted > 0 ? SF_FRESH : 0;
	if (wanted > 0 && !follow_children &&
	    filter[BPF_CORE_READ(task, real_parent, tgid) & (PID_SLOTS - 1)] == FILTER_TRACED)
		count_child(KC_followed_later);
	filter[tgid & (PID_SLOTS - 1)] = wanted > 0 ? FILTER_TRACED : FILTER_NAMED;
}

SEC("tp_btf/sched_process_exec")
int
BPF_PROG(iotap_exec, struct task_struct *task, int old_pid, struct linux_binprm *bprm)
{
	const __u32 tgid = FIELD(task, tgid);
	const unsigned char value = filter[tgid & (PID_SLOTS - 1)];

	if (value == FILTER_EXCLUDED || (value == FILTER_NO && !n_names && !scope_on))
		return 0;
	if (value == FILTER_NAMED)	/* the new program has its own name */
		filter[tgid & (PID_SLOTS - 1)] = FILTER_NO;
	from_here(task, tgid,
		  note_exec(task, bprm, value == FILTER_TRACED || value == FILTER_MARKING));
	return 0;
}

SEC("tp_btf/task_rename")
int
BPF_PROG(iotap_rename, struct task_struct *task, const char *comm)
{
	struct task_struct *const me = task_here();
	const __u32 tgid = FIELD(task, tgid);
	const unsigned char value = filter[tgid & (PID_SLOTS - 1)];
	int wanted;

	if (value == FILTER_EXCLUDED || value == FILTER_NAMED ||
	    (value == FILTER_NO && !n_names && !scope_on) || inside_exec(task))
		return 0;
	wanted = note_rename(task, comm, value != FILTER_NO);
	if ((__u32)FIELD(me, tgid) == tgid)
		from_here(me, tgid, wanted);
	else if (wanted)	/* by way of /proc: its threads' state is not at hand */
		filter[tgid & (PID_SLOTS - 1)] = wanted > 0 ? FILTER_TRACED : FILTER_NAMED;
	return 0;
}

/* The end of a thread: what it left waiting is written; the last one ends the process. */
SEC("tp_btf/sched_process_exit")
int
BPF_PROG(iotap_procexit, struct task_struct *task)
{
	struct scene here = { .task = task, .tgid = FIELD(task, tgid), .tid = FIELD(task, pid) };
	const unsigned char value = filter[here.tgid & (PID_SLOTS - 1)];

	here.state = state_of(task, 0);
	here.cpu = cpu_here(&here.cpu_number);
	if (here.state && here.cpu) {
		if (here.state->flags & SF_WAITING)
			RUN(wait_interrupted(&here));
		if (here.state->flags & SF_IN_CALL)
			count(here.cpu, KC_replaced);
		here.state->flags = 0;
	}
	state_ended(task);
	/* Copied: see file_of() for what a walk from a trusted pointer costs the verifier. */
	if (value == FILTER_NO || BPF_CORE_READ(task, signal, live.counter) != 0)
		return 0;
	if (value == FILTER_TRACED)
		RUN(note_exit(task));
	filter[here.tgid & (PID_SLOTS - 1)] = FILTER_NO;
	return 0;
}

/* The set mmap. */
SEC("tp_btf/mm_filemap_add_to_page_cache")
int
BPF_PROG(iotap_page_in, struct folio *folio)
{
	return page_event(folio, BPF_CORE_READ(folio, mapping), PAGE_IN);
}

SEC("tp_btf/writeback_dirty_folio")
int
BPF_PROG(iotap_page_dirty, struct folio *folio, struct address_space *mapping)
{
	return page_event(folio, mapping, PAGE_DIRTY);
}

/* The program's own file is mapped by execve, not by a call. Runs after iotap_exec, which may make the
 * process a traced one. */
SEC("tp_btf/sched_process_exec")
int
BPF_PROG(iotap_exec_mapped, struct task_struct *task, int old_pid, struct linux_binprm *bprm)
{
	const __u32 tgid = FIELD(task, tgid);
	const __u64 file = (__u64)BPF_CORE_READ(bprm, file);
	struct target_ref ref;
	struct reading r;
	struct why why;

	if (filter[tgid & (PID_SLOTS - 1)] != FILTER_TRACED || !file)
		return 0;
	why_init(&why, tgid, KR_ORIGIN_USE);
	identify(0, file, &r, &why, &ref, COPY);
	RUN(mapped_named(tgid, file, ref.id));
	return 0;
}

SEC("iter/task")
int
iotap_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *const task = ctx->task;

	if (!task)
		return 0;
	if (wanted_by_iterators(task->tgid))
		mark_thread(task);
	if (task->pid == task->tgid)
		show_process(ctx->meta, task);
	return 0;
}

SEC("iter/task")
int
iotap_undone(struct bpf_iter__task *ctx)
{
	struct task_struct *const task = ctx->task;

	return task ? show_unfinished(ctx->meta, task) : 0;
}

SEC("iter/task_file")
int
iotap_files(struct bpf_iter__task_file *ctx)
{
	struct task_struct *const task = ctx->task;
	struct file *const file = ctx->file;

	if (!task || !file || task->pid != task->tgid || !wanted_by_iterators(task->tgid))
		return 0;
	return show_open_file(ctx->meta, task->tgid, ctx->fd, (__u64)file);
}

/* With the set mmap. */
SEC("iter/task_vma")
int
iotap_mappings(struct bpf_iter__task_vma *ctx)
{
	struct task_struct *const task = ctx->task;
	struct vm_area_struct *const vma = ctx->vma;
	__u64 file;

	if (!task || !vma || task->pid != task->tgid || !wanted_by_iterators(task->tgid))
		return 0;
	file = (__u64)BPF_CORE_READ(vma, vm_file);
	return file ? show_mapping(ctx->meta, task->tgid, file) : 0;
}

/* What is kept of requests in flight, at stop. */
SEC("iter/bpf_map_elem")
int
iotap_requests(struct bpf_iter__bpf_map_elem *ctx)
{
	const struct request *const r = ctx->value;

	return r && show_request(ctx->meta, r) ? 1 : 0;
}

/* The optional set io_uring; of the pairs of programs the one is loaded that fits the kernel. */
SEC("tp_btf/io_uring_submit_req")
int
iotap_submit(__u64 *ctx)
{
	struct task_struct *const task = task_here();

	if (filter[FIELD(task, tgid) & (PID_SLOTS - 1)] != FILTER_TRACED)
		return 0;
	RUN(uring_unseen(number_of(ctx, 0)));
	RUN(uring_submitted(number_of(ctx, 0), 0));
	return 0;
}

SEC("tp_btf/io_uring_submit_sqe")	/* its name before 6.3 */
int
iotap_submit_sqe(__u64 *ctx)
{
	struct task_struct *const task = task_here();

	if (filter[FIELD(task, tgid) & (PID_SLOTS - 1)] != FILTER_TRACED)
		return 0;
	RUN(uring_unseen(number_of(ctx, 0)));
	RUN(uring_submitted(number_of(ctx, 0), 0));
	return 0;
}

SEC("tp_btf/io_uring_req_failed")	/* what is wrong with it was seen before it was submitted */
int
iotap_refused(__u64 *ctx)
{
	struct task_struct *const task = task_here();

	if (filter[FIELD(task, tgid) & (PID_SLOTS - 1)] != FILTER_TRACED)
		return 0;
	RUN(uring_unseen(number_of(ctx, 1)));
	RUN(uring_submitted(number_of(ctx, 1), number_of(ctx, 0)));
	return 0;
}

SEC("tp_btf/io_uring_complete")		/* ring, request, struct io_uring_cqe * */
int
iotap_complete(__u64 *ctx)
{
	struct cqe cqe = {};

	if (!uring_concerns(ctx[1]))
		return 0;
	bpf_probe_read_kernel(&cqe, sizeof(cqe), (void *)number_of(ctx, 2));
	return uring_complete(number_of(ctx, 0), ctx[1], cqe.user_data, cqe.res, cqe.flags);
}

SEC("tp_btf/io_uring_complete")		/* ring, request, user_data, result, flags ...: before 6.16 */
int
iotap_complete_7(__u64 *ctx)
{
	if (!uring_concerns(ctx[1]))
		return 0;
	return uring_complete(number_of(ctx, 0), ctx[1], ctx[2], ctx[3], ctx[4]);
}
