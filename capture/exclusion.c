/* exclusion.c - processes that are never traced */
#include "capture/exclusion.h"

#include <string.h>
#include <unistd.h>

#include "capture/procfs.h"
#include "formats/base/hash.h"

enum { PIDS_MAX = 1 << 16 };

bool
exclusion_has(void *exclusion, uint32_t pid)
{
	return map_find(&((const struct exclusion *)exclusion)->pids, pid) != NULL;
}

void
exclusion_free(struct exclusion *x)
{
	map_fini(&x->pids);
}

static bool
is_ancestor(const struct processes *p, uint32_t pid, uint32_t of)
{
	struct buf up;
	bool yes = false;

	buf_init(&up, 0);
	processes_ancestors(p, of, &up);
	for (size_t at = 0; at < up.len && !yes; at += sizeof(pid))
		yes = memcmp(up.data + at, &pid, sizeof(pid)) == 0;
	buf_free(&up);
	return yes;
}

uint32_t
exclusion_group(const struct processes *p, uint32_t self)
{
	static const char *const wrappers[] = {"sudo", "doas", "su", "iotap", "env", "nice", "time"};
	const struct process *const me = processes_find(p, self);
	const struct process *const leader = me ? processes_find(p, me->group) : NULL;
	struct name_bytes comm;

	if (!leader || leader->pid == 1)
		return 0;
	if (leader->pid == self || !is_ancestor(p, leader->pid, self))
		return me->group;
	comm = (struct name_bytes){(const char *)p->text.data + leader->comm.at, leader->comm.n};
	if (names_match(wrappers, sizeof(wrappers) / sizeof(wrappers[0]), comm,
			(struct name_bytes){"", 0}, (struct name_bytes){"", 0}) != 0)
		return me->group;
	return 0;
}

/* Pipes that a reader of ours writes to are ours as well; the list of them is a map's keys. */
bool
exclusion_readers(struct exclusion *x, const struct pipe_end *ends, size_t n, uint64_t inode)
{
	struct map pipes;
	bool ok, more = true;

	map_init(&pipes, x->pids.seed, PIDS_MAX);
	ok = map_put(&pipes, inode, 1);
	while (ok && more) {
		more = false;
		for (size_t i = 0; ok && i < n; i++) {
			if (!ends[i].readable || !map_find(&pipes, ends[i].inode) ||
			    map_find(&x->pids, ends[i].pid))
				continue;
			ok = map_put(&x->pids, ends[i].pid, EXCLUDED_ALWAYS);
			more = true;
			for (size_t k = 0; ok && k < n; k++) {
				if (ends[k].pid == ends[i].pid && ends[k].is_stdout)
					ok = map_put(&pipes, ends[k].inode, 1);
			}
		}
	}
	map_fini(&pipes);
	return ok;
}

/* Collecting the pipe ends of all processes. */
struct collecting {
	struct buf ends;
	uint32_t pid;
};

static bool
collect(void *arg, int fd, bool readable, const char *text, size_t n)
{
	struct collecting *const c = arg;
	struct pipe_end end = {.pid = c->pid, .readable = readable,
			       .is_stdout = fd == STDOUT_FILENO && !readable};

	if (procfs_parse_inode(text, n, "pipe", &end.inode) && (readable || end.is_stdout))
		(void)buf_put(&c->ends, &end, sizeof(end));
	return true;
}

static bool
add_readers(struct exclusion *x, const struct processes *p, uint64_t inode)
{
	struct collecting c = {.pid = 0};
	bool ok;

	buf_init(&c.ends, 0);
	for (size_t i = 0; i < p->n; i++) {
		c.pid = p->rows[i].pid;
		if (!p->rows[i].kernel && !exclusion_has(x, c.pid))
			procfs_each_fd(c.pid, collect, &c);
	}
	ok = buf_ok(&c.ends) &&
	     exclusion_readers(x, (const struct pipe_end *)(const void *)c.ends.data,
			       c.ends.len / sizeof(struct pipe_end), inode);
	buf_free(&c.ends);
	return ok;
}

static bool
add_ancestors(struct exclusion *x, const struct processes *p, uint32_t self)
{
	struct buf up;
	bool ok = map_put(&x->pids, self, EXCLUDED_ALWAYS);

	buf_init(&up, 0);
	processes_ancestors(p, self, &up);
	for (size_t at = 0; ok && at < up.len; at += sizeof(uint32_t)) {
		uint32_t pid;

		memcpy(&pid, up.data + at, sizeof(pid));
		ok = map_put(&x->pids, pid, EXCLUDED_ALWAYS);
	}
	ok = ok && buf_ok(&up);
	buf_free(&up);
	return ok;
}

int
exclusion_build(struct exclusion *x, const struct processes *p, const struct targets *t,
		uint32_t self, uint64_t output_pipe, struct iotap_error *err)
{
	bool ok;

	*x = (struct exclusion){.group = exclusion_group(p, self)};
	map_init(&x->pids, hash_seed(), PIDS_MAX);
	ok = add_ancestors(x, p, self);
	for (size_t i = 0; ok && i < p->n; i++) {
		const struct process *const row = &p->rows[i];

		if (x->group != 0 && row->group == x->group)
			ok = map_put(&x->pids, row->pid, EXCLUDED_ALWAYS);
		else if (!exclusion_has(x, row->pid) && targets_excludes(t, p, row))
			ok = map_put(&x->pids, row->pid, targets_excludes_pid(t, row->pid)
							  ? EXCLUDED_ALWAYS : EXCLUDED_BY_NAME);
	}
	if (ok && output_pipe != 0)
		ok = add_readers(x, p, output_pipe);
	return ok ? 0 : error_set(err, IOTAP_ENOMEM, "out of memory");
}
