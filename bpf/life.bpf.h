/* life.bpf.h - notes on processes: fork, exec, rename, end; and matching of names at exec
 *
 * A wanted name is known by the 64-bit FNV-1a of its bytes, A-Z as a-z, in the map names.
 */
#ifndef BPF_LIFE_H
#define BPF_LIFE_H

#include <bpf/bpf_core_read.h>

#include "bpf/note.bpf.h"
#include "bpf/scope.bpf.h"

#define FNV_BASIS 14695981039346656037ull
#define FNV_PRIME 1099511628211ull

/* Hashes text[index] into the file name's hash; a slash starts over, so that the last component
 * remains. 1 = end. */
static __always_inline int
hash_byte(__u32 index, struct scratch *s)
{
	__u32 c = (unsigned char)s->text[(s->start + index) & 16383];

	if (s->start + index >= s->stop)
		return 1;
	if (c == '/') {
		s->hash = FNV_BASIS;
		return 0;
	}
	if (c >= 'A' && c <= 'Z')
		c += 'a' - 'A';
	s->hash = (s->hash ^ c) * FNV_PRIME;
	return 0;
}

SCRATCH_STEP(hash_byte, 32)

/* Of the file name of the path in text[start .. start + len): enum name_bit. */
BY_NUMBERS_STATIC int
BODY(name_wanted)(struct scratch *s, __u32 start, __u32 len)
{
	const __u32 old_start = s->start, old_stop = s->stop;
	const __u32 *found;

	s->hash = FNV_BASIS;
	s->start = start;
	s->stop = start + len;
	if (len > KR_PATH_MAX)
		return 0;
	SCRATCH_LOOP(hash_byte, len, KR_PATH_MAX, s);
	s->start = old_start;
	s->stop = old_stop;
	found = bpf_map_lookup_elem(&names, &s->hash);
	return found ? *found : 0;
}

#ifdef OLD_KERNEL

__noinline int
name_wanted_of(__u32 which, __u32 start, __u32 len)
{
	struct scratch *const s = bpf_map_lookup_elem(&scratch, &which);

	return s ? name_wanted_body(s, start, len) : 0;
}

#define name_wanted(s, start, len) name_wanted_of((s)->which, start, len)

#endif

/* The same for a comm, which is put behind the text for this. */
static __always_inline int
comm_wanted(struct scratch *s, const char *comm)
{
	const __u32 at = s->stop & 8191;
	const long got = bpf_probe_read_kernel_str(&s->text[at], KR_COMM_LEN, comm);

	return got > 1 ? name_wanted(s, at, got - 1) : 0;
}

/* Who the process is: ids, namespaces, start. */
static __always_inline void
life_fill(struct kr_life *life, struct task_struct *task)
{
	struct task_struct *const leader = BPF_CORE_READ(task, group_leader);
	struct pid *const pid = BPF_CORE_READ(leader, thread_pid);
	struct upid upid = {};

	life->tgid = BPF_CORE_READ(task, tgid);
	life->tid = BPF_CORE_READ(task, pid);
	life->start_ns = BPF_CORE_READ(leader, start_boottime);
	life->uid = BPF_CORE_READ(task, cred, uid.val);
	life->gid = BPF_CORE_READ(task, cred, gid.val);
	life->mnt_ns = BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum);
	life->net_ns = BPF_CORE_READ(task, nsproxy, net_ns, ns.inum);
	if (pid) {
		const __u32 level = BPF_CORE_READ(pid, level);

		bpf_probe_read_kernel(&upid, sizeof(upid), (char *)pid +
				      bpf_core_field_offset(struct pid, numbers) +
				      level * sizeof(upid));
		life->pid_in_ns = upid.nr;
		life->pid_ns = BPF_CORE_READ(upid.ns, ns.inum);
	}
	BPF_CORE_READ_STR_INTO(&life->comm, task, comm);
}

/* A new process; by_scope: its parent is not traced. 0 = it is left out for its name. */
static __noinline int
note_fork(struct task_struct *child, __u32 parent_tgid, __u32 by_scope)
{
	struct scratch *const s = scratch_take(0);
	int traced = 1;

	if (!s)
		return 1;
	life_fill(&s->life, child);
	s->life.parent_tgid = parent_tgid;
	if (by_scope) {
		s->life.by_name = KR_BY_SCOPE;
		traced = !n_names || !(comm_wanted(s, s->life.comm) & NAME_EXCLUDED);
	}
	if (traced)
		RUN(note_put(s, KR_FORK));
	scratch_give(s);
	return traced;
}

