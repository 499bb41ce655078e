/* targets.c - which processes the user means
 *
 * A name is compared with the three names a process has: the kernel's (comm, 15 bytes), its
 * executable's and argv[0]'s file name. ASCII letters match in either case; nothing else is folded, as
 * names are bytes. The kernel half compares the same way at exec (kernel_name_hash).
 */
#include "capture/targets.h"

#include <stdlib.h>
#include <string.h>

#include "capture/procfs.h"
#include "formats/base/quantity.h"

enum { NEAR_SHOWN = 5, NEAR_SHORTEST = 3, NAME_SHOWN = 40 };

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool
same_name(struct name_bytes a, const char *name, size_t n)
{
	if (a.n != n || n == 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (lower(a.p[i]) != lower(name[i]))
			return false;
	}
	return true;
}

static bool
has_part(struct name_bytes a, const char *part, size_t n)
{
	for (size_t at = 0; n > 0 && at + n <= a.n; at++) {
		if (same_name((struct name_bytes){a.p + at, n}, part, n))
			return true;
	}
	return false;
}

static struct name_bytes
base_name(struct name_bytes path)
{
	const size_t at = procfs_base(path.p, path.n);

	return (struct name_bytes){path.p + at, path.n - at};
}

unsigned int
names_match(const char *const *names, size_t n_names, struct name_bytes comm, struct name_bytes exe,
	    struct name_bytes arg0)
{
	const struct name_bytes all[] = {comm, base_name(exe), base_name(arg0)};

	for (unsigned int which = 0; which < 3; which++) {
		for (size_t i = 0; i < n_names; i++) {
			if (same_name(all[which], names[i], strlen(names[i])))
				return which + 1;
		}
	}
	return 0;
}

/* The table. */

void
processes_free(struct processes *p)
{
	free(p->rows);
	buf_free(&p->text);
	*p = (struct processes){0};
}

static struct name_bytes
span_bytes(const struct processes *p, struct span s)
{
	return (struct name_bytes){s.n > 0 ? (const char *)p->text.data + s.at : "", s.n};
}

static struct span
text_add(struct processes *p, struct name_bytes name)
{
	const struct span s = {(uint32_t)p->text.len, (uint32_t)name.n};

	(void)buf_put(&p->text, name.p, name.n);
	return s;
}

bool
processes_add(struct processes *p, const struct process *row, const char *comm, const char *exe,
	      size_t exe_len, const char *arg0, size_t arg0_len)
{
	struct process made = *row;

	if (p->n == p->cap) {
		const size_t cap = p->cap > 0 ? 2 * p->cap : 256;
		struct process *const grown = realloc(p->rows, cap * sizeof(*grown));

		if (!grown)
			return false;
		p->rows = grown;
		p->cap = cap;
	}
	made.comm = text_add(p, (struct name_bytes){comm, strlen(comm)});
	made.exe = text_add(p, base_name((struct name_bytes){exe, exe_len}));
	made.arg0 = text_add(p, base_name((struct name_bytes){arg0, arg0_len}));
	p->rows[p->n++] = made;
	return buf_ok(&p->text);
}

static bool
read_one(struct processes *p, uint32_t pid, bool names)
{
	enum { KERNEL_THREAD = 0x00200000 };	/* PF_KTHREAD, linux/sched.h */
	struct procfs_stat stat;
	struct buf exe, arg0;
	bool ok;

	if (!procfs_stat(pid, &stat))
		return true;	/* gone */
	buf_init(&exe, 0);
	buf_init(&arg0, 0);
	if (names) {
		(void)procfs_link(pid, "exe", &exe);
		(void)procfs_arg0(pid, &arg0);
	}
	ok = processes_add(p,
			   &(struct process){.pid = pid, .parent = stat.parent,
					     .group = stat.group,
					     .ending = procfs_is_ending(&stat),
					     .kernel = (stat.flags & KERNEL_THREAD) != 0},
			   stat.comm, (const char *)exe.data,
			   procfs_name_len((const char *)exe.data, exe.len),
			   (const char *)arg0.data, arg0.len);
	buf_free(&arg0);
	buf_free(&exe);
	return ok;
}

int
processes_read(struct processes *p, bool names, struct iotap_error *err)
{
	struct buf pids;
	bool ok = true;

	*p = (struct processes){0};
	buf_init(&pids, 0);
	if (!procfs_list(&pids)) {
		buf_free(&pids);
		return error_set(err, IOTAP_ESYSTEM, "cannot read /proc");
	}
	for (size_t at = 0; ok && at < pids.len; at += sizeof(uint32_t)) {
		uint32_t pid;

		memcpy(&pid, pids.data + at, sizeof(pid));
		ok = read_one(p, pid, names);
	}
	buf_free(&pids);
	return ok ? 0 : error_set(err, IOTAP_ENOMEM, "out of memory");
}

