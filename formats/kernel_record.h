/* kernel_record.h - what the kernel half hands to user space, in memory that both halves share
 *
 * Included by bpf/ and by user space; includes nothing itself but the fixed-width types, which
 * the includer has (linux/types.h in BPF, stdint.h in user space define them differently, so the
 * names kr_u8 ... are made here). Sizes and offsets are asserted at the end, on both sides.
 *
 * Three areas, all mmap-able BPF array maps:
 *
 *   control   one struct kr_cpu per possible CPU: ring heads and tails, counters
 *   calls     n_cpus x call_slots of struct kr_call  (128 bytes): one finished call each
 *   notes     n_cpus x note_slots of struct kr_note  (512 bytes): definitions and life cycle
 *
 * Producer rule (a BPF program on its own CPU):
 *   1. fewer than KR_RESERVE free slots: loss path;
 *   2. slot number = head, moved by an atomic compare-and-exchange (not by a bare add: an iterator can
 *      be interrupted between its look at the tail and the step; by an add in kernels before 5.17, where
 *      whoever comes in between takes none). It is a full barrier too, so that
 *   3. CLOCK_BOOTTIME, the record's key, is read after the new head is visible;
 *   4. fill;
 *   5. commit word = slot number + 1, after all that was filled: a plain store on x86, which keeps
 *      stores in order (an exchange costs 7 ns more), an atomic exchange elsewhere.
 * Consumer rule: read the clock (T), fence, snapshot all heads; every slot up to its head is
 * waited for until committed. Records with key <= T, sorted by (key, cpu, slot), are final: a
 * record reserved after the snapshot has a key > T. Records with key > T wait for the next round.
 * A note of n_slots > 1 occupies consecutive slot numbers; only its first slot has a commit word,
 * the following ones are plain payload (see struct kr_note). The tail is moved by the consumer.
 */
#ifndef FORMATS_KERNEL_RECORD_H
#define FORMATS_KERNEL_RECORD_H

typedef unsigned char kr_u8;
typedef unsigned short kr_u16;
typedef unsigned int kr_u32;
typedef int kr_s32;
typedef unsigned long long kr_u64;
typedef long long kr_s64;

enum {
	KR_RESERVE = 16,		/* free slots below which a producer takes the loss path */
	KR_PATH_MAX = 4096,		/* bytes of a path, the NUL not counted */
	KR_COMM_LEN = 16,		/* TASK_COMM_LEN, linux/sched.h */
	KR_MAX_CALLS = 512,		/* our call ids are below this */
	KR_AGGREGATE_KEYS = 16384,	/* keys of the first in-kernel aggregate */
	KR_MAPPED_KEYS = 16384,		/* processes and files of the set mmap */
	KR_MAPPED_AT_ATTACH = 4096,	/* of these, named for a mapping from before tracing began */
	KR_GLOB_WORDS = 8,		/* of 64 places each, for all patterns together: select.bpf.h */
};

/* Flags of a call. The file holds the same values: give each bit once, never reuse one. */
enum kr_call_flag {
	KF_BEFORE	= 1u << 0,	/* began before attach: start_ns and duration_ns are 0 */
	KF_RESTARTED	= 1u << 1,	/* one or more restarts (-512..-516) joined into this call */
	KF_INTERRUPTED	= 1u << 2,	/* ended with a restart code and was not restarted: -EINTR */
	KF_COMPAT	= 1u << 3,	/* i386 call (TS_COMPAT); numbers and arguments are i386's */
	KF_RACED	= 1u << 4,	/* slot of a shared table changed during the call */
	KF_UNDEFINED	= 1u << 5,	/* no room for the definition; device and inode are known */
	KF_IDENTITY	= 1u << 6,	/* dev, ino, mode are valid */
	KF_OFFSET	= 1u << 7,	/* offset is valid */
	KF_REQUESTED	= 1u << 8,	/* requested is valid */
	KF_UNFINISHED	= 1u << 9,	/* still in flight at stop: result means nothing */
	KF_SECOND	= 1u << 10,	/* fd2, id2 are valid */
	KF_ARGS		= 1u << 11,	/* arg0, arg1 are valid */
	KF_FD		= 1u << 12,	/* fd is valid */
	KF_APPEND	= 1u << 13,	/* descriptor had O_APPEND: the offset is where the write ended up */
	KF_PHANTOM	= 1u << 14,	/* exit without an enter (seccomp): never counts as bytes */
	KF_CLOSED	= 1u << 15,	/* the call closed its descriptor */
	KF_MESSAGE_BYTES = 1u << 16,	/* sendmmsg, recvmmsg: requested holds the bytes that moved */
	KF_UNTIMED	= 1u << 17,	/* start_ns and duration_ns are 0: no_latency, or a silent end */
};

