/* tally.c - the running sums that a summary shows
 *
 * A target remembers its row, so that a call costs a few additions. Rows are found by a seeded hash of
 * class and key; the next number is tried when two keys share one. What a peer's row counts as its
 * connections are the distinct local ends seen with it, in one bounded set for all rows.
 */
#include "decode/tally.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/hash.h"
#include "formats/base/map.h"
#include "formats/calls.h"
#include "formats/error.h"
#include "formats/kernel_record.h"

enum {
	N_CLASSES = 3,
	INTERFACES_MAX = 256,		/* names; what comes later counts as unknown */
	CONNECTIONS_MAX = 131072,
	AGGREGATES_MAX = 131072,
	ERRNO_EINTR = 4,
};

struct tally_interface {
	char name[32];			/* "" = none */
	struct iotap_sum read, write;
};

struct tally_aggregate {
	uint64_t level, pid, call, id;	/* the key */
	uint64_t calls, bytes, errors, latency_ns;	/* the latest values */
};

struct tally {
	uint64_t seed;
	struct iotap_row *rows;		/* in the order they came; the last N_CLASSES slots are the rest's */
	size_t n_rows, cap_rows, max_rows;
	struct map by_key;		/* hash of class and key -> row */
	struct map connections;		/* hashes of row and local end */
	struct iotap_row rest[N_CLASSES];	/* of the rows refused; target NULL = none refused */
	struct target *rest_target[N_CLASSES];
	struct iotap_op_row ops[KR_MAX_CALLS];
	struct tally_interface interfaces[INTERFACES_MAX];
	size_t n_interfaces;
	struct map by_aggregate;
	struct tally_aggregate *aggregates;
	size_t n_aggregates, cap_aggregates;
	uint64_t phantom_seen, phantom_before, phantom_counted;
	struct iotap_summary sums;	/* the plain counts, kept in place */
	/* What the latest summary points to. */
	struct iotap_row *sorted;
	struct iotap_op_row *sorted_ops;
	struct iotap_interface_row *sorted_interfaces;
};

struct tally *
tally_new(size_t max_rows)
{
	struct tally *const t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->max_rows = max_rows > 0 ? max_rows : TALLY_ROWS;
	t->seed = hash_seed();
	map_init(&t->by_key, t->seed, 0);
	map_init(&t->connections, t->seed, CONNECTIONS_MAX);
	map_init(&t->by_aggregate, t->seed, 0);
	for (size_t i = 0; i < KR_MAX_CALLS; i++)
		t->ops[i].call = (uint16_t)i;
	return t;
}

void
tally_free(struct tally *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_rows; i++)
		free((void *)(uintptr_t)t->rows[i].target);
	for (size_t i = 0; i < N_CLASSES; i++)
		free(t->rest_target[i]);
	free(t->rows);
	free(t->aggregates);
	free(t->sorted);
	free(t->sorted_ops);
	free(t->sorted_interfaces);
	map_fini(&t->by_key);
	map_fini(&t->connections);
	map_fini(&t->by_aggregate);
	free(t);
}

/* -- rows -- */

static bool
row_is_of(const struct iotap_row *row, const struct iotap_target *target)
{
	return row->klass == target->klass && row->target->key_len == target->key_len &&
	       memcmp(row->target->key, target->key, target->key_len) == 0;
}

/* The row of a target's key: its index, or SIZE_MAX; then *hash is where it would be entered. */
static size_t
tally_find(const struct tally *t, const struct iotap_target *target, uint64_t *hash)
{
	*hash = hash_bytes(target->key, target->key_len, t->seed + target->klass);
	for (;; ++*hash) {
		const uint64_t *const row = map_find(&t->by_key, *hash);

		if (!row)
			return SIZE_MAX;
		if (row_is_of(&t->rows[*row], target))
			return *row;
	}
}

static bool
tally_grow(struct tally *t)
{
	const size_t cap = t->cap_rows > 0 ? 2 * t->cap_rows : 256;
	struct iotap_row *rows;

	if (t->n_rows < t->cap_rows)
		return true;
	rows = realloc(t->rows, cap * sizeof(*rows));
	if (!rows)
		return false;
	t->rows = rows;
	t->cap_rows = cap;
	return true;
}

