/* identity.bpf.h - from a descriptor number to the open file, and the words that identify it
 *
 * descriptor -> task->files -> fdt -> struct file -> identity words (state.bpf.h). The words are
 * compared with those under which the file pointer got its id; any difference means another open
 * file in the same memory, or another name of the same one: it is defined anew (define.bpf.h).
 *
 * Reading is done twice over: DIRECT goes through pointers that bpf_rdonly_cast() makes loadable
 * (6.2), COPY copies each field (bpf_probe_read_kernel). `how` is a constant at every call.
 */
#ifndef BPF_IDENTITY_H
#define BPF_IDENTITY_H

#include <bpf/bpf_core_read.h>

#include "bpf/maps.bpf.h"

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

enum how { COPY = 0, DIRECT = 1 };

struct io_kiocb;
struct io_ring_ctx;

/* The setting that holds the number of a structure. */
#define TYPE_NUMBER(type) _Generic((type *)0, \
	struct dentry *: type_of_dentry, struct file *: type_of_file, \
	struct inet_sock *: type_of_inet_sock, struct io_kiocb *: type_of_io_kiocb, \
	struct io_ring_ctx *: type_of_io_ring_ctx, struct list_head *: type_of_list_head, \
	struct mount *: type_of_mount, struct sock *: type_of_sock, \
	struct socket *: type_of_socket, struct task_struct *: type_of_task_struct, \
	struct unix_sock *: type_of_unix_sock)

/* A number as a typed kernel pointer, to be read with GET only. Its type: bpf/cast_types.def. */
#define POINTER(type, address) \
	(how == DIRECT ? (type *)bpf_rdonly_cast((void *)(address), TYPE_NUMBER(type)) \
		       : (type *)(address))

#define GET(pointer, field) ({ \
	typeof((pointer)->field) got_; \
	if (how == DIRECT) \
		got_ = (pointer)->field; \
	else \
		bpf_core_read(&got_, sizeof(got_), &(pointer)->field); \
	got_; })

/* The open file of a descriptor of a task as a number, 0 = none. */
static __always_inline __u64
file_of(struct task_struct *task, __s32 fd, __u8 *shared, const enum how how)
{
	/* Cast although it is a good pointer already: to see whether what a trusted pointer leads
	 * to is trusted too, the verifier searches all of the kernel's type names. */
	struct task_struct *const from = POINTER(struct task_struct, task);
	struct files_struct *const files = GET(from, files);
	struct fdtable *fdt;
	__u64 slot, file = 0;

	if (!files || fd < 0)
		return 0;
	if (shared)
		*shared = GET(files, count.counter) > 1;
	fdt = GET(files, fdt);
	if (!fdt || (__u32)fd >= GET(fdt, max_fds))
		return 0;
	slot = (__u64)GET(fdt, fd) + 8ull * (__u32)fd;
	if (how == DIRECT)	/* any struct that begins with a pointer will do */
		file = (__u64)POINTER(struct list_head, slot)->next;
	else
		bpf_probe_read_kernel(&file, sizeof(file), (void *)slot);
	return file;
}

/* Two words of an IPv6 address. */
#define V6_WORD(address, i) \
	(GET(sk, __sk_common.address.in6_u.u6_addr32[2 * (i)]) | \
	 (__u64)GET(sk, __sk_common.address.in6_u.u6_addr32[2 * (i) + 1]) << 32)

#ifdef OLD_KERNEL

static __always_inline __u32
device_of_last(struct sock *sk, const enum how how)
{
	struct inet_sock___device *const inet = (void *)sk;

	if (bpf_core_field_exists(sk->sk_rx_dst_ifindex))
		return GET(sk, sk_rx_dst_ifindex);
	return bpf_core_field_exists(inet->rx_dst_ifindex) ? GET(inet, rx_dst_ifindex) : 0;
}

#else

/* The device that the last packet of a connection came in by. */
#define device_of_last(sk, how) GET(sk, sk_rx_dst_ifindex)

