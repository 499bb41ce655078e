/* call.bpf.h - a selected call from enter to record
 *
 * call_begin() keeps what must be read before the call runs, call_end() adds what it made and puts
 * the record on the ring. What differs between calls is in their row (formats/calls.def), never in
 * code here.
 */
#ifndef BPF_CALL_H
#define BPF_CALL_H

#include "bpf/aggregate.bpf.h"
#include "bpf/define.bpf.h"

enum {
	IOVEC_MAX = 1024,		/* UIO_MAXIOV */
	MESSAGES_MAX = 1024,
	OFFSET_HERE = -1,		/* preadv2: the file's position */
	F_DUPFD_ = 0, F_DUPFD_CLOEXEC_ = 1030,
};

/* Where the thread stands: what every function below needs. */
struct scene {
	struct task_struct *task;
	struct kr_cpu *cpu;
	struct state *state;
	__u32 cpu_number;
	__u32 tgid;
};

static __always_inline void
why_init(struct why *why, __u32 tgid, __u8 origin)
{
	why->claim = 0;
	why->tgid = tgid;
	why->origin = origin;
	why->made = why->exact = why->iterator = 0;
}

struct iovec_sum {
	__u64 at, total;
	__u32 left, compat;
	__u32 failed;
};

static long
iovec_step(__u32 index, struct iovec_sum *sum)
{
	__u64 pair[2] = {};
	__u32 small[2];

	if (index >= sum->left)
		return 1;
	if (sum->compat) {
		sum->failed |= bpf_probe_read_user(small, 8, (void *)(sum->at + 8ull * index)) != 0;
		pair[1] = small[1];
	} else {
		sum->failed |= bpf_probe_read_user(pair, 16, (void *)(sum->at + 16ull * index)) != 0;
	}
	sum->total += sum->failed ? 0 : pair[1];
	return sum->failed ? 1 : 0;
}

/* Sum of the lengths of an iovec array; 0 and the total in *total, or -1 when not readable. */
static __noinline int
iovec_total(__u64 at, __u64 n, __u32 compat, __u64 *total)
{
	struct iovec_sum sum = { .at = at, .left = n, .compat = compat };

	if (n > IOVEC_MAX)
		return -1;
	bpf_loop(n, iovec_step, &sum, 0);
	*total = sum.total;
	return sum.failed ? -1 : 0;
}

/* What the call asked for when that is not simply an argument; sets KF_REQUESTED. */
__noinline int
requested_far(struct pending *p, __u32 size)
{
	__u64 at, n, total = 0;
	__u32 small[2];

	if (!p)
		return 0;
	at = p->args[1];
	n = p->args[2];
	if (size == SIZE_MSG1) {		/* struct msghdr: iov and iovlen at 16 and 24, i386 8 and 12 */
		__u64 pair[2];

		if (p->compat) {
			if (bpf_probe_read_user(small, 8, (void *)(at + 8)))
				return 0;
			at = small[0];
			n = small[1];
		} else {
			if (bpf_probe_read_user(pair, 16, (void *)(at + 16)))
				return 0;
			at = pair[0];
			n = pair[1];
		}
	} else if (size != SIZE_IOV1) {
		return 0;
	}
	if (iovec_total(at, n, p->compat, &total) == 0) {
		p->requested = total;
		p->flags |= KF_REQUESTED;
	}
	return 0;
}

/* The offset of the call, by its row and by what the descriptor is. */
static __always_inline void
call_offset(struct pending *p, const struct look *look, __u8 offset, __u8 dir)
{
	const _Bool append = dir == DIR_WRITE && (look->open_flags & K_O_APPEND);

	if (offset == OFFSET_A3) {
		p->offset = p->compat ? p->args[3] | p->args[4] << 32 : p->args[3];
		if (p->offset != OFFSET_HERE) {
			if (append)	/* it appends whatever the argument says */
				p->offset = 0;
			else
				p->flags |= KF_OFFSET;
			return;
		}
	}
	p->offset = append ? 0 : look->pos;
	if (look->has_pos)
		p->flags |= append ? KF_APPEND : KF_OFFSET;
}