/* A new row; SIZE_MAX = out of memory. */
static size_t
tally_enter(struct tally *t, const struct iotap_target *target, uint64_t hash)
{
	struct target *copy;

	if (!tally_grow(t))
		return SIZE_MAX;
	copy = target_copy(target);
	if (!copy || !map_put(&t->by_key, hash, t->n_rows)) {
		free(copy);
		return SIZE_MAX;
	}
	t->rows[t->n_rows] = (struct iotap_row){.target = &copy->pub, .klass = target->klass};
	return t->n_rows++;
}

/* The row that sums what found no room in its class. */
static struct iotap_row *
tally_rest(struct tally *t, enum iotap_class klass)
{
	static const char text[] = "<targets beyond the limit>";
	struct target *target = t->rest_target[klass];

	if (target)
		return &t->rest[klass];
	target = calloc(1, sizeof(*target) + sizeof(text));
	if (!target)
		return NULL;
	memcpy(target->strings, text, sizeof(text));
	target->pub.klass = klass;
	target->pub.text = target->pub.key = target->strings;
	target->pub.text_len = target->pub.key_len = sizeof(text) - 1;
	t->rest_target[klass] = target;
	t->rest[klass] = (struct iotap_row){.target = &target->pub, .klass = klass};
	return &t->rest[klass];
}

/* Counts the target's local end as a connection of its row, once. When the set is full, later ones are
 * not counted: the number is then too small, never too large. */
static void
tally_connection(struct tally *t, struct iotap_row *row, const struct iotap_target *target)
{
	uint64_t end;

	if (target->kind != IOTAP_KIND_SOCKET || target->remote_len == 0 || target->local_len == 0)
		return;
	end = hash_pair(hash_bytes(target->local, target->local_len, t->seed), target->local_port,
			t->seed);
	end = hash_pair(end, (uint64_t)(row - t->rows), t->seed);
	if (!map_find(&t->connections, end) && map_put(&t->connections, end, 1))
		tally_add(&row->connections, 1);
}

/* The row of a target, which remembers it. NULL = out of memory. The notes in a target are ours to
 * write: see target.h. */
static struct iotap_row *
tally_row(struct tally *t, const struct iotap_target *pub)
{
	struct target *const target = (struct target *)(uintptr_t)pub;
	size_t row;
	uint64_t hash;

	if (target->row > 0)
		return &t->rows[target->row - 1];
	row = tally_find(t, pub, &hash);
	if (row == SIZE_MAX && t->n_rows >= t->max_rows) {
		t->sums.rows_refused += !target->refused;
		target->refused = true;
		return tally_rest(t, pub->klass);
	}
	if (row == SIZE_MAX)
		row = tally_enter(t, pub, hash);
	if (row == SIZE_MAX)
		return NULL;
	target->row = (uint32_t)row + 1;
	tally_add(&t->rows[row].ops, target->ops);
	tally_connection(t, &t->rows[row], pub);
	return &t->rows[row];
}

/* -- interfaces -- */

static struct tally_interface *
tally_interface_named(struct tally *t, const char *name, uint32_t *number)
{
	for (size_t i = 0; i < t->n_interfaces; i++) {
		if (strcmp(t->interfaces[i].name, name) == 0) {
			*number = (uint32_t)i + 1;
			return &t->interfaces[i];
		}
	}
	if (t->n_interfaces == INTERFACES_MAX - 1 && strcmp(name, "?") != 0)
		return tally_interface_named(t, "?", number);
	strncpy(t->interfaces[t->n_interfaces].name, name, sizeof(t->interfaces[0].name) - 1);
	*number = (uint32_t)++t->n_interfaces;
	return &t->interfaces[t->n_interfaces - 1];
}

static struct tally_interface *
tally_interface(struct tally *t, const struct iotap_target *pub)
{
	struct target *const target = (struct target *)(uintptr_t)pub;

	if (target->interface > 0)
		return &t->interfaces[target->interface - 1];
	return tally_interface_named(t, pub->device ? pub->device : "", &target->interface);
}

/* -- calls -- */