#endif

/* The identity words of a socket. */
static __always_inline void
reading_socket(struct reading *r, __u64 sock, const enum how how)
{
	struct sock *const sk = POINTER(struct sock, sock);
	const __u16 family = GET(sk, __sk_common.skc_family);

	r->word[W_SOCK] = sock;
	r->word[W_KIND] |= (__u64)family << 48;
	if (family == K_AF_INET || family == K_AF_INET6) {
		struct inet_sock *const inet = POINTER(struct inet_sock, sock);
		struct dst_entry *const dst = GET(sk, sk_dst_cache);
		const __u16 port = GET(sk, __sk_common.skc_dport);
		__u32 device = 0;

		if (dst) {
			struct net_device *const dev = GET(dst, dev);

			if (dev)
				device = GET(dev, ifindex);
		} else {
			device = device_of_last(sk, how);
		}
		r->word[W_PORT] = (__u64)device | (__u64)GET(inet, inet_sport) << 32 |
			(__u64)port << 48;
		if (family == K_AF_INET) {
			r->word[W_ADDR] = GET(sk, __sk_common.skc_addrpair);
		} else {
			r->word[W_REMOTE6] = V6_WORD(skc_v6_daddr, 0);
			r->word[W_REMOTE6 + 1] = V6_WORD(skc_v6_daddr, 1);
			r->word[W_LOCAL6] = V6_WORD(skc_v6_rcv_saddr, 0);
			r->word[W_LOCAL6 + 1] = V6_WORD(skc_v6_rcv_saddr, 1);
		}
		if (!port && GET(sk, sk_type) == K_SOCK_STREAM) {
			/* A connect that failed leaves its address behind, without the port. */
			r->word[W_ADDR] &= ~0xffffffffull;
			r->word[W_REMOTE6] = r->word[W_REMOTE6 + 1] = 0;
		}
	} else if (family == K_AF_UNIX) {
		struct unix_sock *const un = POINTER(struct unix_sock, sock);

		r->word[W_REMOTE6] = (__u64)GET(un, peer);
		r->word[W_LOCAL6] = (__u64)GET(un, addr);
	}
}

static __always_inline __u64
word_kind(__u32 generation, __u32 mode, __u32 access)
{
	return generation | (__u64)((mode & K_IFMT) >> 12) << 32 | (__u64)(access & 3) << 40;
}

static __always_inline _Bool
has_position(__u32 mode)
{
	return (mode & K_IFMT) == K_IFREG || (mode & K_IFMT) == K_IFBLK;
}

/* Looks at an open file. */
static __always_inline void
reading_take(struct reading *r, __u64 address, const enum how how)
{
	struct file *const file = POINTER(struct file, address);
	struct inode *const inode = GET(file, f_inode);
	const __u32 mode = GET(inode, i_mode);
	__u64 private = 0;

	r->file = address;
	r->look.mode = mode;
	r->look.open_flags = GET(file, f_flags);
	r->look.has_pos = has_position(mode);
	r->look.pos = r->look.has_pos ? GET(file, f_pos) : 0;
	r->dev = 0;
	r->word[W_INODE] = (__u64)inode;
	r->word[W_INO] = GET(inode, i_ino);
	r->word[W_KIND] = word_kind(GET(inode, i_generation), mode, GET(file, f_mode));
	for (int i = W_DENTRY; i < N_WORDS; i++)
		r->word[i] = 0;

	if ((mode & K_IFMT) == K_IFSOCK)	/* without private data: opened as a path */
		private = (__u64)GET(file, private_data);
	if (private) {
		struct socket *const socket = POINTER(struct socket, private);
		const __u64 sock = (__u64)GET(socket, sk);

		if (sock)
			reading_socket(r, sock, how);
	} else {
		struct dentry *const dentry = GET(file, f_path.dentry);

		r->word[W_DENTRY] = (__u64)dentry;
		r->word[W_MOUNT] = (__u64)GET(file, f_path.mnt);
		r->word[W_PARENT] = (__u64)GET(dentry, d_parent);
		r->word[W_NAME] = GET(dentry, d_name.hash_len);
	}
}

