/* result_json.c - rows as JSON Lines: an object a row, integers exact */
#include <math.h>
#include <string.h>

#include "analyze/result_form.h"
#include "formats/base/escape.h"
#include "formats/base/utf8.h"

static void
put_char(struct buf *out, uint32_t cp, const uint8_t *p, size_t len)
{
	if (cp == '"' || cp == '\\')
		(void)buf_printf(out, "\\%c", (int)cp);
	else if (cp == '\n' || cp == '\t')
		(void)buf_puts(out, cp == '\n' ? "\\n" : "\\t");
	else if (escape_is_control(cp))
		(void)buf_printf(out, "\\u%04x", (unsigned int)cp);
	else
		(void)buf_put(out, p, len);
}

/* True when all of it was UTF-8. */
static bool
put_string(struct buf *out, const void *from, size_t n)
{
	const uint8_t *const p = from;
	bool clean = true;

	(void)buf_putc(out, '"');
	for (size_t i = 0; i < n;) {
		uint32_t cp;
		const size_t len = utf8_decode(p + i, n - i, &cp);

		if (len > 0)
			put_char(out, cp, p + i, len);
		else
			(void)buf_puts(out, "\xef\xbf\xbd");
		clean = clean && len > 0;
		i += len > 0 ? len : 1;
	}
	(void)buf_putc(out, '"');
	return clean;
}

/* "name" or "name_hex", and the colon. */
static void
put_key(struct buf *out, const char *name, const char *suffix)
{
	(void)put_string(out, name, strlen(name));
	if (suffix[0] != '\0') {
		out->len--;		/* the quote */
		(void)buf_printf(out, "%s\"", suffix);
	}
	(void)buf_putc(out, ':');
}

static void
put_bytes(struct buf *out, sqlite3_stmt *stmt, int column, const char *name)
{
	size_t n;
	const uint8_t *const p = result_bytes(stmt, column, &n);
	const bool is_blob = sqlite3_column_type(stmt, column) == SQLITE_BLOB;

	if (put_string(out, p, n) && !is_blob)
		return;
	(void)buf_putc(out, ',');
	put_key(out, name, "_hex");
	(void)buf_putc(out, '"');
	for (size_t i = 0; i < n; i++)
		(void)buf_printf(out, "%02x", p[i]);
	(void)buf_putc(out, '"');
}

static void
put_value(struct buf *out, sqlite3_stmt *stmt, int column, const char *name)
{
	const int type = sqlite3_column_type(stmt, column);
	char text[48];

	if (type == SQLITE_NULL || (type == SQLITE_FLOAT && !isfinite(sqlite3_column_double(stmt, column)))) {
		(void)buf_puts(out, "null");
	} else if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
		result_number(text, sizeof(text), stmt, column);
		(void)buf_puts(out, text);
	} else {
		put_bytes(out, stmt, column, name);
	}
}

static int
json_row(struct result *r, sqlite3_stmt *stmt)
{
	for (int i = 0; i < sqlite3_column_count(stmt); i++) {
		const char *const name = sqlite3_column_name(stmt, i);

		(void)buf_putc(&r->out, i == 0 ? '{' : ',');
		put_key(&r->out, name ? name : "", "");
		put_value(&r->out, stmt, i, name ? name : "");
	}
	(void)buf_puts(&r->out, "}\n");
	return result_flush(r, false);
}

const struct result_form result_json_form = {.row = json_row};
