/* page_facts.c - what the page shows and the summary does not keep */
#include "report/page_facts.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/hash.h"

#define FIRST_BUCKET_NS 1000000u
#define SUB_BITS 4		/* 16 latency classes for each power of two */

struct facts *
facts_new(void)
{
	struct facts *const f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->bucket_ns = FIRST_BUCKET_NS;
	map_init(&f->failure_at, hash_seed(), FACTS_FAILURES_MAX);
	map_init(&f->process_at, hash_seed(), FACTS_PROCESSES_MAX);
	buf_init(&f->failures, FACTS_FAILURES_MAX * sizeof(struct facts_failure));
	buf_init(&f->processes, FACTS_PROCESSES_MAX * sizeof(struct facts_process));
	buf_init(&f->arguments, FACTS_ARGUMENTS_ALL);
	return f;
}

void
facts_free(struct facts *f)
{
	if (!f)
		return;
	map_fini(&f->failure_at);
	map_fini(&f->process_at);
	buf_free(&f->failures);
	buf_free(&f->processes);
	buf_free(&f->arguments);
	free(f);
}

static size_t
keep_name(char *to, size_t size, const char *from, size_t n)
{
	const size_t kept = !from ? 0 : n < size ? n : size;

	if (kept > 0)
		memcpy(to, from, kept);
	return kept;
}

static enum facts_group
group_of(enum iotap_dir dir, enum iotap_class klass)
{
	static const enum facts_group groups[][2] = {
		[IOTAP_CLASS_FILE] = {FACTS_FILE_READ, FACTS_FILE_WRITE},
		[IOTAP_CLASS_NETWORK] = {FACTS_NET_READ, FACTS_NET_WRITE},
		[IOTAP_CLASS_OTHER] = {FACTS_REST_READ, FACTS_REST_WRITE},
	};

	return dir == IOTAP_DIR_NONE ? FACTS_OP : groups[klass][dir == IOTAP_DIR_WRITE];
}

/* -- time -- */

/* Two steps become one. */
static void
widen(struct facts *f)
{
	for (size_t i = 0; i < FACTS_BUCKETS / 2; i++) {
		struct facts_bucket sum = f->buckets[2 * i];
		const struct facts_bucket *const next = &f->buckets[2 * i + 1];

		for (size_t g = 0; g < N_FACTS_GROUPS; g++) {
			sum.bytes[g] += next->bytes[g];
			sum.calls[g] += next->calls[g];
		}
		sum.failed += next->failed;
		f->buckets[i] = sum;
	}
	memset(f->buckets + FACTS_BUCKETS / 2, 0, sizeof(f->buckets) / 2);
	f->n_buckets = (f->n_buckets + 1) / 2;
	f->bucket_ns *= 2;
}

static struct facts_bucket *
bucket_at(struct facts *f, uint64_t boot_ns)
{
	const uint64_t since = boot_ns > f->begin_ns ? boot_ns - f->begin_ns : 0;
	size_t i;

	while (since / f->bucket_ns >= FACTS_BUCKETS && f->bucket_ns <= UINT64_MAX / 2)
		widen(f);
	i = (size_t)(since / f->bucket_ns);
	if (i >= FACTS_BUCKETS)
		i = FACTS_BUCKETS - 1;
	if (i >= f->n_buckets)
		f->n_buckets = i + 1;
	return &f->buckets[i];
}

/* -- latency -- */

static size_t
class_of(uint64_t ns)
{
	unsigned int top;

	if (ns < 1u << SUB_BITS)
		return (size_t)ns;
	top = 63u - (unsigned int)__builtin_clzll(ns);
	return ((size_t)(top - SUB_BITS + 1) << SUB_BITS) + (size_t)((ns >> (top - SUB_BITS)) & 15);
}

uint64_t
facts_class_begin(size_t i)
{
	if (i < 1u << SUB_BITS)
		return i;
	if (i >= FACTS_LATENCY_CLASSES)
		return UINT64_MAX;
	return (UINT64_C(16) + (i & 15)) << ((i >> SUB_BITS) - 1);
}