/* One finished call. 128 bytes: two cache lines. */
struct kr_call {
	kr_u64 commit;		/*   0  slot number + 1 once filled */
	kr_u64 key_ns;		/*   8  CLOCK_BOOTTIME after the reserve, at return: sort key and time of return */
	kr_u64 start_ns;	/*  16  CLOCK_BOOTTIME at the first enter; 0 = not seen */
	kr_u64 duration_ns;	/*  24  return - first enter; 0 with KF_BEFORE */
	kr_u32 tid;		/*  32  ids of the initial pid namespace */
	kr_u32 tgid;		/*  36 */
	kr_u16 call;		/*  40  our id, formats/calls.def */
	kr_u16 cpu;		/*  42 */
	kr_u32 flags;		/*  44  KF_... */
	kr_s32 fd;		/*  48  descriptor as the call named (or returned) it */
	kr_s32 fd2;		/*  52  second descriptor */
	kr_u64 id;		/*  56  target id; 0 = none or undefined */
	kr_u64 id2;		/*  64  second target */
	kr_s64 offset;		/*  72  bytes into the file */
	kr_u64 requested;	/*  80  bytes asked for */
	kr_s64 result;		/*  88  as the kernel returned it: -errno, bytes, fd ... */
	kr_u32 dev;		/*  96  s_dev as the kernel keeps it: major << 20 | minor */
	kr_u32 mode;		/* 100  i_mode */
	kr_u64 ino;		/* 104 */
	kr_u64 arg0;		/* 112  arguments the call table says to keep */
	kr_u64 arg1;		/* 120 */
};

enum kr_note_type {
	KR_NONE = 0,
	KR_TARGET = 1,		/* definition of a target id */
	KR_FORK = 2,		/* a traced process made a process; traced from its first instruction */
	KR_EXEC = 3,
	KR_RENAME = 4,		/* comm changed outside exec */
	KR_EXIT = 5,		/* last thread of a process ended */
	KR_UNTRACED = 6,	/* a child that could not be traced */
};

/* How a target was learned. In the file as it is. */
enum kr_origin {
	KR_ORIGIN_CALL = 1,	/* made by a traced call, read at its exit ("traced") */
	KR_ORIGIN_ATTACH = 2,	/* open when tracing of the process began ("snapshot") */
	KR_ORIGIN_USE = 3,	/* first seen at a use ("lazy") */
	KR_ORIGIN_CLAIM = 4,	/* only what user memory said: a failed open or connect */
};

enum kr_target_kind {		/* in the file as it is; never renumber */
	KR_KIND_UNKNOWN = 0,
	KR_KIND_FILE = 1,	/* regular file, directory, device: has a path */
	KR_KIND_SOCKET = 2,
	KR_KIND_PIPE = 3,	/* anonymous pipe; a FIFO with a path is KIND_FILE */
	KR_KIND_ANON = 4,	/* anon inode: name in text, as "[eventpoll]" */
	KR_KIND_MEMFD = 5,	/* memfd: name in text */
};

enum kr_target_flag {
	KT_UNLINKED	= 1u << 0,	/* dentry had no name any more */
	KT_CUT		= 1u << 1,	/* the walk reached its limit: path begins with "…" */
	KT_CLAIM_CUT	= 1u << 2,	/* claimed text did not fit */
	KT_CLAIM_UNREAD	= 1u << 3,	/* user memory could not be read */
	KT_CONFIRMED	= 1u << 4,	/* path or addresses are from the kernel's own object */
	KT_CLOSING	= 1u << 5,	/* socket read while closing */
	KT_FOREIGN_ROOT	= 1u << 6,	/* reserved: walk ended in another mount namespace's root */
};

/* A definition. text holds, back to back, text_len bytes of path / name / unix path (no NUL), then
 * claimed_len bytes of claimed text, then peer_len bytes of the peer's unix path. Abstract unix
 * names start with a NUL byte. Addresses are in network order; IPv4 in the first 4 bytes. */