/* What one call, or the sum of several, adds. */
struct tally_amount {
	enum call_dir dir;
	uint64_t calls, bytes, errors, messages, unsized;
	uint64_t latency_ns, latency_max_ns;
};

static void
sum_add(struct iotap_sum *sum, const struct tally_amount *a)
{
	tally_add(&sum->bytes, a->bytes);
	tally_add(&sum->calls, a->calls);
}

static void
row_add(struct iotap_row *row, const struct tally_amount *a)
{
	sum_add(a->dir == DIR_READ ? &row->read : &row->write, a);
	tally_add(&row->errors, a->errors);
	tally_add(&row->messages, a->messages);
	tally_add(&row->unsized_calls, a->unsized);
	tally_add(&row->latency_ns, a->latency_ns);
	if (a->latency_max_ns > row->latency_max_ns)
		row->latency_max_ns = a->latency_max_ns;
}

/* Adds to the totals, and to the target's row and interface. */
static int
tally_moved(struct tally *t, const struct iotap_target *target, const struct tally_amount *a)
{
	struct iotap_row *const row = tally_row(t, target);

	if (!row)
		return IOTAP_ENOMEM;
	row_add(row, a);
	sum_add(a->dir == DIR_READ ? &t->sums.read[target->klass] : &t->sums.write[target->klass], a);
	tally_add(&t->sums.events, a->calls);
	tally_add(&t->sums.errors, a->errors);
	if (target->klass == IOTAP_CLASS_NETWORK) {
		struct tally_interface *const interface = tally_interface(t, target);

		sum_add(a->dir == DIR_READ ? &interface->read : &interface->write, a);
	}
	return 0;
}

static void
tally_op(struct tally *t, unsigned int call, const struct tally_amount *a)
{
	struct iotap_op_row *const op = &t->ops[call < KR_MAX_CALLS ? call : 0];

	tally_add(&op->calls, a->calls);
	tally_add(&op->errors, a->errors);
	tally_add(&op->latency_ns, a->latency_ns);
	tally_add(&t->sums.ops, a->calls);
	tally_add(&t->sums.op_errors, a->errors);
}

static struct tally_amount
amount_of(const struct call_spec *spec, uint32_t flags, int64_t result, uint64_t duration_ns)
{
	const bool failed = (flags & KF_INTERRUPTED) || (result < 0 && result >= -4095);
	struct tally_amount a = {.dir = (enum call_dir)spec->dir, .calls = 1, .errors = failed};

	if (duration_ns != IOTAP_UNKNOWN)
		a.latency_ns = a.latency_max_ns = duration_ns;
	if (failed)
		return a;
	if (spec->ret == RET_BYTES && !(flags & KF_PHANTOM))
		a.bytes = (uint64_t)result;
	else if (spec->ret == RET_MESSAGES && !(flags & KF_PHANTOM))
		a.messages = (uint64_t)result;
	else
		a.unsized = 1;
	return a;
}

/* The other side of a call that moves between two descriptors: its row gets the bytes as read, the
 * totals have had them. */
static int
tally_source(struct tally *t, const struct iotap_target *source, struct tally_amount a)
{
	struct iotap_row *const row = tally_row(t, source);

	if (!row)
		return IOTAP_ENOMEM;
	a.dir = DIR_READ;
	row_add(row, &a);
	return 0;
}

static void
tally_flags(struct iotap_summary *s, uint32_t flags)
{
	s->before += (flags & KF_BEFORE) != 0;
	s->compat += (flags & KF_COMPAT) != 0;
	s->undefined += (flags & KF_UNDEFINED) != 0;
}

int
tally_batch(struct tally *t, const struct iotap_batch *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		const uint32_t flags = b->flags[i];
		const struct call_spec *const spec = call_spec(b->call[i]);
		const struct iotap_target *const target = b->target[i];
		struct tally_amount a;
		int r;

		if (flags & KF_UNFINISHED) {
			t->sums.unfinished++;
			continue;
		}
		t->phantom_seen += (flags & KF_PHANTOM) != 0;
		tally_flags(&t->sums, flags);
		a = amount_of(spec, flags, b->result[i], b->duration_ns[i]);
		if (spec->dir == DIR_NONE) {
			struct target *const notes = (struct target *)(uintptr_t)target;

			tally_op(t, b->call[i], &a);
			if (notes->row > 0)
				tally_add(&t->rows[notes->row - 1].ops, 1);
			else
				notes->ops++;
			continue;
		}
		r = tally_moved(t, target, &a);
		if (r == 0 && spec->fd2 >= 0 && b->target2 && b->target2[i])
			r = tally_source(t, b->target2[i], a);
		if (r < 0)
			return r;
	}
	return 0;
}

