/* aggregates.c - the kernel's sums of calls that found no room, and what was lost when
 *
 * Sums are cumulative, so a record per change is enough and the last one counts. What was written of a
 * sum is remembered; rows are found by a hash of their key and compared whole.
 */
#include "capture/aggregates.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/hash.h"
#include "formats/base/map.h"
#include "formats/record.h"

enum { NO_ROW = -1, LOSS_RING = 1, LOSS_NOTES = 2, PIDS_MAX = 256 };

struct row {
	struct kr_aggregate_key key;
	unsigned int level;
	struct kr_aggregate sum;	/* as written last */
	struct kr_aggregate base;	/* what earlier recordings have of it */
	int64_t next;			/* row with the same hash */
};

struct aggregates {
	struct map rows_by_hash;	/* to the first row */
	struct row *rows;
	size_t n_rows, cap_rows;
	uint64_t seed;
	uint64_t last_ns;		/* of the last tick */
	uint64_t aggregated, notes_lost;
	uint64_t base_calls;		/* of all rows, but those of sources */
};

struct aggregates *
aggregates_new(uint64_t now_ns)
{
	struct aggregates *const a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->seed = hash_seed();
	a->last_ns = now_ns;
	map_init(&a->rows_by_hash, a->seed, 0);
	return a;
}

void
aggregates_free(struct aggregates *a)
{
	if (!a)
		return;
	map_fini(&a->rows_by_hash);
	free(a->rows);
	free(a);
}

static uint64_t
key_hash(const struct aggregates *a, unsigned int level, const struct kr_aggregate_key *key)
{
	return hash_pair((uint64_t)key->tgid << 32 | (uint64_t)key->source << 24 |
			 (uint64_t)level << 16 | key->call, key->id, a->seed);
}

static bool
is_row(const struct row *row, unsigned int level, const struct kr_aggregate_key *key)
{
	return row->level == level && row->key.tgid == key->tgid && row->key.call == key->call &&
	       row->key.id == key->id && row->key.source == key->source;
}

static struct row *
row_add(struct aggregates *a, unsigned int level, const struct kr_aggregate_key *key,
	uint64_t hash, int64_t next)
{
	if (a->n_rows == a->cap_rows) {
		const size_t cap = a->cap_rows > 0 ? 2 * a->cap_rows : 256;
		struct row *const grown = realloc(a->rows, cap * sizeof(*grown));

		if (!grown)
			return NULL;
		a->rows = grown;
		a->cap_rows = cap;
	}
	if (!map_put(&a->rows_by_hash, hash, a->n_rows))
		return NULL;
	a->rows[a->n_rows] = (struct row){.key = *key, .level = level, .next = next};
	return &a->rows[a->n_rows++];
}

/* The row of a key, made when there was none; NULL: out of memory. */
static struct row *
row_of(struct aggregates *a, unsigned int level, const struct kr_aggregate_key *key)
{
	const uint64_t hash = key_hash(a, level, key);
	const uint64_t *const first = map_find(&a->rows_by_hash, hash);
	int64_t at = first ? (int64_t)*first : NO_ROW;

	for (; at != NO_ROW; at = a->rows[at].next) {
		if (is_row(&a->rows[at], level, key))
			return &a->rows[at];
	}
	return row_add(a, level, key, hash, first ? (int64_t)*first : NO_ROW);
}

/* One reading of the sums. */
struct reading {
	struct aggregates *a;
	struct buf *records;
	struct iotap_error *err;
	uint32_t pids[PIDS_MAX];
	size_t n_pids;
};

static void
reading_pid(struct reading *r, uint32_t pid)
{
	for (size_t i = 0; i < r->n_pids; i++) {
		if (r->pids[i] == pid)
			return;
	}
	if (pid != 0 && r->n_pids < PIDS_MAX)
		r->pids[r->n_pids++] = pid;
}