struct kr_target {
	kr_u64 id;		/*  0 */
	kr_u8 origin;		/*  8  enum kr_origin */
	kr_u8 kind;		/*  9  enum kr_target_kind */
	kr_u16 flags;		/* 10  KT_... */
	kr_u32 tgid;		/* 12  process of the call that caused it */
	kr_u32 dev;		/* 16 */
	kr_u32 mode;		/* 20  i_mode */
	kr_u64 ino;		/* 24 */
	kr_u32 generation;	/* 32  i_generation */
	kr_u32 open_flags;	/* 36  f_flags */
	kr_u16 family;		/* 40  AF_..., 0 = not a socket */
	kr_u16 sock_type;	/* 42  SOCK_... */
	kr_u16 protocol;	/* 44  IPPROTO_... or netlink family */
	kr_u16 state;		/* 46  skc_state */
	kr_u8 local[16];	/* 48 */
	kr_u8 remote[16];	/* 64 */
	kr_u16 local_port;	/* 80  host order */
	kr_u16 remote_port;	/* 82 */
	kr_u8 has_local;	/* 84 */
	kr_u8 has_remote;	/* 85 */
	kr_u16 text_len;	/* 86 */
	kr_u16 claimed_len;	/* 88 */
	kr_u16 peer_len;	/* 90 */
	kr_u32 netns;		/* 92  inode of the network namespace */
	kr_u32 ifindex;		/* 96  device of the socket's route, 0 = none */
	kr_u32 peer_pid;	/* 100 unix: sk_peer_pid */
	char device[16];	/* 104 name of the route's device (IFNAMSIZ) */
	kr_u64 mount_id;	/* 120 mnt_id */
};

/* Why tracing of a process begins with a note of its fork, exec or rename. */
enum kr_by {
	KR_BY_NAME = 1,		/* it has a name that is wanted */
	KR_BY_SCOPE = 2,	/* it belongs to a user or cgroup that is wanted, or every process is */
	KR_SCOPE_MAX = 16,	/* users, and cgroups, at most */
};

/* Life cycle. text: KR_FORK none; KR_EXEC file name (text_len), then argv[0] (arg0_len). */
struct kr_life {
	kr_u32 tgid;		/*  0  the process (KR_FORK, KR_UNTRACED: the child) */
	kr_u32 tid;		/*  4 */
	kr_u32 parent_tgid;	/*  8  KR_FORK, KR_UNTRACED */
	kr_s32 exit_code;	/* 12  KR_EXIT: as wait(2) has it */
	kr_u64 start_ns;	/* 16  start_boottime of the leader: with tgid, the identity */
	kr_u32 uid;		/* 24 */
	kr_u32 pid_in_ns;	/* 28  tgid in the innermost pid namespace */
	kr_u32 pid_ns;		/* 32  inode numbers of namespaces */
	kr_u32 mnt_ns;		/* 36 */
	kr_u32 net_ns;		/* 40 */
	kr_u16 text_len;	/* 44 */
	kr_u16 arg0_len;	/* 46 */
	kr_u8 by_name;		/* 48  tracing begins here: KR_BY_NAME, KR_BY_SCOPE */
	kr_u8 pad[3];		/* 49 */
	kr_u32 gid;		/* 52 */
	char comm[KR_COMM_LEN];	/* 56 */
	kr_u64 rchar;		/* 72  KR_EXIT: signal + task io accounting, else 0 */
	kr_u64 wchar;		/* 80 */
	kr_u64 read_bytes;	/* 88 */
	kr_u64 write_bytes;	/* 96 */
	kr_u64 has_ioac;	/* 104 */
};

enum {
	KR_NOTE_SLOT = 512,
	KR_NOTE_HEAD = 24,			/* commit .. n_slots */
	KR_NOTE_FIXED = 128,			/* the union below */
	KR_NOTE_INLINE = KR_NOTE_SLOT - KR_NOTE_HEAD - KR_NOTE_FIXED,	/* 360: text in the first slot */
	KR_NOTE_TEXT_MAX = 3 * KR_PATH_MAX,	/* text, claimed and peer together */
};

/* First slot of a note; the text goes on in whole following slots of 512 bytes each. */
struct kr_note {
	kr_u64 commit;		/*  0  slot number + 1 once all slots are filled */
	kr_u64 key_ns;		/*  8 */
	kr_u16 type;		/* 16  enum kr_note_type */
	kr_u16 n_slots;		/* 18 */
	kr_u32 text_total;	/* 20  bytes of text in all slots */
	union {
		struct kr_target target;
		struct kr_life life;
		kr_u8 fixed[KR_NOTE_FIXED];
	};			/* 24 */
	kr_u8 text[KR_NOTE_INLINE];	/* 152 */
};

