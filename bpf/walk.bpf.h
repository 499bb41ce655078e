/* walk.bpf.h - the path of an open file, by its dentries and mounts to the top of the namespace
 *
 * A path is built backwards in scratch text, ending at PATH_END. Ends at a mount without a parent:
 * the top of the mount namespace, whatever the task's root is. Takes no locks; a rename under way
 * can give a mixed path, which the next use finds out (identity.bpf.h).
 */
#ifndef BPF_WALK_H
#define BPF_WALK_H

#include <bpf/bpf_core_read.h>

#include "bpf/identity.bpf.h"
#include "bpf/loop.bpf.h"

enum {
	WALK_STEPS = 256,	/* components and mounts */
	NAME_BYTES = 255,	/* NAME_MAX */
	WALK_FLOOR = PATH_END - KR_PATH_MAX + 3,	/* leaves room for the ellipsis */
};

/* Puts "/" and a name of len bytes in front of the text; 1 when the path would be too long. */
static __always_inline int
walk_prepend(struct scratch *s, const unsigned char *name, __u32 len)
{
	__u32 at = s->start;

	if (len > NAME_BYTES || at > PATH_END || at < len + 1 + WALK_FLOOR)
		return 1;
	at = (at - len - 1) & 8191;
	s->text[at] = '/';
	bpf_probe_read_kernel(&s->text[at + 1], len, name);
	s->start = at;
	return 0;
}

/* One component or one mount upwards; 1 = done. */
static __always_inline int
walk_up(struct scratch *s, const enum how how)
{
	struct dentry *const dentry = POINTER(struct dentry, s->dentry);
	struct mount *const mount = POINTER(struct mount, s->mount);
	struct dentry *const parent = GET(dentry, d_parent);
	struct mount *above;

	if (dentry == GET(mount, mnt.mnt_root)) {
		above = GET(mount, mnt_parent);
		if (above == mount || !above) {
			s->cut = 0;
			return 1;
		}
		s->dentry = (__u64)GET(mount, mnt_mountpoint);
		s->mount = (__u64)above;
		return 0;
	}
	if (dentry == parent || !parent)
		return 1;	/* cut off from its filesystem's root: stays marked as cut */
	if (walk_prepend(s, GET(dentry, d_name.name), GET(dentry, d_name.hash_len) >> 32))
		return 1;
	s->dentry = (__u64)parent;
	return 0;
}

static __always_inline int
walk_direct(__u32 index, struct scratch *s)
{
	return walk_up(s, DIRECT);
}

SCRATCH_STEP(walk_direct, 1)

static __always_inline int
walk_copy(__u32 index, struct scratch *s)
{
	return walk_up(s, COPY);
}

SCRATCH_STEP(walk_copy, 1)

/* struct mount * around a struct vfsmount *. */
static __always_inline __u64
mount_of(__u64 vfsmount)
{
	return vfsmount - bpf_core_field_offset(struct mount, mnt);
}

/* Path of a dentry into s->text[s->start .. PATH_END). s->cut tells whether the top was not
 * reached: the path then begins with an ellipsis in UTF-8. Never longer than KR_PATH_MAX. */
static __always_inline void
walk_path(struct scratch *s, __u64 dentry, __u64 vfsmount)
{
	s->dentry = dentry;
	s->mount = mount_of(vfsmount);
	s->start = s->stop = PATH_END;
	s->cut = 1;
	if (CAN_CAST)
		SCRATCH_LOOP(walk_direct, WALK_STEPS, WALK_STEPS, s);
	else
		SCRATCH_LOOP(walk_copy, WALK_STEPS, WALK_STEPS, s);
	if (s->cut) {
		const __u32 at = (s->start - 3) & 8191;

		s->text[at] = 0xe2;
		s->text[at + 1] = 0x80;
		s->text[at + 2] = 0xa6;
		s->start = at;
	} else if (s->start == PATH_END) {
		s->text[PATH_END - 1] = '/';
		s->start = PATH_END - 1;
	}
}

#endif
