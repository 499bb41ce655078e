/* array_vtab.h - rows in memory as a table, for INSERT ... SELECT
 *
 * The fastest way of many rows into SQLite: its own loop fetches the values, no statement is started
 * per row. Internal: the rows are those of the struct handed over, whatever it holds when a statement
 * runs; nobody else's statement may run while the table is known.
 */
#ifndef ANALYZE_ARRAY_VTAB_H
#define ANALYZE_ARRAY_VTAB_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/error.h"

struct array_rows {
	const char *declaration;	/* "CREATE TABLE x (...)": names of the columns */
	size_t n;
	void (*value)(const void *arg, size_t row, int column, sqlite3_context *);	/* sets nothing = NULL */
	const void *arg;
};

/* Makes the table known as name; rows must stay where it is until array_vtab_forget. */
int array_vtab_register(sqlite3 *db, const char *name, const struct array_rows *rows, struct iotap_error *err);

/* Statements that use it must have been finalized. */
void array_vtab_forget(sqlite3 *db, const char *name);

#endif
