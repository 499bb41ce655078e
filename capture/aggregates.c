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
	int64_t next;			/* row with the same hash */
};

struct aggregates {
	struct map rows_by_hash;	/* to the first row */
	struct row *rows;
	size_t n_rows, cap_rows;
	uint64_t seed;
	uint64_t last_ns;		/* of the last tick */
	uint64_t aggregated, notes_lost;
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

static int
source_put(struct reading *r, const struct kr_aggregate_key *key, const struct kr_aggregate *sum)
{
	const struct rec_aggregate_source rec = {
		.pid = key->tgid, .call = key->call, .id = key->id, .calls = sum->calls,
		.bytes = sum->bytes, .errors = sum->errors, .latency_ns = sum->latency_ns,
		.first_ns = sum->first_ns, .last_ns = sum->last_ns,
	};

	return record_put(r->records, REC_aggregate_source, &rec, r->err);
}

static int
sum_write(void *arg, unsigned int level, const struct kr_aggregate_key *key,
	  const struct kr_aggregate *sum)
{
	struct reading *const r = arg;
	struct row *const row = row_of(r->a, level, key);
	const struct rec_aggregate rec = {
		.level = level, .pid = key->tgid, .call = key->call, .id = key->id,
		.calls = sum->calls, .bytes = sum->bytes, .errors = sum->errors,
		.latency_ns = sum->latency_ns, .first_ns = sum->first_ns, .last_ns = sum->last_ns,
		.messages = sum->messages,
	};

	if (!row)
		return error_set(r->err, IOTAP_ENOMEM, "out of memory");
	if (memcmp(&row->sum, sum, sizeof(*sum)) == 0)
		return 0;
	row->sum = *sum;
	if (key->source)
		return source_put(r, key, sum);
	reading_pid(r, key->tgid);
	return record_put(r->records, REC_aggregate, &rec, r->err);
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
