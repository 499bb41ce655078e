/* take.bpf.h - what is copied from the memory of the traced process: claims, never facts
 *
 * Read at exit: at enter 2 % of the paths of a shell's life were not in memory yet.
 */
#ifndef BPF_TAKE_H
#define BPF_TAKE_H

#include "bpf/note.bpf.h"
#include "bpf/socket.bpf.h"

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

/* Fills the note from a socket address of user memory. */
static __noinline int
take_address(struct scratch *s, __u64 user, __u64 user_len)
{
	struct kr_target *const t = &s->target;
	__u32 len = user_len > SUN_PATH + UNIX_PATH_BYTES ? SUN_PATH + UNIX_PATH_BYTES : user_len;
	const __u32 at = s->stop & 8191;
	char *const text = &s->text[at];

	t->kind = KR_KIND_SOCKET;
	if (len < sizeof(t->family) || bpf_probe_read_user(text, len, (void *)user)) {
		t->flags |= KT_CLAIM_UNREAD;
		return done();
	}
	__builtin_memcpy(&t->family, text, 2);
	if (t->family == K_AF_UNIX) {
		t->has_remote = 1;
		len -= SUN_PATH;
		if (bpf_probe_read_user(text, len, (void *)(user + SUN_PATH)))
			return done();
		t->claimed_len = unix_name_length(s, at, len);
		s->stop += t->claimed_len;
	} else if ((t->family == K_AF_INET && len >= 8) || (t->family == K_AF_INET6 && len >= 24)) {
		__u16 port;

		t->has_remote = 1;
		__builtin_memcpy(&port, text + 2, 2);
		t->remote_port = bpf_ntohs(port);
		if (t->family == K_AF_INET)
			__builtin_memcpy(t->remote, text + 4, 4);
		else
			__builtin_memcpy(t->remote, text + 8, 16);
	}
	return done();
}

#endif
