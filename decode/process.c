/* process.c - the processes of a recording */
#include "decode/process.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/hash.h"
#include "formats/error.h"

#define COMM_SHOWN 15	/* TASK_COMM_LEN without the NUL: the kernel cuts names there */

void
processes_init(struct processes *p)
{
	*p = (struct processes){.n = 0};
	map_init(&p->by_pid, hash_seed(), 0);
}

static void
process_free(struct process *process)
{
	free(process->strings);
	free(process->place);
	free(process);
}

void
processes_fini(struct processes *p)
{
	for (size_t i = 0; i < p->n; i++)
		process_free(p->all[i]);
	free(p->all);
	map_fini(&p->by_pid);
	*p = (struct processes){.n = 0};
}

uint64_t
process_id(uint32_t pid, uint64_t start_ns)
{
	const uint64_t id = hash_pair(pid, start_ns, 0) & INT64_MAX;

	return id != 0 ? id : 1;
}

void
processes_trim(struct processes *p)
{
	size_t kept = 0;
	size_t left = PROCESS_KEPT / 2;		/* half, so that this is rare */
	size_t alive = p->n > PROCESS_ALIVE ? p->n - PROCESS_ALIVE / 2 : 0;

	if (p->n <= PROCESS_KEPT)
		return;
	for (size_t i = 0; i < p->n; i++) {
		struct process *const process = p->all[i];
		size_t *const quota = process->pub.exited && left > 0 ? &left : &alive;

		if (*quota > 0) {
			--*quota;
			p->forgotten++;
			if (map_find_ptr(&p->by_pid, process->pub.pid) == process)
				(void)map_remove(&p->by_pid, process->pub.pid);
			process_free(process);
		} else {
			p->all[kept++] = process;
		}
	}
	p->n = kept;
	p->changes++;
}

static int
processes_room(struct processes *p)
{
	struct process **grown;

	if (p->n < p->cap)
		return 0;
	if (p->cap >= PROCESS_MAX)
		return IOTAP_ELIMIT;
	grown = realloc(p->all, (p->cap > 0 ? 2 * p->cap : 64) * sizeof(*grown));
	if (!grown)
		return IOTAP_ENOMEM;
	p->all = grown;
	p->cap = p->cap > 0 ? 2 * p->cap : 64;
	return 0;
}

/* A new process, which pid means from now on. */
static int
processes_add(struct processes *p, uint32_t pid, uint64_t start_ns, struct process **out)
{
	const int r = processes_room(p);
	struct process *process;

	*out = NULL;
	if (r < 0)
		return r;
	process = calloc(1, sizeof(*process));
	if (!process || !map_put_ptr(&p->by_pid, pid, process)) {
		free(process);
		return IOTAP_ENOMEM;
	}
	process->pub.pid = pid;
	process->pub.start_ns = start_ns;
	process->pub.id = process_id(pid, start_ns);
	process->pub.name = "?";
	process->pub.name_len = 1;
	process->pub.exe = process->pub.arg0 = process->pub.cwd = "";
	process->pub.cgroup = process->pub.container = "";
	process->pub.uid = process->pub.gid = UINT32_MAX;
	process->pub.last_ns = IOTAP_UNKNOWN;
	process->name_is_comm = true;
	p->all[p->n++] = process;
	p->changes++;
	*out = process;
	return 0;
}

struct process *
processes_find(const struct processes *p, uint32_t pid)
{
	return map_find_ptr(&p->by_pid, pid);
}

struct process *
processes_get(struct processes *p, uint32_t pid)
{
	struct process *process = processes_find(p, pid);

	if (!process)
		(void)processes_add(p, pid, 0, &process);
	return process;
}

/* Of what comes before the first NUL: argv[0] may be followed by the other arguments. */
static struct bytes
base_name(struct bytes path)
{
	const uint8_t *const nul = path.n > 0 ? memchr(path.p, '\0', path.n) : NULL;

	if (nul)
		path.n = (uint32_t)(nul - path.p);
	for (uint32_t i = path.n; i > 0; i--) {
		if (path.p[i - 1] == '/')
			return (struct bytes){.p = path.p + i, .n = path.n - i};
	}
	return path;
}

/* What --argv kept: a NUL tells it from a lone argv[0]. */
static void
set_arguments(struct iotap_process *pub, size_t n)
{
	const char *const nul = memchr(pub->arg0, '\0', n);

	pub->arg0_len = nul ? (size_t)(nul - pub->arg0) : n;
	pub->arguments = nul ? pub->arg0 : NULL;
	pub->arguments_len = nul ? n : 0;
}

/* argv[0], or all arguments where they are known. */
static struct bytes
arguments_of(const struct iotap_process *pub)
{
	return pub->arguments ? rec_bytes(pub->arguments, pub->arguments_len)
			      : rec_bytes(pub->arg0, pub->arg0_len);
}

/* The strings of a process, replaced all at once; they may come from the old ones. */
static int
process_set_strings(struct process *process, struct bytes name, struct bytes exe, struct bytes arg0,
		    struct bytes cwd)
{
	const struct bytes from[4] = {name, exe, arg0, cwd};
	struct iotap_process *const pub = &process->pub;
	const char *at[4];
	char *const strings = malloc((size_t)name.n + exe.n + arg0.n + cwd.n + 4);
	char *p = strings;

