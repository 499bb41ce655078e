/* claim.bpf.h - targets that only the memory of the traced process names: paths, addresses, numbers
 *
 * Never called confirmed. One that is named again has the id it had: a program that looks for a file
 * over and over, or sends a thousand datagrams to one peer, gets one definition. What it is known by
 * is all of what was said, byte for byte, with process, kind and the target it is relative to; what is
 * longer than fits there is defined each time. An evicted definition is not looked for here: the
 * generation goes on then, and all are defined anew.
 *
 * Read at exit: at enter 2 % of the paths of a shell's life were not in memory yet.
 */
#ifndef BPF_CLAIM_H
#define BPF_CLAIM_H

#include "bpf/note.bpf.h"
#include "bpf/socket.bpf.h"

#define CLAIM_EMPTY (~0ull)		/* "no path was given" in place of an id */

/* What to look at. */
struct claim {
	__u64 user;		/* address; the number of TAKE_PROCESS and TAKE_QUEUE */
	__u64 user_len;		/* of a socket address */
	__u64 base;		/* target id it is relative to: directory, socket; 0 = none */
	__u64 file;		/* open file of the socket, 0 = none */
	__u32 tgid;
	__u8 take;		/* enum call_take: PATH, ADDR, PROCESS, QUEUE */
	__u8 local;		/* the address is the socket's own */
	__u8 pad[2];
};

/* Reads a path; -1 = there is none. Behind it in the key what is short enough to be known by. */
static __noinline int
claim_path(struct scratch *s, const struct claim *c)
{
	const long got = bpf_probe_read_user_str(&s->text[PATH_END], KR_PATH_MAX + 1, (void *)c->user);
	__u32 n;

	s->target.kind = KR_KIND_FILE;
	if (got < 0) {
		s->target.flags |= KT_CLAIM_UNREAD;
		return done();
	}
	if (got <= 1)			/* an empty one: 0 before 6.13, with its NUL since */
		return -1;
	if (got > KR_PATH_MAX)		/* the kernel takes 4,095 bytes and a NUL */
		s->target.flags |= KT_CLAIM_CUT;
	n = got - 1;
	s->target.claimed_len = n;
	s->stop = PATH_END + n;
	if (n <= CLAIM_BYTES) {
		s->claim.len = n;
		bpf_probe_read_kernel(s->claim.text, at_most(n, CLAIM_BYTES), &s->text[PATH_END]);
	}
	return done();
}

