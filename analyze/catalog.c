/* catalog.c - the named reports: the files report-NAME.sql of analyze/sql */
#include "analyze/catalog.h"

#include <string.h>

#include "analyze/db.h"
#include "analyze/sql_texts.h"

const char *
catalog_find(const char *name)
{
	for (const struct sql_text *t = sql_texts; t->name; t++) {
		if (t->is_report && strcmp(t->name, name) == 0)
			return t->text;
	}
	return NULL;
}

const char *
catalog_events(void)
{
	for (const struct sql_text *t = sql_texts; t->name; t++) {
		if (!t->is_report && strcmp(t->name, "events") == 0)
			return t->text;
	}
	return "";
}

int
catalog_missing(const char *name, struct iotap_error *err)
{
	char names[256] = "";
	size_t used = 0;

	for (const struct sql_text *t = sql_texts; t->name; t++) {
		if (t->is_report && used + strlen(t->name) + 2 < sizeof(names)) {
			(void)sqlite3_snprintf((int)(sizeof(names) - used), names + used, "%s%s",
					       used > 0 ? ", " : "", t->name);
			used = strlen(names);
		}
	}
	return error_set(err, IOTAP_EUSAGE, "no report '%s'; there are %s", name, names);
}

/* As rows of a statement, so that every format is there. */
int
catalog_list(struct result *result, struct iotap_error *err)
{
	sqlite3_str *const sql = sqlite3_str_new(NULL);
	sqlite3_stmt *stmt = NULL;
	sqlite3 *db = NULL;
	char *text;
	int r = 0;

	sqlite3_str_appendall(sql, "SELECT column1 AS report, column2 AS title FROM (VALUES ");
	for (const struct sql_text *t = sql_texts; t->name; t++) {
		if (t->is_report)
			sqlite3_str_appendf(sql, "%s(%Q, %Q)", r++ > 0 ? ", " : "", t->name, t->title);
	}
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	if (!text || sqlite3_open(":memory:", &db) != SQLITE_OK)
		r = db_error(db, err, "list");
	else
		r = db_prepare(db, text, &stmt, err);
	if (r == 0)
		r = result_run(result, stmt);
	sqlite3_free(text);
	(void)sqlite3_finalize(stmt);
	(void)sqlite3_close_v2(db);
	return r;
}