/* -- aggregates -- */

enum aggregate_verdict { AGGREGATE_KEEP, AGGREGATE_DROP, AGGREGATE_UNPLACED };

/* The entry of an aggregate's key, made if need be. 0, IOTAP_ENOMEM, or IOTAP_ELIMIT: the kernel half
 * has room for far fewer keys. */
static int
aggregate_entry(struct tally *t, const struct rec_aggregate *rec, struct tally_aggregate **out)
{
	uint64_t hash = hash_pair(hash_pair(rec->level << 32 | rec->call, rec->pid, t->seed), rec->id,
				  t->seed);

	for (;; hash++) {
		const uint64_t *const at = map_find(&t->by_aggregate, hash);
		struct tally_aggregate *e;

		if (!at)
			break;
		e = &t->aggregates[*at];
		if (e->level == rec->level && e->pid == rec->pid && e->call == rec->call &&
		    e->id == rec->id) {
			*out = e;
			return 0;
		}
	}
	if (t->n_aggregates == AGGREGATES_MAX)
		return IOTAP_ELIMIT;
	if (t->n_aggregates == t->cap_aggregates) {
		const size_t cap = t->cap_aggregates > 0 ? 2 * t->cap_aggregates : 256;
		struct tally_aggregate *const grown = realloc(t->aggregates, cap * sizeof(*grown));

		if (!grown)
			return IOTAP_ENOMEM;
		t->aggregates = grown;
		t->cap_aggregates = cap;
	}
	if (!map_put(&t->by_aggregate, hash, t->n_aggregates))
		return IOTAP_ENOMEM;
	t->aggregates[t->n_aggregates] = (struct tally_aggregate){
		.level = rec->level, .pid = rec->pid, .call = rec->call, .id = rec->id,
	};
	*out = &t->aggregates[t->n_aggregates++];
	return 0;
}

static uint64_t
grown(uint64_t *latest, uint64_t now)
{
	const uint64_t by = now > *latest ? now - *latest : 0;

	*latest = now;
	return by;
}

/* A sum whose target is not known goes to the totals of the class its call belongs to for sure. */
static int
aggregate_add(struct tally *t, const struct rec_aggregate *rec, const struct iotap_target *target,
	      const struct tally_amount *a)
{
	const struct call_spec *const spec = call_spec((unsigned int)rec->call);
	const enum iotap_class klass = spec->on == ON_SOCK ? IOTAP_CLASS_NETWORK : IOTAP_CLASS_OTHER;

	tally_add(&t->sums.aggregated_calls, a->calls);
	if (!target)
		tally_add(&t->sums.aggregated_unknown_target, a->calls);
	if (spec->dir == DIR_NONE) {
		tally_op(t, (unsigned int)rec->call, a);
		return 0;
	}
	if (target)
		return tally_moved(t, target, a);
	sum_add(a->dir == DIR_READ ? &t->sums.read[klass] : &t->sums.write[klass], a);
	tally_add(&t->sums.events, a->calls);
	tally_add(&t->sums.errors, a->errors);
	if (klass == IOTAP_CLASS_NETWORK) {
		uint32_t number;
		struct tally_interface *const interface = tally_interface_named(t, "?", &number);

		sum_add(a->dir == DIR_READ ? &interface->read : &interface->write, a);
	}
	return 0;
}

/* A sum without a process, or without a target, may hold calls that the filter would let through: then
 * it is left out, and counted. */
