/* load_rows.h - a batch of calls as the rows of event_row and event_more */
#ifndef ANALYZE_LOAD_ROWS_H
#define ANALYZE_LOAD_ROWS_H

#include <sqlite3.h>
#include <stdint.h>

#include "analyze/array_vtab.h"
#include "formats/iotap.h"

/* Arrays of ids have one element a call and belong to the loader. */
struct load_rows {
	struct array_rows table;	/* n: rows now */
	struct iotap_batch batch;
	int64_t first_number;		/* added to the numbers of the recording */
	uint64_t time_base_ns;		/* taken from Unix times */
	const int64_t *thread, *target, *target2;
	const uint32_t *row;		/* which calls of the batch */
};

/* Fills in table. */
void load_rows_init(struct load_rows *rows);

#define LOAD_ROWS_TABLE "batch"
#define LOAD_ROWS_INSERT_ROW \
	"INSERT INTO event_row SELECT number, time, duration_ns, thread, call, fd, target, requested, bytes, " \
	"result, offset, flags, cpu FROM " LOAD_ROWS_TABLE
#define LOAD_ROWS_INSERT_MORE \
	"INSERT INTO event_more SELECT number, fd2, target2, arg0, arg1 FROM " LOAD_ROWS_TABLE

#endif