	if (!strings)
		return IOTAP_ENOMEM;
	for (size_t i = 0; i < 4; i++) {
		at[i] = p;
		if (from[i].n > 0)
			memcpy(p, from[i].p, from[i].n);
		p += from[i].n;
		*p++ = '\0';
	}
	free(process->strings);
	process->strings = strings;
	pub->name = at[0];
	pub->exe = at[1];
	pub->arg0 = at[2];
	pub->cwd = at[3];
	pub->name_len = name.n;
	pub->exe_len = exe.n;
	set_arguments(pub, arg0.n);
	pub->cwd_len = cwd.n;
	return 0;
}

/* Where it runs. Records made before these fields were have none of them, and 0 for a group: that of root
 * only where the cgroup is there too. */
static int
process_set_place(struct process *process, const struct rec_process *rec)
{
	struct iotap_process *const pub = &process->pub;
	char *const place = malloc((size_t)rec->cgroup.n + rec->container.n + 2);

	if (!place)
		return IOTAP_ENOMEM;
	if (rec->cgroup.n > 0)
		memcpy(place, rec->cgroup.p, rec->cgroup.n);
	place[rec->cgroup.n] = '\0';
	if (rec->container.n > 0)
		memcpy(place + rec->cgroup.n + 1, rec->container.p, rec->container.n);
	place[rec->cgroup.n + 1 + rec->container.n] = '\0';
	free(process->place);
	process->place = place;
	pub->cgroup = place;
	pub->cgroup_len = rec->cgroup.n;
	pub->container = place + rec->cgroup.n + 1;
	pub->container_len = rec->container.n;
	pub->gid = rec->gid != 0 || rec->cgroup.n > 0 ? (uint32_t)rec->gid : UINT32_MAX;
	return 0;
}

int
processes_process(struct processes *p, const struct rec_process *rec, struct process **out)
{
	const struct bytes names[3] = {rec->comm, base_name(rec->exe), base_name(rec->arg0)};
	const struct bytes name = names[rec->name_from < 3 ? rec->name_from : 0];
	struct process *process = processes_find(p, (uint32_t)rec->pid);

	*out = NULL;
	if (process && process->pub.start_ns == 0) {
		process->pub.start_ns = rec->start_ns;	/* calls came before the record */
		process->pub.id = process_id((uint32_t)rec->pid, rec->start_ns);
	} else if (!process || process->pub.start_ns != rec->start_ns) {
		const int r = processes_add(p, (uint32_t)rec->pid, rec->start_ns, &process);

		if (r < 0)
			return r;
	}
	process->pub.parent = (uint32_t)rec->parent;
	process->pub.uid = (uint32_t)rec->uid;
	process->pub.pid_ns = (uint32_t)rec->pid_ns;
	process->pub.mnt_ns = (uint32_t)rec->mnt_ns;
	process->pub.net_ns = (uint32_t)rec->net_ns;
	process->pub.pid_in_ns = (uint32_t)rec->pid_in_ns;
	process->pub.how = (uint32_t)rec->how;
	process->pub.first_ns = rec->time_ns;
	process->name_is_comm = rec->name_from == 0 || rec->name_from > 2;
	*out = process;
	return process_set_place(process, rec) < 0 ? IOTAP_ENOMEM :
	       process_set_strings(process, name.n > 0 ? name : rec->comm, rec->exe, rec->arg0, rec->cwd);
}

/* The kernel cuts comm; the file name it was run by has the whole of it. */
static struct bytes
exec_name(const struct rec_exec *rec)
{
	const struct bytes base = base_name(rec->path);

	if (rec->comm.n == 0 || (rec->comm.n == COMM_SHOWN && base.n > COMM_SHOWN &&
				 memcmp(base.p, rec->comm.p, COMM_SHOWN) == 0))
		return base;
	return rec->comm;
}

int
processes_exec(struct processes *p, const struct rec_exec *rec, struct process **out)
{
	struct process *const process = processes_get(p, (uint32_t)rec->pid);
	const struct bytes cwd = {.p = process ? (const uint8_t *)process->pub.cwd : NULL,
				  .n = process ? (uint32_t)process->pub.cwd_len : 0};

	*out = process;
	if (!process)
		return IOTAP_ENOMEM;
	process->name_is_comm = true;
	return process_set_strings(process, exec_name(rec), rec->path, rec->arg0, cwd);
}

int
processes_rename(struct processes *p, const struct rec_rename *rec, struct process **out)
{
	struct process *const process = processes_get(p, (uint32_t)rec->pid);
	struct iotap_process *pub;

	*out = process;
	if (!process)
		return IOTAP_ENOMEM;
	pub = &process->pub;
	if (rec->tid != rec->pid || !process->name_is_comm || rec->comm.n == 0)
		return 0;
	return process_set_strings(process, rec->comm, rec_bytes(pub->exe, pub->exe_len),
				   arguments_of(pub), rec_bytes(pub->cwd, pub->cwd_len));
}

int
processes_exit(struct processes *p, const struct rec_exit *rec, struct process **out)
{
	struct process *const process = processes_find(p, (uint32_t)rec->pid);

	*out = process;
	if (!process)
		return 0;
	process->pub.exited = 1;
	process->pub.exit_status = (uint32_t)rec->status;
	process->pub.last_ns = rec->time_ns;
	return 0;
}
