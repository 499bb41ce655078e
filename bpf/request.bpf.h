/* request.bpf.h - operations that are asked for now and end later: those of io_uring and of io_submit
 *
 * Between submission and result a request is kept in the map requests, with all that was read of it when
 * it was submitted, in the context of who submitted it: its end may run in any context (a worker, a
 * kernel thread that cleans up, another process that looks for results). There only its file is looked at
 * once more, and what a successful one made.
 *
 * Every path goes through the same functions as a call: call_begin() and call_put(). They work on a state
 * per CPU in place of the thread's own, which holds the call that the thread is in.
 */
#ifndef BPF_REQUEST_H
#define BPF_REQUEST_H

#include "bpf/call.bpf.h"
#include "formats/sets.h"

enum {
	REQUESTS = 65536,		/* in flight at a time, of all traced processes */
	SHOTS = 16384,			/* of these, with more than one result */
	SQE_BYTES = 64,
};

const volatile __u32 sets = 0;		/* enum iotap_set */

struct request {
	struct pending call;
	__u64 ring;		/* struct io_ring_ctx *; 0 = of io_submit */
	__u64 user_data;
	__u32 tgid, tid;	/* who submitted it */
	__u8 many;		/* it is in the map shots */
	__u8 direct;		/* the file that it makes or closes is one of the ring's, no descriptor */
	__u8 pad[6];
};

/* What a request is known by: struct io_kiocb * and 0, or the address of its struct iocb and the process. */
struct request_key {
	__u64 at;
	__u64 tgid;
};

/* The request that a further result belongs to. */
struct shot_key {
	__u64 ring;
	__u64 user_data;
};

struct request_work {
	struct state state;
	struct request request;
	__u64 raw[SQE_BYTES / 8];	/* submission entry, struct iocb or struct io_event */
	__u64 word[16];			/* its fields by enum sqe_word */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, REQUESTS);
	__type(key, struct request_key);
	__type(value, struct request);
} requests SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, SHOTS);
	__type(key, struct shot_key);
	__type(value, __u64);
} shots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct request_work);
} request_work SEC(".maps");

/* Where the current thread stands, with the state of this CPU; 0 = never. */
static __always_inline struct request_work *
request_scene(struct scene *here)
{
	const __u32 zero = 0;
	struct request_work *const w = bpf_map_lookup_elem(&request_work, &zero);

	here->task = task_here();
	here->tgid = FIELD(here->task, tgid);
	here->tid = FIELD(here->task, pid);
	here->cpu = cpu_here(&here->cpu_number);
	if (!here->cpu || !w)
		return 0;
	here->state = &w->state;
	return w;
}

static __always_inline struct request_work *
request_work_here(void)
{
	const __u32 zero = 0;

	return bpf_map_lookup_elem(&request_work, &zero);
}

/* The file of a request, when that was found out last, is this one now: in state->now. A function of its own
 * for its stack; not static, so that the verifier goes through it once. */
ONCE int
request_target(struct state *state, struct why *why, __u64 file)
{
	struct target_ref ref;
	struct cached *cache;
	struct pending *p;

	if (!state || !why)
		return 0;
	p = &state->now;
	p->file = file;
	p->flags &= ~KF_UNDEFINED;
	cache = &state->cached[file >> 8 & (N_CACHED - 1)];
	if (CAN_CAST)
		identify(cache, file, &state->reading, why, &ref, DIRECT);
	else
		identify(cache, file, &state->reading, why, &ref, COPY);
	pending_target(p, &ref);
	return 0;
}

/* What a request made: a descriptor of the process that submitted it, when that is the current one. */
static __always_inline void
request_made(const struct scene *here, const struct request *r, struct why *why, __s64 result)
{
	struct pending *const p = &here->state->now;
	const volatile struct call_spec *const row = &spec[p->call & (KR_MAX_CALLS - 1)];
	const __u8 take = row->take, effect = row->effect;

	if (take == TAKE_NONE && row->fd >= 0) {
		p->fd2 = p->flags & KF_FD ? p->fd : -1;
		p->id2 = p->id;
		p->flags |= KF_SECOND;
		p->id = 0;
	}
	p->fd = -1;
	p->flags &= ~(KF_FD | KF_IDENTITY | KF_OFFSET);
	if (r->direct || (__u32)FIELD(here->task, tgid) != r->tgid)
		return;
	why_init(why, here->tgid, KR_ORIGIN_CALL);
	why->made = effect == EFFECT_OPENS;
	made_one(here->state, why, result);
}

/* The same for two of them, whose numbers are in user memory. */
static __always_inline void
request_made_pair(const struct scene *here, const struct request *r, struct why *why, __u64 user)
{
	struct pending *const p = &here->state->now;
	__s32 pair[2];

	if (r->direct || (__u32)FIELD(here->task, tgid) != r->tgid ||
	    bpf_probe_read_user(pair, sizeof(pair), (void *)user) || pair[0] == pair[1])
		return;
	why_init(why, here->tgid, KR_ORIGIN_CALL);
	why->made = 1;
	made_one(here->state, why, pair[1]);
	first_to_second(p);
	made_one(here->state, why, pair[0]);
}

/* The result of a request whose call is in state->now, as it is. */
static __always_inline void
request_put(const struct scene *here, __s64 result)
{
	count_shared(here->cpu, KC_requests_done);
	call_put(here, &here->state->now, result, 0);
}

/* Puts a result on record. state->now holds the request's call, file what it worked on (0 = not known).
 * A chain of functions is at most 8 deep, and before 6.13 has 512 bytes of stack together: this one is
 * called by what a program calls. */
static __noinline int
request_end(const struct scene *here, const struct request *r, __u64 file, __s64 result)
{
	struct pending *const p = &here->state->now;
	const volatile struct call_spec *const row = &spec[p->call & (KR_MAX_CALLS - 1)];
	const __u8 take = row->take, effect = row->effect;
	const _Bool exact = effect == EFFECT_CONNECTS ? connect_under_way(result)
						      : effect == EFFECT_BINDS && result == 0;
	struct why why;

	if (file && row->fd >= 0 && take != TAKE_PATH && (exact || take != TAKE_ADDR) &&
	    (exact || file != p->file)) {
		why_init(&why, here->tgid, KR_ORIGIN_USE);
		why.exact = exact;
		request_target(here->state, &why, file);
	}
	if ((p->flags & KF_IDENTITY) && !has_position(p->mode))
		p->flags &= ~KF_OFFSET;
	if (effect == EFFECT_CLOSES) {
		if (result != -K_EBADF)
			p->flags |= KF_CLOSED;
	} else if ((effect == EFFECT_OPENS || effect == EFFECT_DUPS) && result >= 0) {
		request_made(here, r, &why, result);
	} else if (effect == EFFECT_PAIR && result == 0) {
		request_made_pair(here, r, &why, p->args[row->taken & 7]);
	}
	request_put(here, result);
	return done();
}

/* Keeps a request whose call is in state->now until its end. */
static __noinline int
request_keep(const struct scene *here, struct request_work *w, const struct request_key *key)
{
	struct request_key at = *key;

	w->request.call = w->state.now;
	count_shared(here->cpu, KC_requests);
	if (bpf_map_update_elem(&requests, &at, &w->request, BPF_ANY))
		count_shared(here->cpu, KC_requests_no_room);
	return done();
}

#endif
