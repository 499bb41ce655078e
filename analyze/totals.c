/* totals.c - the sums that reports are made from, kept while loading */
#include "analyze/totals.h"

#include <stdlib.h>

#include "analyze/db.h"
#include "analyze/event_value.h"
#include "analyze/sums.h"
#include "formats/calls.h"
#include "formats/iotap.h"

#define SECOND_NS UINT64_C(1000000000)
#define LAST_ERRNO 4095		/* MAX_ERRNO, linux/err.h */

struct slow {
	int64_t number;
	uint64_t duration_ns;
};

enum { BY_TARGET, BY_PROCESS, BY_PROCESS_TARGET, BY_CALL, BY_SECOND, BY_N };

static const struct {
	const char *table, *keys;
	unsigned int n_keys;
	int class_key;
	size_t limit;
} tables[] = {
	[BY_TARGET] = {"total_by_target", "target", 1, -1, 1 << 17},
	[BY_PROCESS] = {"total_by_process", "process, class", 2, 1, 1 << 14},
	[BY_PROCESS_TARGET] = {"total_by_process_target", "process, target", 2, -1, 1 << 17},
	[BY_CALL] = {"total_by_call", "recording, call", 2, -1, 1 << 10},
	[BY_SECOND] = {"total_by_second", "recording, second, class", 3, 2, 1 << 12},
};

struct totals {
	sqlite3 *db;
	struct iotap_error *err;
	int64_t recording;
	struct sums_table by[BY_N];
	sqlite3_stmt *add_error, *add_slow;
	struct slow slow[2 * TOTALS_SLOWEST];
	size_t n_slow;
	uint64_t slow_enough_ns;
};

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
		r = sums_table_init(&t->by[i], db, tables[i].table, tables[i].keys, tables[i].n_keys,
				    tables[i].class_key, tables[i].limit, err);
	if (r == 0)
		r = db_prepare(db, "INSERT INTO total_by_error VALUES (?1, ?2, ?3, ?4, 1, ?5, ?5) "
			       "ON CONFLICT (recording, call, err, target) DO UPDATE SET calls = calls + 1, "
			       "first_ns = min(first_ns, ?5), last_ns = max(last_ns, ?5)", &t->add_error, err);
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
	(void)sqlite3_finalize(t->add_error);
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

/* What one call adds, to whatever it is summed by. dir: of the bytes at this target. */
static void
sums_add(struct sums *s, const struct totals_call *c, unsigned int dir, uint64_t bytes)
{
	const bool failed = c->result < 0;

	sums_time(s, c);
	if (dir == DIR_NONE) {
		s->ops++;
		s->op_errors += failed;
		return;
	}
	if (dir == DIR_READ) {
		s->reads++;
		s->read_bytes += bytes == IOTAP_UNKNOWN ? 0 : bytes;
	} else {
		s->writes++;
		s->written_bytes += bytes == IOTAP_UNKNOWN ? 0 : bytes;
	}
	s->errors += failed;
	s->small += bytes < TOTALS_SMALL_BYTES;
	if (!failed && call_spec(c->call)->ret == RET_MESSAGES)
		s->messages += (uint64_t)c->result;
	s->unsized += !failed && bytes == IOTAP_UNKNOWN;
	sums_latency(s, c->duration_ns);
}

static int
table_add(struct totals *t, unsigned int which, int64_t k0, int64_t k1, int64_t k2, const struct totals_call *c,
	  unsigned int dir, uint64_t bytes)
{
	struct sums *const s = sums_table_get(&t->by[which], k0, k1, k2);

	if (!s)
		return t->err->code;
	sums_add(s, c, dir, bytes);
	if (which == BY_CALL && dir == DIR_NONE)
		sums_latency(s, c->duration_ns);
	return 0;
}

static int
target_add(struct totals *t, const struct dimension_target *target, const struct totals_call *c, unsigned int dir,
	   uint64_t bytes)
{
	const int r = table_add(t, BY_TARGET, target->sums, 0, 0, c, dir, bytes);

	return r < 0 ? r : table_add(t, BY_PROCESS_TARGET, c->process, target->sums, 0, c, dir, bytes);
}

static int
error_add(struct totals *t, const struct totals_call *c)
{
	if (c->result >= 0 || c->result < -LAST_ERRNO)
		return 0;
	(void)sqlite3_bind_int64(t->add_error, 1, t->recording);
	(void)sqlite3_bind_int64(t->add_error, 2, c->call);
	(void)sqlite3_bind_int64(t->add_error, 3, -c->result);
	(void)sqlite3_bind_int64(t->add_error, 4, c->target.sums);
	(void)sqlite3_bind_int64(t->add_error, 5, db_i64(c->time_ns));
	return db_run(t->add_error, t->err);
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
	const unsigned int dir = call_spec(c->call)->dir;
	const uint64_t bytes = event_bytes_of(c->call, c->flags, c->result);
	const int64_t second = (int64_t)(c->time_ns / SECOND_NS);
	int r = target_add(t, &c->target, c, dir, bytes);

	if (r == 0 && c->has_source)
		r = target_add(t, &c->source, c, dir == DIR_WRITE ? DIR_READ : DIR_WRITE, bytes);
	if (r == 0)
		r = table_add(t, BY_PROCESS, c->process, c->target.klass, 0, c, dir, bytes);
	if (r == 0)
		r = table_add(t, BY_CALL, t->recording, c->call, 0, c, dir, bytes);
	if (r == 0)
		r = table_add(t, BY_SECOND, t->recording, second, c->target.klass, c, dir, bytes);
	if (r == 0)
		r = error_add(t, c);
	slow_add(t, c);
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