const struct process *
processes_find(const struct processes *p, uint32_t pid)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->rows[i].pid == pid)
			return &p->rows[i];
	}
	return NULL;
}

void
processes_ancestors(const struct processes *p, uint32_t pid, struct buf *out)
{
	const struct process *row = processes_find(p, pid);

	for (size_t steps = 0; row && row->parent != 0 && steps < p->n; steps++) {
		(void)buf_put(out, &row->parent, sizeof(row->parent));
		row = processes_find(p, row->parent);
	}
}

/* The command line. */

static bool
pid_from(const char *text, uint32_t *pid)
{
	uint64_t v;

	if (!quantity_u64(text, &v) || v == 0 || v > INT32_MAX)
		return false;
	*pid = (uint32_t)v;
	return true;
}

static int
add_number(uint32_t **list, size_t *n, uint32_t pid, struct iotap_error *err)
{
	uint32_t *grown;

	for (size_t i = 0; i < *n; i++) {
		if ((*list)[i] == pid)
			return 0;
	}
	grown = realloc(*list, (*n + 1) * sizeof(*grown));
	if (!grown)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	*list = grown;
	grown[(*n)++] = pid;
	return 0;
}

static int
add_text(const char ***list, size_t *n, const char *name, struct iotap_error *err)
{
	const char **grown;

	if (name[0] == '\0')
		return error_set(err, IOTAP_EUSAGE, "a target without a name");
	for (size_t i = 0; i < *n; i++) {
		if (same_name((struct name_bytes){name, strlen(name)}, (*list)[i],
			      strlen((*list)[i])))
			return 0;
	}
	grown = realloc(*list, (*n + 1) * sizeof(*grown));
	if (!grown)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	*list = grown;
	grown[(*n)++] = name;
	return 0;
}

int
targets_add(struct targets *t, const char *text, bool numeric_names, struct iotap_error *err)
{
	uint32_t pid;

	if (!numeric_names && pid_from(text, &pid))
		return add_number(&t->pids, &t->n_pids, pid, err);
	return targets_add_name(t, text, err);
}

int
targets_add_pid(struct targets *t, const char *text, struct iotap_error *err)
{
	uint32_t pid;

	if (!pid_from(text, &pid))
		return error_set(err, IOTAP_EUSAGE, "\"%s\" is no process ID", text);
	return add_number(&t->pids, &t->n_pids, pid, err);
}

int
targets_add_name(struct targets *t, const char *text, struct iotap_error *err)
{
	return add_text(&t->names, &t->n_names, text, err);
}

int
targets_exclude(struct targets *t, const char *text, struct iotap_error *err)
{
	uint32_t pid;

	if (pid_from(text, &pid))
		return add_number(&t->excluded_pids, &t->n_excluded_pids, pid, err);
	return add_text(&t->excluded_names, &t->n_excluded_names, text, err);
}

void
targets_free(struct targets *t)
{
	free(t->pids);
	free(t->names);
	free(t->excluded_pids);
	free(t->excluded_names);
	*t = (struct targets){0};
}

/* Which of names a row has, as names_match. */
static unsigned int
row_match(const struct processes *p, const struct process *row, const char *const *names, size_t n)
{
	return names_match(names, n, span_bytes(p, row->comm), span_bytes(p, row->exe),
			   span_bytes(p, row->arg0));
}

bool
targets_excludes_pid(const struct targets *t, uint32_t pid)
{
	for (size_t i = 0; i < t->n_excluded_pids; i++) {
		if (t->excluded_pids[i] == pid)
			return true;
	}
	return false;
}

bool
targets_excludes(const struct targets *t, const struct processes *p, const struct process *row)
{
	return targets_excludes_pid(t, row->pid) ||
	       row_match(p, row, t->excluded_names, t->n_excluded_names) != 0;
}

/* Names that have the wanted one as a part, or differ from it by one typing error. */

/* One character too many, too few, another one, or two neighbours exchanged. */
static bool
one_error(struct name_bytes a, const char *b, size_t n)
{
	size_t front = 0, back = 0;

	while (front < a.n && front < n && lower(a.p[front]) == lower(b[front]))
		front++;
	while (back < a.n - front && back < n - front &&
	       lower(a.p[a.n - back - 1]) == lower(b[n - back - 1]))
		back++;
	if (a.n - front - back <= 1 && n - front - back <= 1)
		return true;
	return a.n == n && a.n - front - back == 2 && lower(a.p[front]) == lower(b[front + 1]) &&
	       lower(a.p[front + 1]) == lower(b[front]);
}

