/* result_test.c - analyze/result.h: rows as a table, JSON Lines, CSV and TSV */
#include "analyze/result.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/db.h"
#include "formats/base/io.h"
#include "tests/lib/starve.h"
#include "tests/lib/unit.h"

/* What is written for the statements, one after the other; the status of the last. */
static int
run(enum result_format format, const char *sql, struct buf *out, struct iotap_error *err)
{
	const int fd = memfd_create("result", MFD_CLOEXEC);
	struct result result;
	sqlite3 *db;
	int r = 0;

	assert_true(fd >= 0);
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	result_init(&result, format, fd, err);
	while (r == 0 && *sql != '\0') {
		sqlite3_stmt *stmt;

		if (sqlite3_prepare_v2(db, sql, -1, &stmt, &sql) != SQLITE_OK)
			fail_msg("%s", sqlite3_errmsg(db));
		r = result_run(&result, stmt);
		(void)sqlite3_finalize(stmt);
	}
	result_fini(&result);
	(void)sqlite3_close(db);
	(void)lseek(fd, 0, SEEK_SET);
	assert_true(io_read_rest(fd, out));
	(void)close(fd);
	return r;
}

static void
expect(enum result_format format, const char *sql, const char *text)
{
	struct iotap_error err = {.code = 0};
	struct buf out = {.data = NULL};

	assert_int_equal(run(format, sql, &out, &err), 0);
	assert_string_equal(buf_cstr(&out), text);
	buf_free(&out);
}

/* RFC 4180: quotes where they are needed, CR LF at the end of each line. */
static void
csv(void **state)
{
	(void)state;
	expect(RESULT_CSV, "SELECT 1 AS a, 'x' AS \"b,c\", NULL AS d", "a,\"b,c\",d\r\n1,x,\r\n");
	expect(RESULT_CSV, "SELECT 'a\"b' AS x, 'a,b' AS y, 'a' || char(10) || 'b' AS z",
	       "x,y,z\r\n\"a\"\"b\",\"a,b\",\"a\nb\"\r\n");
	expect(RESULT_CSV, "SELECT '' AS empty, NULL AS none", "empty,none\r\n\"\",\r\n");
	expect(RESULT_CSV, "SELECT ' a' AS x, 'b ' AS y", "x,y\r\n\" a\",\"b \"\r\n");
	expect(RESULT_CSV, "SELECT x'00ff' AS x", "x\r\nX'00ff'\r\n");
}

/* A file named "=HYPERLINK(...)" must not run in whoever opens the table. Numbers are no formulas. */
static void
csv_has_no_formulas(void **state)
{
	(void)state;
	expect(RESULT_CSV,
	       "SELECT '=1+1' AS a, '+1' AS b, '-x' AS c, '@x' AS d, char(9) || 'x' AS e, -1 AS f, 'a=b' AS g",
	       "a,b,c,d,e,f,g\r\n\"'=1+1\",\"'+1\",\"'-x\",\"'@x\",\"'\tx\",-1,a=b\r\n");
	expect(RESULT_CSV, "SELECT 1 AS \"=x\"", "\"'=x\"\r\n1\r\n");
}

static void
tsv(void **state)
{
	(void)state;
	expect(RESULT_TSV,
	       "SELECT NULL AS a, '' AS b, 'x' || char(9, 10, 13) || '\\' AS c, x'5c' AS d",
	       "a\tb\tc\td\n\\N\t\tx\\t\\n\\r\\\\\tX'5c'\n");
}

static void
json(void **state)
{
	(void)state;
	expect(RESULT_JSON,
	       "SELECT 9007199254740993 AS exact, 0.1 AS tenth, NULL AS none, 'a\"\\' || char(27) AS text",
	       "{\"exact\":9007199254740993,\"tenth\":0.1,\"none\":null,\"text\":\"a\\\"\\\\\\u001b\"}\n");
	expect(RESULT_JSON, "SELECT -9223372036854775807 - 1 AS least, 9e999 AS infinite",
	       "{\"least\":-9223372036854775808,\"infinite\":null}\n");
	expect(RESULT_JSON, "SELECT x'61ff' AS b",
	       "{\"b\":\"a\xef\xbf\xbd\",\"b_hex\":\"61ff\"}\n");
	expect(RESULT_JSON, "SELECT x'61' AS \"q\"\"\"",
	       "{\"q\\\"\":\"a\",\"q\\\"_hex\":\"61\"}\n");
	expect(RESULT_JSON, "SELECT CAST(x'ff' AS TEXT) AS b",
	       "{\"b\":\"\xef\xbf\xbd\",\"b_hex\":\"ff\"}\n");
	expect(RESULT_JSON, "SELECT 1 AS a WHERE 0", "");
}

/* Numbers to the right, words to the left, none behind the last word. */
static void
table(void **state)
{
	(void)state;
	expect(RESULT_TABLE, "SELECT 'a' AS name, 1 AS n UNION ALL SELECT 'longer', 1000",
	       "name       n\na          1\nlonger  1000\n");
	expect(RESULT_TABLE, "SELECT 1 AS n, NULL AS none", "n  none\n1\n");
	expect(RESULT_TABLE, "SELECT 1 AS mixed UNION ALL SELECT 'x'", "mixed\n1\nx\n");
	expect(RESULT_TABLE, "SELECT 1 AS a WHERE 0", "a\n");
	expect(RESULT_TABLE, "SELECT 1 AS a; SELECT 2 AS b", "a\n1\n\nb\n2\n");
	expect(RESULT_TABLE, "CREATE TABLE t (x); SELECT 2 AS b", "b\n2\n");
}

