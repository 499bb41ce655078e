/* aio.bpf.h - the requests of io_submit, from submission to where the process is told
 *
 * The kernel has no event for them. At the exit of io_submit those that were accepted are read from user
 * memory, at the exit of io_getevents the results; the address of its struct iocb leads from one to the
 * other. The time between is what is stated: from the beginning of io_submit until the result was fetched.
 * A process that reads results from the ring in its own memory is not seen doing it: a request whose
 * address is submitted again ended so, with a result that is not known.
 *
 * Source: include/uapi/linux/aio_abi.h, fs/aio.c of 5.10 to 6.18.
 */
#ifndef BPF_AIO_H
#define BPF_AIO_H

#include "bpf/request.bpf.h"

enum { AIO_COMMANDS = 16, AIO_AT_ONCE = 1024 };

const volatile __u16 aio_to_call[AIO_COMMANDS] = {};	/* 0 = not selected */

struct iocb {
	__u64 data;
	__u32 key, rw_flags;
	__u16 command;
	__s16 priority;
	__u32 fd;
	__u64 buffer, bytes;
	__s64 offset;
	__u64 reserved;
	__u32 flags, resfd;
};

struct io_event {
	__u64 data, object;
	__s64 result, result2;
};

/* An array of user memory that is gone through. */
struct aio_walk {
	__u64 at, start_ns;
	__u32 n, compat;
};

/* Where entry index of an array of pointers points to, 0 = not readable. */
static __always_inline __u64
aio_pointer(const struct aio_walk *walk, __u32 index)
{
	__u64 pointer = 0;
	__u32 small = 0;

	if (!walk->compat) {
		bpf_probe_read_user(&pointer, 8, (void *)(walk->at + 8ull * index));
		return pointer;
	}
	bpf_probe_read_user(&small, 4, (void *)(walk->at + 4ull * index));
	return small;
}

static __noinline int
aio_begin(const struct scene *here, struct request_work *w, __u32 call, __u64 start_ns)
{
	const struct iocb *const iocb = (struct iocb *)w->raw;
	struct pending *const p = &w->state.now;

	p->args[0] = iocb->fd;
	p->args[1] = iocb->buffer;
	p->args[2] = iocb->bytes;
	p->args[3] = iocb->offset;
	p->args[4] = iocb->rw_flags;
	p->args[5] = 0;
	call_begin(here, p, call, COPY);
	p->start_ns = start_ns;
	p->flags |= start_ns ? 0 : KF_UNTIMED;
	w->request.ring = w->request.user_data = 0;
	w->request.tgid = here->tgid;
	w->request.tid = here->tid;
	w->request.many = w->request.direct = 0;
	return done();
}

static __always_inline int
aio_submit(__u32 index, struct aio_walk *walk)
{
	struct request_key key = { .at = aio_pointer(walk, index) };
	struct scene here = {};
	struct request_work *const w = request_scene(&here);
	__u32 call;

	if (index >= walk->n || !w)
		return 1;
	if (!key.at || bpf_probe_read_user(w->raw, sizeof(struct iocb), (void *)key.at))
		return 0;
	call = aio_to_call[((struct iocb *)w->raw)->command & (AIO_COMMANDS - 1)];
	if (!call)
		return 0;
	key.tgid = here.tgid;
	if (bpf_map_delete_elem(&requests, &key) == 0)
		count_shared(here.cpu, KC_requests_replaced);
	w->state.now.nr = 0;
	w->state.now.compat = walk->compat;
	RUN(aio_begin(&here, w, call, walk->start_ns));
	RUN(request_keep(&here, w, &key));
	return 0;
}

PLACE_STEP(aio_submit, 1, struct aio_walk)

static __always_inline int
aio_reap(__u32 index, struct aio_walk *walk)
{
	struct request_key key = {};
	struct scene here = {};
	struct request_work *const w = request_scene(&here);
	struct request *kept;
	struct io_event *event;

	if (index >= walk->n || !w)
		return 1;
	if (bpf_probe_read_user(w->raw, sizeof(struct io_event),
				(void *)(walk->at + sizeof(struct io_event) * index)))
		return 0;
	event = (struct io_event *)w->raw;
	key.at = event->object;
	key.tgid = here.tgid;
	kept = bpf_map_lookup_elem(&requests, &key);
	if (!kept)
		return 0;
	w->request = *kept;
	bpf_map_delete_elem(&requests, &key);
	w->state.now = w->request.call;
	here.tid = w->request.tid;
	request_put(&here, event->result);
	return 0;
}

PLACE_STEP(aio_reap, 1, struct aio_walk)

/* After the exit of a call that submits requests or fetches results, which the state still holds. Called by
 * the program itself, for the stack. */
static __noinline int
aio_exit(struct task_struct *task, __s64 result, _Bool submits)
{
	const struct state *const state = state_of(task, 0);
	struct aio_walk walk = {};
	const struct pending *p;

	if (!state || result <= 0)
		return done();
	p = &state->now;
	walk.start_ns = p->start_ns;
	walk.compat = p->compat;
	walk.n = result > AIO_AT_ONCE ? AIO_AT_ONCE : result;
	walk.at = submits ? p->args[2] : p->args[3];
	if (submits)
		PLACE_LOOP(aio_submit, walk.n, AIO_AT_ONCE, walk);
	else
		PLACE_LOOP(aio_reap, walk.n, AIO_AT_ONCE, walk);
	return done();
}

#endif
