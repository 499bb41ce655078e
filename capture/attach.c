/* attach.c - from what the user named to processes whose calls are recorded */
#include "capture/attach.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/answers.h"
#include "capture/procfs.h"
#include "formats/base/hash.h"
#include "formats/base/units.h"
#include "formats/record.h"

enum { NOTICE_WARNING = 2 };	/* notice.level */
enum { HIDDEN_TEXT_SIZE = 160, NAMELESS_TEXT_SIZE = 128 };

static int
no_memory(struct iotap_error *err)
{
	return error_set(err, IOTAP_ENOMEM, "out of memory");
}

/* The processes of this moment, who is left out, and who is chosen (struct chosen in *chosen). */
static int
choose(struct exclusion *x, const struct attach_options *o, struct buf *chosen,
       struct iotap_error *err)
{
	const uint32_t self = (uint32_t)getpid();
	const bool by_name = o->targets->n_names > 0 || o->targets->n_excluded_names > 0;
	struct processes p;
	int r = processes_read(&p, by_name, err);

	if (r == 0)
		r = exclusion_build(x, &p, o->targets, self, o->output_pipe, err);
	if (r == 0)
		r = targets_choose(o->targets, &p, self, exclusion_has, x, chosen, err);
	processes_free(&p);
	return r;
}

int
attach_look(const struct attach_options *options, struct iotap_error *err)
{
	struct exclusion x = {0};
	struct buf chosen;
	int r;

	buf_init(&chosen, 0);
	r = choose(&x, options, &chosen, err);
	buf_free(&chosen);
	exclusion_free(&x);
	return r;
}

static int
want(struct attach *a, uint32_t pid, enum answers_how how, unsigned int name_from)
{
	if (map_find(&a->wanted, pid))
		return 0;
	if (!map_put(&a->wanted, pid, (uint64_t)how | (uint64_t)name_from << 8))
		return no_memory(a->err);
	kernel_filter(a->kernel, pid, KERNEL_MARKING);
	return 0;
}

static int
want_chosen(struct attach *a, const struct buf *chosen)
{
	int r = 0;

	for (size_t at = 0; r == 0 && at < chosen->len; at += sizeof(struct chosen)) {
		struct chosen c;

		memcpy(&c, chosen->data + at, sizeof(c));
		r = want(a, c.pid, c.by_name ? HOW_NAME : HOW_PID, c.name_from);
	}
	if (r == 0 && a->options->command != 0)
		r = want(a, a->options->command, HOW_COMMAND, 0);
	return r;
}

static void
filter_exclusion(struct attach *a)
{
	uint64_t pid, *value;
	size_t at = 0;

	while (map_next(&a->exclusion.pids, &at, &pid, &value))
		kernel_filter(a->kernel, (uint32_t)pid,
			      *value == EXCLUDED_BY_NAME ? KERNEL_NAMED : KERNEL_EXCLUDED);
	if (a->exclusion.group != 0)
		kernel_exclude_group(a->kernel, a->exclusion.group);
}

static int
keep_task(void *arg, const void *record)
{
	struct attach *const a = arg;

	return buf_put(&a->tasks, record, sizeof(struct kr_task_seen)) ? 0 : no_memory(a->err);
}

static struct kr_task_seen
task_at(const struct attach *a, size_t at)
{
	struct kr_task_seen t;

	memcpy(&t, a->tasks.data + at, sizeof(t));
	return t;
}

/* Marks the children of marked processes; how many were new, or a negative code. */
static int
want_children(struct attach *a)
{
	int n = 0;

	for (size_t at = 0; at < a->tasks.len; at += sizeof(struct kr_task_seen)) {
		const struct kr_task_seen t = task_at(a, at);
		const enum kernel_filter parent = kernel_filter_of(a->kernel, t.parent_tgid);

		if (t.is_kernel != 0 ||
		    kernel_filter_of(a->kernel, t.tgid) != KERNEL_NOT_TRACED ||
		    (parent != KERNEL_MARKING && parent != KERNEL_TRACED))
			continue;
		if (want(a, t.tgid, HOW_DESCENDANT, 0) < 0)
			return IOTAP_ENOMEM;
		n++;
	}
	return n;
}

