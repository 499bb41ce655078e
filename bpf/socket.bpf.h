/* socket.bpf.h - the definition of a socket: addresses, device, namespace, unix names
 *
 * The local port comes from inet_sport: skc_num is zeroed when the connection closes.
 */
#ifndef BPF_SOCKET_H
#define BPF_SOCKET_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>

#include "bpf/identity.bpf.h"

enum { UNIX_PATH_BYTES = 108, SUN_PATH = 2 };

static __always_inline _Bool
any_set(const kr_u8 *address)
{
	const __u64 *const word = (const __u64 *)address;

	return (word[0] | word[1]) != 0;
}

/* Bytes of the unix name of at most len bytes at text[at]: an abstract one keeps its leading NUL
 * and all its bytes, a path ends at its first NUL or with its last byte. */
static __always_inline __u32
unix_name_length(struct scratch *s, __u32 at, __u32 len)
{
	long got;

	if (len == 0 || s->text[at] == 0)
		return len;
	s->text[at + len] = 0;
	got = bpf_probe_read_kernel_str(&s->text[at + 256], UNIX_PATH_BYTES + 1, &s->text[at]);
	return got > 0 ? got - 1 : 0;
}

/* Appends a unix socket's name to the text; its length, 0 = unnamed. */
static __noinline int
unix_name(struct scratch *s, struct unix_sock *un)
{
	struct unix_address *const address = BPF_CORE_READ(un, addr);
	const __u32 at = s->stop & 8191;
	__u32 len;

	if (!address)
		return 0;
	len = (__u32)BPF_CORE_READ(address, len) - SUN_PATH;
	if (len == 0 || len > UNIX_PATH_BYTES)
		return 0;
	bpf_probe_read_kernel(&s->text[at], len, (char *)address +
			      bpf_core_field_offset(struct unix_address, name) + SUN_PATH);
	len = unix_name_length(s, at, len);
	s->stop += len;
	return len;
}

static __always_inline void
define_unix(struct scratch *s, __u64 sock)
{
	struct kr_target *const t = &s->target;
	struct unix_sock *const un = (struct unix_sock *)sock;
	struct unix_sock *const peer = (struct unix_sock *)BPF_CORE_READ(un, peer);
	struct pid *const pid = BPF_CORE_READ(un, sk.sk_peer_pid);

	t->text_len = unix_name(s, un);
	t->has_local = t->text_len != 0;
	t->has_remote = peer != 0;
	if (peer)
		t->peer_len = unix_name(s, peer);
	if (pid) {
		int nr = 0;

		bpf_probe_read_kernel(&nr, sizeof(nr),
				      (char *)pid + bpf_core_field_offset(struct pid, numbers));
		t->peer_pid = nr;
	}
}

static __always_inline void
define_inet(struct scratch *s, const struct reading *r, __u64 sock)
{
	struct kr_target *const t = &s->target;
	struct dst_entry *const dst = BPF_CORE_READ((struct sock *)sock, sk_dst_cache);
	__u64 *const local = (__u64 *)t->local, *const remote = (__u64 *)t->remote;

	if (t->family == K_AF_INET) {
		remote[0] = r->word[W_ADDR] & 0xffffffff;	/* skc_daddr comes first */
		local[0] = r->word[W_ADDR] >> 32;
	} else {
		remote[0] = r->word[W_REMOTE6];
		remote[1] = r->word[W_REMOTE6 + 1];
		local[0] = r->word[W_LOCAL6];
		local[1] = r->word[W_LOCAL6 + 1];
	}
	t->ifindex = (__u32)r->word[W_PORT];
	t->local_port = bpf_ntohs((__u16)(r->word[W_PORT] >> 32));
	t->remote_port = bpf_ntohs((__u16)(r->word[W_PORT] >> 48));
	t->has_local = t->local_port != 0 || any_set(t->local);
	t->has_remote = t->remote_port != 0 || any_set(t->remote);
	if (dst)
		BPF_CORE_READ_STR_INTO(&t->device, dst, dev, name);
	if (t->state == K_TCP_CLOSE && t->sock_type == K_SOCK_STREAM && t->has_remote)
		t->flags |= KT_CLOSING;
}

/* Fills the socket's part of the note. */
static __noinline int
define_socket(struct scratch *s, const struct reading *r)
{
	struct kr_target *const t = &s->target;
	struct sock *const sk = (struct sock *)r->word[W_SOCK];

	s->start = s->stop = PATH_END;
	t->kind = KR_KIND_SOCKET;
	t->flags |= KT_CONFIRMED;
	t->family = r->word[W_KIND] >> 48;
	t->sock_type = BPF_CORE_READ(sk, sk_type);
	t->protocol = BPF_CORE_READ(sk, sk_protocol);
	t->state = BPF_CORE_READ(sk, __sk_common.skc_state);
	t->netns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	if (t->family == K_AF_UNIX)
		define_unix(s, r->word[W_SOCK]);
	else if (t->family == K_AF_INET || t->family == K_AF_INET6)
		define_inet(s, r, r->word[W_SOCK]);
	return done();
}

#endif