/* Counters per CPU, in scope (the calling process is traced), every call number.
 *
 *   exits  = paired + restart_waits + not_selected + before + before_unselected + phantom + newborn + stateless
 *   enters = paired + restart_waits + not_selected + in_flight + never_returning + no_state + replaced
 *   paired + before + interrupted + requests_done + parts = recorded + aggregated + filtered
 *   requests + requests_more + requests_before = requests_done + requests in flight + requests_replaced +
 *                                                requests_no_room
 *   restart_waits = joined + interrupted + waiting at stop (part of in_flight is not: counted apart)
 *
 * not_selected in both laws is the same set: exits with state of calls nobody asked for. filtered is apart:
 * calls that were asked for, but neither slow, failed nor about the files that were. replaced also
 * holds threads that ended inside a call after the filter was cleared. A phantom is counted only. */
#define KR_COUNTERS(X) \
	X(enters,		"sys_enter of traced processes") \
	X(exits,		"sys_exit of traced processes") \
	X(paired,		"selected calls with enter and exit") \
	X(restart_waits,	"exits with a restart code, kept waiting") \
	X(joined,		"enters that restarted a waiting call") \
	X(interrupted,		"waiting calls written as EINTR") \
	X(not_selected,		"exits with state of calls not selected") \
	X(before,		"selected calls that began before attach") \
	X(before_unselected,	"other calls that began before attach") \
	X(phantom,		"exits without enter (seccomp, ptrace)") \
	X(newborn,		"first exits of children") \
	X(stateless,		"exits without state") \
	X(never_returning,	"enters of exit, exit_group") \
	X(no_state,		"enters whose state could not be allocated") \
	X(replaced,		"enters over an unfinished enter") \
	X(recorded,		"calls put on the ring") \
	X(aggregated,		"calls summed in the kernel, the ring being full") \
	X(aggregated_no_key,	"of these, by process and call only") \
	X(aggregated_no_process,"of these, by call only") \
	X(compat,		"i386 calls") \
	X(x32_or_unknown,	"call numbers outside the table") \
	X(notes,		"definitions and life-cycle notes put on the ring") \
	X(notes_lost,		"notes that found no room") \
	X(undefined,		"calls whose target found no room for its definition") \
	X(filtered,		"calls that a filter left out") \
	X(filtered_claimed,	"of these, by path, whose path is only claimed") \
	X(pages_no_room,	"pages of mapped files of processes beyond what is kept") \
	X(requests,		"requests of rings and io_submit, as they were submitted") \
	X(requests_more,	"further results of the same request (multishot)") \
	X(requests_before,	"results of requests whose submission was not seen") \
	X(requests_done,	"of all these, results put on the ring, summed or filtered") \
	X(requests_replaced,	"requests whose end was not seen, or fell into a pause") \
	X(requests_no_room,	"requests beyond what is kept of those in flight") \
	X(not_followed,		"children that a traced process started and that were not traced from there") \
	X(followed_later,	"processes that took a name and were traced, whose parent was traced") \
	X(parts,		"messages and ranges of calls about several, put on the ring, summed or filtered") \
	X(parts_left_out,	"more of these than are recorded of one call")

enum kr_counter {
#define X(name, text) KC_##name,
	KR_COUNTERS(X)
#undef X
	KC_N
};

/* One ring's words, each on a cache line of its own. */
struct kr_ring {
	kr_u64 head;		/* next slot number, moved by producers */
	kr_u64 pad_head[7];
	kr_u64 tail;		/* first slot number still held by the consumer */
	kr_u64 pad_tail[7];
};

struct kr_cpu {
	struct kr_ring calls;		/*   0 */
	struct kr_ring notes;		/* 128 */
	kr_u64 counter[64];		/* 256  indexed by enum kr_counter */
	kr_u64 pad[416];		/* to one page: mapped per CPU */
};

/* Aggregates: what became of calls when the ring was full. Values are cumulative. */
struct kr_aggregate_key {
	kr_u32 tgid;
	kr_u16 call;
	kr_u16 source;		/* 1: id is the second target, which the bytes came from */
	kr_u64 id;		/* target id; 0 = not known */
};

