/* totals_test.c - analyze/totals.h: what one call adds to which sums */
#include "analyze/totals.h"

#include <errno.h>
#include <string.h>

#include "analyze/db.h"
#include "analyze/event_value.h"
#include "analyze/schema.h"
#include "formats/calls.h"
#include "tests/lib/unit.h"

#define SECOND UINT64_C(1000000000)

struct fixture {
	sqlite3 *db;
	struct totals *totals;
	int64_t n;
	struct iotap_error err;
};

static int
setup(void **state)
{
	struct fixture *const f = test_calloc(1, sizeof(*f));

	*state = f;
	if (sqlite3_open(":memory:", &f->db) != SQLITE_OK ||
	    schema_create(f->db, false, &f->err) < 0)
		return -1;
	return totals_new(&f->totals, f->db, 1, &f->err);
}

static int
teardown(void **state)
{
	struct fixture *const f = *state;
	int r;

	totals_free(f->totals);
	r = sqlite3_close(f->db);
	test_free(f);
	return r;
}

#define NEXT INT64_MIN /* number: the next one */

static const struct totals_call a_read = {
	.number = NEXT,
	.process = 5,
	.time_ns = 7 * SECOND,
	.duration_ns = 10,
	.result = 100,
	.call = CALL_read,
	.target = {.id = 40, .sums = 4, .klass = IOTAP_CLASS_FILE},
};

/* What decode says of it, where no messages are summed. */
static uint64_t
moved_bytes(uint32_t call, int64_t result, uint32_t flags)
{
	const struct call_spec *const spec = call_spec(call);

	if (spec->dir == DIR_NONE || spec->ret != RET_BYTES || result < 0 ||
	    (flags & IOTAP_F_PHANTOM))
		return IOTAP_UNKNOWN;
	return (uint64_t)result;
}

static void
add(struct fixture *f, struct totals_call c, uint32_t call, int64_t result, uint32_t flags)
{
	if (c.number == NEXT)
		c.number = f->n++;
	c.call = call;
	c.result = result;
	c.flags = flags;
	c.bytes = moved_bytes(call, result, flags);
	if (totals_add(f->totals, &c) < 0)
		fail_msg("%s", f->err.text);
}

/* The one row that a statement gives, its values one after the other. */
static void
expect(const struct fixture *f, const char *sql, const char *values)
{
	sqlite3_stmt *stmt;
	char text[400] = "";

	assert_int_equal(sqlite3_prepare_v2(f->db, sql, -1, &stmt, NULL), SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const char *const value = (const char *)sqlite3_column_text(stmt, i);

			strcat(strcat(text, text[0] ? " " : ""), value ? value : "-");
		}
	}
	(void)sqlite3_finalize(stmt);
	if (strcmp(text, values) != 0)
		fail_msg("%s:\n%s", sql, text);
}

static void
finish(struct fixture *f)
{
	if (totals_finish(f->totals) < 0)
		fail_msg("%s", f->err.text);
}

#define ALL                                                                                                        \
	"reads, read_bytes, writes, written_bytes, errors, messages, unsized, small, ops, op_errors, latency_ns, " \
	"max_latency_ns"

static void
what_a_call_adds(void **state)
{
	struct fixture *const f = *state;

	add(f, a_read, CALL_read, 100, 0);
	add(f, a_read, CALL_read, 512, 0); /* not small */
	add(f, a_read, CALL_read, -EAGAIN, 0);
	add(f, a_read, CALL_write, 0, 0);
	add(f, a_read, CALL_read, -EINTR, IOTAP_F_INTERRUPTED);
	add(f, a_read, CALL_read, 99, IOTAP_F_PHANTOM); /* never made: no bytes */
	add(f, a_read, CALL_sendmmsg, 3, 0);
	add(f, a_read, CALL_close, 0, 0);
	add(f, a_read, CALL_close, -EBADF, 0);
	finish(f);
	expect(f, "SELECT " ALL " FROM total_by_target WHERE target = 4",
	       "5 612 2 0 2 3 1 2 2 1 70 10");
	expect(f, "SELECT " ALL " FROM total_by_process WHERE process = 5 AND class = 'file'",
	       "5 612 2 0 2 3 1 2 2 1 70 10");
	expect(f,
	       "SELECT reads, ops, latency_ns FROM total_by_process_target WHERE process = 5 AND target = 4",
	       "5 2 70");
	/* By call the latency is that of calls that move nothing, too. */
	expect(f, "SELECT ops, op_errors, latency_ns FROM total_by_call WHERE call = 4", "2 1 20");
	expect(f, "SELECT reads, errors FROM total_by_second WHERE second = 7", "5 2");
	expect(f, "SELECT call, err, target, errors FROM total_by_error ORDER BY call, err",
	       "1 4 4 1 1 11 4 1 4 9 4 1");
}

