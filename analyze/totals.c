/* totals.c - the sums that reports are made from, kept while loading
 *
 * A call is added to the sums of its process and target, of its call and of its second. The sums per
 * target and per process come from the first of these when it is written out.
 */
#include "analyze/totals.h"

#include <stdlib.h>

#include "analyze/db.h"
#include "analyze/sums.h"
#include "formats/calls.h"
#include "formats/iotap.h"

#define SECOND_NS UINT64_C(1000000000)
#define LAST_ERRNO 4095		/* MAX_ERRNO, linux/err.h */

struct slow {
	int64_t number;
	uint64_t duration_ns;
};

/* In the order in which they are written at the end: the first one adds to the two after it. */
enum { BY_PROCESS_TARGET, BY_TARGET, BY_PROCESS, BY_CALL, BY_SECOND, BY_ERROR, BY_N };

/* In place of a class: the second descriptor of a call, whose bytes its process has had already. */
#define SOURCE INT64_C(-1)

/* Entries until a table is written. IOTAP_SMALL: fuzzers get there, and need no megabytes for it. */
#ifdef IOTAP_SMALL
#define ENTRIES(log2) (1u << (log2) / 3)
#else
#define ENTRIES(log2) (1u << (log2))
#endif

static const struct sums_spec specs[] = {
	[BY_TARGET] = {"total_by_target", "target", 1, -1, SUMS_ALL, ENTRIES(17)},
	[BY_PROCESS] = {"total_by_process", "process, class", 2, 1, SUMS_ALL, ENTRIES(14)},
	/* The key in memory has the class as well, since TARGET_FURTHER is of all classes; or SOURCE. */
	[BY_PROCESS_TARGET] = {
		"total_by_process_target", "process, target", 2, -1,
		SUMS_BIT(reads) | SUMS_BIT(read_bytes) | SUMS_BIT(writes) | SUMS_BIT(written_bytes) |
		SUMS_BIT(errors) | SUMS_BIT(ops) | SUMS_BIT(latency_ns), ENTRIES(17),
	},
	[BY_CALL] = {"total_by_call", "recording, call", 2, -1, SUMS_ALL, ENTRIES(10)},
	[BY_SECOND] = {"total_by_second", "recording, second, class", 3, 2, SUMS_ALL, ENTRIES(12)},
	[BY_ERROR] = {
		"total_by_error", "recording, call, err, target", 4, -1,
		SUMS_BIT(errors) | SUMS_BIT(first_ns) | SUMS_BIT(last_ns), ENTRIES(16),
	},
};

struct totals {
	sqlite3 *db;
	struct iotap_error *err;
	int64_t recording;
	struct sums_table by[BY_N];
	sqlite3_stmt *add_slow;
	struct slow slow[2 * TOTALS_SLOWEST];
	size_t n_slow;
	uint64_t slow_enough_ns;
};

#define KEY(...) ((const int64_t[SUMS_KEYS]){__VA_ARGS__})

/* What one process did with one target, to the sums of both. */
static int
roll_up(void *arg, const struct sums_entry *e)
{
	struct totals *const t = arg;
	struct sums *const target = sums_table_get(&t->by[BY_TARGET], KEY(e->key[1]));
	struct sums *process;

	if (!target)
		return t->err->code;
	sums_merge(target, &e->sums);
	if (e->key[2] == SOURCE)
		return 0;
	process = sums_table_get(&t->by[BY_PROCESS], KEY(e->key[0], e->key[2]));
	if (!process)
		return t->err->code;
	sums_merge(process, &e->sums);
	return 0;
}

int
totals_new(struct totals **out, sqlite3 *db, int64_t recording, struct iotap_error *err)
{
	struct totals *const t = calloc(1, sizeof(*t));
	int r = 0;

	*out = t;
	if (!t)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	t->db = db;
	t->err = err;
	t->recording = recording;
	for (size_t i = 0; r == 0 && i < BY_N; i++)
		r = sums_table_init(&t->by[i], db, &specs[i], err);
	t->by[BY_PROCESS_TARGET].leaving = roll_up;
	t->by[BY_PROCESS_TARGET].leaving_arg = t;
	if (r == 0)
		r = db_prepare(db, "INSERT INTO slowest VALUES (?1, ?2, ?3)", &t->add_slow, err);
	return r;
}

