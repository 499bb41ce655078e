/* schema_test.c - analyze/schema.h: the tables are those of the .def files, ours are told from others */
#include "analyze/schema.h"

#include <string.h>

#include "analyze/db.h"
#include "analyze/sums.h"
#include "formats/base/buf.h"
#include "tests/lib/unit.h"

static sqlite3 *
new_database(bool views)
{
	struct iotap_error err = {.code = 0};
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(schema_create(db, views, &err), 0);
	return db;
}

/* The columns that a statement gives, separated by blanks. */
static void
columns_of(sqlite3 *db, const char *sql, struct buf *out)
{
	sqlite3_stmt *stmt;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	for (int i = 0; i < sqlite3_column_count(stmt); i++)
		(void)buf_printf(out, "%s ", sqlite3_column_name(stmt, i));
	(void)sqlite3_finalize(stmt);
}

static void
the_view_event_has_the_columns_of_the_virtual_table(void **state)
{
	static const char expected[] = ""
#define EVENT_FIRST EVENT_COLUMN
#define EVENT_COLUMN(name, needs) #name " "
#include "analyze/event_columns.def"
#undef EVENT_FIRST
#undef EVENT_COLUMN
		;
	struct buf got = {.data = NULL};
	sqlite3 *const db = new_database(true);

	(void)state;
	columns_of(db, "SELECT * FROM event", &got);
	assert_string_equal(buf_cstr(&got), expected);
	buf_free(&got);
	sqlite3_close_v2(db);
}

static void
the_tables_of_totals_have_the_columns_of_the_sums(void **state)
{
	static const char expected[] = "target "
#define TOTAL(column, how) #column " "
#include "analyze/totals.def"
#undef TOTAL
		;
	struct buf got = {.data = NULL};
	sqlite3 *const db = new_database(false);

	(void)state;
	columns_of(db, "SELECT * FROM total_by_target", &got);
	assert_string_equal(buf_cstr(&got), expected);
	buf_free(&got);
	sqlite3_close_v2(db);
}

static void
a_new_database_is_ours(void **state)
{
	struct iotap_error err = {.code = 0};
	sqlite3 *const db = new_database(true);
	int64_t n;

	(void)state;
	assert_int_equal(schema_check(db, "x", &err), 0);
	assert_int_equal(schema_check_tables(db, "x", &err), 0);
	assert_int_equal(schema_temp_views(db, true, &err), 0);
	assert_int_equal(db_integer(db, "SELECT count(*) FROM temp.sqlite_schema WHERE type = 'view'", 0, &n, &err), 0);
	assert_int_equal(n, 5);
	assert_int_equal(db_integer(db, "SELECT id FROM call WHERE name = 'pread64' AND op = 'pread' AND dir = 'read'",
				    0, &n, &err), 0);
	assert_int_equal(n, 6);
	assert_int_equal(db_integer(db, "SELECT err FROM errno WHERE name = 'EAGAIN'", 0, &n, &err), 0);
	assert_int_equal(n, 11);
	sqlite3_close_v2(db);
}

static void
over_a_recording_event_is_no_view(void **state)
{
	struct iotap_error err = {.code = 0};
	sqlite3 *const db = new_database(false);

	(void)state;
	assert_int_equal(db_exec(db, "CREATE TABLE event (number, time_ns, pid, tid, process, call, fd, requested, "
				 "bytes, err, result, duration_ns, offset, target)", &err), 0);
	assert_int_equal(schema_temp_views(db, false, &err), 0);
	assert_int_equal(db_exec(db, "SELECT number FROM event_v", &err), 0);
	sqlite3_close_v2(db);
}

static void
others_are_refused_with_the_remedy(void **state)
{
	static const struct {
		const char *change;
		int code;
		const char *text;
	} rows[] = {
		{"PRAGMA application_id = 7", IOTAP_ENOTREC, "x: not an iotap database; make one with"},
		{"PRAGMA user_version = 4", IOTAP_EVERSION, "x: database version 4, this program reads 3; use a newer"},
		{"PRAGMA user_version = 1", IOTAP_EVERSION, "x: database version 1, this program reads 3; load the"},
		{"PRAGMA user_version = -1", IOTAP_EVERSION, "x: database version -1"},
		{"DROP TABLE errno", IOTAP_ECORRUPT, "x: table errno is not as iotap makes it"},
		{"ALTER TABLE errno ADD COLUMN x ANY", IOTAP_ECORRUPT, "x: table errno is not as iotap makes it"},
		{"CREATE VIRTUAL TABLE v USING fts5(a)", IOTAP_EUNSUPPORTED, "x: holds virtual tables"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct iotap_error err = {.code = 0};
		sqlite3 *const db = new_database(true);
		int r;

		assert_int_equal(db_exec(db, rows[i].change, &err), 0);
		r = schema_check(db, "x", &err);
		if (r == 0)
			r = schema_check_tables(db, "x", &err);
		assert_int_equal(r, rows[i].code);
		assert_memory_equal(err.text, rows[i].text, strlen(rows[i].text));
		sqlite3_close_v2(db);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_view_event_has_the_columns_of_the_virtual_table),
		cmocka_unit_test(the_tables_of_totals_have_the_columns_of_the_sums),
		cmocka_unit_test(a_new_database_is_ours),
		cmocka_unit_test(over_a_recording_event_is_no_view),
		cmocka_unit_test(others_are_refused_with_the_remedy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
