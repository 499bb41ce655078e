/* db_test.c - analyze/db.h: which failure is which, what is bound as what; analyze/words.h, analyze/catalog.h */
#include "analyze/db.h"

#include <string.h>

#include "analyze/catalog.h"
#include "analyze/words.h"
#include "formats/iotap.h"
#include "tests/lib/unit.h"

static sqlite3 *
memory(void)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	return db;
}

static void
integers(void **state)
{
	struct iotap_error err = {.code = 0};
	sqlite3 *const db = memory();
	int64_t v;

	(void)state;
	assert_int_equal(db_integer(db, "SELECT 5", 1, &v, &err), 0);
	assert_int_equal(v, 5);
	assert_int_equal(db_integer(db, "SELECT NULL", -7, &v, &err), 0);
	assert_int_equal(v, -7);
	assert_int_equal(db_integer(db, "SELECT 1 WHERE 0", -7, &v, &err), 0);
	assert_int_equal(v, -7);
	assert_int_equal(db_integer(db, "SELECT FROM", 9, &v, &err), IOTAP_ESQL);
	assert_int_equal(v, 9);
	assert_int_equal(db_integer(db, "SELECT abs(-9223372036854775807 - 1)", 9, &v, &err),
			 IOTAP_ESQL);
	(void)sqlite3_close(db);
}

/* Every value a recording may hold has a place in SQL, and what is not known is NULL. */
static void
bound_numbers(void **state)
{
	static const struct {
		uint64_t v;
		const char *text;
	} rows[] = {
		{0, "0"},
		{INT64_MAX, "9223372036854775807"},
		{UINT64_C(1) << 63, "9223372036854775807"},
		{UINT64_MAX - 1, "9223372036854775807"},
		{UINT64_MAX, "null"},
	};
	sqlite3 *const db = memory();
	sqlite3_stmt *stmt;

	(void)state;
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT quote(?1)", -1, &stmt, NULL), SQLITE_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		db_bind_u64(stmt, 1, rows[i].v);
		assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
		assert_int_equal(
			sqlite3_stricmp((const char *)sqlite3_column_text(stmt, 0), rows[i].text),
			0);
		(void)sqlite3_reset(stmt);
	}
	(void)sqlite3_finalize(stmt);
	(void)sqlite3_close(db);
}

static void
bound_names(void **state)
{
	static const struct {
		const char *p;
		size_t n;
		const char *type;
	} rows[] = {
		{"abc", 3, "text"},	     {"", 0, "text"},	  {"\xc3\xa9", 2, "text"},
		{"\xc3", 1, "blob"},	     {"a\0b", 3, "blob"}, {"\0abstract", 9, "blob"},
		{"\xed\xa0\x80", 3, "blob"}, {NULL, 0, "null"},
	};
	sqlite3 *const db = memory();
	sqlite3_stmt *stmt;

	(void)state;
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT typeof(?1), length(CAST(?1 AS BLOB))", -1,
					    &stmt, NULL),
			 SQLITE_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		db_bind_name(stmt, 1, rows[i].p, rows[i].n);
		assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
		assert_string_equal(sqlite3_column_text(stmt, 0), rows[i].type);
		assert_int_equal(sqlite3_column_int(stmt, 1), rows[i].n);
		(void)sqlite3_reset(stmt);
	}
	(void)sqlite3_finalize(stmt);
	(void)sqlite3_close(db);
}

static void
failures_have_codes(void **state)
{
	struct iotap_error err = {.code = 0};
	sqlite3 *db = NULL;

	(void)state;
	assert_int_equal(db_error(NULL, &err, "x"), IOTAP_ENOMEM);
	assert_int_not_equal(sqlite3_open_v2("/nonexistent/x", &db, SQLITE_OPEN_READONLY, NULL),
			     SQLITE_OK);
	assert_int_equal(db_error(db, &err, "x\n"), IOTAP_EIO);
	assert_null(strchr(err.text, '\n'));
	(void)sqlite3_close(db);
	db = memory();
	assert_int_equal(db_exec(db, "CREATE TABLE t (x); NONSENSE", &err), IOTAP_ESQL);
	assert_int_equal(db_exec(db, "PRAGMA query_only = 1; INSERT INTO t VALUES (1)", &err),
			 IOTAP_EPERM);
	assert_non_null(strstr(err.text, "you may write"));
	(void)sqlite3_close(db);
}