/* The same for those that belong to a user or cgroup that is meant. */
static int
want_scope(struct attach *a)
{
	int n = 0;

	for (size_t at = 0; at < a->tasks.len; at += sizeof(struct kr_task_seen)) {
		const struct kr_task_seen t = task_at(a, at);

		if (t.in_scope == 0 || kernel_filter_of(a->kernel, t.tgid) != KERNEL_NOT_TRACED)
			continue;
		if (want(a, t.tgid, HOW_SCOPE, 0) < 0)
			return IOTAP_ENOMEM;
		n++;
	}
	return n;
}

/* Reads all tasks, which gives the threads of marked processes their state, until nobody is new. */
static int
mark_all(struct attach *a)
{
	int added;

	do {
		int r;

		buf_clear(&a->tasks);
		r = kernel_tasks(a->kernel, keep_task, a, a->err);
		if (r < 0)
			return r;
		added = scope_given(a->options->scope) ? want_scope(a) : 0;
		if (added == 0 && a->options->follow)
			added = want_children(a);
	} while (added > 0);
	return added;
}

static bool
runs_on(uint32_t pid)
{
	struct procfs_stat stat;

	return procfs_stat(pid, &stat) && !procfs_is_ending(&stat);
}

/* Of the processes that are meant: whether the kernel showed us any, and those that it did not though they
 * are there. Which these are is the kernel's affair: in some containers it is the first process. */
static int
look_for_hidden(struct attach *a, bool *any)
{
	struct map seen;
	uint64_t pid, *how;
	size_t at = 0;
	int r = 0;

	map_init(&seen, hash_seed(), 0);
	for (; r == 0 && at < a->tasks.len; at += sizeof(struct kr_task_seen)) {
		const struct kr_task_seen t = task_at(a, at);

		if (map_find(&a->wanted, t.tgid) && !map_put(&seen, t.tgid, 1))
			r = no_memory(a->err);
	}
	*any = seen.n > 0;
	at = 0;
	while (r == 0 && map_next(&a->wanted, &at, &pid, &how)) {
		if (map_find(&seen, pid) || !runs_on((uint32_t)pid))
			continue;
		if (a->n_hidden == 0 || pid < a->hidden)
			a->hidden = (uint32_t)pid;
		a->n_hidden++;
	}
	map_fini(&seen);
	return r;
}

static const char *
hidden_text(const struct attach *a, char text[HIDDEN_TEXT_SIZE])
{
	char more[32] = "";

	if (a->n_hidden > 1)
		(void)snprintf(more, sizeof(more), " (and %u more)", a->n_hidden - 1);
	(void)snprintf(text, HIDDEN_TEXT_SIZE, "process %u%s is there, but the kernel leaves it out of its list of "
		       "tasks here: it cannot be traced", a->hidden, more);
	return text;
}

/* A number that --pid names may have gone since it was looked at. */
static int
somebody_is_there(struct attach *a)
{
	char text[HIDDEN_TEXT_SIZE];
	bool any;
	const int r = look_for_hidden(a, &any);

	if (r < 0 || any || a->options->targets->wait || scope_given(a->options->scope))
		return r;
	if (a->n_hidden > 0)
		return error_set(a->err, IOTAP_ENOTFOUND, "%s", hidden_text(a, text));
	return error_set(a->err, IOTAP_ENOTFOUND, "every target has exited");
}

static int
tell_hidden(struct attach *a)
{
	char text[HIDDEN_TEXT_SIZE];
	const struct rec_notice notice = {.time_ns = answers_boot_ns(), .level = NOTICE_WARNING,
					  .text = rec_str(hidden_text(a, text))};

	return a->n_hidden == 0 ? 0 : record_put(a->records, REC_notice, &notice, a->err);
}

int
attach_mark(struct attach *a, struct kernel *k, const struct attach_options *options,
	    struct iotap_error *err)
{
	struct buf chosen;
	int r;

