/* array_vtab_test.c - analyze/array_vtab.h: rows in memory, in SQL while they are known */
#include "analyze/array_vtab.h"

#include "analyze/db.h"
#include "tests/lib/unit.h"

static void
square(const void *arg, size_t row, int column, sqlite3_context *context)
{
	const int64_t *const factor = arg;

	if (column == 0)
		sqlite3_result_int64(context, (int64_t)row);
	else if (row != 3)
		sqlite3_result_int64(context, *factor * (int64_t)(row * row));
}

static int64_t
integer(sqlite3 *db, const char *sql)
{
	struct iotap_error err = {.code = 0};
	int64_t v;

	assert_int_equal(db_integer(db, sql, -1, &v, &err), 0);
	return v;
}

static void
rows_are_those_of_the_moment(void **state)
{
	int64_t factor = 1;
	struct array_rows rows = {
		.declaration = "CREATE TABLE x (a INTEGER, b INTEGER)", .n = 5, .value = square, .arg = &factor,
	};
	struct iotap_error err = {.code = 0};
	sqlite3_stmt *copy;
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(array_vtab_register(db, "squares", &rows, &err), 0);
	assert_int_equal(db_exec(db, "CREATE TABLE t (a, b)", &err), 0);
	assert_int_equal(db_prepare(db, "INSERT INTO t SELECT * FROM squares", &copy, &err), 0);
	assert_int_equal(db_run(copy, &err), 0);
	assert_int_equal(integer(db, "SELECT sum(b) FROM t"), 0 + 1 + 4 + 16);
	assert_int_equal(integer(db, "SELECT count(*) FROM t WHERE b IS NULL"), 1);
	rows.n = 2;
	factor = 10;
	assert_int_equal(db_run(copy, &err), 0);
	assert_int_equal(integer(db, "SELECT count(*) FROM t"), 7);
	assert_int_equal(integer(db, "SELECT max(rowid * 0 + b) FROM t WHERE a = 1"), 10);
	rows.n = 0;
	assert_int_equal(integer(db, "SELECT count(*) FROM squares"), 0);
	(void)sqlite3_finalize(copy);
	array_vtab_forget(db, "squares");
	assert_true(db_exec(db, "SELECT * FROM squares", &err) < 0);
	assert_string_equal(err.text, "database: no such table: squares");
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_those_of_the_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
