/* batch_vtab.h - one batch of calls as a table, for INSERT ... SELECT
 *
 * The fastest way of many rows into SQLite: its own loop fetches the values, no statement is started
 * per row. The table has the columns of event_row and event_more, ready to be stored. Internal: the
 * rows it shows are those of the struct handed over at registration, whatever that holds at the time.
 */
#ifndef ANALYZE_BATCH_VTAB_H
#define ANALYZE_BATCH_VTAB_H

#include <sqlite3.h>
#include <stdint.h>

#include "formats/error.h"
#include "formats/iotap.h"

/* What event_row gets. Arrays of ids have one element a call and belong to the loader. */
struct batch_rows {
	struct iotap_batch batch;
	int64_t first_number;		/* added to the numbers of the recording */
	uint64_t time_base_ns;		/* taken from Unix times */
	const int64_t *thread, *target, *target2;
	const uint32_t *row;		/* which calls of the batch, n_rows of them */
	uint32_t n_rows;
};

/* Registers table batch in db. rows must outlive the connection. */
int batch_vtab_register(sqlite3 *db, const struct batch_rows *rows, struct iotap_error *err);

#define BATCH_VTAB_INSERT_ROW \
	"INSERT INTO event_row SELECT number, time, duration_ns, thread, call, fd, target, requested, bytes, " \
	"result, offset, flags, cpu FROM batch"
#define BATCH_VTAB_INSERT_MORE "INSERT INTO event_more SELECT number, fd2, target2, arg0, arg1 FROM batch"

#endif
