/* sums_test.c - analyze/sums.h: bounded in memory, exact in the table */
#include "analyze/sums.h"

#include "analyze/db.h"
#include "tests/lib/unit.h"

static const struct sums_spec spec = {
	"t", "a, class", 2, 1, SUMS_BIT(reads) | SUMS_BIT(max_latency_ns) | SUMS_BIT(first_ns), 8,
};

static sqlite3 *
new_table(struct sums_table *t, struct iotap_error *err)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(db_exec(db, "CREATE TABLE t (a, class, reads, max_latency_ns, first_ns, "
			"PRIMARY KEY (a, class))",
				 err), 0);
	assert_int_equal(sums_table_init(t, db, &spec, err), 0);
	return db;
}

static void
add(struct sums_table *t, int64_t a, int64_t klass, uint64_t latency_ns, uint64_t time_ns)
{
	const int64_t key[SUMS_KEYS] = {a, klass};
	struct sums *const s = sums_table_get(t, key);

	assert_non_null(s);
	s->reads++;
	if (latency_ns > s->max_latency_ns)
		s->max_latency_ns = latency_ns;
	if (time_ns < s->first_ns)
		s->first_ns = time_ns;
}

static int64_t
integer(sqlite3 *db, const char *sql)
{
	struct iotap_error err = {.code = 0};
	int64_t v;

	assert_int_equal(db_integer(db, sql, -1, &v, &err), 0);
	return v;
}

/* Far more keys than fit, each many times: written out again and again, summed all the same. */
static void
sums_are_exact_whatever_was_written_when(void **state)
{
	struct iotap_error err = {.code = 0};
	struct sums_table t;
	sqlite3 *const db = new_table(&t, &err);

	(void)state;
	for (uint64_t i = 0; i < 30000; i++)
		add(&t, (int64_t)(i * 7919 % 300), (int64_t)(i % 3), i % 1000, 1000000 - i);
	assert_int_equal(sums_table_flush(&t), 0);
	assert_int_equal(integer(db, "SELECT count(*) FROM t"), 300);
	assert_int_equal(integer(db, "SELECT sum(reads) FROM t"), 30000);
	assert_int_equal(integer(db, "SELECT min(reads) FROM t"), 100);
	assert_int_equal(integer(db, "SELECT max(reads) FROM t"), 100);
	assert_int_equal(integer(db, "SELECT max(max_latency_ns) FROM t"), 999);
	assert_int_equal(integer(db, "SELECT min(first_ns) FROM t"), 1000000 - 29999);
	assert_int_equal(integer(db, "SELECT count(*) FROM t WHERE class IN ('file', 'network', 'other')"), 300);
	sums_table_fini(&t);
	sqlite3_close_v2(db);
}

static void
sums_stay_at_the_top(void **state)
{
	struct iotap_error err = {.code = 0};
	struct sums_table t;
	sqlite3 *const db = new_table(&t, &err);
	const int64_t key[SUMS_KEYS] = {1};

	(void)state;
	for (int i = 0; i < 3; i++) {
		sums_table_get(&t, key)->reads = UINT64_MAX;
		assert_int_equal(sums_table_flush(&t), 0);
	}
	assert_true(integer(db, "SELECT reads FROM t") == INT64_MAX / 2);
	sums_table_fini(&t);
	sqlite3_close_v2(db);
}

static void
a_table_that_cannot_be_written_fails(void **state)
{
	struct iotap_error err = {.code = 0};
	struct sums_table t;
	sqlite3 *const db = new_table(&t, &err);

	(void)state;
	add(&t, 1, 0, 1, 1);
	assert_int_equal(db_exec(db, "CREATE TRIGGER stop BEFORE INSERT ON t BEGIN SELECT "
			"raise(ABORT, 'no'); END", &err), 0);
	assert_true(sums_table_flush(&t) < 0);
	assert_string_equal(err.text, "database: no");
	sums_table_fini(&t);
	sqlite3_close_v2(db);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_exact_whatever_was_written_when),
		cmocka_unit_test(sums_stay_at_the_top),
		cmocka_unit_test(a_table_that_cannot_be_written_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