/* The call's own target is this one. */
static __always_inline void
pending_target(struct pending *p, const struct target_ref *ref)
{
	p->id = ref->id;
	p->ino = ref->ino;
	p->dev = ref->dev;
	p->mode = ref->look.mode;
	p->flags |= p->id ? KF_IDENTITY : KF_IDENTITY | KF_UNDEFINED;
}

/* Keeps the start of a call. The caller has set nr and compat and filled args. */
static __always_inline void
call_begin(const struct scene *here, struct pending *p, __u32 call, const enum how how)
{
	const volatile struct call_spec *const row = &spec[call & (KR_MAX_CALLS - 1)];
	const __s8 fd = row->fd, fd2 = row->fd2;
	const __u8 size = row->size, offset = row->offset;
	struct reading *const r = &here->state->reading;
	struct target_ref ref;
	struct why why;

	p->call = call;
	p->flags = p->compat ? KF_COMPAT : 0;
	p->id = p->id2 = p->file = p->ino = p->requested = 0;
	p->offset = 0;
	p->dev = p->mode = 0;
	p->fd = p->fd2 = -1;
	p->shared = 0;
	if (fd >= 0) {
		p->fd = (__s32)p->args[fd & 7];
		p->flags |= KF_FD;
		p->file = file_of(here->task, p->fd, &p->shared, how);
		if (p->file) {
			why_init(&why, here->tgid, KR_ORIGIN_USE);
			identify(&here->state->cached[p->fd & (N_CACHED - 1)], p->file, r, &why,
				 &ref, how);
			pending_target(p, &ref);
			if (offset != OFFSET_NO)
				call_offset(p, &ref.look, offset, row->dir);
		}
	}
	if (fd2 >= 0) {
		__u64 file;

		p->fd2 = (__s32)p->args[fd2 & 7];
		p->flags |= KF_SECOND;
		file = file_of(here->task, p->fd2, 0, how);
		if (file) {
			why_init(&why, here->tgid, KR_ORIGIN_USE);
			identify(&here->state->cached[p->fd2 & (N_CACHED - 1)], file, r, &why,
				 &ref, how);
			p->id2 = ref.id;
			if (!p->id2)
				p->flags |= KF_UNDEFINED;
		}
	}
	if (size < 8) {
		p->requested = p->args[size & 7];
		p->flags |= KF_REQUESTED;
	} else if (size != SIZE_NO) {
		requested_far(p, size);
	}
}

/* A finished call that found no room on the ring: into the sums. A function of its own for its
 * stack: before 6.13 a chain of functions has 512 bytes together. */
static __noinline int
call_sum(const struct scene *here, const struct pending *p, __s64 result, __u64 duration, __u64 now)
{
	const volatile struct call_spec *const row = &spec[p->call & (KR_MAX_CALLS - 1)];
	struct aggregate_part part = {
		.key = { .tgid = here->tgid, .call = p->call, .id = p->id },
		.bytes = row->ret == RET_BYTES && result > 0 ? result : 0,
		.latency_ns = duration,
		.now_ns = now,
		.failed = result < 0,
	};

	RUN(aggregate_call_in(here->cpu, &part));
	return done();
}