/* What comes from a file must not reach the terminal as it is, nor make the table crooked. */
static void
tables_are_escaped(void **state)
{
	(void)state;
	expect(RESULT_TABLE, "SELECT char(27) || '[2J' AS \"x\x1b\", 1 AS n", "x?    n\n?[2J  1\n");
	expect(RESULT_TABLE, "SELECT 'a' || char(10) || 'b' AS x", "x\na?b\n");
	expect(RESULT_TABLE, "SELECT x'ff' AS x, 1 AS n", "x  n\n\xef\xbf\xbd  1\n");
	expect(RESULT_TABLE, "SELECT '\xe6\x97\xa5' AS x, 1 AS n UNION ALL SELECT 'abc', 2",
	       "x    n\n\xe6\x97\xa5   1\nabc  2\n");
}

/* Rows beyond those that decide the widths come all the same, and a later wide one does not shift the
 * first. */
static void
long_tables(void **state)
{
	struct iotap_error err = {.code = 0};
	struct buf out = {.data = NULL};
	size_t lines = 0;

	(void)state;
	assert_int_equal(
		run(RESULT_TABLE,
		    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
		    "WHERE i < 10000) SELECT i, CASE WHEN i = 9000 THEN 'wide value' ELSE 'v' END AS w, 0 AS z "
		    "FROM n",
		    &out, &err),
		0);
	for (size_t i = 0; i < out.len; i++)
		lines += out.data[i] == '\n';
	assert_int_equal(lines, 10001);
	assert_int_equal(strncmp(buf_cstr(&out), "   i  w  z\n   1  v  0\n", 22), 0);
	assert_non_null(strstr(buf_cstr(&out), "\n9000  wide value  0\n9001  v  0\n"));
	assert_non_null(strstr(buf_cstr(&out), "\n10000  v  0\n"));
	buf_free(&out);
}

/* A statement that fails in the middle: its rows so far are shown, and the failure is told. */
static void
failures(void **state)
{
	static const char fails_later[] =
		"SELECT abs(column1) AS a FROM (VALUES (1), (-9223372036854775807 - 1))";
	static const enum result_format formats[] = {RESULT_TABLE, RESULT_JSON, RESULT_CSV,
						     RESULT_TSV};
	static const char *const shown[] = {"a\n1\n", "{\"a\":1}\n", "a\r\n1\r\n", "a\n1\n"};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct iotap_error err = {.code = 0};
		struct buf out = {.data = NULL};

		assert_int_equal(run(formats[i], fails_later, &out, &err), IOTAP_ESQL);
		assert_string_equal(buf_cstr(&out), shown[i]);
		assert_non_null(strstr(err.text, "integer overflow"));
		buf_clear(&out);
		assert_int_equal(
			run(formats[i], "SELECT abs(-9223372036854775807 - 1) AS a", &out, &err),
			IOTAP_ESQL);
		assert_int_equal(out.len, 0);
		buf_free(&out);
	}
}

static void
a_reader_that_left_ends_it(void **state)
{
	struct iotap_error err = {.code = 0};
	struct result result;
	sqlite3_stmt *stmt;
	sqlite3 *db;
	int fds[2];

	(void)state;
	(void)signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	(void)close(fds[0]);
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	for (int format = RESULT_TABLE; format <= RESULT_TSV; format++) {
		result_init(&result, (enum result_format)format, fds[1], &err);
		assert_int_equal(sqlite3_prepare_v2(db, "SELECT 1", -1, &stmt, NULL), SQLITE_OK);
		assert_int_equal(result_run(&result, stmt), IOTAP_EPIPE);
		(void)sqlite3_finalize(stmt);
		result_fini(&result);
	}
	(void)sqlite3_close(db);
	(void)close(fds[1]);
}

/* In each format, with what SQLite itself holds left alone. */
struct starved {
	enum result_format format;
	int fd;
	sqlite3_stmt *stmt;
};

static int
starved_step(void *arg)
{
	const struct starved *const s = arg;
	struct iotap_error err = {.code = 0};
	struct result result;
	int r;

	result_init(&result, s->format, s->fd, &err);
	r = result_run(&result, s->stmt);
	if (r < 0)
		assert_string_equal(err.text, "out of memory");
	result_fini(&result);
	(void)sqlite3_reset(s->stmt);
	return r;
}

static void
without_memory(void **state)
{
	struct starved s = {.fd = memfd_create("result", MFD_CLOEXEC)};
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
					    "WHERE i < 300) SELECT i, 'a' || char(27) AS \"b,c\", NULL, 0.5 FROM n",
					    -1, &s.stmt, NULL), SQLITE_OK);
	for (s.format = RESULT_TABLE; s.format <= RESULT_TSV; s.format++)
		starve_each(starved_step, &s, IOTAP_ENOMEM);
	(void)sqlite3_finalize(s.stmt);
	(void)sqlite3_close(db);
	(void)close(s.fd);
}

static void
formats_have_names(void **state)
{
	(void)state;
	assert_string_equal(result_formats[RESULT_TABLE], "table");
	assert_string_equal(result_formats[RESULT_TSV], "tsv");
	assert_null(result_formats[RESULT_TSV + 1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv),
		cmocka_unit_test(csv_has_no_formulas),
		cmocka_unit_test(tsv),
		cmocka_unit_test(json),
		cmocka_unit_test(table),
		cmocka_unit_test(tables_are_escaped),
		cmocka_unit_test(long_tables),
		cmocka_unit_test(failures),
		cmocka_unit_test(a_reader_that_left_ends_it),
		cmocka_unit_test(without_memory),
		cmocka_unit_test(formats_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
