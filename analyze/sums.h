/* sums.h - a bounded hash table from up to three numbers to sums, and its way into a table of the
 * database
 *
 * Written out when it is full: a row that is there already gets the sums added. Nothing is lost and
 * nothing counted twice, whenever that happens.
 */
#ifndef ANALYZE_SUMS_H
#define ANALYZE_SUMS_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/error.h"

struct sums {
#define TOTAL(column, how) uint64_t column;
#include "analyze/totals.def"
#undef TOTAL
};

enum { SUMS_KEYS = 3 };

struct sums_entry {
	int64_t key[SUMS_KEYS];
	struct sums sums;
};

struct sums_table {
	sqlite3_stmt *upsert;
	struct iotap_error *err;
	unsigned int n_keys;
	int class_key;			/* which key is an enum iotap_class, to be written as its word; -1 none */
	uint64_t seed;
	uint32_t *slots;		/* index into entries + 1; 0 = free */
	size_t n_slots;			/* a power of two */
	struct sums_entry *entries;
	size_t n, limit;
	struct sums_entry *last;	/* the one found last */
};

/* table: its name; keys: the n_keys columns of its primary key, separated by commas. limit: entries held in
 * memory. */
int sums_table_init(struct sums_table *t, sqlite3 *db, const char *table, const char *keys, unsigned int n_keys,
		    int class_key, size_t limit, struct iotap_error *err);
void sums_table_fini(struct sums_table *t);

/* The sums of a key, all zero (first_ns all ones) if it is new; valid until the next call. NULL = failed, the
 * text is in err. */
struct sums *sums_table_get(struct sums_table *t, int64_t k0, int64_t k1, int64_t k2);

/* Adds everything to the database and forgets it. */
int sums_table_flush(struct sums_table *t);

#endif
