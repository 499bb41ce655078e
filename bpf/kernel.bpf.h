/* kernel.bpf.h - the fields of kernel structures that the kernel half reads
 *
 * Every struct is relocated at load time (CO-RE): only names and types matter here, order and
 * omitted members do not. Source: include/linux/{sched,fs,dcache,fdtable}.h, fs/mount.h,
 * include/net/{sock,inet_sock,af_unix,dst}.h of 5.10 to 6.18. No vmlinux.h: these few lines compile
 * in a seventh of the time and say what we depend on.
 */
#ifndef BPF_KERNEL_H
#define BPF_KERNEL_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	__u32 val;
} kuid_t;

struct ns_common {
	unsigned int inum;
};

struct hlist_bl_node {
	struct hlist_bl_node *next, **pprev;
};

struct list_head {
	struct list_head *next, *prev;
};

struct file_system_type {
	const char *name;
};

struct super_block {
	__u32 s_dev;
	unsigned long s_flags;
	unsigned long s_magic;
	struct file_system_type *s_type;
};

struct inode {
	__u16 i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	__u32 i_generation;
};

struct qstr {
	__u64 hash_len;
	const unsigned char *name;
};

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	int mnt_id;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct address_space {
	struct inode *host;
};

struct vm_area_struct {
	struct file *vm_file;
};

struct rb_node {
	struct rb_node *rb_right, *rb_left;
};

struct vm_area_struct___tree {		/* before 6.1 */
	unsigned long vm_start, vm_end;
	struct rb_node vm_rb;
	struct file *vm_file;
};

struct file {
	unsigned int f_mode;
	struct address_space *f_mapping;
	void *private_data;
	struct inode *f_inode;
	unsigned int f_flags;
	struct path f_path;
	long long f_pos;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	atomic_t count;
	struct fdtable *fdt;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct in6_addr {
	union {
		__u32 u6_addr32[4];
	} in6_u;
};

struct proto;

struct sock_common {
	__u64 skc_addrpair;
	__u32 skc_daddr;
	__u32 skc_rcv_saddr;
	__u16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct net_device {
	int ifindex;
	char name[16];
};

struct dst_entry {
	struct net_device *dev;
};

struct sock {
	struct sock_common __sk_common;
	int sk_rx_dst_ifindex;
	__u16 sk_protocol;
	__u16 sk_type;
	struct dst_entry *sk_dst_cache;
	struct pid *sk_peer_pid;
};

struct inet_sock {
	struct sock sk;
	__u16 inet_sport;
};

struct inet_sock___device {		/* before 5.16: sk_rx_dst_ifindex */
	int rx_dst_ifindex;
};

struct sockaddr_un {
	__u16 sun_family;
	char sun_path[108];
};

struct unix_address {
	int len;
	struct sockaddr_un name[0];
};

struct unix_sock {
	struct sock sk;
	struct unix_address *addr;
	struct sock *peer;
};

struct socket {
	struct file *file;
	struct sock *sk;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[0];
};

struct mnt_namespace {
	struct ns_common ns;
};

struct nsproxy {
	struct mnt_namespace *mnt_ns;
	struct net *net_ns;
};

typedef struct {
	__u32 val;
} kgid_t;

struct cred {
	kuid_t uid;
	kgid_t gid;
};

struct mm_struct {
	unsigned long arg_start;
};

struct rb_root {
	struct rb_node *rb_node;
};

struct mm_struct___tree {		/* before 6.1 */
	struct rb_root mm_rb;
};

struct task_io_accounting {
	__u64 rchar, wchar, read_bytes, write_bytes;
};

struct signal_struct {
	atomic_t live;
	struct task_io_accounting ioac;
};

struct thread_info {
	unsigned long flags;
	__u32 status;
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	struct mm_struct *mm;
	int exit_code;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	__u64 start_boottime;
	const struct cred *cred;
	char comm[16];
	struct files_struct *files;
	struct nsproxy *nsproxy;
	struct signal_struct *signal;
	unsigned long sas_ss_sp;
	unsigned long sas_ss_size;
	unsigned in_execve : 1;
	struct task_io_accounting ioac;
};

struct linux_binprm {
	const char *filename;
	struct file *file;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_map;

struct bpf_iter__bpf_map_elem {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
	void *key;
	void *value;
};

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	__u32 fd;
	struct file *file;
};

struct bpf_iter__task_vma {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	struct vm_area_struct *vma;
};

#pragma clang attribute pop

/* Values of the same headers. */
enum {
	K_THREAD = 0x10000,		/* CLONE_THREAD, linux/sched.h */
	K_PF_EXITING = 0x4,
	K_PF_IO_WORKER = 0x10,
	K_PF_KTHREAD = 0x00200000,
	K_O_ACCMODE = 3,
	K_O_APPEND = 02000,
	K_MAP_ANONYMOUS = 0x20,		/* asm-generic/mman-common.h */
	K_AT_FDCWD = -100,		/* linux/fcntl.h */
	K_IFMT = 0170000, K_IFSOCK = 0140000, K_IFREG = 0100000, K_IFBLK = 0060000,
	K_IFIFO = 0010000,
	K_EINTR = 4, K_EBADF = 9, K_EBUSY = 16, K_MAX_ERRNO = 4095, K_EINPROGRESS = 115,
	K_ERESTARTSYS = 512, K_ERESTART_RESTARTBLOCK = 516,	/* linux/errno.h */
	K_AF_UNIX = 1, K_AF_INET = 2, K_AF_INET6 = 10, K_AF_NETLINK = 16,
	K_SOCK_STREAM = 1, K_IPPROTO_TCP = 6,
	K_TCP_ESTABLISHED = 1, K_TCP_CLOSE = 7, K_TCP_LISTEN = 10,
	K_SB_KERNMOUNT = 1u << 22,
	K_PIPEFS_MAGIC = 0x50495045,	/* linux/magic.h */
	K_SOCKFS_MAGIC = 0x534f434b,
	K_ANON_INODE_MAGIC = 0x09041934,
	K_PIDFS_MAGIC = 0x50494446,
	K_TMPFS_MAGIC = 0x01021994,
};
#define K_SB_NOUSER (1ul << 31)
#define K_HUGETLBFS_MAGIC 0x958458f6ul

#endif