static enum aggregate_verdict
aggregate_judge(const struct rec_aggregate *rec, const struct iotap_target *target,
		const struct select *select)
{
	enum { LEVEL_CALL = 3 };	/* records.def: summed by call alone */

	if (rec->last_ns < select->f.from_ns || rec->first_ns > select->f.to_ns)
		return AGGREGATE_DROP;
	if (select->f.pid != 0 && rec->level != LEVEL_CALL && rec->pid != select->f.pid)
		return AGGREGATE_DROP;
	if ((select->f.pid != 0 && rec->level == LEVEL_CALL) || (select->by_target && !target))
		return AGGREGATE_UNPLACED;
	return !select->by_target || select_target(select, target) == SELECT_KEEP ? AGGREGATE_KEEP
										    : AGGREGATE_DROP;
}

int
tally_aggregate(struct tally *t, const struct rec_aggregate *rec, const struct iotap_target *target,
		const struct select *select, int baseline)
{
	const struct call_spec *const spec = call_spec((unsigned int)rec->call);
	struct tally_amount a = {.dir = (enum call_dir)spec->dir};
	struct tally_aggregate *e;
	const int r = aggregate_entry(t, rec, &e);

	if (r < 0)
		return r;
	baseline = baseline && e->calls == 0;	/* the first one of its key only */
	a.calls = grown(&e->calls, rec->calls);
	a.bytes = grown(&e->bytes, rec->bytes);
	a.errors = grown(&e->errors, rec->errors);
	a.latency_ns = grown(&e->latency_ns, rec->latency_ns);
	if (baseline || a.calls == 0)
		return 0;
	switch (aggregate_judge(rec, target, select)) {
	case AGGREGATE_UNPLACED:
		tally_add(&t->sums.aggregated_unplaced, a.calls);
		return 0;
	case AGGREGATE_DROP:
		return 0;
	case AGGREGATE_KEEP:
		break;
	}
	if (spec->dir != DIR_NONE && spec->ret != RET_BYTES)
		a.unsized = a.calls > a.errors ? a.calls - a.errors : 0;
	return aggregate_add(t, rec, target, &a);
}

void
tally_counters(struct tally *t, const struct rec_counters *rec, int baseline)
{
	struct bytes_in in = bytes_in(rec->values.p, rec->values.n);

	for (unsigned int i = 0; i < KC_N && bytes_left(&in) > 0; i++) {
		const uint64_t v = bytes_get_varint(&in);

		if (i == KC_phantom && !in.bad)
			*(baseline ? &t->phantom_before : &t->phantom_counted) = v;
	}
}

/* -- what lies between calls -- */

void
tally_notice(struct tally *t, const struct iotap_notice *n)
{
	if (n->type == IOTAP_NOTICE_UNTRACED)
		tally_add(n->reason == 1 ? &t->sums.untraced_ended : &t->sums.untraced_full, 1);
	if (n->type == IOTAP_NOTICE_END)
		t->sums.end_reason = n->reason;
}

void
tally_drop(struct tally *t, const struct iotap_drop *d)
{
	tally_add(&t->sums.n_drops, 1);
	switch (d->cause) {
	case IOTAP_DROP_QUEUE:
	case IOTAP_DROP_OUTPUT:
		tally_add(&t->sums.lost_calls, d->count);
		break;
	case IOTAP_DROP_DAMAGE:
		tally_add(&t->sums.damaged_bytes, d->bytes);
		break;
	case IOTAP_DROP_TRUNCATED:
		t->sums.truncated = 1;
		break;
	case IOTAP_DROP_RING:		/* the calls are in aggregates */
	case IOTAP_DROP_NOTES:
		break;
	}
}

/* -- summaries -- */

static uint64_t
sum_of(uint64_t a, uint64_t b)
{
	tally_add(&a, b);
	return a;
}

static int
compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;	/* the larger one first */
}

static int
compare_bytes(const void *a, size_t n_a, const void *b, size_t n_b)
{
	const int r = memcmp(a, b, n_a < n_b ? n_a : n_b);

	return r != 0 ? r : n_a < n_b ? -1 : n_a > n_b;
}

