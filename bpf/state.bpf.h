/* state.bpf.h - what is kept of a thread between its enters and its exits
 *
 * Lives in task storage, so it follows the task through exec off the leader thread and ends with
 * it. Private to the kernel half: user space sees calls only when they are done.
 */
#ifndef BPF_STATE_H
#define BPF_STATE_H

#include "bpf/kernel.bpf.h"

enum {
	N_WORDS = 11,		/* words of an identity */
	N_CACHED = 4,		/* files remembered per thread, by descriptor number */
};

/* The words that tell one open file from every other one; all are compared at every use.
 * Sockets use other words than files: W_KIND differs then. */
enum identity_word {
	W_INODE = 0,		/* struct inode * */
	W_INO = 1,
	W_KIND = 2,		/* i_generation | format << 32 | access << 40 | family << 48 */
	W_DENTRY = 3,
	W_MOUNT = 4,
	W_PARENT = 5,
	W_NAME = 6,		/* hash and length of the last component */
	W_SOCK = 3,		/* struct sock * */
	W_ADDR = 4,		/* IPv4: both addresses */
	W_PORT = 5,		/* local port << 32 | remote port << 48 | device of the route */
	W_UNUSED = 6,
	W_REMOTE6 = 7,		/* two words; unix: the peer */
	W_LOCAL6 = 9,		/* two words; unix: the address */
};

/* Whether a target is one that the patterns of paths ask for. */
enum match {
	MATCH_NO = 0,
	MATCH_YES = 1,
	MATCH_CLAIMED = 2,	/* no, but only because the path is what user memory said */
};

/* An open file that has a definition. In the map an entry can be given to another file while it is
 * read; it is written from front to back, so one whose check, read first, equals its id, read
 * last, was whole. */
struct seen {
	__u64 id;
	__u64 word[N_WORDS];
	__u32 dev;
	__u16 origin;		/* enum kr_origin */
	__u16 match;		/* enum match */
	__u64 check;		/* id again */
};

/* What a call's record needs of its open file besides the identity. */
struct look {
	__u64 pos;		/* f_pos, regular files and block devices only */
	__u32 mode;
	__u32 open_flags;
	__u32 has_pos;
	__u32 pad;
};

/* One reading of an open file, and what the map knew of it. Lies in a map, not on the stack, when
 * it was read DIRECT: the words are typed pointers to the verifier until they have gone through
 * memory of a map. */
struct reading {
	__u64 word[N_WORDS];
	__u64 file;
	struct look look;
	__u32 dev;		/* filled once the file is known */
	__u32 match;		/* the same: enum match */
	struct seen known;
};

struct cached {
	__u64 file;		/* struct file *, 0 = empty */
	__u64 gen;		/* seen_gen when it was put here */
	struct seen seen;
};

/* A call between its enter and its exit. */
struct pending {
	__u64 start_ns;
	__u64 args[8];		/* six; eight so that a masked index stays inside */
	__u64 file, file2;	/* struct file * of fd and fd2 at enter, 0 = none */
	__u64 mapped;		/* struct file * of the mapping that the call is about, 0 = none */
	__u64 id, id2;
	__u64 ino;
	__s64 offset;
	__u64 requested;
	__u32 dev, mode;
	__u32 flags;		/* KF_... */
	__s32 fd, fd2;
	__u32 nr;		/* as the kernel had it at enter */
	__u16 call;		/* 0: not selected */
	__u8 shared;		/* descriptor table was shared at enter */
	__u8 compat;
	__u8 match;		/* enum match, of its target or of the source of a copy */
	__u8 pad[3];
};

enum state_flag {
	SF_IN_CALL = 1,
	SF_FRESH = 2,		/* no enter seen since attach */
	SF_NEWBORN = 4,		/* has not come out of fork yet */
	SF_WAITING = 8,		/* wait holds a call that may be restarted */
};

struct state {
	__u32 flags;
	__u32 pauses;		/* the global word's value when these flags were set */
	struct pending now;
	struct pending wait;
	__u64 wait_ip, wait_sp;	/* user registers at the waiting call's exit */
	__u64 wait_end_ns;
	struct reading reading;	/* scratch */
	struct cached cached[N_CACHED];
};

#endif
