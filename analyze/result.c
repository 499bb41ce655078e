/* result.c - the rows of a statement, in one of the formats */
#include "analyze/result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyze/db.h"
#include "analyze/result_form.h"
#include "formats/base/io.h"

enum { RESULT_FLUSH_BYTES = 1 << 16 };

const char *const result_formats[] = {
	[RESULT_TABLE] = "table", [RESULT_JSON] = "json", [RESULT_CSV] = "csv", [RESULT_TSV] = "tsv", NULL,
};

static const struct result_form *const forms[] = {
	[RESULT_TABLE] = &result_table_form, [RESULT_JSON] = &result_json_form, [RESULT_CSV] = &result_csv_form,
	[RESULT_TSV] = &result_tsv_form,
};

void
result_init(struct result *r, enum result_format format, int fd, struct iotap_error *err)
{
	*r = (struct result){.format = format, .fd = fd, .terminal = isatty(fd) == 1, .err = err};
}

void
result_fini(struct result *r)
{
	buf_free(&r->out);
	result_table_free(r->table);
	r->table = NULL;
}

int
result_flush(struct result *r, bool all)
{
	if (!buf_ok(&r->out))
		return error_set(r->err, IOTAP_ENOMEM, "out of memory");
	if (r->out.len == 0 || (!all && r->out.len < RESULT_FLUSH_BYTES))
		return 0;
	if (!io_write_all(r->fd, r->out.data, r->out.len))
		return error_errno(r->err, errno == EPIPE ? IOTAP_EPIPE : IOTAP_EIO, errno, "output");
	buf_clear(&r->out);
	return 0;
}

/* The fewest digits that read back as the same number. */
static void
real_text(char *out, size_t size, double v)
{
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(out, size, "%.*g", digits, v);
		if (strtod(out, NULL) == v)
			break;
	}
}

void
result_number(char *out, size_t size, sqlite3_stmt *stmt, int column)
{
	if (sqlite3_column_type(stmt, column) == SQLITE_INTEGER)
		(void)snprintf(out, size, "%lld", sqlite3_column_int64(stmt, column));
	else
		real_text(out, size, sqlite3_column_double(stmt, column));
}

const void *
result_bytes(sqlite3_stmt *stmt, int column, size_t *n)
{
	const void *const p = sqlite3_column_blob(stmt, column);

	*n = (size_t)sqlite3_column_bytes(stmt, column);
	return p ? p : "";
}

/* The rows from the one the statement stands on. */
static int
result_rows(struct result *r, sqlite3_stmt *stmt, const struct result_form *form, int step)
{
	int status = 0;

	for (; status == 0 && step == SQLITE_ROW; step = status == 0 ? sqlite3_step(stmt) : step)
		status = form->row(r, stmt);
	if (status == 0 && step != SQLITE_DONE)
		status = db_error(sqlite3_db_handle(stmt), r->err, "sql");
	return status;
}

/* A statement that fails at once gives no names either; one that fails later has its rows so far shown. */
int
result_run(struct result *r, sqlite3_stmt *stmt)
{
	const struct result_form *const form = forms[r->format];
	const int step = sqlite3_step(stmt);
	int status = 0;
	int ended = 0;

	if (step != SQLITE_ROW && step != SQLITE_DONE)
		return db_error(sqlite3_db_handle(stmt), r->err, "sql");
	if (sqlite3_column_count(stmt) == 0)
		return 0;
	if (form->begin)
		status = form->begin(r, stmt);
	if (status == 0)
		status = result_rows(r, stmt, form, step);
	if (form->end && (status == 0 || status == r->err->code) && status != IOTAP_EPIPE)
		ended = form->end(r);
	if (ended == 0 && status != IOTAP_EPIPE)
		ended = result_flush(r, true);
	r->wrote = true;
	return status == 0 ? ended : status;
}
