/* take.bpf.h - the path that a successful open named, beside the one that was found out */
#ifndef BPF_TAKE_H
#define BPF_TAKE_H

#include "bpf/note.bpf.h"

/* Appends a path of user memory to the text as the claimed one. */
static __noinline int
take_path(struct scratch *s, __u64 user)
{
	const __u32 at = s->stop & 8191;
	const long got = bpf_probe_read_user_str(&s->text[at], KR_PATH_MAX + 1, (void *)user);

	if (got <= 0) {
		s->target.flags |= KT_CLAIM_UNREAD;
		return done();
	}
	if (got > KR_PATH_MAX)		/* the kernel takes 4,095 bytes and a NUL */
		s->target.flags |= KT_CLAIM_CUT;
	s->target.claimed_len = got - 1;
	s->stop += got - 1;
	return done();
}

#endif
