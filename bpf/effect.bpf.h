/* effect.bpf.h - what a call did to the descriptor table, and what a failed one had wanted
 *
 * The functions that are not static are gone through once by the verifier, and not once per way to
 * them.
 */
#ifndef BPF_EFFECT_H
#define BPF_EFFECT_H

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
	p->flags |= p->id ? KF_IDENTITY : KF_IDENTITY | KF_UNDEFINED;
}

/* Identifies descriptor fd as the one the thread's call made. */
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
	p->flags = (p->flags | KF_FD) & ~KF_IDENTITY;
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

/* What a call did to the descriptor table, by the effect column: which descriptor is to be read
 * now. A call that failed leaves what it claimed. */
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
		if (result != 0 || bpf_probe_read_user(pair, sizeof(pair), (void *)taken) ||
		    pair[0] == pair[1])
			return 0;
		why.made = 1;
		made_one(state, &why, pair[1]);
		first_to_second(p);
		fd = pair[0];
	} else if (effect == EFFECT_CONNECTS) {
		made = connect_under_way(result);
		if (made && (!p->file || (p->flags & KF_RACED)))
			return 0;	/* the slot holds somebody else's file by now */
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

#endif