uint64_t
facts_quantile(const struct facts_latency *l, double share)
{
	const double wanted = share * (double)l->n;
	uint64_t seen = 0;

	for (size_t i = 0; i < FACTS_LATENCY_CLASSES; i++) {
		seen += l->classes[i];
		if (seen > 0 && (double)seen >= wanted) {
			const uint64_t end = facts_class_begin(i + 1) - 1;

			return end < l->max_ns ? end : l->max_ns;
		}
	}
	return 0;
}

static void
add_latency(struct facts_latency *l, uint64_t ns)
{
	l->n++;
	l->sum_ns += ns;
	if (ns > l->max_ns)
		l->max_ns = ns;
	l->classes[class_of(ns)]++;
}

/* -- the slowest: a heap with the fastest of them on top -- */

static void
sink(struct facts *f, size_t at)
{
	for (;;) {
		size_t least = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < f->n_slowest; child++)
			if (f->slowest[child].duration_ns < f->slowest[least].duration_ns)
				least = child;
		if (least == at)
			return;

		const struct facts_slow moved = f->slowest[at];

		f->slowest[at] = f->slowest[least];
		f->slowest[least] = moved;
		at = least;
	}
}

static void
keep_slow(struct facts *f, const struct iotap_event *e)
{
	const bool full = f->n_slowest == FACTS_SLOWEST;
	struct facts_slow *const s = full ? &f->slowest[0] : &f->slowest[f->n_slowest];

	if (full && e->duration_ns <= s->duration_ns)
		return;
	*s = (struct facts_slow){
		.duration_ns = e->duration_ns, .time_ns = e->time_ns, .number = e->number,
		.bytes = e->bytes, .pid = e->pid, .tid = e->tid, .err = e->err, .call = e->call,
	};
	s->name_len = keep_name(s->name, sizeof(s->name), e->target->text, e->target->text_len);
	if (!full && ++f->n_slowest < FACTS_SLOWEST)
		return;
	for (size_t i = full ? 1 : FACTS_SLOWEST / 2; i-- > 0;)
		sink(f, i);
}

/* -- tables -- */

/* The row of key, a new one of zeroes if need be. NULL: refused, counted in *refused, or no memory. */
static void *
row_of(struct facts *f, struct map *at, struct buf *rows, size_t row_bytes, uint64_t key, bool *fresh,
       uint64_t *refused)
{
	const uint64_t *const known = map_find(at, key);
	void *row;

	*fresh = false;
	if (known)
		return rows->data + *known;
	if (at->n >= at->limit) {
		++*refused;
		return NULL;
	}
	row = buf_extend(rows, row_bytes);
	if (!row || !map_put(at, key, rows->len - row_bytes)) {
		f->failed = true;
		return NULL;
	}
	memset(row, 0, row_bytes);
	*fresh = true;
	return row;
}

static void
add_failure(struct facts *f, const struct iotap_event *e)
{
	const uint64_t key = (uint64_t)e->call << 32 | (uint32_t)e->err;
	bool fresh;
	struct facts_failure *const row = row_of(f, &f->failure_at, &f->failures, sizeof(*row), key, &fresh,
						 &f->failures_refused);

	if (!row)
		return;
	if (fresh) {
		row->call = e->call;
		row->err = e->err;
		row->name_len = keep_name(row->name, sizeof(row->name), e->target->text, e->target->text_len);
	}
	row->n++;
}

/* They change when it runs another program; where the new ones are no longer, in the place of the old. */
static void
keep_arguments(struct facts *f, struct facts_process *row, const struct iotap_process *p)
{
	const size_t n = !p->arguments ? 0 : p->arguments_len < FACTS_ARGUMENTS_KEPT ? p->arguments_len
										  : FACTS_ARGUMENTS_KEPT;
	unsigned char *at = NULL;

	if (row->arguments_len > 0)
		at = f->arguments.data + row->arguments_at;
	if (n == row->arguments_len && (n == 0 || memcmp(at, p->arguments, n) == 0))
		return;
	if (n > row->arguments_len) {
		row->arguments_len = 0;
		if (n > FACTS_ARGUMENTS_ALL - f->arguments.len) {
			f->arguments_refused = true;
			return;
		}
		row->arguments_at = f->arguments.len;
		at = buf_extend(&f->arguments, n);
		if (!at) {
			f->failed = true;
			return;
		}
	}
	row->arguments_len = n;
	if (n > 0)
		memcpy(at, p->arguments, n);
}