/* Fills the note from the socket address that is in the key. */
static __always_inline void
claim_parse_address(struct scratch *s, __u32 len)
{
	struct kr_target *const t = &s->target;
	const char *const text = s->claim.text;

	__builtin_memcpy(&t->family, text, 2);
	if (t->family == K_AF_UNIX) {
		t->has_remote = 1;
		bpf_probe_read_kernel(&s->text[PATH_END], UNIX_PATH_BYTES, text + SUN_PATH);
		t->claimed_len = unix_name_length(s, PATH_END, at_most(len - SUN_PATH, UNIX_PATH_BYTES));
		s->stop = PATH_END + t->claimed_len;
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
}

/* What the socket itself knows: an address in user memory does not say whether it is TCP's. */
static __always_inline void
claim_socket(struct kr_target *t, __u64 address)
{
	struct file *const file = (struct file *)address;
	struct socket *const socket = BPF_CORE_READ(file, private_data);
	struct sock *const sk = socket ? BPF_CORE_READ(socket, sk) : 0;

	t->mode = BPF_CORE_READ(file, f_inode, i_mode);
	if (!sk || (t->mode & K_IFMT) != K_IFSOCK)
		return;
	t->dev = BPF_CORE_READ(file, f_inode, i_sb, s_dev);
	t->ino = BPF_CORE_READ(file, f_inode, i_ino);
	t->sock_type = BPF_CORE_READ(sk, sk_type);
	t->protocol = BPF_CORE_READ(sk, sk_protocol);
	t->netns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
}

/* Reads a socket address into the key; -1 = there is none. */
static __noinline int
claim_address(struct scratch *s, const struct claim *c)
{
	const __u32 len = at_most((__u32)c->user_len, SUN_PATH + UNIX_PATH_BYTES);

	s->target.kind = KR_KIND_SOCKET;
	if (len < sizeof(s->target.family))
		return -1;
	if (bpf_probe_read_user(s->claim.text, at_most(len, SUN_PATH + UNIX_PATH_BYTES),
				(void *)c->user))
		s->target.flags |= KT_CLAIM_UNREAD;
	else
		s->claim.len = len;
	return done();
}

/* The rest of the definition, when it is to be made. */
static __noinline int
claim_fill(struct scratch *s, const struct claim *c)
{
	struct kr_target *const t = &s->target;
	long got;

	t->origin = KR_ORIGIN_CLAIM;
	t->tgid = c->tgid;
	if (c->take == TAKE_ADDR) {
		if (c->file)
			claim_socket(t, c->file);
		if (s->claim.len >= 2)
			claim_parse_address(s, s->claim.len);
		if (c->local && t->has_remote) {
			__builtin_memcpy(t->local, t->remote, sizeof(t->local));
			__builtin_memset(t->remote, 0, sizeof(t->remote));
			t->local_port = t->remote_port;
			t->has_local = 1;
			t->has_remote = t->remote_port = 0;
		}
	} else if (c->take != TAKE_PATH) {
		t->kind = KR_KIND_ANON;
		if (c->take == TAKE_PROCESS)
			got = bpf_probe_read_kernel_str(&s->text[PATH_END], 32, "[process]");
		else
			got = bpf_probe_read_kernel_str(&s->text[PATH_END], 32, "[sysv queue]");
		t->text_len = got > 0 ? got - 1 : 0;
		s->stop = PATH_END + t->text_len;
	}
	return done();
}

/* A number that other words hardly share. Its upper bits depend on all of them. */
static __always_inline __u64
claim_print(const struct claim_key *key)
{
	const __u64 *const word = (const __u64 *)key;
	__u64 print = 0;

#pragma unroll
	for (unsigned int i = 0; i < sizeof(*key) / 8; i++)
		print += word[i] * (0x9e3779b97f4a7c15ull * (2 * i + 1));
	return print;
}

static __always_inline volatile struct claimed *
claim_slot(__u64 print, __u32 which)
{
	const __u32 index = (__u32)((print >> 32) & (CLAIM_SETS - 1)) * 2 + which;

	return bpf_map_lookup_elem(&claims, &index);
}

/* Tells a slot that two CPUs wrote at the same time, or that is being written: its words are then not
 * all of one. */
static __always_inline __u64
claim_seal(__u64 print, __u64 id)
{
	return (print + id * 0xd6e8feb86659fd93ull) | 1;
}

/* The id, if this is what the slot holds. */
static __always_inline __u64
claim_held(const volatile struct claimed *slot, const struct claim_key *key, __u64 print)
{
	const volatile __u64 *const has = (const volatile __u64 *)&slot->key;
	const __u64 *const word = (const __u64 *)key;
	const __u64 id = slot->id;

	if (slot->seal != claim_seal(print, id) || slot->gen != seen_gen)
		return 0;
#pragma unroll
	for (unsigned int i = 0; i < sizeof(*key) / 8; i++) {
		if (has[i] != word[i])
			return 0;
	}
	return id;
}

static __always_inline __u64
claim_known(const struct scratch *s, __u64 print)
{
	const volatile struct claimed *const first = claim_slot(print, 0);
	const volatile struct claimed *const second = claim_slot(print, 1);
	__u64 id = first ? claim_held(first, &s->claim, print) : 0;

	if (!id && second)
		id = claim_held(second, &s->claim, print);
	return id;
}

static __always_inline void
claim_remember(const struct scratch *s, __u64 print, __u64 id)
{
	volatile struct claimed *const first = claim_slot(print, 0);
	volatile struct claimed *const second = claim_slot(print, 1);
	volatile struct claimed *const slot = first && second && second->id < first->id ? second : first;
	const __u64 *const word = (const __u64 *)&s->claim;

	if (!slot)
		return;
	slot->seal = 0;
#pragma unroll
	for (unsigned int i = 0; i < sizeof(s->claim) / 8; i++)
		((volatile __u64 *)&slot->key)[i] = word[i];
	slot->id = id;
	slot->gen = seen_gen;
	slot->seal = claim_seal(print, id);
}

/* The id of what a call named; 0 = no room for its definition, CLAIM_EMPTY = it named nothing. */
BY_NUMBERS __u64
BODY(claim_id)(struct claim *c)
{
	struct scratch *const s = c ? scratch_take(0) : 0;
	__u64 id = CLAIM_EMPTY, print;
	int there = 0;

	if (!s)
		return 0;
#pragma unroll
	for (unsigned int i = 0; i < sizeof(s->claim) / 8; i++)
		((__u64 *)&s->claim)[i] = 0;
	s->claim.tgid = c->tgid;
	s->claim.take = c->take | c->local << 8;
	s->claim.base = c->base;
	if (c->take == TAKE_PATH)
		there = claim_path(s, c);
	else if (c->take == TAKE_ADDR)
		there = claim_address(s, c);
	else
		s->claim.len = 1;
	if (there == 0) {
		print = claim_print(&s->claim);
		id = s->claim.len ? claim_known(s, print) : 0;
		if (!id && note_room()) {
			RUN(claim_fill(s, c));
			if (note_put(s, KR_TARGET) == 0) {
				id = s->target.id;
				if (s->claim.len)
					claim_remember(s, print, id);
			}
		}
	}
	scratch_give(s);
	return id;
}

#ifdef OLD_KERNEL

__noinline __u64
claim_id_of(__u64 user, __u64 user_len, __u64 base, __u64 file, __u64 who)
{
	struct claim c = { .user = user, .user_len = user_len, .base = base, .file = file,
			   .tgid = who, .take = who >> 32 & 0xff, .local = who >> 40 & 1 };

	return claim_id_body(&c);
}

#define claim_id(c) \
	claim_id_of((c)->user, (c)->user_len, (c)->base, (c)->file, \
		    (c)->tgid | (__u64)(c)->take << 32 | (__u64)(c)->local << 40)

#endif
#endif
