/* effect.bpf.h - what a call did to the descriptor table, and what a failed one had wanted
 *
 * The functions that are not static are gone through once by the verifier, and not once per way to
 * them.
 */
#ifndef BPF_EFFECT_H
#define BPF_EFFECT_H

#include "bpf/args.bpf.h"
#include "bpf/claim.bpf.h"
#include "bpf/define.bpf.h"

enum { F_DUPFD_ = 0, F_DUPFD_CLOEXEC_ = 1030 };

static __always_inline void
why_init(struct why *why, __u32 tgid, __u8 origin)
{
	why->claim = 0;
	why->tgid = tgid;
	why->origin = origin;
	why->made = why->exact = why->iterator = 0;
}

/* The call's own target is this one. */
static __always_inline void
pending_target(struct pending *p, const struct target_ref *ref)
{
	p->id = ref->id;
	p->ino = ref->ino;
	p->dev = ref->dev;
	p->mode = ref->look.mode;
	p->match = ref->match;
	p->flags |= p->id ? KF_IDENTITY : KF_IDENTITY | KF_UNDEFINED;
}

/* Identifies descriptor fd as the one the thread's call made. */
ONCE int
made_one(struct state *state, struct why *why, __s32 fd)
{
	struct task_struct *const task = task_here();
	struct target_ref ref;
	struct cached *cache;
	struct pending *p;

	if (!state || !why)
		return 0;
	p = &state->now;
	cache = &state->cached[fd & (N_CACHED - 1)];
	p->fd = fd;
	p->id = 0;
	p->flags = (p->flags | KF_FD) & ~KF_IDENTITY;
	if (CAN_CAST)
		p->file = file_of(task, fd, &p->shared, DIRECT);
	else
		p->file = file_of(task, fd, &p->shared, COPY);
	if (!p->file) {		/* closed again by another thread */
		p->flags |= KF_RACED;
		return 0;
	}
	if (CAN_CAST)
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

/* The open file behind the descriptor that a command of ioctl takes its data from. */
ONCE int
clone_source(struct state *state, __u32 tgid)
{
	struct task_struct *const task = task_here();
	struct target_ref ref;
	struct pending *p;
	struct why why;
	__s64 fd;

	if (!state)
		return 0;
	p = &state->now;
	if ((__u32)p->args[1] == FICLONE_)
		fd = (__s32)p->args[2];
	else if ((__u32)p->args[1] != FICLONERANGE_ ||	/* src_fd comes first in its struct */
		 bpf_probe_read_user(&fd, sizeof(fd), (void *)p->args[2]))
		return 0;
	p->fd2 = fd;
	p->flags |= KF_SECOND;
	p->file2 = file_of(task, p->fd2, 0, COPY);
	if (!p->file2)
		return 0;
	why_init(&why, tgid, KR_ORIGIN_USE);
	identify(&state->cached[p->fd2 & (N_CACHED - 1)], p->file2, &state->reading, &why, &ref, COPY);
	p->id2 = ref.id;
	p->match |= ref.match;
	return 0;
}

/* The call's own target is what it named, not a descriptor. */
static __always_inline void
pending_claim(struct pending *p, __u64 id)
{
	p->id = id;
	p->ino = 0;
	p->dev = p->mode = 0;
	p->match = MATCH_CLAIMED;
	p->flags &= ~(KF_IDENTITY | KF_OFFSET | KF_UNDEFINED);
	if (!id)
		p->flags |= KF_UNDEFINED;
}

/* A path, which begins at the descriptor if there is one; none: the descriptor is meant. */
static __always_inline void
path_claim(struct pending *p, struct claim *c)
{
	__u64 id;

	c->take = TAKE_PATH;
	c->base = p->id;
	id = c->user ? claim_id(c) : CLAIM_EMPTY;
	if (id == CLAIM_EMPTY)
		return;
	if (p->flags & KF_FD) {
		p->fd2 = p->fd;
		p->id2 = p->id;
		p->flags |= KF_SECOND;
	}
	pending_claim(p, id);
}

/* Two paths, each with a descriptor of its own or none. */
static __always_inline void
paths_claim(struct pending *p, struct claim *c, __u64 second)
{
	const __u64 base = p->id2;
	__u64 id;

	c->take = TAKE_PATH;
	c->base = p->id;
	id = claim_id(c);
	if (id != CLAIM_EMPTY)
		pending_claim(p, id);
	c->user = second;
	c->base = base;
	id = claim_id(c);
	if (id == CLAIM_EMPTY)
		return;
	p->id2 = id;
	p->flags |= id ? KF_SECOND : KF_SECOND | KF_UNDEFINED;
}

/* The peer of one datagram, when the call has an address at all. */
static __always_inline void
peer_claim(struct pending *p, struct claim *c, __u8 take)
{
	__u32 small[2] = {};
	__u64 id;

	if (take == TAKE_PEER_FROM) {
		if (bpf_probe_read_user(small, 4, (void *)c->user_len))
			return;
		c->user_len = small[0];
	} else if (take == TAKE_PEER_MSG && p->compat) {	/* struct msghdr: name, its length */
		if (bpf_probe_read_user(small, 8, (void *)c->user))
			return;
		c->user = small[0];
		c->user_len = small[1];
	} else if (take == TAKE_PEER_MSG) {
		if (bpf_probe_read_user(small, 4, (void *)(c->user + 8)) ||
		    bpf_probe_read_user(&c->user, 8, (void *)c->user))
			return;
		c->user_len = small[0];
	}
	if (!c->user || (__u32)c->user_len < 2)
		return;
	c->take = TAKE_ADDR;
	c->base = p->id;
	id = claim_id(c);
	if (id == CLAIM_EMPTY)
		return;
	p->id2 = id;
	p->flags |= id ? KF_SECOND : KF_SECOND | KF_UNDEFINED;
}

/* What the memory of the process says of the targets of a call, by the take column. */
ONCE int
call_claims(struct pending *p, __u32 tgid, __s64 result)
{
	const volatile struct call_spec *row;
	struct claim c = { .tgid = tgid };
	__u8 take, at;

	if (!p)
		return 0;
	row = &spec[p->call & (KR_MAX_CALLS - 1)];
	take = row->take;
	at = row->taken;
	c.user = p->args[at & 7];
	c.user_len = p->args[(at + 1) & 7];
	c.file = p->file;
	if (take == TAKE_PATH) {
		path_claim(p, &c);
	} else if (take == TAKE_PATHS1 || take == TAKE_PATHS2) {
		paths_claim(p, &c, p->args[(take == TAKE_PATHS1 ? at + 1 : at + 2) & 7]);
	} else if (take == TAKE_ADDR) {
		__u64 id;

		c.take = TAKE_ADDR;
		c.base = p->id;
		c.local = row->effect == EFFECT_BINDS;
		id = claim_id(&c);
		if (id == CLAIM_EMPTY)
			return 0;
		p->id = id;	/* device and inode stay the socket's */
		if (!id)
			p->flags |= KF_UNDEFINED;
	} else if (take == TAKE_PROCESS || take == TAKE_QUEUE) {
		c.take = take;
		c.base = c.user;
		pending_claim(p, claim_id(&c));
	} else if (take != TAKE_PAIR && c.user && (result >= 0 || row->dir == DIR_WRITE)) {
		peer_claim(p, &c, take);
	}
	return 0;
}

/* What a call did to the descriptor table, by the effect column: which descriptor is to be read
 * now. A call that failed leaves what it claimed. */
ONCE int
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
		if (result != 0 || bpf_probe_read_user(pair, sizeof(pair), (void *)taken) ||
		    pair[0] == pair[1])
			return 0;
		why.made = 1;
		made_one(state, &why, pair[1]);
		first_to_second(p);
		fd = pair[0];
	} else if (effect == EFFECT_CLONES) {
		clone_source(state, tgid);
		return 0;
	} else if (effect == EFFECT_CONNECTS || effect == EFFECT_BINDS) {
		made = effect == EFFECT_BINDS ? result == 0 : connect_under_way(result);
		if (made && (!p->file || (p->flags & KF_RACED)))
			return 0;	/* the slot holds somebody else's file by now */
		why.exact = 1;
		fd = p->fd;
	} else {
		made = 0;
	}
	if (made)
		made_one(state, &why, fd);
	else if (take != TAKE_NONE)
		call_claims(p, tgid, result);
	return 0;
}

#endif
