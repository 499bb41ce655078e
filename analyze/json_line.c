/* json_line.c - one line of JSON Lines, read by SQLite's JSON functions: integers stay exact */
#include "analyze/json_line.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/db.h"
#include "formats/iotap.h"

struct json_line {
	sqlite3 *db;
	sqlite3_stmt *valid;
	sqlite3_stmt *fields;
};

struct json_line *
json_line_new(struct iotap_error *err)
{
	static const char select[] = "SELECT 0"
#define FIELD(name, path) ", json_extract(?1, '" path "')"
#include "analyze/json_fields.def"
#undef FIELD
		;
	struct json_line *const line = calloc(1, sizeof(*line));
	int r = 0;

	if (!line || sqlite3_open(":memory:", &line->db) != SQLITE_OK)
		r = db_error(line ? line->db : NULL, err, "JSON");
	if (r == 0)
		r = db_prepare(line->db, "SELECT json_valid(?1) AND json_type(?1) = 'object'", &line->valid, err);
	if (r == 0)
		r = db_prepare(line->db, select, &line->fields, err);
	if (r == 0)
		return line;
	json_line_free(line);
	return NULL;
}

void
json_line_free(struct json_line *line)
{
	if (!line)
		return;
	(void)sqlite3_finalize(line->valid);
	(void)sqlite3_finalize(line->fields);
	(void)sqlite3_close_v2(line->db);
	free(line);
}

bool
json_line_parse(struct json_line *line, const char *p, size_t n)
{
	bool ok;

	(void)sqlite3_reset(line->fields);
	(void)sqlite3_bind_text64(line->valid, 1, p, n, SQLITE_STATIC, SQLITE_UTF8);
	ok = sqlite3_step(line->valid) == SQLITE_ROW && sqlite3_column_int(line->valid, 0);
	(void)sqlite3_reset(line->valid);
	if (!ok)
		return false;
	(void)sqlite3_bind_text64(line->fields, 1, p, n, SQLITE_STATIC, SQLITE_UTF8);
	return sqlite3_step(line->fields) == SQLITE_ROW;
}

static int
column_of(enum json_field field)
{
	return (int)field + 1;
}

uint64_t
json_line_u64(const struct json_line *line, enum json_field field)
{
	const int column = column_of(field);

	if (sqlite3_column_type(line->fields, column) != SQLITE_INTEGER ||
	    sqlite3_column_int64(line->fields, column) < 0)
		return IOTAP_UNKNOWN;
	return (uint64_t)sqlite3_column_int64(line->fields, column);
}

int64_t
json_line_i64(const struct json_line *line, enum json_field field, int64_t absent)
{
	const int column = column_of(field);

	return sqlite3_column_type(line->fields, column) == SQLITE_INTEGER
		? sqlite3_column_int64(line->fields, column) : absent;
}

const char *
json_line_text(const struct json_line *line, enum json_field field, size_t *n)
{
	const int column = column_of(field);
	const char *const text = sqlite3_column_type(line->fields, column) == SQLITE_TEXT
		? (const char *)sqlite3_column_text(line->fields, column) : NULL;

	*n = text ? (size_t)sqlite3_column_bytes(line->fields, column) : 0;
	return text;
}

bool
json_line_is(const struct json_line *line, enum json_field field, const char *text)
{
	size_t n;
	const char *const value = json_line_text(line, field, &n);

	return value && n == strlen(text) && memcmp(value, text, n) == 0;
}