static __always_inline _Bool
reading_is_socket(const struct reading *r)
{
	return r->word[W_KIND] >> 48 != 0;
}

static __always_inline _Bool
reading_same(const struct reading *r, const struct seen *known)
{
	const volatile __u64 *const word = r->word;
	__u64 differ = 0;

#pragma unroll
	for (int i = 0; i <= W_NAME; i++)
		differ |= word[i] ^ known->word[i];
	if (!differ && word[W_KIND] >> 48) {
#pragma unroll
		for (int i = W_REMOTE6; i < N_WORDS; i++)
			differ |= word[i] ^ known->word[i];
	}
	return !differ;
}

/* Whether the bits of mask are neither the known ones nor all zero. */
static __always_inline _Bool
gained(__u64 now, __u64 known, __u64 mask)
{
	return (now & mask) && ((now ^ known) & mask);
}

/* Whether a socket lost addresses or its route and gained nothing: it is being closed, or its route
 * is looked up again. Its fuller definition stays. A function of its own for the verifier: its
 * many branches are gone through once. */
ONCE int
reading_poorer(const struct reading *r, const struct seen *known)
{
	if (!r || !known || !reading_is_socket(r))
		return 0;
	for (int i = 0; i <= W_SOCK; i++)
		if (r->word[i] != known->word[i])
			return 0;
	if (gained(r->word[W_ADDR], known->word[W_ADDR], 0xffffffffull) ||
	    gained(r->word[W_ADDR], known->word[W_ADDR], 0xffffffffull << 32) ||
	    gained(r->word[W_PORT], known->word[W_PORT], 0xffffffffull) ||
	    gained(r->word[W_PORT], known->word[W_PORT], 0xffffull << 32) ||
	    gained(r->word[W_PORT], known->word[W_PORT], 0xffffull << 48))
		return 0;
	for (int i = W_REMOTE6; i < N_WORDS; i++)
		if (gained(r->word[i], known->word[i], ~0ull))
			return 0;
	return 1;
}

/* Whether an open file that is no socket still is what the cache says, and how it looks now. The
 * words are compared as they are read: this is the way of nearly every call. */
static __always_inline _Bool
still_same_file(const struct cached *cache, __u64 address, struct look *look, const enum how how)
{
	struct file *const file = POINTER(struct file, address);
	const __u64 *const word = cache->seen.word;
	struct dentry *dentry;
	struct inode *inode;
	__u64 kind;

	if (cache->file != address || cache->gen != seen_gen)
		return 0;
	inode = GET(file, f_inode);
	if ((__u64)inode != word[W_INODE] || GET(inode, i_ino) != word[W_INO])
		return 0;
	look->mode = GET(inode, i_mode);
	kind = word_kind(GET(inode, i_generation), look->mode, GET(file, f_mode));
	if (kind != word[W_KIND])
		return 0;
	dentry = GET(file, f_path.dentry);
	if ((__u64)dentry != word[W_DENTRY] || (__u64)GET(file, f_path.mnt) != word[W_MOUNT] ||
	    (__u64)GET(dentry, d_parent) != word[W_PARENT] ||
	    GET(dentry, d_name.hash_len) != word[W_NAME])
		return 0;
	look->open_flags = GET(file, f_flags);
	look->has_pos = has_position(look->mode);
	look->pos = look->has_pos ? GET(file, f_pos) : 0;
	return 1;
}

static __always_inline void
seen_fill(struct seen *known, __u64 id, const struct reading *r, __u32 origin)
{
	known->id = known->check = id;
#pragma unroll
	for (int i = 0; i < N_WORDS; i++)
		known->word[i] = r->word[i];
	known->dev = r->dev;
	known->origin = origin;
	known->match = r->match;
}

#endif