/* A result below -4095 is no errno. */
static void
results_that_are_no_errors(void **state)
{
	struct fixture *const f = *state;

	add(f, a_read, CALL_read, -4095, 0);
	add(f, a_read, CALL_read, -4096, 0);
	add(f, a_read, CALL_read, INT64_MIN, 0);
	finish(f);
	expect(f, "SELECT reads, read_bytes, errors FROM total_by_target", "3 0 1");
	expect(f, "SELECT err FROM total_by_error", "4095");
}

/* A connect that goes on in the background has not failed; another call with that errno has. */
static void
a_connect_that_goes_on_is_no_error(void **state)
{
	struct fixture *const f = *state;

	add(f, a_read, CALL_connect, -EINPROGRESS, 0);
	add(f, a_read, CALL_connect, -ECONNREFUSED, 0);
	add(f, a_read, CALL_ioctl, -EINPROGRESS, 0);
	finish(f);
	expect(f, "SELECT ops, op_errors FROM total_by_target", "3 2");
	expect(f, "SELECT err, errors FROM total_by_error ORDER BY call, err", "111 1 115 1");
}

/* Bytes copied between two descriptors were read from one and written to the other, by one call. */
static void
a_copy_counts_for_both_targets(void **state)
{
	struct fixture *const f = *state;
	struct totals_call c = a_read;

	c.has_source = true;
	c.source = (struct dimension_target){.id = 50, .sums = 6, .klass = IOTAP_CLASS_FILE};
	c.target.klass = IOTAP_CLASS_NETWORK;
	add(f, c, CALL_sendfile, 1000, 0);
	add(f, c, CALL_dup3, 3, 0); /* two descriptors, but nothing was moved */
	finish(f);
	expect(f,
	       "SELECT writes, written_bytes, reads, read_bytes FROM total_by_target WHERE target = 4",
	       "1 1000 0 0");
	expect(f,
	       "SELECT writes, written_bytes, reads, read_bytes, ops FROM total_by_target WHERE target = 6",
	       "0 0 1 1000 0");
	expect(f, "SELECT class, writes, reads FROM total_by_process", "network 1 0");
	expect(f, "SELECT sum(written_bytes), sum(read_bytes) FROM total_by_call", "1000 0");
}

static void
times_and_unknown_latency(void **state)
{
	struct fixture *const f = *state;
	struct totals_call c = a_read;

	c.time_ns = 9 * SECOND;
	c.duration_ns = IOTAP_UNKNOWN;
	add(f, c, CALL_read, 1, 0);
	c.time_ns = 8 * SECOND; /* the clock was set back */
	c.duration_ns = 30;
	add(f, c, CALL_read, 1, 0);
	finish(f);
	expect(f, "SELECT first_ns, last_ns, latency_ns, max_latency_ns FROM total_by_target",
	       "8000000000 9000000000 30 30");
	expect(f, "SELECT second FROM total_by_second ORDER BY 1", "8 9");
}

/* Of many calls the slowest are kept, each with its number, whatever their order. */
static void
the_slowest(void **state)
{
	struct fixture *const f = *state;
	struct totals_call c = a_read;

	for (int64_t i = 0; i < 10 * TOTALS_SLOWEST; i++) {
		c.number = i;
		c.duration_ns = (uint64_t)(i * 7919 % (10 * TOTALS_SLOWEST)) + 1;
		add(f, c, CALL_read, 1, 0);
	}
	c.number = -1;
	c.duration_ns = IOTAP_UNKNOWN;
	add(f, c, CALL_read, 1, 0);
	finish(f);
	expect(f,
	       "SELECT count(*), min(duration_ns), max(duration_ns), min(number) >= 0 FROM slowest",
	       "1000 9001 10000 1");
	expect(f, "SELECT count(*) FROM slowest WHERE number * 7919 % 10000 + 1 <> duration_ns",
	       "0");
}

/* Calls of equal duration: those that came first stay. */
static void
equally_slow_ones(void **state)
{
	struct fixture *const f = *state;
	struct totals_call c = a_read;

	for (c.number = 0; c.number < 3 * TOTALS_SLOWEST; c.number++)
		add(f, c, CALL_read, 1, 0);
	finish(f);
	expect(f, "SELECT count(*), max(number) FROM slowest", "1000 999");
}

/* What a made-up recording says can be summed all the same. */
static void
unknown_calls(void **state)
{
	struct fixture *const f = *state;

	add(f, a_read, 500, 5, 0);
	add(f, a_read, UINT16_MAX, -1, 0);
	finish(f);
	expect(f, "SELECT ops, op_errors, read_bytes FROM total_by_target", "2 1 0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_a_call_adds),
		TEST(results_that_are_no_errors),
		TEST(a_connect_that_goes_on_is_no_error),
		TEST(a_copy_counts_for_both_targets),
		TEST(times_and_unknown_latency),
		TEST(the_slowest),
		TEST(equally_slow_ones),
		TEST(unknown_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
