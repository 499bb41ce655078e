/* define.bpf.h - gives open files their ids and writes what the ids mean
 *
 * An id enters the map of seen files and the thread's cache only after its definition is on the
 * ring. When that found no room the call is recorded with id 0 and the next use tries again.
 */
#ifndef BPF_DEFINE_H
#define BPF_DEFINE_H

#include "bpf/identity.bpf.h"
#include "bpf/note.bpf.h"
#include "bpf/select.bpf.h"
#include "bpf/socket.bpf.h"
#include "bpf/take.bpf.h"
#include "bpf/walk.bpf.h"

/* How somebody came to ask for an id. */
struct why {
	__u64 claim;		/* user address of the path the call named, 0 = none */
	__u32 tgid;
	__u8 origin;		/* enum kr_origin */
	__u8 made;		/* the call made this open file: always a new id */
	__u8 exact;		/* a poorer reading counts too: the call changed the socket */
	__u8 iterator;
};

/* A file of a filesystem that nobody mounted: pipes, memory files, anonymous inodes. */
static __always_inline void
define_pseudo(struct scratch *s, struct dentry *dentry, struct super_block *sb)
{
	struct kr_target *const t = &s->target;
	const __u64 magic = BPF_CORE_READ(sb, s_magic);
	const __u32 len = BPF_CORE_READ(dentry, d_name.hash_len) >> 32;
	char *const text = &s->text[PATH_END];
	__u32 prefix = 0;
	long got;

	t->kind = KR_KIND_ANON;
	if (magic == K_PIPEFS_MAGIC) {
		t->kind = KR_KIND_PIPE;
		return;
	}
	if (magic == K_ANON_INODE_MAGIC || magic == K_TMPFS_MAGIC || magic == K_HUGETLBFS_MAGIC) {
		bpf_probe_read_kernel(text, len & NAME_BYTES, BPF_CORE_READ(dentry, d_name.name));
		if (magic != K_ANON_INODE_MAGIC && len > 6 && text[0] == 'm' && text[1] == 'e' &&
		    text[2] == 'm' && text[3] == 'f' && text[4] == 'd' && text[5] == ':') {
			t->kind = KR_KIND_MEMFD;
			prefix = 6;
		}
		s->start += prefix;
		s->stop += len & NAME_BYTES;
	} else {	/* "[pidfd]" as older kernels name it, else the filesystem's name */
		if (magic == K_PIDFS_MAGIC)
			got = bpf_probe_read_kernel_str(text + 1, 32, "pidfd");
		else
			got = bpf_probe_read_kernel_str(text + 1, 32,
							BPF_CORE_READ(sb, s_type, name));
		got = got > 0 ? (got - 1) & 31 : 0;
		text[0] = '[';
		text[1 + got] = ']';
		s->stop += got + 2;
	}
	t->text_len = s->stop - s->start;
}

/* Fills the note for anything but a socket. */
BY_NUMBERS_STATIC int
BODY(define_file)(struct scratch *s, const struct reading *r)
{
	struct kr_target *const t = &s->target;
	struct dentry *const dentry = (struct dentry *)r->word[W_DENTRY];
	struct mount *const mount = (struct mount *)mount_of(r->word[W_MOUNT]);
	struct inode *const inode = (struct inode *)r->word[W_INODE];
	struct super_block *const sb = BPF_CORE_READ(inode, i_sb);
	const _Bool alone = r->word[W_DENTRY] == r->word[W_PARENT];

	s->start = s->stop = PATH_END;
	t->flags |= KT_CONFIRMED;
	t->mount_id = BPF_CORE_READ(mount, mnt_id);
	if (alone && dentry != BPF_CORE_READ(mount, mnt.mnt_root) &&
	    (BPF_CORE_READ(sb, s_flags) & (K_SB_NOUSER | K_SB_KERNMOUNT))) {
		define_pseudo(s, dentry, sb);
		return done();
	}
	t->kind = KR_KIND_FILE;
	if (!alone && !BPF_CORE_READ(dentry, d_hash.pprev))
		t->flags |= KT_UNLINKED;
	walk_path(s, r->word[W_DENTRY], r->word[W_MOUNT]);
	if (s->cut)
		t->flags = (t->flags | KT_CUT) & ~KT_CONFIRMED;
	t->text_len = s->stop - s->start;
	return done();
}

#ifdef OLD_KERNEL

__noinline int
define_file_of(__u32 which, __u64 dentry, __u64 mount, __u64 parent, __u64 inode)
{
	struct scratch *const s = bpf_map_lookup_elem(&scratch, &which);
	struct reading r;

	r.word[W_DENTRY] = dentry;
	r.word[W_MOUNT] = mount;
	r.word[W_PARENT] = parent;
	r.word[W_INODE] = inode;
	return s ? define_file_body(s, &r) : 0;
}