static int
compare_rows(const void *pa, const void *pb)
{
	const struct iotap_row *const a = pa;
	const struct iotap_row *const b = pb;
	int r = compare_u64(sum_of(a->read.bytes, a->write.bytes), sum_of(b->read.bytes, b->write.bytes));

	if (r == 0)
		r = compare_u64(sum_of(a->read.calls, a->write.calls),
				sum_of(b->read.calls, b->write.calls));
	return r != 0 ? r : compare_bytes(a->target->key, a->target->key_len, b->target->key,
					  b->target->key_len);
}

static int
compare_ops(const void *pa, const void *pb)
{
	const struct iotap_op_row *const a = pa;
	const struct iotap_op_row *const b = pb;
	const int r = compare_u64(a->calls, b->calls);

	return r != 0 ? r : (int)a->call - (int)b->call;
}

/* Named ones by what they carried, then "?", then none. */
static int
interface_rank(const struct iotap_interface_row *i)
{
	return !i->interface ? 2 : strcmp(i->interface, "?") == 0;
}

static int
compare_interfaces(const void *pa, const void *pb)
{
	const struct iotap_interface_row *const a = pa;
	const struct iotap_interface_row *const b = pb;
	int r = interface_rank(a) - interface_rank(b);

	if (r == 0)
		r = compare_u64(sum_of(a->read.bytes, a->write.bytes), sum_of(b->read.bytes, b->write.bytes));
	if (r == 0)
		r = compare_u64(sum_of(a->read.calls, a->write.calls),
				sum_of(b->read.calls, b->write.calls));
	return r != 0 || !a->interface ? r : strcmp(a->interface, b->interface);
}

static bool
summary_rows(struct tally *t, struct iotap_summary *out)
{
	size_t n = t->n_rows;

	free(t->sorted);
	t->sorted = calloc(n + N_CLASSES, sizeof(*t->sorted));
	if (!t->sorted)
		return false;
	if (n > 0)
		memcpy(t->sorted, t->rows, n * sizeof(*t->sorted));
	for (size_t i = 0; i < N_CLASSES; i++) {
		if (t->rest_target[i])
			t->sorted[n++] = t->rest[i];
	}
	qsort(t->sorted, n, sizeof(*t->sorted), compare_rows);
	out->rows = t->sorted;
	out->n_rows = n;
	return true;
}

static bool
summary_ops(struct tally *t, struct iotap_summary *out)
{
	size_t n = 0;

	free(t->sorted_ops);
	t->sorted_ops = calloc(KR_MAX_CALLS, sizeof(*t->sorted_ops));
	if (!t->sorted_ops)
		return false;
	for (size_t i = 0; i < KR_MAX_CALLS; i++) {
		if (t->ops[i].calls > 0)
			t->sorted_ops[n++] = t->ops[i];
	}
	qsort(t->sorted_ops, n, sizeof(*t->sorted_ops), compare_ops);
	out->op_rows = t->sorted_ops;
	out->n_op_rows = n;
	return true;
}

static bool
summary_interfaces(struct tally *t, struct iotap_summary *out)
{
	free(t->sorted_interfaces);
	t->sorted_interfaces = calloc(INTERFACES_MAX, sizeof(*t->sorted_interfaces));
	if (!t->sorted_interfaces)
		return false;
	for (size_t i = 0; i < t->n_interfaces; i++) {
		const struct tally_interface *const from = &t->interfaces[i];

		t->sorted_interfaces[i] = (struct iotap_interface_row){
			.interface = from->name[0] != '\0' ? from->name : NULL,
			.read = from->read,
			.write = from->write,
		};
	}
	qsort(t->sorted_interfaces, t->n_interfaces, sizeof(*t->sorted_interfaces), compare_interfaces);
	out->interfaces = t->sorted_interfaces;
	out->n_interfaces = t->n_interfaces;
	return true;
}

int
tally_summary(struct tally *t, struct iotap_summary *out)
{
	const uint64_t counted = t->phantom_counted > t->phantom_before ?
				 t->phantom_counted - t->phantom_before : 0;

	*out = t->sums;
	out->size = sizeof(*out);
	out->phantom = counted > t->phantom_seen ? counted : t->phantom_seen;
	if (!summary_rows(t, out) || !summary_ops(t, out) || !summary_interfaces(t, out))
		return IOTAP_ENOMEM;
	return 0;
}