static bool
is_near(struct name_bytes name, const char *wanted)
{
	const size_t n = strlen(wanted);

	return has_part(name, wanted, n) ||
	       (n >= NEAR_SHORTEST && name.n > 0 && one_error(name, wanted, n));
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
near_add(char **list, size_t *n, struct name_bytes name)
{
	char *const copy = strndup(name.p, name.n < NAME_SHOWN ? name.n : NAME_SHOWN);

	for (size_t i = 0; copy && i < *n; i++) {
		if (strcmp(list[i], copy) == 0) {
			free(copy);
			return;
		}
	}
	if (copy)
		list[(*n)++] = copy;
}

static void
near_text(char **list, size_t n, struct buf *out)
{
	qsort(list, n, sizeof(*list), compare_names);
	for (size_t i = 0; i < n && i < NEAR_SHOWN; i++)
		(void)buf_printf(out, "%s%s", i == 0 ? "; similar: " : ", ", list[i]);
	if (n > NEAR_SHOWN)
		(void)buf_printf(out, " and %zu more", n - NEAR_SHOWN);
}

static int
not_found(const struct processes *p, const char *wanted, struct iotap_error *err)
{
	enum { NEAR_MAX = 1000 };
	char **const list = calloc(NEAR_MAX, sizeof(*list));
	struct buf near;
	size_t n = 0;
	int r;

	buf_init(&near, 0);
	for (size_t i = 0; list && i < p->n; i++) {
		const struct process *const row = &p->rows[i];

		/* The kernel's name is cut: the others first, and one name a process. */
		const struct span names[] = {row->exe, row->arg0, row->comm};

		for (size_t k = 0; k < 3 && n < NEAR_MAX && !row->kernel && !row->ending; k++) {
			if (is_near(span_bytes(p, names[k]), wanted)) {
				near_add(list, &n, span_bytes(p, names[k]));
				break;
			}
		}
	}
	if (list)
		near_text(list, n, &near);
	r = error_set(err, IOTAP_ENOTFOUND, "no process is named \"%s\"%s; --wait waits for one, "
					    "-- before a command starts it", wanted, buf_cstr(&near));
	while (n > 0)
		free(list[--n]);
	free(list);
	buf_free(&near);
	return r;
}

static int
choose_pid(const struct processes *p, uint32_t pid, uint32_t self, struct buf *out,
	   struct iotap_error *err)
{
	const struct process *const row = processes_find(p, pid);
	struct procfs_status status;

	if (pid == self)
		return error_set(err, IOTAP_EUSAGE, "%u is iotap-capture itself", pid);
	if (!row && procfs_status(pid, &status) && status.tgid != pid)
		return error_set(err, IOTAP_ENOTFOUND, "%u is a thread of process %u: trace that",
				 pid, status.tgid);
	if (!row)
		return error_set(err, IOTAP_ENOTFOUND, "there is no process %u", pid);
	if (row->kernel)
		return error_set(err, IOTAP_ENOTFOUND, "%u is a kernel thread: it makes no calls",
				 pid);
	(void)buf_put(out, &(struct chosen){.pid = pid}, sizeof(struct chosen));
	return 0;
}

static bool
is_chosen(const struct buf *out, uint32_t pid)
{
	for (size_t at = 0; at < out->len; at += sizeof(struct chosen)) {
		struct chosen c;

		memcpy(&c, out->data + at, sizeof(c));
		if (c.pid == pid)
			return true;
	}
	return false;
}

/* Everything of one name; how many were left out, in *skipped. True when one was not. */
static bool
choose_name(const struct processes *p, const char *name, uint32_t self, targets_skip *skip,
	    void *arg, size_t *skipped, struct buf *out)
{
	bool found = false;

	*skipped = 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct process *const row = &p->rows[i];
		const unsigned int which = row_match(p, row, &name, 1);

		if (which == 0 || row->ending || row->kernel)
			continue;
		if (row->pid == self || (skip && skip(arg, row->pid))) {
			++*skipped;
			continue;
		}
		found = true;
		if (!is_chosen(out, row->pid))
			(void)buf_put(out,
				      &(struct chosen){.pid = row->pid, .by_name = true,
						       .name_from = which - 1},
				      sizeof(struct chosen));
	}
	return found;
}

int
targets_choose(const struct targets *t, const struct processes *p, uint32_t self,
	       targets_skip *skip, void *arg, struct buf *out, struct iotap_error *err)
{
	for (size_t i = 0; i < t->n_pids; i++) {
		const int r = choose_pid(p, t->pids[i], self, out, err);

		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < t->n_names; i++) {
		size_t skipped;

		if (choose_name(p, t->names[i], self, skip, arg, &skipped, out) || t->wait)
			continue;
		return skipped == 0 ? not_found(p, t->names[i], err)
				    : error_set(err, IOTAP_ENOTFOUND,
						"every process named \"%s\" is left out: "
						"iotap-capture runs under it, it reads the output, "
						"or --exclude names it", t->names[i]);
	}
	return buf_ok(out) ? 0 : error_set(err, IOTAP_ENOMEM, "out of memory");
}
