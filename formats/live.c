/* live.c - what an epoch restates: the processes that live and the interfaces that were told of */
#include "formats/live.h"

#include <stdlib.h>

#include "formats/base/hash.h"
#include "formats/base/map.h"

struct live_entry {
	struct live_entry *next, **link;
	uint32_t n_raw;
	uint8_t raw[];
};

struct live_list {
	struct live_entry *first, **last;
};

struct live {
	struct map by_pid;
	struct live_list processes, interfaces;
	uint32_t n_interfaces, max_interfaces;
	uint64_t n_refused;
	struct buf scratch;
};

struct live *
live_new(uint32_t max_processes, uint32_t max_interfaces)
{
	struct live *const l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	map_init(&l->by_pid, hash_seed(), max_processes);
	l->processes.last = &l->processes.first;
	l->interfaces.last = &l->interfaces.first;
	l->max_interfaces = max_interfaces;
	return l;
}

static void
list_free(struct live_list *list)
{
	while (list->first) {
		struct live_entry *const e = list->first;

		list->first = e->next;
		free(e);
	}
}

void
live_free(struct live *l)
{
	if (!l)
		return;
	list_free(&l->processes);
	list_free(&l->interfaces);
	map_fini(&l->by_pid);
	buf_free(&l->scratch);
	free(l);
}

static struct live_entry *
entry_new(const struct buf *raw)
{
	struct live_entry *const e = malloc(sizeof(*e) + raw->len);

	if (!e)
		return NULL;
	*e = (struct live_entry){.n_raw = (uint32_t)raw->len};
	memcpy(e->raw, raw->data, raw->len);
	return e;
}

static void
list_append(struct live_list *list, struct live_entry *e)
{
	e->next = NULL;
	e->link = list->last;
	*list->last = e;
	list->last = &e->next;
}

/* Takes e out of the list; with another one put into its place unless that is NULL. */
static void
list_replace(struct live_list *list, struct live_entry *e, struct live_entry *by)
{
	if (by) {
		by->next = e->next;
		by->link = e->link;
	}
	*e->link = by ? by : e->next;
	if (e->next)
		e->next->link = by ? &by->next : e->link;
	else
		list->last = by ? &by->next : e->link;
	free(e);
}

static bool
entry_is(const struct live_entry *e, const struct buf *raw)
{
	return e->n_raw == raw->len && memcmp(e->raw, raw->data, raw->len) == 0;
}

static int
out_of_memory(struct iotap_error *err)
{
	return error_set(err, IOTAP_ENOMEM, "live processes: out of memory");
}

/* The process as it would be restated; scratch has it afterwards. */
static int
process_put(struct live *l, const struct rec_process *process, bool *known, struct iotap_error *err)
{
	struct live_entry *const old = map_find_ptr(&l->by_pid, process->pid);
	struct rec_process restated = *process;
	struct buf raw = {0};
	struct live_entry *e;
	int r;

	restated.restated = 1;
	r = record_put(&raw, REC_process, &restated, err);
	*known = r == 0 && process->restated && old && entry_is(old, &raw);
	e = r == 0 && !*known ? entry_new(&raw) : NULL;
	buf_free(&raw);
	if (r < 0 || *known)
		return r;
	if (!e)
		return out_of_memory(err);
	if (!map_put_ptr(&l->by_pid, process->pid, e)) {
		l->n_refused++;
		free(e);
	} else if (old) {
		list_replace(&l->processes, old, e);
	} else {
		list_append(&l->processes, e);
	}
	return 0;
}

/* The record of a live process; its bytes are the entry's. */
static bool
process_get(const struct live_entry *e, struct rec_process *out)
{
	struct bytes_in in = bytes_in(e->raw, e->n_raw);
	struct record rec;

	if (record_next(&in, &rec, NULL) != 0 || rec.type != REC_process)
		return false;
	*out = rec.u.process;
	return true;
}

static int
process_exec(struct live *l, const struct rec_exec *exec, struct iotap_error *err)
{
	const struct live_entry *const e = map_find_ptr(&l->by_pid, exec->pid);
	struct rec_process process;
	bool known;

	if (!e || !process_get(e, &process))
		return 0;
	process.comm = exec->comm;
	process.exe = exec->path;
	process.arg0 = exec->arg0;
	process.restated = 0;
	return process_put(l, &process, &known, err);
}

/* Only the leader's comm is the process's. */
static int
process_rename(struct live *l, const struct rec_rename *rename, struct iotap_error *err)
{
	const struct live_entry *const e = map_find_ptr(&l->by_pid, rename->pid);
	struct rec_process process;
	bool known;

	if (!e || rename->tid != rename->pid || !process_get(e, &process))
		return 0;
	process.comm = rename->comm;
	process.restated = 0;
	return process_put(l, &process, &known, err);
}

static void
process_exit(struct live *l, const struct rec_exit *rec)
{
	struct live_entry *const e = map_find_ptr(&l->by_pid, rec->pid);

	if (!e)
		return;
	(void)map_remove(&l->by_pid, rec->pid);
	list_replace(&l->processes, e, NULL);
}

static int
interface_put(struct live *l, const struct rec_interface *interface, bool *known,
	      struct iotap_error *err)
{
	struct live_entry *e;
	int r;

	buf_clear(&l->scratch);
	r = record_put(&l->scratch, REC_interface, interface, err);
	if (r < 0)
		return r;
	for (e = l->interfaces.first; e && !*known; e = e->next)
		*known = entry_is(e, &l->scratch);
	if (*known)
		return 0;
	if (l->n_interfaces >= l->max_interfaces) {
		l->n_refused++;
		return 0;
	}
	e = entry_new(&l->scratch);
	if (!e)
		return out_of_memory(err);
	l->n_interfaces++;
	list_append(&l->interfaces, e);
	return 0;
}

int
live_record(struct live *l, enum rec_type type, const void *rec, bool *known,
	    struct iotap_error *err)
{
	*known = false;
	if (type == REC_process)
		return process_put(l, rec, known, err);
	if (type == REC_exec)
		return process_exec(l, rec, err);
	if (type == REC_rename)
		return process_rename(l, rec, err);
	if (type == REC_interface)
		return interface_put(l, rec, known, err);
	if (type == REC_exit)
		process_exit(l, rec);
	return 0;
}

int
live_restate(const struct live *l, int (*each)(void *arg, const struct bytes *raw), void *arg)
{
	const struct live_entry *const firsts[] = {l->processes.first, l->interfaces.first};

	for (int i = 0; i < 2; i++) {
		for (const struct live_entry *e = firsts[i]; e; e = e->next) {
			const struct bytes raw = {.p = e->raw, .n = e->n_raw};
			const int r = each(arg, &raw);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

uint64_t
live_refused(const struct live *l)
{
	return l->n_refused;
}