/* A failed statement can be used again. */
static void
statements_are_reset(void **state)
{
	struct iotap_error err = {.code = 0};
	sqlite3 *const db = memory();
	sqlite3_stmt *stmt;

	(void)state;
	assert_int_equal(db_exec(db, "CREATE TABLE t (x INTEGER PRIMARY KEY)", &err), 0);
	assert_int_equal(db_prepare(db, "INSERT INTO t VALUES (?1)", &stmt, &err), 0);
	(void)sqlite3_bind_int(stmt, 1, 5);
	assert_int_equal(db_run(stmt, &err), 0);
	assert_int_equal(db_run(stmt, &err), IOTAP_ESQL);
	(void)sqlite3_bind_int(stmt, 1, 6);
	assert_int_equal(db_run(stmt, &err), 0);
	(void)sqlite3_finalize(stmt);
	(void)sqlite3_close(db);
}

/* Numbers of a later version have a word all the same. */
static void
words(void **state)
{
	(void)state;
	assert_string_equal(word_kind(IOTAP_KIND_MEMFD), "memfd");
	assert_string_equal(word_class(IOTAP_CLASS_NETWORK), "network");
	assert_string_equal(word_notice(IOTAP_NOTICE_END), "end");
	assert_string_equal(word_cause(IOTAP_DROP_TRUNCATED), "truncated");
	assert_string_equal(word_kind(UINT32_MAX), "unknown");
	assert_string_equal(word_class(3), "other");
	assert_string_equal(word_resolved(99), "none");
	assert_string_equal(word_evidence(99), "none");
	assert_string_equal(word_notice(0), "unknown");
	assert_string_equal(word_cause(5), "unknown");
	assert_null(word_arch(0));
	assert_null(word_arch(UINT32_MAX));
	assert_null(word_os(2));
}

static void
reports_by_name(void **state)
{
	struct iotap_error err = {.code = 0};

	(void)state;
	assert_non_null(catalog_find("files"));
	assert_null(catalog_find("schema")); /* a text of ours, but no report */
	assert_null(catalog_find("FILES"));
	assert_null(catalog_find(""));
	assert_int_equal(catalog_missing("x\x1b", &err), IOTAP_EUSAGE);
	assert_non_null(strstr(err.text, "no report 'x?'; there are "));
	assert_non_null(strstr(err.text, "files"));
}

/* SQLite ends a transaction by itself when memory or the disk is used up. */
static void
a_transaction_that_was_given_up(void **state)
{
	struct iotap_error err = {.code = 0};
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(db_exec(db, "BEGIN; CREATE TABLE t(a)", &err), 0);
	assert_int_equal(db_commit(db, &err), 0);
	assert_int_equal(db_exec(db, "BEGIN; ROLLBACK", &err), 0);
	assert_int_equal(db_commit(db, &err), IOTAP_ENOMEM);
	assert_non_null(strstr(err.text, "nothing was kept"));
	(void)sqlite3_close(db);
}

static void
fail_without_memory(sqlite3_context *at, int n, sqlite3_value **values)
{
	(void)n;
	(void)values;
	sqlite3_result_error(at, "unable to open a temporary database file", -1);
	sqlite3_result_error_code(at, SQLITE_NOMEM);
}

/* SQLite's words are of what it had no memory for: the reason is told. */
static void
no_memory_is_told(void **state)
{
	struct iotap_error err = {.code = 0};
	sqlite3 *const db = memory();
	int64_t v;

	(void)state;
	assert_int_equal(sqlite3_create_function(db, "fail", 0, SQLITE_UTF8, NULL, fail_without_memory, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(db_integer(db, "SELECT fail()", 0, &v, &err), IOTAP_ENOMEM);
	assert_string_equal(err.text, "database: out of memory");
	(void)sqlite3_close(db);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_transaction_that_was_given_up),
		cmocka_unit_test(integers),
		cmocka_unit_test(bound_numbers),
		cmocka_unit_test(bound_names),
		cmocka_unit_test(failures_have_codes),
		cmocka_unit_test(no_memory_is_told),
		cmocka_unit_test(statements_are_reset),
		cmocka_unit_test(words),
		cmocka_unit_test(reports_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
