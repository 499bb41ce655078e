/* places.c - the cgroup of every traced process, and the container it names
 *
 * Paths are kept once each; a process has the number of its path. A machine has hundreds of cgroups at
 * most; when there are more than the table holds, further paths are not kept for children.
 */
#include "capture/places.h"

#include <stdlib.h>
#include <string.h>

#include "capture/procfs.h"
#include "capture/scope.h"
#include "formats/base/hash.h"
#include "formats/base/map.h"

enum { TEXT_MAX = 1 << 16, PATHS_MAX = 4096, PROCESSES_MAX = 1 << 20, HOW_BORN = 5 };

struct places {
	struct map by_pid;		/* to the number of a path */
	struct buf path[PATHS_MAX];
	size_t n_paths;
	struct buf text;		/* what was read last */
};

struct places *
places_new(void)
{
	struct places *const p = calloc(1, sizeof(*p));

	if (p)
		map_init(&p->by_pid, hash_seed(), PROCESSES_MAX);
	if (p)
		buf_init(&p->text, TEXT_MAX);
	return p;
}

void
places_free(struct places *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_paths; i++)
		buf_free(&p->path[i]);
	buf_free(&p->text);
	map_fini(&p->by_pid);
	free(p);
}

/* The number of a path, which is kept from now on; -1 when that cannot be. */
static int
number_of(struct places *p, const char *path, size_t n)
{
	for (size_t i = p->n_paths; i > 0; i--) {
		if (p->path[i - 1].len == n && memcmp(p->path[i - 1].data, path, n) == 0)
			return (int)(i - 1);
	}
	if (p->n_paths == PATHS_MAX || !buf_put(&p->path[p->n_paths], path, n))
		return -1;
	return (int)p->n_paths++;
}

static void
fill(struct rec_process *process, const char *path, size_t n)
{
	size_t len;
	const char *const container = scope_container(path, n, &len);

	process->cgroup = rec_bytes(path, n);
	process->container = rec_bytes(container, len);
}

static void
ask(struct places *p, struct rec_process *process)
{
	const char *path;
	size_t n;
	int number;

	buf_clear(&p->text);
	if (!procfs_cgroup((uint32_t)process->pid, &p->text))
		return;
	path = scope_cgroup_path((const char *)p->text.data, p->text.len, &n);
	if (n == 0)
		return;
	fill(process, path, n);
	number = number_of(p, path, n);
	if (number >= 0)
		(void)map_put(&p->by_pid, process->pid, (uint64_t)number);
}

void
places_process(struct places *p, struct rec_process *process)
{
	const uint64_t *const parent = process->how == HOW_BORN ? map_find(&p->by_pid, process->parent)
							       : NULL;
	const struct buf *path;

	if (!parent) {
		ask(p, process);
		return;
	}
	path = &p->path[*parent];
	(void)map_put(&p->by_pid, process->pid, *parent);
	fill(process, (const char *)path->data, path->len);
}

void
places_exit(struct places *p, uint32_t pid)
{
	(void)map_remove(&p->by_pid, pid);
}
