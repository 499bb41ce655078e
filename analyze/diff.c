/* diff.c - what changed between two runs: the totals of both in one table, and a question about it */
#include "analyze/diff.h"

#include "analyze/db.h"

/* A name may stand for several targets of a database, and so for several rows. */
static const char totals[] =
	"SELECT 'target', coalesce(t.name, t.path, t.text), sum(s.reads + s.writes), "
	"sum(s.read_bytes + s.written_bytes), sum(s.errors), sum(s.latency_ns) "
	"FROM total_by_target AS s CROSS JOIN target AS t ON t.id = s.target GROUP BY 2 "
	"UNION ALL "
	"SELECT 'call', coalesce(c.name, 'call ' || s.call), sum(s.reads + s.writes + s.ops), "
	"sum(s.read_bytes + s.written_bytes), sum(s.errors + s.op_errors), sum(s.latency_ns) "
	"FROM total_by_call AS s LEFT JOIN call AS c ON c.id = s.call GROUP BY 2";

static const char table[] =
	"CREATE TABLE total (side INTEGER, what TEXT, name ANY, calls INTEGER, bytes INTEGER, errors INTEGER, "
	"latency_ns INTEGER) STRICT";

#define SIDE(n, column) "coalesce(sum(" column ") FILTER (WHERE side = " n "), 0)"

static const char question[] =
	"WITH both AS (SELECT what, name, "
	SIDE("0", "calls") " AS calls_a, " SIDE("1", "calls") " AS calls_b, "
	SIDE("0", "bytes") " AS bytes_a, " SIDE("1", "bytes") " AS bytes_b, "
	SIDE("0", "errors") " AS failed_a, " SIDE("1", "errors") " AS failed_b, "
	SIDE("0", "latency_ns") " AS latency_a, " SIDE("1", "latency_ns") " AS latency_b "
	"FROM total GROUP BY what, name), "
	"mean AS (SELECT *, CASE WHEN calls_a > 0 THEN nullif(latency_a, 0) / 1e3 / calls_a END AS us_a, "
	"CASE WHEN calls_b > 0 THEN nullif(latency_b, 0) / 1e3 / calls_b END AS us_b FROM both) "
	"SELECT what, calls_a, calls_b, bytes_a, bytes_b, failed_a, failed_b, round(us_a, 1) AS mean_us_a, "
	"round(us_b, 1) AS mean_us_b, name FROM mean "
	"WHERE calls_a <> calls_b OR bytes_a <> bytes_b OR failed_a <> failed_b "
	"OR us_a >= 2 * us_b OR us_b >= 2 * us_a "
	"ORDER BY what DESC, abs(bytes_b - bytes_a) DESC, abs(calls_b - calls_a) DESC, "
	"abs(latency_b - latency_a) DESC, name";

struct side {
	sqlite3_stmt *insert;
	struct iotap_error *err;
	int number;
};

static int
take_row(sqlite3_stmt *row, void *arg)
{
	const struct side *const side = arg;

	(void)sqlite3_bind_int(side->insert, 1, side->number);
	for (int i = 0; i < sqlite3_column_count(row); i++) {
		if (sqlite3_bind_value(side->insert, i + 2, sqlite3_column_value(row, i)) != SQLITE_OK)
			return db_error(sqlite3_db_handle(side->insert), side->err, "diff");
	}
	return db_run(side->insert, side->err);
}

static int
take_side(sqlite3_stmt *insert, int number, struct question *q, struct iotap_error *err)
{
	struct side side = {insert, err, number};

	return question_rows(q, totals, take_row, &side, err);
}

static int
write_rows(sqlite3 *db, struct result *result, struct iotap_error *err)
{
	sqlite3_stmt *stmt = NULL;
	int r = db_prepare(db, question, &stmt, err);

	if (r == 0)
		r = result_run(result, stmt);
	(void)sqlite3_finalize(stmt);
	return r;
}

int
diff_write(struct question *a, struct question *b, struct result *result, struct iotap_error *err)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *insert = NULL;
	int r = guard_open_private(&db, err);

	if (r == 0)
		r = db_exec(db, table, err);
	if (r == 0)
		r = db_prepare(db, "INSERT INTO total VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", &insert, err);
	if (r == 0)
		r = take_side(insert, 0, a, err);
	if (r == 0)
		r = take_side(insert, 1, b, err);
	(void)sqlite3_finalize(insert);
	if (r == 0)
		r = write_rows(db, result, err);
	(void)sqlite3_close_v2(db);
	return r;
}
