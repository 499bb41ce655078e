/* uring.bpf.h - the operations of io_uring rings, from submission to result
 *
 * io_uring_submit_req fires in the context of who submits: a thread in io_uring_enter, or the kernel's
 * polling thread of the ring, which belongs to the same process. What was asked for is read from the
 * submission entry, which is the one before the ring's cached head; a ring's memory is shared with the
 * process, so it is believed only as far as the request itself agrees with it. io_uring_complete has the
 * result, and of the last one of a request its address; of earlier ones (multishot) only ring and
 * user_data. A request that ends in silence (IOSQE_CQE_SKIP_SUCCESS, or no room in the completion ring)
 * has no such event: it has ended when its address is submitted again, and its result still lies there.
 *
 * Source: include/linux/io_uring_types.h, include/trace/events/io_uring.h, io_uring/io_uring.c of 6.1,
 * 6.12 and 6.18; include/uapi/linux/io_uring.h.
 */
#ifndef BPF_URING_H
#define BPF_URING_H

#include "bpf/request.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct io_ring_ctx {
	unsigned int flags;
	__u32 *sq_array;
	void *sq_sqes;
	unsigned int cached_sq_head;
	unsigned int sq_entries;
};

struct io_cqe {
	__u64 user_data;
	__s32 res;
	union {
		__u32 flags;
		int fd;
	};
};

struct io_uring_task {
	struct task_struct *task;
};

struct io_kiocb {
	struct file *file;
	__u8 opcode;
	struct io_cqe cqe;
	struct io_ring_ctx *ctx;
	struct io_uring_task *tctx;
};

struct io_kiocb___task {	/* before 6.13 */
	struct task_struct *task;
};

#pragma clang attribute pop

/* Of include/uapi/linux/io_uring.h, which never change. */
struct sqe {
	__u8 opcode, flags;
	__u16 ioprio;
	__s32 fd;
	__u64 off, addr;
	__u32 len, op_flags;
	__u64 user_data;
	__u16 buffer, personality;
	__u32 index;		/* file_index, splice_fd_in; addr_len in its lower half */
	__u64 addr3, pad;
};

struct cqe {
	__u64 user_data;
	__s32 res;
	__u32 flags;
};

enum {
	U_FIXED_FILE = 1 << 0, U_BUFFER_SELECT = 1 << 5,	/* IOSQE_... */
	U_SQE128 = 1 << 10, U_NO_SQARRAY = 1 << 16,		/* IORING_SETUP_... */
	U_NOTIF = 1 << 3,					/* IORING_CQE_F_NOTIF */
	U_POLL_ADD = 6, U_TIMEOUT = 11, U_READ_MULTISHOT = 49,	/* IORING_OP_... */
	U_POLL_MULTI = 1, U_TIMEOUT_MULTI = 1 << 6,
	N_OPCODES = 128,
};
#define U_SPLICE_FIXED (1u << 31)	/* SPLICE_F_FD_IN_FIXED */

enum sqe_word {
	SQE_NIL, SQE_FD, SQE_OFF, SQE_ADDR, SQE_LEN, SQE_FLAGS, SQE_INDEX, SQE_ADDRLEN, SQE_ADDR3
};

const volatile __u16 uring_to_call[N_OPCODES] = {};	/* 0 = not selected */

static const volatile struct {
	__u8 from[6];		/* enum sqe_word, per argument of the row */
} uring_args[N_OPCODES] = {
#define CALL(...)
#define ALIAS(...)
#define URING(opcode, name, a0, a1, a2, a3, a4, a5) \
	[opcode] = { { SQE_##a0, SQE_##a1, SQE_##a2, SQE_##a3, SQE_##a4, SQE_##a5 } },
#include "formats/calls.def"
#undef CALL
#undef ALIAS
};

/* Argument i of a tracepoint as a number, whatever the verifier takes it for. */
static __always_inline __u64
number_of(const __u64 *ctx, int i)
{
	__u64 number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), &ctx[i]);
	return number;
}

