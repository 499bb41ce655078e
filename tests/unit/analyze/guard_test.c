/* guard_test.c - analyze/guard.h: databases that somebody else made, statements that somebody wrote */
#include "analyze/guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/db.h"
#include "analyze/schema.h"
#include "tests/lib/unit.h"

/* -- files -- */

static int
setup(void **state)
{
	char *const path = strdup("/tmp/iotap-guard.XXXXXX");

	(void)close(mkstemp(path));
	*state = path;
	return 0;
}

static int
teardown(void **state)
{
	(void)unlink(*state);
	free(*state);
	return 0;
}

/* A database of ours with something done to it. */
static void
make(const char *path, const char *more)
{
	struct iotap_error err = {.code = 0};
	sqlite3 *db;

	(void)unlink(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(schema_create(db, true, &err), 0);
	if (db_exec(db, more, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void
expect_refused(const char *path, int code, const char *words)
{
	struct iotap_error err = {.code = 0};
	sqlite3 *db;
	const int r = guard_open(&db, path, &err);

	if (r != code || (words && !strstr(err.text, words)))
		fail_msg("%d: %s", r, err.text);
	(void)sqlite3_close(db);
}

static void
ours_is_opened(void **state)
{
	struct iotap_error err = {.code = 0};
	sqlite3 *db;

	make(*state, "");
	assert_int_equal(guard_open(&db, *state, &err), 0);
	assert_int_equal(schema_temp_views(db, true, &err), 0);
	assert_int_equal(db_exec(db, "SELECT * FROM event_v; SELECT * FROM target_v", &err), 0);
	(void)sqlite3_close(db);
	/* The user's own tables and indexes are his affair. */
	make(*state, "CREATE TABLE mine (x); CREATE INDEX i ON event_row (time)");
	assert_int_equal(guard_open(&db, *state, &err), 0);
	/* Reading only, even for who might write. */
	assert_int_equal(db_exec(db, "INSERT INTO mine VALUES (1)", &err), IOTAP_EPERM);
	(void)sqlite3_close(db);
}

static void
others_are_refused(void **state)
{
	FILE *file;

	make(*state, "PRAGMA application_id = 1");
	expect_refused(*state, IOTAP_ENOTREC, "not an iotap database");
	make(*state, "PRAGMA user_version = 4");
	expect_refused(*state, IOTAP_EVERSION, "version 4");
	make(*state, "PRAGMA user_version = 0");
	expect_refused(*state, IOTAP_EVERSION, "version 0");
	make(*state, "DROP VIEW event_v; DROP TABLE loss");
	expect_refused(*state, IOTAP_ECORRUPT, "table loss");
	expect_refused("/tmp/no/such/file", IOTAP_EIO, NULL);
	file = fopen(*state, "w");
	assert_non_null(file);
	(void)fputs(
		"SQLite format 3, but no more than that. Something to make it as long as a header is: 100 bytes.",
		file);
	(void)fclose(file);
	expect_refused(*state, IOTAP_ENOTREC, NULL);
}

/* A view where a table is due would run its maker's code in our statements. */
static void
code_in_a_file_is_refused(void **state)
{
	make(*state, "DROP TABLE loss; CREATE VIEW loss AS SELECT 1 AS id");
	expect_refused(*state, IOTAP_ECORRUPT, "table loss");
	make(*state, "DROP TABLE loss; CREATE TABLE loss (id INTEGER PRIMARY KEY, x AS (abs(id)))");
	expect_refused(*state, IOTAP_ECORRUPT, "table loss");
	make(*state, "CREATE VIRTUAL TABLE v USING fts5(x)");
	expect_refused(*state, IOTAP_EUNSUPPORTED, "virtual tables");
}

static void
a_trigger_or_view_of_the_file_does_not_run(void **state)
{
	struct iotap_error err = {.code = 0};
	sqlite3 *db;

	make(*state, "CREATE VIEW sneaky AS SELECT load_extension('x')");
	assert_int_equal(guard_open(&db, *state, &err), 0);
	assert_int_equal(db_exec(db, "SELECT * FROM sneaky", &err), IOTAP_ESQL);
	(void)sqlite3_close(db);
}

/* Characters that mean something in a URI. */
static void
names_are_taken_as_they_are(void **state)
{
	char path[200];
	struct iotap_error err = {.code = 0};
	sqlite3 *db;

	(void)snprintf(path, sizeof(path), "%s?mode=rwc#x%%41", (const char *)*state);
	make(path, "");
	assert_int_equal(guard_open(&db, path, &err), 0);
	(void)sqlite3_close(db);
	(void)unlink(path);
	expect_refused(path, IOTAP_EIO, NULL);
	assert_int_equal(access(path, F_OK), -1); /* and nothing is made */
}

/* -- statements -- */

static int
run(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static int
prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	const int r = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	(void)sqlite3_finalize(stmt);
	return r;
}

static sqlite3 *
guarded(struct guard_seen *seen)
{
	struct iotap_error err = {.code = 0};
	sqlite3 *db;

	assert_int_equal(guard_open_private(&db, &err), 0);
	assert_int_equal(schema_create(db, false, &err), 0);
	assert_int_equal(guard_know(db, "json_each", &err), 0);
	assert_int_equal(guard_select_only(db, seen, &err), 0);
	return db;
}

static void
only_select(void **state)
{
	static const char *const refused[] = {
		"INSERT INTO meta VALUES ('a', 1)",
		"DELETE FROM meta",
		"UPDATE meta SET value = 1",
		"DROP TABLE meta",
		"CREATE TABLE t (x)",
		"CREATE TEMP TABLE t (x)",
		"CREATE VIEW v AS SELECT 1",
		"CREATE TEMP TRIGGER t "
		"AFTER INSERT ON meta BEGIN SELECT 1; END",
		"CREATE VIRTUAL TABLE v USING fts5(x)",
		"ATTACH '/tmp/x' AS x",
		"DETACH main",
		"PRAGMA writable_schema = 1",
		"PRAGMA application_id",
		"BEGIN",
		"COMMIT",
		"SAVEPOINT s",
		"VACUUM",
		"VACUUM INTO '/tmp/iotap-guard-into'",
		"REINDEX",
		"ANALYZE",
		"SELECT load_extension('x')",
		"SELECT LOAD_EXTENSION('x')",
		"WITH x AS (SELECT 1) DELETE FROM meta",
		"SELECT * FROM pragma_database_list",
	};
	static const char *const allowed[] = {
		"SELECT 1",
		"SELECT * FROM meta, recording",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n "
		"WHERE i < 9) SELECT max(i) FROM n",
		"VALUES (1)",
		"SELECT value FROM json_each('[1]')",
		"EXPLAIN QUERY PLAN SELECT * FROM meta",
		"SELECT upper('a') || printf('%d', 1)",
	};
	sqlite3 *const db = guarded(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (run(db, refused[i]) == SQLITE_OK)
			fail_msg("allowed: %s", refused[i]);
	}
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		if (prepare(db, allowed[i]) != SQLITE_OK)
			fail_msg("refused: %s: %s", allowed[i], sqlite3_errmsg(db));
	}
	assert_int_equal(access("/tmp/iotap-guard-into", F_OK), -1);
	guard_lift(db);
	assert_int_equal(run(db, "INSERT INTO meta VALUES ('a', 1)"), SQLITE_OK);
	(void)sqlite3_close(db);
}

/* A statement may not take all there is. */
static void
sizes_are_limited(void **state)
{
	sqlite3 *const db = guarded(NULL);
	sqlite3_stmt *stmt;
	char sql[2000] = "SELECT 1";

	(void)state;
	assert_int_equal(
		sqlite3_prepare_v2(db, "SELECT length(zeroblob(100000000))", -1, &stmt, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_TOOBIG);
	(void)sqlite3_finalize(stmt);
	for (int i = 0; i < 110; i++)
		strcat(sql, " UNION SELECT 1");
	assert_int_not_equal(prepare(db, sql), SQLITE_OK);
	memset(sql, '(', 500);
	sql[500] = '\0';
	memcpy(sql, "SELECT", 6);
	assert_int_not_equal(prepare(db, sql), SQLITE_OK);
	(void)sqlite3_close(db);
}

/* Over a recording only the tables that a statement reads are filled. */
static void
what_is_read_is_seen(void **state)
{
	struct guard_seen seen = {.dimensions = false};
	sqlite3 *const db = guarded(&seen);

	(void)state;
	(void)prepare(db, "SELECT name FROM call JOIN errno ON err = id");
	assert_false(seen.dimensions || seen.totals);
	(void)prepare(db, "SELECT pid FROM process");
	assert_true(seen.dimensions);
	assert_false(seen.totals);
	(void)prepare(db, "SELECT reads FROM total_by_call");
	assert_true(seen.totals);
	seen = (struct guard_seen){.dimensions = false};
	(void)prepare(db, "SELECT 1 WHERE EXISTS (SELECT number FROM slowest)");
	assert_true(seen.totals);
	(void)sqlite3_close(db);
}

static void
the_schema_knows_calls_and_errnos(void **state)
{
	struct iotap_error err = {.code = 0};
	sqlite3 *const db = guarded(NULL);
	int64_t v;

	(void)state;
	assert_int_equal(
		db_integer(
			db,
			"SELECT id FROM call WHERE name = 'read' AND dir = 'read' AND returns = 'bytes'",
			0, &v, &err),
		0);
	assert_int_equal(v, 1);
	assert_int_equal(db_integer(db, "SELECT err FROM errno WHERE name = 'EAGAIN'", 0, &v, &err),
			 0);
	assert_int_equal(v, 11);
	assert_int_equal(
		db_integer(db, "SELECT count(*) FROM errno WHERE name LIKE '% %'", 9, &v, &err), 0);
	assert_int_equal(v, 0);
	(void)sqlite3_close(db);
}

#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(ours_is_opened),
		FILE_TEST(others_are_refused),
		FILE_TEST(code_in_a_file_is_refused),
		FILE_TEST(a_trigger_or_view_of_the_file_does_not_run),
		FILE_TEST(names_are_taken_as_they_are),
		cmocka_unit_test(only_select),
		cmocka_unit_test(sizes_are_limited),
		cmocka_unit_test(what_is_read_is_seen),
		cmocka_unit_test(the_schema_knows_calls_and_errnos),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