/* A call between two descriptors is summed under its own target, and once more under its source when
 * both are known and there is room for that key: the source's sum is no part of the totals. */
struct kr_aggregate {
	kr_u64 calls;
	kr_u64 bytes;		/* sum of the bytes that moved, where that is known */
	kr_u64 errors;
	kr_u64 latency_ns;	/* sum */
	kr_u64 first_ns;
	kr_u64 last_ns;
	kr_u64 messages;	/* sum of results of calls whose result means messages */
};

/* The set mmap: pages of a file's page cache, by process and inode. Cumulative. */
struct kr_mapped_key {
	kr_u32 tgid;
	kr_u32 dev;		/* dev, ino and generation 0: all files that found no room */
	kr_u64 ino;
	kr_u32 generation;
	kr_u32 pad;
};

struct kr_mapped {
	kr_u64 id;		/* of a target that was mapped, 0 = not known */
	kr_u64 in_by_faults;	/* added to the page cache outside of calls */
	kr_u64 in_by_calls;
	kr_u64 dirty_by_faults;	/* made dirty, likewise */
	kr_u64 dirty_by_calls;
	kr_u64 first_ns;
	kr_u64 last_ns;
};

/* What the task_file iterator writes per descriptor of a target, at attach. */
struct kr_open_fd {
	kr_u32 tgid;
	kr_s32 fd;
	kr_u64 id;		/* 0: the definition found no room; it is tried again at its first use */
	kr_u64 time_ns;		/* CLOCK_BOOTTIME of the reading */
};

/* What the stop iterator writes for each enter without exit: flags has KF_UNFINISHED, key_ns is the
 * time of the walk, call 0 means a call that was not selected. With KF_INTERRUPTED the call had
 * come back with a restart code and waits (restart_waits), with KF_BEFORE it began before attach and is in
 * no counter, with neither it is in flight (in_flight). commit 1: it is one of the requests in
 * flight instead. */
struct kr_unfinished {
	struct kr_call call;
};

/* What the mark iterator writes for each process of the machine. */
struct kr_task_seen {
	kr_u32 tgid;		/*  0 */
	kr_u32 parent_tgid;	/*  4  of the real parent */
	kr_u64 start_ns;	/*  8  start_boottime of the leader */
	kr_u32 uid;		/* 16 */
	kr_u32 pid_in_ns;	/* 20  as in struct kr_life */
	kr_u32 pid_ns;		/* 24 */
	kr_u32 mnt_ns;		/* 28 */
	kr_u32 net_ns;		/* 32 */
	kr_u8 filter;		/* 36  its filter byte */
	kr_u8 is_kernel;	/* 37  a kernel thread */
	kr_u8 in_scope;		/* 38  its user or cgroup is wanted, or every process is */
	kr_u8 pad;		/* 39 */
	char comm[KR_COMM_LEN];	/* 40 */
	kr_u32 gid;		/* 56 */
	kr_u32 pad2;		/* 60 */
};

#ifdef __cplusplus
#error "C only"
#endif

#define KR_AT(type, member, offset) \
	_Static_assert(__builtin_offsetof(type, member) == (offset), #type "." #member)
#define KR_SIZE(type, size) _Static_assert(sizeof(type) == (size), "size of " #type)

KR_SIZE(struct kr_call, 128);
KR_AT(struct kr_call, id, 56);
KR_AT(struct kr_call, offset, 72);
KR_AT(struct kr_call, result, 88);
KR_AT(struct kr_call, ino, 104);
KR_SIZE(struct kr_target, 128);
KR_AT(struct kr_target, local, 48);
KR_AT(struct kr_target, device, 104);
KR_SIZE(struct kr_life, 112);
KR_AT(struct kr_life, comm, 56);
KR_SIZE(struct kr_note, 512);
KR_AT(struct kr_note, text, 152);
KR_SIZE(struct kr_ring, 128);
KR_SIZE(struct kr_cpu, 4096);
KR_SIZE(struct kr_aggregate_key, 16);
KR_SIZE(struct kr_aggregate, 56);
KR_SIZE(struct kr_open_fd, 24);
KR_SIZE(struct kr_mapped_key, 24);
KR_SIZE(struct kr_mapped, 56);
KR_SIZE(struct kr_task_seen, 64);
_Static_assert(KC_N <= 64, "counters fit their page");

#endif