/* The address of the submission entry that was taken last. */
static __always_inline __u64
sqe_of(__u64 ring, const enum how how)
{
	struct io_ring_ctx *const ctx = POINTER(struct io_ring_ctx, ring);
	const __u32 mask = GET(ctx, sq_entries) - 1, flags = GET(ctx, flags);
	const __u64 array = (__u64)GET(ctx, sq_array);
	__u32 at = (GET(ctx, cached_sq_head) - 1) & mask;

	if (array && !(flags & U_NO_SQARRAY)) {
		bpf_probe_read_kernel(&at, sizeof(at), (void *)(array + 4ull * at));
		at &= mask;
	}
	return (__u64)GET(ctx, sq_sqes) + ((__u64)at << (flags & U_SQE128 ? 7 : 6));
}

/* Reads what was asked for into raw. Where the entry is not that of the request any more, only what the
 * request says itself. */
static __always_inline struct sqe *
sqe_take(struct request_work *w, __u64 address, __u64 at, const enum how how)
{
	struct io_kiocb *const req = POINTER(struct io_kiocb, address);
	struct sqe *const sqe = (struct sqe *)w->raw;
	const __u64 user_data = GET(req, cqe.user_data);
	const __u8 opcode = GET(req, opcode);

	w->request.ring = (__u64)GET(req, ctx);
	w->request.user_data = user_data;
	if (bpf_probe_read_kernel(sqe, SQE_BYTES, (void *)(at ? at : sqe_of(w->request.ring, how))) ||
	    (!at && (sqe->opcode != opcode || sqe->user_data != user_data))) {
		__builtin_memset(sqe, 0, sizeof(*sqe));
		sqe->opcode = opcode;
		sqe->flags = U_FIXED_FILE;
	}
	return sqe;
}

static __always_inline void
sqe_arguments(struct request_work *w, const struct sqe *sqe)
{
	const __u32 opcode = sqe->opcode & (N_OPCODES - 1);
	__u64 *const args = w->state.now.args;

	w->word[SQE_NIL] = 0;
	w->word[SQE_FD] = sqe->fd;
	w->word[SQE_OFF] = sqe->off;
	w->word[SQE_ADDR] = sqe->addr;
	w->word[SQE_LEN] = sqe->len;
	w->word[SQE_FLAGS] = sqe->op_flags;
	w->word[SQE_INDEX] = sqe->index;
	w->word[SQE_ADDRLEN] = sqe->index & 0xffff;
	w->word[SQE_ADDR3] = sqe->addr3;
#pragma unroll
	for (int i = 0; i < 6; i++)
		args[i] = w->word[uring_args[opcode].from[i] & 15];
}

/* Whether more than one result may come. */
static __always_inline _Bool
sqe_many(const struct sqe *sqe)
{
	return sqe->ioprio || sqe->opcode == U_READ_MULTISHOT ||
		(sqe->opcode == U_POLL_ADD && (sqe->len & U_POLL_MULTI)) ||
		(sqe->opcode == U_TIMEOUT && (sqe->op_flags & U_TIMEOUT_MULTI));
}

/* What the row takes for descriptors and is none: numbers of files that the ring knows. */
static __always_inline void
sqe_not_descriptors(struct pending *p, const struct sqe *sqe, const volatile struct call_spec *row)
{
	const __s8 fd = row->fd, fd2 = row->fd2;

	if (fd >= 0 && ((sqe->flags & U_FIXED_FILE) || (row->effect == EFFECT_CLOSES && sqe->index)))
		p->args[fd & 7] = K_AT_FDCWD;
	if (fd2 >= 0 && (sqe->op_flags & U_SPLICE_FIXED))
		p->args[fd2 & 7] = K_AT_FDCWD;
}