/* What becomes of a process, by its names and its scope: enum kr_by when it was not traced, 0 = it
 * stays what it is, or less: it is left out from here on. */
static __always_inline int
verdict(struct task_struct *task, __u32 names_say, __u32 traced)
{
	if (names_say & NAME_EXCLUDED)
		return -1;
	if (traced)
		return 0;
	if (names_say & NAME_WANTED)
		return KR_BY_NAME;
	return scope_on && scope_wants(task) ? KR_BY_SCOPE : 0;
}

/* exec of a traced process, or of one that is wanted for its new name or its scope: as verdict. */
static __noinline int
note_exec(struct task_struct *task, struct linux_binprm *bprm, __u32 traced)
{
	struct scratch *const s = scratch_take(0);
	const __u64 arg = BPF_CORE_READ(task, mm, arg_start);
	__u32 names_say = 0;
	int wanted = 0;
	long got;

	if (!s)
		return 0;
	life_fill(&s->life, task);
	got = bpf_probe_read_kernel_str(&s->text[PATH_END], KR_PATH_MAX,
					BPF_CORE_READ(bprm, filename));
	got = got > 0 ? got - 1 : 0;
	s->life.text_len = got;
	s->stop += got;
	got = bpf_probe_read_user_str(&s->text[s->stop & 8191], KR_PATH_MAX, (void *)arg);
	got = got > 0 ? got - 1 : 0;
	s->life.arg0_len = got;
	s->stop += got;
	if (!traced || n_excluded) {
		if (n_names)
			names_say = name_wanted(s, PATH_END, s->life.text_len) |
				name_wanted(s, PATH_END + s->life.text_len, s->life.arg0_len) |
				comm_wanted(s, s->life.comm);
		wanted = verdict(task, names_say, traced);
		s->life.by_name = wanted > 0 ? wanted : 0;
	}
	if (traced || wanted > 0)
		RUN(note_put(s, KR_EXEC));
	scratch_give(s);
	return wanted;
}

/* Whether a thread's comm changes because it runs another program: iotap_exec sees that. */
static __always_inline _Bool
inside_exec(struct task_struct *task)
{
	return bpf_core_field_exists(task->in_execve) && BPF_CORE_READ_BITFIELD_PROBED(task, in_execve);
}

/* A new comm of a traced thread, or of a process that is wanted for it or its scope: as verdict. */
static __noinline int
note_rename(struct task_struct *task, const char *comm, __u32 traced)
{
	struct scratch *const s = scratch_take(0);
	int wanted = 0;

	if (!s)
		return 0;
	life_fill(&s->life, task);	/* the tracepoint fires before the change */
	__builtin_memset(s->life.comm, 0, sizeof(s->life.comm));
	bpf_probe_read_kernel_str(s->life.comm, sizeof(s->life.comm), comm);
	if ((!traced || n_excluded) && s->life.tid == s->life.tgid) {
		wanted = verdict(task, n_names ? comm_wanted(s, s->life.comm) : 0, traced);
		s->life.by_name = wanted > 0 ? wanted : 0;
	}
	if (traced || wanted > 0)
		RUN(note_put(s, KR_RENAME));
	scratch_give(s);
	return wanted;
}

static __noinline int
note_exit(struct task_struct *task)
{
	struct scratch *const s = scratch_take(0);
	struct kr_life *life;

	if (!s)
		return done();
	life = &s->life;
	life_fill(life, task);
	life->exit_code = BPF_CORE_READ(task, exit_code);
	if (bpf_core_field_exists(struct task_struct, ioac)) {
		life->rchar = BPF_CORE_READ(task, ioac.rchar) +
			BPF_CORE_READ(task, signal, ioac.rchar);
		life->wchar = BPF_CORE_READ(task, ioac.wchar) +
			BPF_CORE_READ(task, signal, ioac.wchar);
		life->read_bytes = BPF_CORE_READ(task, ioac.read_bytes) +
			BPF_CORE_READ(task, signal, ioac.read_bytes);
		life->write_bytes = BPF_CORE_READ(task, ioac.write_bytes) +
			BPF_CORE_READ(task, signal, ioac.write_bytes);
		life->has_ioac = 1;
	}
	RUN(note_put(s, KR_EXIT));
	scratch_give(s);
	return done();
}

#endif