/* Puts a finished call on the ring, or into the aggregate. end_ns 0 = it returns now. */
static __always_inline void
call_put(const struct scene *here, const struct pending *p, __s64 result, __u64 end_ns)
{
	const volatile struct call_spec *const row = &spec[p->call & (KR_MAX_CALLS - 1)];
	const __u64 slot = ring_take(&here->cpu->calls, call_slots, 1);
	const __u32 index = here->cpu_number * call_slots + ((__u32)slot & (call_slots - 1));
	struct kr_call *const record = bpf_map_lookup_elem(&calls, &index);
	const __u64 now = bpf_ktime_get_boot_ns();
	const __u64 duration = p->start_ns ? (end_ns ? end_ns : now) - p->start_ns : 0;
	__u32 flags = p->flags;
	const __s8 keep0 = row->keep0, keep1 = row->keep1;

	if (flags & KF_UNDEFINED)
		count(here->cpu, KC_undefined);
	if (slot == NO_SLOT || !record) {
		RUN(call_sum(here, p, result, duration, now));
		return;
	}
	record->key_ns = now;
	record->start_ns = p->start_ns;
	record->duration_ns = duration;
	record->tid = here->task->pid;
	record->tgid = here->tgid;
	record->call = p->call;
	record->cpu = here->cpu_number;
	record->fd = p->fd;
	record->fd2 = p->fd2;
	record->id = p->id;
	record->id2 = p->id2;
	record->offset = p->offset;
	record->requested = p->requested;
	record->result = result;
	record->dev = p->dev;
	record->mode = p->mode;
	record->ino = p->ino;
	record->arg0 = record->arg1 = 0;
	if (keep0 >= 0) {
		record->arg0 = p->args[keep0 & 7];
		flags |= KF_ARGS;
	}
	if (keep1 >= 0) {
		record->arg1 = p->args[keep1 & 7];
		flags |= KF_ARGS;
	}
	record->flags = flags;
	count(here->cpu, KC_recorded);
	ring_commit(&record->commit, slot);
}

/* Identifies descriptor fd as the one the thread's call made. This one and those it leads to are no
 * static functions: the verifier goes through them once, and not once per way to them. */
__noinline int
made_one(struct state *state, struct why *why, __s32 fd)
{
	struct task_struct *const task = bpf_get_current_task_btf();
	struct target_ref ref;
	struct cached *cache;
	struct pending *p;

	if (!state || !why)
		return 0;
	p = &state->now;
	cache = &state->cached[fd & (N_CACHED - 1)];
	p->fd = fd;
	p->id = 0;
	p->flags = (p->flags | KF_FD) & ~(KF_IDENTITY | KF_RACED);
	if (have_rdonly_cast)
		p->file = file_of(task, fd, &p->shared, DIRECT);
	else
		p->file = file_of(task, fd, &p->shared, COPY);
	if (!p->file) {		/* closed again by another thread */
		p->flags |= KF_RACED;
		return 0;
	}
	if (have_rdonly_cast)
		identify(cache, p->file, &state->reading, why, &ref, DIRECT);
	else
		identify(cache, p->file, &state->reading, why, &ref, COPY);
	pending_target(p, &ref);
	return 0;
}

/* The descriptor that the row's fd names becomes the second one. */
static __always_inline void
first_to_second(struct pending *p)
{
	if (!(p->flags & KF_FD))
		return;
	p->fd2 = p->fd;
	p->id2 = p->id;
	p->id = 0;
	p->flags = (p->flags & ~(KF_FD | KF_IDENTITY | KF_OFFSET)) | KF_SECOND;
}

/* Bytes of the messages that sendmmsg or recvmmsg moved: msg_len of struct mmsghdr. */
struct message_sum {
	__u64 at, total;
	__u32 compat, failed;
};

static long
message_step(__u32 index, struct message_sum *sum)
{
	const __u32 stride = sum->compat ? 32 : 64, offset = sum->compat ? 28 : 56;
	__u32 len = 0;

	if (bpf_probe_read_user(&len, sizeof(len), (void *)(sum->at + stride * index + offset)))
		sum->failed = 1;
	sum->total += len;
	return sum->failed ? 1 : 0;
}

