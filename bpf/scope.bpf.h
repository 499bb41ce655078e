/* scope.bpf.h - processes that are wanted for where they belong: a user, a cgroup, or the machine
 *
 * Asked when a process is born, runs another program, and by the iterator over tasks. A cgroup is meant
 * with those below it. Version 1 and 2 are alike here: a hierarchy has a number (that of version 2 is
 * 0), a task is in one cgroup of each, a cgroup's id is the inode number of its folder.
 *
 * Source: include/linux/cgroup-defs.h, kernfs.h of 5.10 to 6.18.
 */
#ifndef BPF_SCOPE_H
#define BPF_SCOPE_H

#include <bpf/bpf_core_read.h>

#include "bpf/settings.bpf.h"

enum { CGROUP_DEPTH = 32, CGROUP_HIERARCHIES = 16 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node {
	__u64 id;
};

struct cgroup_root {
	int hierarchy_id;
};

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
	struct cgroup_root *root;
};

struct css_set {
	struct cgroup_subsys_state *subsys[1];
	struct cgroup *dfl_cgrp;
};

struct signal_struct___scope {
	struct pid *pids[4];
};

/* What of a task matters here; the name in front of the dashes is the kernel's. */
struct task_struct___scope {
	unsigned int flags;
	const struct cred *cred;
	struct css_set *cgroups;
	struct signal_struct___scope *signal;
};

#pragma clang attribute pop

const volatile _Bool scope_on = 0;		/* any of these is set */
const volatile _Bool scope_all = 0;
const volatile __u32 n_scope_uids = 0, n_scope_cgroups = 0;
const volatile __u32 scope_uid[KR_SCOPE_MAX] = {};
const volatile __u32 scope_hierarchy[KR_SCOPE_MAX] = {};
const volatile __u64 scope_cgroup[KR_SCOPE_MAX] = {};

/* The task's cgroup in that hierarchy, or 0. */
static __always_inline struct cgroup *
cgroup_of(struct css_set *set, __u32 hierarchy)
{
	const __u32 n = bpf_core_field_size(struct css_set, subsys) / sizeof(void *);

	if (hierarchy == 0)
		return BPF_CORE_READ(set, dfl_cgrp);
	for (__u32 i = 0; i < CGROUP_HIERARCHIES; i++) {
		struct cgroup_subsys_state *css = 0;
		struct cgroup *cgroup;

		if (i >= n)
			break;
		bpf_probe_read_kernel(&css, sizeof(css), (char *)set +
				      bpf_core_field_offset(struct css_set, subsys) +
				      i * sizeof(css));
		cgroup = BPF_CORE_READ(css, cgroup);
		if (css && BPF_CORE_READ(cgroup, root, hierarchy_id) == (int)hierarchy)
			return cgroup;
	}
	return 0;
}

/* Whether the task is in the cgroup of that id, or in one below it. */
static __noinline int
in_cgroup(struct css_set *set, __u32 hierarchy, __u64 id)
{
	struct cgroup *at = cgroup_of(set, hierarchy);

	for (__u32 i = 0; at && i < CGROUP_DEPTH; i++) {
		if (BPF_CORE_READ(at, kn, id) == id)
			return 1;
		at = BPF_CORE_READ(at, self.parent, cgroup);
	}
	return 0;
}

/* Members of capture's own pipeline are not wanted. */
static __always_inline _Bool
in_excluded_group(struct task_struct___scope *t)
{
	enum { PGID = 2 };	/* PIDTYPE_PGID, linux/pid_types.h */
	struct pid *const group = BPF_CORE_READ(t, signal, pids[PGID]);
	struct upid upid = {};

	if (excluded_group == ~0u)
		return 0;
	bpf_probe_read_kernel(&upid, sizeof(upid), (char *)group +
			      bpf_core_field_offset(struct pid, numbers));
	return (__u32)upid.nr == excluded_group;
}

static __noinline int
scope_wants(struct task_struct *task)
{
	struct task_struct___scope *const t = (void *)task;
	const __u32 uid = BPF_CORE_READ(t, cred, uid.val);
	struct css_set *const set = BPF_CORE_READ(t, cgroups);

	if ((BPF_CORE_READ(t, flags) & K_PF_KTHREAD) || in_excluded_group(t))
		return 0;
	if (scope_all)
		return 1;
	for (__u32 i = 0; i < KR_SCOPE_MAX; i++) {
		if (i < n_scope_uids && uid == scope_uid[i])
			return 1;
		if (i < n_scope_cgroups && in_cgroup(set, scope_hierarchy[i], scope_cgroup[i]))
			return 1;
	}
	return 0;
}

#endif