/* What a recording has of a row: all since it began. */
static int
row_put(const struct row *row, struct buf *records, struct iotap_error *err)
{
	const struct kr_aggregate *const sum = &row->sum, *const base = &row->base;
	const uint64_t first_ns = base->calls > 0 ? base->last_ns : sum->first_ns;
	const struct rec_aggregate_source source = {
		.pid = row->key.tgid, .call = row->key.call, .id = row->key.id,
		.calls = sum->calls - base->calls, .bytes = sum->bytes - base->bytes,
		.errors = sum->errors - base->errors,
		.latency_ns = sum->latency_ns - base->latency_ns, .first_ns = first_ns,
		.last_ns = sum->last_ns,
	};
	const struct rec_aggregate rec = {
		.level = row->level, .pid = source.pid, .call = source.call, .id = source.id,
		.calls = source.calls, .bytes = source.bytes, .errors = source.errors,
		.latency_ns = source.latency_ns, .first_ns = first_ns, .last_ns = sum->last_ns,
		.messages = sum->messages - base->messages,
	};

	return row->key.source ? record_put(records, REC_aggregate_source, &source, err)
			       : record_put(records, REC_aggregate, &rec, err);
}

static int
sum_write(void *arg, unsigned int level, const struct kr_aggregate_key *key,
	  const struct kr_aggregate *sum)
{
	struct reading *const r = arg;
	struct row *const row = row_of(r->a, level, key);

	if (!row)
		return error_set(r->err, IOTAP_ENOMEM, "out of memory");
	if (memcmp(&row->sum, sum, sizeof(*sum)) == 0)
		return 0;
	row->sum = *sum;
	if (!key->source)
		reading_pid(r, key->tgid);
	return row_put(row, r->records, r->err);
}

void
aggregates_rebase(struct aggregates *a)
{
	a->base_calls = 0;
	for (size_t i = 0; i < a->n_rows; i++) {
		a->rows[i].base = a->rows[i].sum;
		a->base_calls += a->rows[i].key.source ? 0 : a->rows[i].sum.calls;
	}
}

uint64_t
aggregates_base(const struct aggregates *a)
{
	return a->base_calls;
}

int
aggregates_restate(const struct aggregates *a, struct buf *records, struct iotap_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < a->n_rows; i++) {
		if (a->rows[i].sum.calls != a->rows[i].base.calls)
			r = row_put(&a->rows[i], records, err);
	}
	return r;
}

static int
loss_write(struct reading *r, unsigned int cause, uint64_t count, uint64_t until_ns)
{
	uint8_t pids[PIDS_MAX * BYTES_VARINT_MAX];
	size_t n = 0;
	struct rec_loss loss = {.from_ns = r->a->last_ns, .until_ns = until_ns, .count = count,
				.cause = cause};

	for (size_t i = 0; i < r->n_pids; i++)
		n += bytes_varint_at(pids + n, r->pids[i]);
	loss.pids = rec_bytes(pids, n);
	return record_put(r->records, REC_loss, &loss, r->err);
}

int
aggregates_tick(struct aggregates *a, struct source *s, const uint64_t counters[KC_N],
		uint64_t now_ns, bool final, struct buf *records, struct iotap_error *err)
{
	struct reading reading = {.a = a, .records = records, .err = err};
	const uint64_t summed = counters[KC_aggregated] - a->aggregated;
	const uint64_t lost = counters[KC_notes_lost] - a->notes_lost;
	int r = 0;

	if ((summed > 0 || (final && a->aggregated > 0)) && s->ops->sums)
		r = s->ops->sums(s, sum_write, &reading, err);
	if (r == 0 && summed > 0)
				r = loss_write(&reading, LOSS_RING, summed, now_ns);
	reading.n_pids = 0;
	if (r == 0 && lost > 0)
		r = loss_write(&reading, LOSS_NOTES, lost, now_ns);
	a->aggregated = counters[KC_aggregated];
	a->notes_lost = counters[KC_notes_lost];
	a->last_ns = now_ns;
	return r;
}