__noinline int
messages_total(struct pending *p, __s64 n)
{
	struct message_sum sum = {};

	if (!p || n <= 0 || n > MESSAGES_MAX)
		return 0;
	sum.at = p->args[1];
	sum.compat = p->compat;
	bpf_loop(n, message_step, &sum, 0);
	if (!sum.failed) {
		p->requested = sum.total;
		p->flags |= KF_REQUESTED | KF_MESSAGE_BYTES;
	}
	return 0;
}

/* Whether a call of fcntl makes a descriptor. */
static __always_inline _Bool
fcntl_dups(const struct pending *p)
{
	const __u32 command = p->args[1];

	return command == F_DUPFD_ || command == F_DUPFD_CLOEXEC_;
}

/* Whether a connect succeeded or goes on. */
static __always_inline _Bool
connect_under_way(__s64 result)
{
	return result == 0 || result == -K_EINPROGRESS || result == -K_EINTR;
}

/* What a call did to the descriptor table, by the effect column: which descriptor is to be read now.
 * A call that failed leaves what it claimed. */
__noinline int
call_effect(struct state *state, __u32 tgid, __s64 result)
{
	const volatile struct call_spec *row;
	_Bool made = result >= 0;
	__s32 fd = result;
	struct pending *p;
	struct why why;
	__s32 pair[2];
	__u64 taken;
	__u8 effect, take;

	if (!state)
		return 0;
	p = &state->now;
	row = &spec[p->call & (KR_MAX_CALLS - 1)];
	effect = row->effect;
	take = row->take;
	taken = p->args[row->taken & 7];
	why_init(&why, tgid, KR_ORIGIN_CALL);
	if (effect == EFFECT_CLOSES) {
		if (result != -K_EBADF)
			p->flags |= KF_CLOSED;
		return 0;
	}
	if (effect == EFFECT_OPENS) {
		first_to_second(p);
		why.made = 1;
		why.claim = take == TAKE_PATH ? taken : 0;
	} else if (effect == EFFECT_DUPS || effect == EFFECT_FCNTL) {
		if (effect == EFFECT_FCNTL && !fcntl_dups(p))
			return 0;
		first_to_second(p);
	} else if (effect == EFFECT_PAIR) {
		made = result == 0 &&
			!bpf_probe_read_user(pair, sizeof(pair), (void *)taken) && pair[0] != pair[1];
		if (!made)
			return 0;
		why.made = 1;
		made_one(state, &why, pair[1]);
		first_to_second(p);
		fd = pair[0];
	} else if (effect == EFFECT_CONNECTS) {
		made = connect_under_way(result);
		if (made && !p->file)
			return 0;
		why.exact = 1;
		fd = p->fd;
	} else {
		made = 0;
	}
	if (made) {
		made_one(state, &why, fd);
	} else if (take == TAKE_PATH || take == TAKE_ADDR) {
		p->id = define_claim(tgid, take, taken, p->args[(row->taken + 1) & 7], p->file);
		if (!p->id)
			p->flags |= KF_UNDEFINED;
	}
	return 0;
}

/* The end of a call that has its enter. */
static __always_inline void
call_end(const struct scene *here, struct pending *p, __s64 result, const enum how how)
{
	const volatile struct call_spec *const row = &spec[p->call & (KR_MAX_CALLS - 1)];
	const __u8 effect = row->effect;

	if (p->shared && p->file && effect == EFFECT_NONE &&
	    file_of(here->task, p->fd, 0, how) != p->file)
		p->flags |= KF_RACED;
	if ((p->flags & KF_APPEND) && result > 0 && !(p->flags & KF_RACED)) {
		struct file *const file = POINTER(struct file, p->file);

		p->offset = GET(file, f_pos) - result;
		p->flags |= KF_OFFSET;
	}
	if (effect != EFFECT_NONE || row->take != TAKE_NONE)
		call_effect(here->state, here->tgid, result);
	if (row->ret == RET_MESSAGES)
		messages_total(p, result);
	call_put(here, p, result, 0);
}

#endif
