/* result_table.c - rows as a table: aligned columns, numbers to the right
 *
 * The first rows are kept until there are TABLE_ROWS of them or no more; they decide the widths and
 * which columns hold numbers. Later rows are written at once and may stick out.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/result_form.h"
#include "analyze/width.h"
#include "formats/base/escape.h"
#include "formats/iotap.h"

enum {
	TABLE_ROWS = 2000,
	TABLE_GAP = 2,		/* spaces between columns */
};

struct table_column {
	size_t width;
	bool is_number;		/* no text in it so far, and some number */
	bool is_text;
};

struct result_table {
	struct buf cells;		/* kept cells, one after the other */
	size_t *ends;			/* where each ends in cells; the names are the first row */
	size_t n_cells, cap_cells;
	struct table_column *columns;
	size_t n_columns;
	bool written;			/* names and kept rows are out */
};

void
result_table_free(struct result_table *t)
{
	if (!t)
		return;
	buf_free(&t->cells);
	free(t->ends);
	free(t->columns);
	free(t);
}

static int
table_end_cell(struct result *r, size_t start)
{
	struct result_table *const t = r->table;
	const size_t column = t->n_cells % t->n_columns;
	const size_t width = width_text(t->cells.data + start, t->cells.len - start);

	if (t->n_cells == t->cap_cells) {
		const size_t cap = t->cap_cells > 0 ? 2 * t->cap_cells : 256;
		size_t *const grown = realloc(t->ends, cap * sizeof(*grown));

		if (!grown)
			return error_set(r->err, IOTAP_ENOMEM, "out of memory");
		t->ends = grown;
		t->cap_cells = cap;
	}
	t->ends[t->n_cells++] = t->cells.len;
	if (!t->written && width > t->columns[column].width)
		t->columns[column].width = width;
	return buf_ok(&t->cells) ? 0 : error_set(r->err, IOTAP_ENOMEM, "out of memory");
}

/* One cell of the row into cells; the column's kind follows from the values. */
static int
table_add_cell(struct result *r, sqlite3_stmt *stmt, int column)
{
	struct result_table *const t = r->table;
	struct table_column *const c = &t->columns[column];
	const size_t start = t->cells.len;
	const int type = sqlite3_column_type(stmt, column);
	char number[48];
	const void *p;
	size_t n;

	if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
		result_number(number, sizeof(number), stmt, column);
		(void)buf_puts(&t->cells, number);
		c->is_number = true;
	} else if (type != SQLITE_NULL) {
		p = result_bytes(stmt, column, &n);
		(void)escape_text(&t->cells, p, n);
		c->is_text = true;
	}
	return table_end_cell(r, start);
}

static void
put_spaces(struct buf *out, size_t n)
{
	static const char spaces[] = "                                ";

	for (; n > 0; n -= n < sizeof(spaces) - 1 ? n : sizeof(spaces) - 1)
		(void)buf_put(out, spaces, n < sizeof(spaces) - 1 ? n : sizeof(spaces) - 1);
}

/* A kept row. No spaces at the end of a line. */
static void
table_put_row(struct result *r, size_t first)
{
	struct result_table *const t = r->table;

	for (size_t i = 0; i < t->n_columns; i++) {
		const struct table_column *const c = &t->columns[i];
		const size_t start = first + i > 0 ? t->ends[first + i - 1] : 0;
		const size_t len = t->ends[first + i] - start;
		const size_t width = width_text(t->cells.data + start, len);
		const size_t pad = width < c->width ? c->width - width : 0;
		const bool right = c->is_number && !c->is_text;

		if (i > 0)
			put_spaces(&r->out, TABLE_GAP);
		if (right)
			put_spaces(&r->out, pad);
		(void)buf_put(&r->out, t->cells.data + start, len);
		if (!right && i + 1 < t->n_columns)
			put_spaces(&r->out, pad);
	}
	while (r->out.len > 0 && r->out.data[r->out.len - 1] == ' ')
		r->out.len--;
	(void)buf_putc(&r->out, '\n');
}

/* The rows that are whole. Names in capitals would change them: they are what a statement calls them. */
static int
table_put_kept(struct result *r)
{
	struct result_table *const t = r->table;
	int status = 0;

	if (!t || !buf_ok(&t->cells))
		return error_set(r->err, IOTAP_ENOMEM, "out of memory");
	for (size_t i = 0; status == 0 && i + t->n_columns <= t->n_cells; i += t->n_columns) {
		table_put_row(r, i);
		status = result_flush(r, false);
	}
	t->n_cells = 0;
	buf_clear(&t->cells);
	t->written = true;
	return status;
}

static int
table_begin(struct result *r, sqlite3_stmt *stmt)
{
	const int n = sqlite3_column_count(stmt);
	struct result_table *const t = calloc(1, sizeof(*t));
	int status = 0;

	result_table_free(r->table);
	r->table = t;
	if (t) {
		t->n_columns = (size_t)n;
		t->columns = calloc(t->n_columns, sizeof(*t->columns));
	}
	if (!t || !t->columns)
		return error_set(r->err, IOTAP_ENOMEM, "out of memory");
	if (r->wrote)
		(void)buf_putc(&r->out, '\n');
	for (int i = 0; status == 0 && i < n; i++) {
		const char *const name = sqlite3_column_name(stmt, i);
		const size_t start = t->cells.len;

		(void)escape_text(&t->cells, name ? name : "", name ? strlen(name) : 0);
		status = table_end_cell(r, start);
	}
	return status;
}

static int
table_row(struct result *r, sqlite3_stmt *stmt)
{
	struct result_table *const t = r->table;
	int status = 0;

	for (int i = 0; status == 0 && i < (int)t->n_columns; i++)
		status = table_add_cell(r, stmt, i);
	if (status == 0 && (t->written || t->n_cells >= t->n_columns * TABLE_ROWS))
		status = table_put_kept(r);
	return status;
}

static int
table_end(struct result *r)
{
	return table_put_kept(r);
}

const struct result_form result_table_form = {.begin = table_begin, .row = table_row, .end = table_end};