#define define_file(s, r) \
	define_file_of((s)->which, (r)->word[W_DENTRY], (r)->word[W_MOUNT], (r)->word[W_PARENT], \
		       (r)->word[W_INODE])

#endif

/* Defines the open file that was read under a new id and remembers it; 0 = no room. */
static __always_inline __u64
define(struct cached *cache, struct reading *r, const struct why *why)
{
	struct scratch *const s = note_room() ? scratch_take(why->iterator) : 0;
	const __u64 file = r->file;	/* a key must be on the stack (6.1) */
	struct kr_target *t;
	__u64 id = 0;

	r->match = MATCH_NO;
	if (!s)
		return 0;
	t = &s->target;
	t->origin = why->origin;
	t->tgid = why->tgid;
	t->dev = r->dev;
	t->mode = r->look.mode;
	t->ino = r->word[W_INO];
	t->generation = (__u32)r->word[W_KIND];
	t->open_flags = r->look.open_flags;
	if (reading_is_socket(r))
		RUN(define_socket(s, r));
	else
		RUN(define_file(s, r));
	r->match = path_match(s);
	if (why->claim)
		RUN(take_path(s, why->claim));
	if (note_put(s, KR_TARGET) == 0) {
		id = t->id;
		seen_fill(&s->seen, id, r, why->origin);
		bpf_map_update_elem(&seen, &file, &s->seen, BPF_ANY);
		if (cache) {
			cache->file = r->file;
			cache->gen = seen_gen;
			cache->seen = s->seen;
		}
	}
	scratch_give(s);
	return id;
}

/* The id of a file that the thread's cache did not know. Fills r->dev. cache may be NULL. */
ONCE __u64
identify_slowly(struct cached *cache, struct reading *r, struct why *why)
{
	struct seen *known;
	struct inode *inode;
	__u64 file;

	if (!r || !why)
		return 0;
	file = r->file;		/* a key must be on the stack (6.1) */
	known = bpf_map_lookup_elem(&seen, &file);
	if (known) {
		const __u64 check = *(volatile __u64 *)&known->check;
		struct seen *const copy = &r->known;

		*copy = *(volatile struct seen *)known;
		if (!why->made && *(volatile __u64 *)&known->id == check &&
		    (reading_same(r, copy) || (!why->exact && reading_poorer(r, copy)))) {
			r->dev = copy->dev;
			r->match = copy->match;
			if (cache) {
				cache->file = r->file;
				cache->gen = seen_gen;
				cache->seen = *copy;
			}
			return check;
		}
		/* The same open file by another name, the same socket with other addresses: it was
		 * learned as it was. */
		if (why->origin == KR_ORIGIN_USE && copy->check == copy->id &&
		    r->word[W_INODE] == copy->word[W_INODE] && r->word[W_INO] == copy->word[W_INO] &&
		    r->word[W_KIND] == copy->word[W_KIND] &&
		    (!reading_is_socket(r) || r->word[W_SOCK] == copy->word[W_SOCK]))
			why->origin = copy->origin;
	}
	inode = (struct inode *)r->word[W_INODE];
	r->dev = BPF_CORE_READ(inode, i_sb, s_dev);
	return define(cache, r, why);
}

/* An open file as a call's record has it. */
struct target_ref {
	__u64 id;		/* 0 = no room for its definition */
	__u64 ino;
	__u32 dev;
	__u32 match;		/* enum match */
	struct look look;
};

/* Finds out which target an open file is. */
static __always_inline void
identify(struct cached *cache, __u64 file, struct reading *r, struct why *why,
	 struct target_ref *ref, const enum how how)
{
	if (cache && !why->made && still_same_file(cache, file, &ref->look, how)) {
		ref->id = cache->seen.id;
		ref->ino = cache->seen.word[W_INO];
		ref->dev = cache->seen.dev;
		ref->match = cache->seen.match;
		return;
	}
	reading_take(r, file, how);
	if (cache && !why->made && cache->file == file && cache->gen == seen_gen &&
	    reading_same(r, &cache->seen)) {
		r->dev = cache->seen.dev;
		r->match = cache->seen.match;
		ref->id = cache->seen.id;
	} else {
		ref->id = identify_slowly(cache, r, why);
	}
	ref->ino = r->word[W_INO];
	ref->dev = r->dev;
	ref->match = r->match;
	ref->look = r->look;
}

#endif