	*a = (struct attach){.kernel = k, .options = options, .err = err};
	buf_init(&a->tasks, 0);
	buf_init(&chosen, 0);
	map_init(&a->wanted, hash_seed(), 0);
	r = choose(&a->exclusion, options, &chosen, err);
	if (r == 0) {
		filter_exclusion(a);
		r = want_chosen(a, &chosen);
	}
	buf_free(&chosen);
	if (r == 0)
		r = mark_all(a);
	return r == 0 ? somebody_is_there(a) : r;
}

static int
process_records(struct attach *a)
{
	const struct attach_options *const o = a->options;
	int r = 0;

	for (size_t at = 0; r == 0 && at < a->tasks.len; at += sizeof(struct kr_task_seen)) {
		const struct kr_task_seen t = task_at(a, at);
		const uint64_t *const how = map_find(&a->wanted, t.tgid);

		if (how)
			r = answers_process(&t, (enum answers_how)(*how & 0xff),
					    (unsigned int)(*how >> 8), o->all_arguments,
					    t.tgid == o->command ? o->command_name : NULL,
					    a->records, a->err);
	}
	return r;
}

static int
open_file(void *arg, const void *record)
{
	struct attach *const a = arg;
	struct kr_open_fd f;
	struct rec_open_fd rec;

	memcpy(&f, record, sizeof(f));
	rec = (struct rec_open_fd){.time_ns = f.time_ns, .pid = f.tgid, .fd = (uint32_t)f.fd,
				   .id = f.id};
	return record_put(&a->open_fds, REC_open_fd, &rec, a->err);
}

static int
mapping(void *arg, const void *record)
{
	struct attach *const a = arg;
	struct kr_open_fd f;

	memcpy(&f, record, sizeof(f));
	a->n_nameless += f.id == 0;
	return 0;
}

static int
tell_nameless(struct attach *a)
{
	struct rec_notice notice = {.time_ns = answers_boot_ns(), .level = NOTICE_WARNING};
	char text[NAMELESS_TEXT_SIZE], mappings[UNITS_SIZE];

	if (a->n_nameless == 0)
		return 0;
	(void)snprintf(text, sizeof(text), "more mappings from before tracing than get a name: the files of %s are "
		       "known by device and inode alone", units_count(mappings, a->n_nameless, "mapping"));
	notice.text = rec_str(text);
	return record_put(a->records, REC_notice, &notice, a->err);
}

static int
pump_once(void *arg)
{
	struct attach *const a = arg;

	return a->pump(a->pump_arg);
}

/* Definitions of open files went through the rings. They are taken out before the records that use
 * them are written: a round leaves the last few microseconds for the next one. */
static int
put_open_fds(struct attach *a)
{
	const struct timespec a_moment = {.tv_nsec = 50000};
	int r;

	(void)nanosleep(&a_moment, NULL);
	r = pump_once(a);
	if (r == 0 && !buf_move(a->records, &a->open_fds))
		r = no_memory(a->err);
	buf_free(&a->open_fds);		/* of a million open files 12 MB */
	return r;
}

static int
start_tracing(struct attach *a, struct map *live)
{
	for (size_t at = 0; at < a->tasks.len; at += sizeof(struct kr_task_seen)) {
		const struct kr_task_seen t = task_at(a, at);

		if (map_find(&a->wanted, t.tgid) && kernel_start_tracing(a->kernel, t.tgid) &&
		    !map_put(live, t.tgid, 1))
			return no_memory(a->err);
	}
	return 0;
}

int
attach_begin(struct attach *a, struct buf *records, struct map *live, kernel_between *pump,
	     void *arg, struct iotap_error *err)
{
	int r;

	a->records = records;
	a->pump = pump;
	a->pump_arg = arg;
	a->err = err;
	r = process_records(a);
	if (r == 0)
		r = tell_hidden(a);
	if (r == 0)
		r = kernel_open_files(a->kernel, open_file, pump_once, a, err);
	if (r == 0)
		r = kernel_mappings(a->kernel, mapping, pump_once, a, err);
	if (r == 0)
		r = tell_nameless(a);
	if (r == 0)
		r = start_tracing(a, live);
	return r == 0 ? put_open_fds(a) : r;
}

void
attach_fini(struct attach *a)
{
	map_fini(&a->wanted);
	buf_free(&a->tasks);
	buf_free(&a->open_fds);
	exclusion_free(&a->exclusion);
}
