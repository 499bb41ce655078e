/* result_csv.c - rows as CSV (RFC 4180) and as TSV, each with a line of names */
#include <string.h>

#include "analyze/result_form.h"
#include "formats/base/csv_field.h"
#include "formats/base/escape.h"

static void
tsv_text(struct buf *out, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		switch (p[i]) {
		case '\t':
			(void)buf_puts(out, "\\t");
			break;
		case '\n':
			(void)buf_puts(out, "\\n");
			break;
		case '\r':
			(void)buf_puts(out, "\\r");
			break;
		case '\\':
			(void)buf_puts(out, "\\\\");
			break;
		default:
			(void)buf_putc(out, p[i]);
		}
	}
}

static void
put_form(struct result *r, const char *p, size_t n)
{
	if (r->format == RESULT_CSV)
		csv_field(&r->out, p, n);
	else
		tsv_text(&r->out, p, n);
}

/* A machine gets the text, a terminal what it cannot be moved by. */
static void
put_text(struct result *r, const char *p, size_t n)
{
	struct buf shown = {.data = NULL};

	if (!r->terminal || escape_is_clean(p, n)) {
		put_form(r, p, n);
		return;
	}
	if (escape_text(&shown, p, n))
		put_form(r, (const char *)shown.data, shown.len);
	buf_free(&shown);
}

/* The dialect of SQL: exact, and not to be taken for a name. */
static void
put_blob(struct buf *out, const uint8_t *p, size_t n)
{
	(void)buf_puts(out, "X'");
	for (size_t i = 0; i < n; i++)
		(void)buf_printf(out, "%02x", p[i]);
	(void)buf_putc(out, '\'');
}

static void
put_cell(struct result *r, sqlite3_stmt *stmt, int column)
{
	char number[48];
	size_t n;
	const void *p;

	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_NULL:
		(void)buf_puts(&r->out, r->format == RESULT_TSV ? "\\N" : "");
		break;
	case SQLITE_INTEGER:
	case SQLITE_FLOAT:
		result_number(number, sizeof(number), stmt, column);
		(void)buf_puts(&r->out, number);
		break;
	case SQLITE_BLOB:
		p = result_bytes(stmt, column, &n);
		put_blob(&r->out, p, n);
		break;
	default:
		p = result_bytes(stmt, column, &n);
		put_text(r, p, n);
	}
}

static void
put_separator(struct result *r, bool end)
{
	if (r->format == RESULT_CSV)
		(void)buf_puts(&r->out, end ? "\r\n" : ",");
	else
		(void)buf_putc(&r->out, end ? '\n' : '\t');
}

static int
csv_begin(struct result *r, sqlite3_stmt *stmt)
{
	const int n = sqlite3_column_count(stmt);

	for (int i = 0; i < n; i++) {
		const char *const name = sqlite3_column_name(stmt, i);

		put_text(r, name ? name : "", name ? strlen(name) : 0);
		put_separator(r, i == n - 1);
	}
	return 0;
}

static int
csv_row(struct result *r, sqlite3_stmt *stmt)
{
	const int n = sqlite3_column_count(stmt);

	for (int i = 0; i < n; i++) {
		put_cell(r, stmt, i);
		put_separator(r, i == n - 1);
	}
	return result_flush(r, false);
}

const struct result_form result_csv_form = {.begin = csv_begin, .row = csv_row};
const struct result_form result_tsv_form = {.begin = csv_begin, .row = csv_row};
