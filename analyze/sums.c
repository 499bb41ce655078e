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

/* -- entries as rows of SQL -- */

static const char declaration[] = "CREATE TABLE sums (k0, k1, k2, k3"
#define TOTAL(column, how) ", " #column " INTEGER"
#include "analyze/totals.def"
#undef TOTAL
	")";

static void
entry_value(const void *arg, size_t row, int column, sqlite3_context *context)
{
	const struct sums_table *const t = arg;
	const struct sums_entry *const e = &t->entries[t->order[row]];
	uint64_t v;

	if (column >= SUMS_KEYS) {
		memcpy(&v, (const char *)&e->sums + columns[column - SUMS_KEYS].offset, sizeof(v));
		sqlite3_result_int64(context, v > SUMS_MOST ? SUMS_MOST : (int64_t)v);
	} else if (column == t->spec->class_key) {
		sqlite3_result_text(context, word_class((unsigned int)e->key[column]), -1, SQLITE_STATIC);
	} else {
		sqlite3_result_int64(context, e->key[column]);
	}
}

/* "WHERE true" tells the parser that ON is not that of a join. */
static int
upsert_prepare(struct sums_table *t)
{
	const struct sums_spec *const spec = t->spec;
	sqlite3_str *const sql = sqlite3_str_new(t->db);
	const char *comma = "";
	char *text;
	int r;

	sqlite3_str_appendf(sql, "INSERT INTO %s (%s", spec->table, spec->keys);
	for (size_t i = 0; i < SUMS_COLUMNS; i++) {
		if (has_column(spec, i))
			sqlite3_str_appendf(sql, ", %s", columns[i].column);
	}
	sqlite3_str_appendall(sql, ") SELECT k0");
	for (unsigned int i = 1; i < spec->n_keys; i++)
		sqlite3_str_appendf(sql, ", k%u", i);
	for (size_t i = 0; i < SUMS_COLUMNS; i++) {
		if (has_column(spec, i))
			sqlite3_str_appendf(sql, ", %s", columns[i].column);
	}
	sqlite3_str_appendf(sql, " FROM %s WHERE true ON CONFLICT (%s) DO UPDATE SET ", t->name, spec->keys);
	for (size_t i = 0; i < SUMS_COLUMNS; i++) {
		if (!has_column(spec, i))
			continue;
		sqlite3_str_appendf(sql, "%s%s = ", comma, columns[i].column);
		sqlite3_str_appendf(sql, columns[i].how, columns[i].column, columns[i].column);
		comma = ", ";
	}
	text = sqlite3_str_finish(sql);
	r = text ? db_prepare(t->db, text, &t->upsert, t->err)
		 : error_set(t->err, IOTAP_ENOMEM, "out of memory");
	sqlite3_free(text);
	return r;
}

int
sums_table_init(struct sums_table *t, sqlite3 *db, const struct sums_spec *spec, struct iotap_error *err)
{
	int r;

	*t = (struct sums_table){.db = db, .err = err, .spec = spec, .seed = hash_seed(), .n_slots = 2};
	while (t->n_slots < spec->limit * 2)
		t->n_slots *= 2;
	t->slots = calloc(t->n_slots, sizeof(*t->slots));
	t->entries = malloc(spec->limit * sizeof(*t->entries));
	t->order = malloc(spec->limit * sizeof(*t->order));
	if (!t->slots || !t->entries || !t->order)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	t->rows = (struct array_rows){.declaration = declaration, .value = entry_value, .arg = t};
	(void)sqlite3_snprintf(sizeof(t->name), t->name, "sums_of_%s", spec->table);
	r = array_vtab_register(db, t->name, &t->rows, err);
	return r == 0 ? upsert_prepare(t) : r;
}

void
sums_table_fini(struct sums_table *t)
{
	(void)sqlite3_finalize(t->upsert);
	if (t->name[0] != '\0')
		array_vtab_forget(t->db, t->name);
	free(t->slots);
	free(t->entries);
	free(t->order);
	*t = (struct sums_table){.upsert = NULL};
}

static int
entry_compare(const struct sums_entry *x, const struct sums_entry *y)
{
	for (size_t i = 0; i < SUMS_KEYS; i++) {
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	}
	return 0;
}

static int
order_compare(const void *a, const void *b, void *entries)
{
	const struct sums_entry *const all = entries;

	return entry_compare(&all[*(const uint32_t *)a], &all[*(const uint32_t *)b]);
}

/* Entries of targets mostly come in the order of their keys already. */
static void
entries_order(struct sums_table *t)
{
	bool sorted = true;

	for (size_t i = 0; i < t->n; i++) {
		t->order[i] = (uint32_t)i;
		sorted = sorted && (i == 0 || entry_compare(&t->entries[i - 1], &t->entries[i]) < 0);
	}
	if (!sorted)
		qsort_r(t->order, t->n, sizeof(*t->order), order_compare, t->entries);
}

/* In the order of the keys, which is how the table is stored and does not depend on the seed. */
int
sums_table_flush(struct sums_table *t)
{
	int r = 0;

	entries_order(t);
	for (size_t i = 0; r == 0 && t->leaving && i < t->n; i++)
		r = t->leaving(t->leaving_arg, &t->entries[t->order[i]]);
	t->rows.n = t->n;
	if (r == 0 && t->n > 0)
		r = db_run(t->upsert, t->err);
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