void
totals_free(struct totals *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < BY_N; i++)
		sums_table_fini(&t->by[i]);
	(void)sqlite3_finalize(t->add_slow);
	free(t);
}

/* -- sums -- */

static void
sums_time(struct sums *s, const struct totals_call *c)
{
	if (c->time_ns < s->first_ns)
		s->first_ns = c->time_ns;
	if (c->time_ns > s->last_ns)
		s->last_ns = c->time_ns;
}

static void
sums_latency(struct sums *s, uint64_t duration_ns)
{
	if (duration_ns == IOTAP_UNKNOWN)
		return;
	s->latency_ns += duration_ns;
	if (duration_ns > s->max_latency_ns)
		s->max_latency_ns = duration_ns;
}

/* What one call adds, the same for everything it is summed by. */
struct amount {
	const struct totals_call *call;
	uint64_t bytes;
	unsigned int dir;
	bool failed, is_messages;
};

static void
sums_add(struct sums *s, const struct amount *a)
{
	const uint64_t bytes = a->bytes == IOTAP_UNKNOWN ? 0 : a->bytes;

	sums_time(s, a->call);
	if (a->dir == DIR_NONE) {
		s->ops++;
		s->op_errors += a->failed;
		return;
	}
	if (a->dir == DIR_READ) {
		s->reads++;
		s->read_bytes += bytes;
	} else {
		s->writes++;
		s->written_bytes += bytes;
	}
	s->errors += a->failed;
	s->small += a->bytes < TOTALS_SMALL_BYTES;
	if (!a->failed && a->is_messages)
		s->messages += (uint64_t)a->call->result;
	s->unsized += !a->failed && !a->is_messages && a->bytes == IOTAP_UNKNOWN;
	sums_latency(s, a->call->duration_ns);
}

static int
table_add(struct totals *t, unsigned int which, const int64_t key[SUMS_KEYS], const struct amount *a)
{
	struct sums *const s = sums_table_get(&t->by[which], key);

	if (!s)
		return t->err->code;
	sums_add(s, a);
	if (which == BY_CALL && a->dir == DIR_NONE)
		sums_latency(s, a->call->duration_ns);
	return 0;
}

static int
error_add(struct totals *t, const struct totals_call *c, bool failed)
{
	struct sums *s;

	if (!failed || c->result >= 0 || c->result < -LAST_ERRNO)
		return 0;
	s = sums_table_get(&t->by[BY_ERROR], KEY(t->recording, c->call, -c->result, c->target.sums));
	if (!s)
		return t->err->code;
	s->errors++;
	sums_time(s, c);
	return 0;
}

/* -- the slowest -- */