/* Reads what must be read while the submitter is the current thread; paths and addresses are still to come. */
static __always_inline void
uring_begin(const struct scene *here, struct request_work *w, const struct sqe *sqe, __u32 call,
	    const enum how how)
{
	const volatile struct call_spec *const row = &spec[call & (KR_MAX_CALLS - 1)];
	const __u8 offset = row->offset;
	struct pending *const p = &w->state.now;

	p->nr = 0;
	p->compat = 0;
	sqe_arguments(w, sqe);
	sqe_not_descriptors(p, sqe, row);
	call_begin(here, p, call, how);
	if (p->fd == K_AT_FDCWD)
		p->fd = -1;
	if ((offset < 8 || offset == OFFSET_H3) && !p->file && p->args[offset & 7] != (__u64)OFFSET_HERE) {
		p->offset = p->args[offset & 7];	/* dropped if the file turns out to have none */
		p->flags |= KF_OFFSET;
	}
	if ((sqe->flags & U_BUFFER_SELECT) && !sqe->len)
		p->flags &= ~KF_REQUESTED;
	p->start_ns = no_latency ? 0 : bpf_ktime_get_boot_ns();
	w->request.direct = sqe->index && (row->effect == EFFECT_OPENS || row->effect == EFFECT_CLOSES);
}

/* Reads a submission, and what it works on. The call, 0 = not selected. A function of its own: its stack is
 * given back before paths are read, which takes as much again; see request_end(). */
static __noinline __u32
uring_read(const struct scene *here, struct request_work *w, __u64 address, __u64 sqe_at)
{
	const struct sqe *sqe;
	__u32 call;

	if (CAN_CAST)
		sqe = sqe_take(w, address, sqe_at, DIRECT);
	else
		sqe = sqe_take(w, address, sqe_at, COPY);
	call = uring_to_call[sqe->opcode & (N_OPCODES - 1)];
	if (!call)
		return 0;
	if (CAN_CAST)
		uring_begin(here, w, sqe, call, DIRECT);
	else
		uring_begin(here, w, sqe, call, COPY);
	w->request.many = sqe_many(sqe);
	return call;
}

/* Reads the paths and addresses that a call has in user memory. */
static __always_inline void
uring_claims(const struct scene *here, struct request_work *w, __u32 call)
{
	const volatile struct call_spec *const row = &spec[call & (KR_MAX_CALLS - 1)];
	const __u8 take = row->take;

	if (take != TAKE_NONE && take != TAKE_PAIR && (take < TAKE_PEER_TO || row->dir == DIR_WRITE))
		call_claims(&w->state.now, here->tgid, 0);
}

/* A request of that address was submitted before and its end was not seen: it has one all the same. */
static __noinline int
uring_unseen(__u64 address)
{
	const struct request_key key = { .at = address };
	struct request *const old = bpf_map_lookup_elem(&requests, &key);
	struct io_kiocb *const req = (struct io_kiocb *)address;
	struct scene here = {};
	struct request_work *const w = request_scene(&here);
	__s32 result = 0;

	if (!old || !w)
		return done();
	w->request = *old;
	bpf_map_delete_elem(&requests, &key);
	if ((pauses & 1) || w->request.tgid != here.tgid ||
	    w->request.ring != (__u64)BPF_CORE_READ(req, ctx)) {
		count_shared(here.cpu, KC_requests_replaced);
		return done();
	}
	bpf_core_read(&result, sizeof(result), &req->cqe.res);
	w->state.now = w->request.call;
	w->state.now.start_ns = 0;	/* nobody knows when */
	w->state.now.flags |= KF_UNTIMED;
	here.tid = w->request.tid;
	RUN(request_end(&here, &w->request, 0, result));
	return done();
}

/* A request is submitted by the current thread of a traced process; sqe_at 0 = to be found. */
static __noinline int
uring_submitted(__u64 address, __u64 sqe_at)
{
	const struct request_key key = { .at = address };
	struct scene here = {};
	struct request_work *const w = request_scene(&here);
	__u32 call;

	if (!w || (pauses & 1))
		return done();
	call = uring_read(&here, w, address, sqe_at);
	if (!call)
		return done();
	w->request.tgid = here.tgid;
	w->request.tid = here.tid;
	uring_claims(&here, w, call);
	if (w->request.many) {
		const struct shot_key shot = { .ring = w->request.ring,
					       .user_data = w->request.user_data };

		bpf_map_update_elem(&shots, &shot, &key.at, BPF_ANY);
	}
	RUN(request_keep(&here, w, &key));
	return done();
}

/* The process that a request belongs to. */
static __always_inline struct task_struct *
uring_owner(__u64 address)
{
	struct io_kiocb *const req = (struct io_kiocb *)address;
	struct io_kiocb___task *const older = (void *)req;

	if (bpf_core_field_exists(older->task))
		return BPF_CORE_READ(older, task);
	return BPF_CORE_READ(req, tctx, task);
}