/* p NULL: nobody known. */
static struct facts_process *
process_row(struct facts *f, const struct iotap_process *p)
{
	bool fresh;
	struct facts_process *const row = row_of(f, &f->process_at, &f->processes, sizeof(*row), p ? p->id : 0,
						 &fresh, &f->processes_refused);

	if (!row || !p)
		return row;
	if (fresh)
		row->pid = p->pid;
	/* Names come late, and change. */
	row->name_len = keep_name(row->name, sizeof(row->name), p->name, p->name_len);
	row->exe_len = keep_name(row->exe, sizeof(row->exe), p->exe, p->exe_len);
	keep_arguments(f, row, p);
	return row;
}

bool
facts_event(struct facts *f, const struct iotap_event *e)
{
	const enum facts_group group = group_of(e->dir, e->klass);
	const uint64_t bytes = e->bytes == IOTAP_UNKNOWN ? 0 : e->bytes;
	struct facts_bucket *const bucket = bucket_at(f, e->boot_ns);
	struct facts_process *const process = process_row(f, e->process);

	bucket->bytes[group] += bytes;
	bucket->calls[group]++;
	bucket->failed += e->failed != 0;
	if (e->duration_ns != IOTAP_UNKNOWN) {
		add_latency(&f->latency[group], e->duration_ns);
		keep_slow(f, e);
	}
	if (e->failed)
		add_failure(f, e);
	if (process) {
		process->bytes[group] += bytes;
		process->calls++;
		process->failed += e->failed != 0;
		process->latency_ns += e->duration_ns == IOTAP_UNKNOWN ? 0 : e->duration_ns;
	}
	return !f->failed;
}

bool
facts_batch(struct facts *f, const iotap_t *h, const struct iotap_batch *batch)
{
	for (uint32_t i = 0; i < batch->n; i++) {
		struct iotap_event event = {.size = sizeof(event)};

		if (batch->flags[i] & IOTAP_F_UNFINISHED)
			continue;
		iotap_batch_event(h, batch, i, &event);
		if (!facts_event(f, &event))
			return false;
	}
	return !f->failed;
}

bool
facts_aggregate(struct facts *f, const struct iotap_aggregate *a)
{
	const enum facts_group group = group_of(a->is_source ? IOTAP_DIR_READ : iotap_call_dir(a->call),
						a->target->klass);
	struct facts_process *const process = process_row(f, a->process);

	if (process) {
		process->bytes[group] += a->bytes;
		if (!a->is_source) {
			process->calls += a->calls;
			process->failed += a->errors;
			process->latency_ns += a->latency_ns;
		}
	}
	return !f->failed;
}

/* -- the end -- */

static int
slowest_first(const void *pa, const void *pb)
{
	const struct facts_slow *const a = pa;
	const struct facts_slow *const b = pb;

	if (a->duration_ns != b->duration_ns)
		return a->duration_ns < b->duration_ns ? 1 : -1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static int
most_failures_first(const void *pa, const void *pb)
{
	const struct facts_failure *const a = pa;
	const struct facts_failure *const b = pb;

	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	return a->call != b->call ? (int)a->call - (int)b->call : (a->err > b->err) - (a->err < b->err);
}

static int
most_calls_first(const void *pa, const void *pb)
{
	const struct facts_process *const a = pa;
	const struct facts_process *const b = pb;

	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

void
facts_finish(struct facts *f)
{
	qsort(f->slowest, f->n_slowest, sizeof(f->slowest[0]), slowest_first);
	if (f->failures.len > 0)
		qsort(f->failures.data, f->failures.len / sizeof(struct facts_failure),
		      sizeof(struct facts_failure), most_failures_first);
	if (f->processes.len > 0)
		qsort(f->processes.data, f->processes.len / sizeof(struct facts_process),
		      sizeof(struct facts_process), most_calls_first);
}