static int
slow_compare(const void *a, const void *b)
{
	const struct slow *const x = a;
	const struct slow *const y = b;

	if (x->duration_ns != y->duration_ns)
		return x->duration_ns > y->duration_ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Sorted, the faster half goes when the array is full; afterwards only what beats the rest comes in. */
static void
slow_cut(struct totals *t)
{
	qsort(t->slow, t->n_slow, sizeof(t->slow[0]), slow_compare);
	if (t->n_slow > TOTALS_SLOWEST)
		t->n_slow = TOTALS_SLOWEST;
	if (t->n_slow == TOTALS_SLOWEST)
		t->slow_enough_ns = t->slow[TOTALS_SLOWEST - 1].duration_ns;
}

static void
slow_add(struct totals *t, const struct totals_call *c)
{
	if (c->duration_ns == IOTAP_UNKNOWN || c->duration_ns <= t->slow_enough_ns)
		return;
	if (t->n_slow == 2 * TOTALS_SLOWEST)
		slow_cut(t);
	t->slow[t->n_slow++] = (struct slow){.number = c->number, .duration_ns = c->duration_ns};
}

static int
slow_write(struct totals *t)
{
	int r = 0;

	slow_cut(t);
	for (size_t i = 0; r == 0 && i < t->n_slow; i++) {
		(void)sqlite3_bind_int64(t->add_slow, 1, t->slow[i].number);
		(void)sqlite3_bind_int64(t->add_slow, 2, t->recording);
		(void)sqlite3_bind_int64(t->add_slow, 3, db_i64(t->slow[i].duration_ns));
		r = db_run(t->add_slow, t->err);
	}
	return r;
}

/* -- a call -- */

int
totals_add(struct totals *t, const struct totals_call *c)
{
	const struct call_spec *const spec = call_spec(c->call);
	const int64_t second = (int64_t)(c->time_ns / SECOND_NS);
	struct amount a = {
		.call = c, .bytes = c->bytes, .dir = spec->dir,
		.failed = iotap_call_failed(c->call, c->flags, c->result),
		.is_messages = spec->ret == RET_MESSAGES && !(c->flags & IOTAP_F_PHANTOM),
	};
	int r = table_add(t, BY_PROCESS_TARGET, KEY(c->process, c->target.sums, c->target.klass), &a);

	if (r == 0)
		r = table_add(t, BY_CALL, KEY(t->recording, c->call), &a);
	if (r == 0)
		r = table_add(t, BY_SECOND, KEY(t->recording, second, c->target.klass), &a);
	if (r == 0)
		r = error_add(t, c, a.failed);
	slow_add(t, c);
	if (r == 0 && c->has_source && a.dir != DIR_NONE && call_second(c->call) == SECOND_SOURCE) {
		a.dir = DIR_READ;
		r = table_add(t, BY_PROCESS_TARGET, KEY(c->process, c->source.sums, SOURCE), &a);
	}
	return r;
}

/* -- a sum -- */

static struct sums
sum_of(const struct totals_sum *a)
{
	const unsigned int dir = a->is_source ? DIR_READ : call_spec(a->call)->dir;
	struct sums s = {.first_ns = a->first_ns, .last_ns = a->last_ns, .latency_ns = a->latency_ns};

	if (dir == DIR_NONE) {
		s.ops = a->calls;
		s.op_errors = a->errors;
		s.latency_ns = 0;
		return s;
	}
	*(dir == DIR_READ ? &s.reads : &s.writes) = a->calls;
	*(dir == DIR_READ ? &s.read_bytes : &s.written_bytes) = a->bytes;
	s.errors = a->errors;
	s.messages = a->messages;
	s.unsized = a->unsized;
	return s;
}

static int
table_merge(struct totals *t, unsigned int which, const int64_t key[SUMS_KEYS], const struct sums *add)
{
	struct sums *const s = sums_table_get(&t->by[which], key);

	if (!s)
		return t->err->code;
	sums_merge(s, add);
	return 0;
}

int
totals_add_sum(struct totals *t, const struct totals_sum *a)
{
	const int64_t klass = a->is_source ? SOURCE : (int64_t)a->target.klass;
	struct sums s = sum_of(a);
	int r = table_merge(t, BY_PROCESS_TARGET, KEY(a->process, a->target.sums, klass), &s);

	if (a->is_source)
		return r;
	if (r == 0)
		r = table_merge(t, BY_SECOND,
				KEY(t->recording, (int64_t)(a->last_ns / SECOND_NS), a->target.klass), &s);
	s.latency_ns = a->latency_ns;	/* by call: of ops, too */
	if (r == 0)
		r = table_merge(t, BY_CALL, KEY(t->recording, a->call), &s);
	return r;
}

int
totals_finish(struct totals *t)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < BY_N; i++)
		r = sums_table_flush(&t->by[i]);
	return r == 0 ? slow_write(t) : r;
}