/* A result of a request that was submitted before tracing, or found no room. */
static __noinline int
uring_before(__u64 address, __s64 result)
{
	struct io_kiocb *const req = (struct io_kiocb *)address;
	struct task_struct *const owner = uring_owner(address);
	struct scene here = {};
	struct request_work *const w = request_scene(&here);
	struct pending *p;

	if (!w || (pauses & 1) || !owner || (__u32)BPF_CORE_READ(owner, tgid) != here.tgid)
		return done();
	p = &w->state.now;
	__builtin_memset(p, 0, sizeof(*p));
	p->call = uring_to_call[BPF_CORE_READ(req, opcode) & (N_OPCODES - 1)];
	p->fd = p->fd2 = -1;
	p->flags = KF_BEFORE;
	if (!p->call)
		return done();
	here.tid = BPF_CORE_READ(owner, pid);
	w->request.tgid = here.tgid;
	w->request.direct = 0;
	count_shared(here.cpu, KC_requests_before);
	RUN(request_end(&here, &w->request, (__u64)BPF_CORE_READ(req, file), result));
	return done();
}

/* Takes the kept request out of the map, or, if it goes on, leaves it there. 0 = there is none. */
static __always_inline struct request *
uring_take(struct request_work *w, const struct request_key *key, _Bool more)
{
	struct request *const r = bpf_map_lookup_elem(&requests, key);

	if (!r)
		return 0;
	w->request = *r;
	if (more) {
		r->call.start_ns = no_latency ? 0 : bpf_ktime_get_boot_ns();
		return r;
	}
	bpf_map_delete_elem(&requests, key);
	if (w->request.many) {
		const struct shot_key shot = { .ring = w->request.ring,
					       .user_data = w->request.user_data };

		bpf_map_delete_elem(&shots, &shot);
	}
	return r;
}

/* A result whose request is in the map. */
static __noinline int
uring_ended(__u64 address, __s64 result, __u32 more)
{
	struct io_kiocb *const req = (struct io_kiocb *)address;
	const struct request_key key = { .at = address };
	struct scene here = {};
	struct request_work *const w = request_scene(&here);
	struct task_struct *owner;

	if (!w || !uring_take(w, &key, more))
		return done();
	owner = uring_owner(address);
	if ((pauses & 1) || !owner || (__u32)BPF_CORE_READ(owner, tgid) != w->request.tgid) {
		if (!more)
			count_shared(here.cpu, KC_requests_replaced);
		return done();
	}
	if (more)
		count_shared(here.cpu, KC_requests_more);
	w->state.now = w->request.call;
	here.tgid = w->request.tgid;
	here.tid = w->request.tid;
	RUN(request_end(&here, &w->request, (__u64)BPF_CORE_READ(req, file), result));
	return done();
}

/* Whether a completion may be one of ours: all that those of other processes pay for. */
static __always_inline _Bool
uring_concerns(__u64 address)
{
	struct task_struct *const task = task_here();
	const struct request_key key = { .at = address };

	return !address || filter[FIELD(task, tgid) & (PID_SLOTS - 1)] == FILTER_TRACED ||
		bpf_map_lookup_elem(&requests, &key);
}

/* A completion. */
static __always_inline int
uring_complete(__u64 ring, __u64 address, __u64 user_data, __s32 result, __u32 flags)
{
	struct task_struct *const task = task_here();
	struct request_key key = { .at = address };
	const _Bool more = !address;

	if (more) {
		const struct shot_key shot = { .ring = ring, .user_data = user_data };
		const __u64 *const at = bpf_map_lookup_elem(&shots, &shot);

		if (!at)
			return 0;
		key.at = *at;
	}
	if (bpf_map_lookup_elem(&requests, &key))
		RUN(uring_ended(key.at, result, more));
	else if (!more && !(flags & U_NOTIF) &&
		 filter[FIELD(task, tgid) & (PID_SLOTS - 1)] == FILTER_TRACED)
		RUN(uring_before(key.at, result));
	return 0;
}

#endif
