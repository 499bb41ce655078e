/* sums.h - a bounded hash table from up to four numbers to sums, and its way into a table of the
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

#include "analyze/array_vtab.h"
#include "formats/error.h"

struct sums {
#define TOTAL(column, how) uint64_t column;
#include "analyze/totals.def"
#undef TOTAL
};

enum { SUMS_KEYS = 4 };

/* Which columns a table has: SUMS_BIT(name) ored. */
enum sums_column {
#define TOTAL(column, how) SUMS_##column,
#include "analyze/totals.def"
#undef TOTAL
	SUMS_COLUMNS
};

#define SUMS_BIT(column) (1u << SUMS_##column)
#define SUMS_ALL ((1u << SUMS_COLUMNS) - 1)

/* What *from has, added to *to. */
void sums_merge(struct sums *to, const struct sums *from);

/* A table that sums go to. */
struct sums_spec {
	const char *table;
	const char *keys;		/* columns of its primary key, separated by commas */
	unsigned int n_keys;
	int class_key;			/* which key is an enum iotap_class, to be written as its word; -1 none */
	uint32_t columns;
	size_t limit;			/* entries held in memory */
};

struct sums_entry {
	int64_t key[SUMS_KEYS];
	struct sums sums;
};

struct sums_table {
	sqlite3 *db;
	sqlite3_stmt *upsert;		/* all of entries at once */
	struct array_rows rows;
	char name[64];			/* what rows are called in SQL */
	struct iotap_error *err;
	const struct sums_spec *spec;
	uint64_t seed;
	uint32_t *slots;		/* index into entries + 1; 0 = free */
	size_t n_slots;			/* a power of two */
	struct sums_entry *entries;
	uint32_t *order;		/* of the entries, when they are written */
	size_t n;
	struct sums_entry *last;	/* the one found last */
	int (*leaving)(void *arg, const struct sums_entry *);	/* sees each entry before it is written; may be NULL */
	void *leaving_arg;
};

/* spec and t must stay where they are. _fini may be called after a failure. */
int sums_table_init(struct sums_table *t, sqlite3 *db, const struct sums_spec *spec, struct iotap_error *err);
void sums_table_fini(struct sums_table *t);

/* The sums of a key, all zero (first_ns all ones) if it is new; valid until the next call. Keys not
 * used are 0. NULL = failed, the text is in err. */
struct sums *sums_table_get(struct sums_table *t, const int64_t key[SUMS_KEYS]);

/* Adds everything to the database and forgets it. */
int sums_table_flush(struct sums_table *t);

#endif
