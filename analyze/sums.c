/* sums.c - a bounded hash table from up to three numbers to sums, and its way into the database */
#include "analyze/sums.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/db.h"
#include "analyze/words.h"
#include "formats/base/buf.h"
#include "formats/base/hash.h"

/* No sum grows over this, so that two of them can be added in SQL; only made-up recordings get there. */
#define SUMS_MOST INT64_C(0x3fffffffffffffff)

#define HOW_ADD "min(%s + excluded.%s, 4611686018427387903)"
#define HOW_MAX "max(%s, excluded.%s)"
#define HOW_MIN "min(%s, excluded.%s)"

static const struct {
	const char *column;
	const char *how;
	size_t offset;
} columns[] = {
#define TOTAL(column, how) {#column, HOW_##how, offsetof(struct sums, column)},
#include "analyze/totals.def"
#undef TOTAL
};

#define MERGE_ADD(a, b) ((a) + (b) < (a) ? UINT64_MAX : (a) + (b))
#define MERGE_MAX(a, b) ((a) > (b) ? (a) : (b))
#define MERGE_MIN(a, b) ((a) < (b) ? (a) : (b))

void
sums_merge(struct sums *to, const struct sums *from)
{
#define TOTAL(column, how) to->column = MERGE_##how(to->column, from->column);
#include "analyze/totals.def"
#undef TOTAL
}

static int
has_column(const struct sums_spec *spec, size_t i)
{
	return spec->columns >> i & 1;
}

static int
upsert_prepare(struct sums_table *t, sqlite3 *db)
{
	const struct sums_spec *const spec = t->spec;
	sqlite3_str *const sql = sqlite3_str_new(db);
	const char *comma = "";
	char *text;
	int r;

	sqlite3_str_appendf(sql, "INSERT INTO %s (%s", spec->table, spec->keys);
	for (size_t i = 0; i < SUMS_COLUMNS; i++) {
		if (has_column(spec, i))
			sqlite3_str_appendf(sql, ", %s", columns[i].column);
	}
	sqlite3_str_appendall(sql, ") VALUES (?");
	for (int i = 1; i < (int)spec->n_keys + __builtin_popcount(spec->columns); i++)
		sqlite3_str_appendall(sql, ", ?");
	sqlite3_str_appendf(sql, ") ON CONFLICT (%s) DO UPDATE SET ", spec->keys);
	for (size_t i = 0; i < SUMS_COLUMNS; i++) {
		if (!has_column(spec, i))
			continue;
		sqlite3_str_appendf(sql, "%s%s = ", comma, columns[i].column);
		sqlite3_str_appendf(sql, columns[i].how, columns[i].column, columns[i].column);
		comma = ", ";
	}
	text = sqlite3_str_finish(sql);
	r = text ? db_prepare(db, text, &t->upsert, t->err)
		 : error_set(t->err, IOTAP_ENOMEM, "out of memory");
	sqlite3_free(text);
	return r;
}

int
sums_table_init(struct sums_table *t, sqlite3 *db, const struct sums_spec *spec, struct iotap_error *err)
{
	*t = (struct sums_table){.err = err, .spec = spec, .seed = hash_seed(), .n_slots = 2};
	while (t->n_slots < spec->limit * 2)
		t->n_slots *= 2;
	t->slots = calloc(t->n_slots, sizeof(*t->slots));
	t->entries = malloc(spec->limit * sizeof(*t->entries));
	if (!t->slots || !t->entries)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	return upsert_prepare(t, db);
}

void
sums_table_fini(struct sums_table *t)
{
	(void)sqlite3_finalize(t->upsert);
	free(t->slots);
	free(t->entries);
	*t = (struct sums_table){.upsert = NULL};
}

static int
entry_write(struct sums_table *t, const struct sums_entry *e)
{
	int at = 1;

	for (unsigned int i = 0; i < t->spec->n_keys; i++, at++) {
		if ((int)i == t->spec->class_key)
			db_bind_text(t->upsert, at, word_class((unsigned int)e->key[i]));
		else
			(void)sqlite3_bind_int64(t->upsert, at, e->key[i]);
	}
	for (size_t i = 0; i < SUMS_COLUMNS; i++) {
		uint64_t v;

		if (!has_column(t->spec, i))
			continue;
		memcpy(&v, (const char *)&e->sums + columns[i].offset, sizeof(v));
		(void)sqlite3_bind_int64(t->upsert, at++, v > SUMS_MOST ? SUMS_MOST : (int64_t)v);
	}
	return db_run(t->upsert, t->err);
}

static int
entry_compare(const void *a, const void *b)
{
	const struct sums_entry *const x = a;
	const struct sums_entry *const y = b;

	for (size_t i = 0; i < SUMS_KEYS; i++) {
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	}
	return 0;
}

/* In the order of the keys, which is how the table is stored and does not depend on the seed. */
int
sums_table_flush(struct sums_table *t)
{
	int r = 0;

	qsort(t->entries, t->n, sizeof(*t->entries), entry_compare);
	for (size_t i = 0; r == 0 && i < t->n; i++) {
		if (t->leaving)
			r = t->leaving(t->leaving_arg, &t->entries[i]);
		if (r == 0)
			r = entry_write(t, &t->entries[i]);
	}
	memset(t->slots, 0, t->n_slots * sizeof(*t->slots));
	t->n = 0;
	t->last = NULL;
	return r;
}

static int
key_is(const struct sums_entry *e, const int64_t key[SUMS_KEYS])
{
	return memcmp(e->key, key, sizeof(e->key)) == 0;
}

struct sums *
sums_table_get(struct sums_table *t, const int64_t key[SUMS_KEYS])
{
	struct sums_entry *e = t->last;
	uint64_t hash;
	size_t slot;

	if (e && key_is(e, key))
		return &e->sums;
	hash = hash_pair((uint64_t)key[0] ^ (uint64_t)key[2] << 40, (uint64_t)key[1] ^ (uint64_t)key[3] << 32,
			 t->seed);
	slot = hash & (t->n_slots - 1);
	for (; t->slots[slot] != 0; slot = (slot + 1) & (t->n_slots - 1)) {
		e = &t->entries[t->slots[slot] - 1];
		if (key_is(e, key)) {
			t->last = e;
			return &e->sums;
		}
	}
	if (t->n == t->spec->limit) {
		if (sums_table_flush(t) < 0)
			return NULL;
		slot = hash & (t->n_slots - 1);
	}
	e = &t->entries[t->n++];
	*e = (struct sums_entry){.sums = {.first_ns = UINT64_MAX}};
	memcpy(e->key, key, sizeof(e->key));
	t->slots[slot] = (uint32_t)t->n;
	t->last = e;
	return &e->sums;
}
