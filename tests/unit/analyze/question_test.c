/* question_test.c - analyze/question.h over recordings written in the test: what is read, what is filled */
#include "analyze/question.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

#define CALLS \
	"process time_ns=5000000000 pid=11 start_ns=101 how=1 comm=\"other\"\n" \
	"target id=1 origin=call kind=file flags=16 dev=0x800001 ino=3 text=\"/a\"\n" \
	"block calls\n" \
	"call key=5100000000 duration=100 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result=1\n" \
	"call key=5200000000 duration=300 tid=11 tgid=11 call=write flags=fd fd=3 id=1 result=2\n" \
	"block calls\n" \
	"call key=6100000000 duration=200 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result=4\n" \
	"call key=6200000000 duration=900 tid=10 tgid=10 call=read flags=fd|unfinished fd=3 id=1\n"

struct fixture {
	char path[64];
	int fd;
	struct question q;
	struct iotap_error err;
};

static void
begin(struct fixture *f, const char *story)
{
	f->fd = story_fd(story);
	(void)snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
	if (question_open(&f->q, f->path, NULL, &f->err) < 0)
		fail_msg("%s", f->err.text);
}

static void
end(struct fixture *f)
{
	question_close(&f->q);
	(void)close(f->fd);
}

/* The answer as JSON Lines. */
static char *
ask(struct fixture *f, const char *sql, char *out, size_t size)
{
	const int fd = memfd_create("answer", MFD_CLOEXEC);
	struct result result;
	ssize_t n;

	result_init(&result, RESULT_JSON, fd, &f->err);
	if (question_ask(&f->q, sql, &result, &f->err) < 0)
		fail_msg("%s: %s", sql, f->err.text);
	result_fini(&result);
	n = pread(fd, out, size - 1, 0);
	assert_true(n >= 0);
	out[n] = '\0';
	(void)close(fd);
	return out;
}

static void
calls_in_flight_are_no_events(void **state)
{
	struct fixture f = {.fd = -1};
	char out[1024];

	(void)state;
	begin(&f, STORY_BEGIN CALLS STORY_END);
	assert_string_equal(ask(&f, "SELECT count(*) AS n, sum(bytes) AS b FROM event", out, sizeof(out)),
			    "{\"n\":3,\"b\":7}\n");
	assert_string_equal(ask(&f, "SELECT number, duration_ns, tid FROM unfinished", out, sizeof(out)),
			    "{\"number\":3,\"duration_ns\":900,\"tid\":10}\n");
	end(&f);
}

static void
other_tables_are_filled_when_first_read(void **state)
{
	struct fixture f = {.fd = -1};
	char out[1024];

	(void)state;
	begin(&f, STORY_BEGIN CALLS STORY_END);
	(void)ask(&f, "SELECT count(*) FROM event; SELECT name FROM call WHERE id = 1", out, sizeof(out));
	assert_false(f.q.filled);
	(void)ask(&f, "SELECT name FROM process", out, sizeof(out));
	assert_true(f.q.filled);
	assert_false(f.q.filled_totals);
	assert_string_equal(ask(&f, "SELECT sum(reads) AS n FROM total_by_process", out, sizeof(out)), "{\"n\":2}\n");
	assert_true(f.q.filled_totals);
	assert_string_equal(ask(&f, "SELECT count(*) AS n FROM process; SELECT count(*) AS n FROM target WHERE id > 0",
				out, sizeof(out)), "{\"n\":2}\n{\"n\":1}\n");
	end(&f);
}

static void
a_window_has_its_rows_only(void **state)
{
	struct fixture f = {.fd = -1};
	char out[1024];

	(void)state;
	begin(&f, STORY_BEGIN CALLS STORY_END);
	assert_string_equal(ask(&f, "SELECT number FROM event WHERE boot_ns BETWEEN 5150000000 AND 6150000000", out,
				sizeof(out)), "{\"number\":1}\n{\"number\":2}\n");
	assert_string_equal(ask(&f, "SELECT number FROM event WHERE time_ns >= 1700000001100000000", out, sizeof(out)),
			    "{\"number\":2}\n");
	assert_string_equal(ask(&f, "SELECT pid FROM event WHERE number = 1", out, sizeof(out)), "{\"pid\":11}\n");
	assert_string_equal(ask(&f, "SELECT number FROM event WHERE pid = 11 AND target = 1", out, sizeof(out)),
			    "{\"number\":1}\n");
	assert_string_equal(ask(&f, "SELECT number FROM event WHERE number > 2", out, sizeof(out)), "");
	end(&f);
}

static void
the_order_of_numbers_needs_no_sorting(void **state)
{
	struct fixture f = {.fd = -1};
	char out[1024];

	(void)state;
	begin(&f, STORY_BEGIN CALLS STORY_END);
	assert_null(strstr(ask(&f, "EXPLAIN QUERY PLAN "
				   "SELECT pid FROM event ORDER BY number", out, sizeof(out)), "B-TREE"));
	assert_non_null(strstr(ask(&f, "EXPLAIN QUERY PLAN "
				   "SELECT pid FROM event ORDER BY pid", out, sizeof(out)), "B-TREE"));
	end(&f);
}

/* A join must read the recording once and look the rest up, never the other way round. */
static void
joins_read_the_recording_once(void **state)
{
	static const char *const queries[] = {
		"SELECT t.path, sum(e.bytes) FROM event e JOIN target t ON t.id = e.target GROUP BY 1",
		"SELECT t.path, sum(e.bytes) FROM target t JOIN event e ON t.id = e.target GROUP BY 1",
		"SELECT p.name, count(*) FROM process p JOIN event e ON e.process = p.id WHERE "
				"p.name = 'prog' GROUP BY 1",
		"SELECT p.name, count(*) FROM process p JOIN event e ON e.pid = p.pid GROUP BY 1",
		"SELECT * FROM event_v WHERE target = '/a'",
	};
	struct fixture f = {.fd = -1};
	char out[4096];
	char sql[512];

	(void)state;
	begin(&f, STORY_BEGIN CALLS STORY_END);
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		const char *event;

		(void)snprintf(sql, sizeof(sql), "EXPLAIN QUERY PLAN %s", queries[i]);
		event = strstr(ask(&f, sql, out, sizeof(out)), "SCAN e ");
		if (!event || strstr(out, "SEARCH") < event)
			fail_msg("%s\n%s", sql, out);
	}
	end(&f);
}

static void
damage_and_an_early_end_are_said(void **state)
{
	struct fixture f = {.fd = -1};
	char out[1024];

	(void)state;
	begin(&f, STORY_BEGIN CALLS);
	assert_false(f.q.incomplete);
	(void)ask(&f, "SELECT count(*) FROM event", out, sizeof(out));
	assert_true(f.q.incomplete);
	assert_true(f.q.why[0] != '\0');
	end(&f);
}

static void
a_plan_with_nothing_to_find_reads_nothing(void **state)
{
	struct fixture f = {.fd = -1};
	char out[1024];

	(void)state;
	begin(&f, STORY_BEGIN CALLS);
	assert_string_equal(ask(&f, "SELECT number FROM event WHERE boot_ns < 5 AND boot_ns > 7; "
				"SELECT number FROM event WHERE pid = NULL; SELECT number FROM event WHERE number < 0",
				out, sizeof(out)), "");
	assert_false(f.q.incomplete);
	end(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_in_flight_are_no_events),
		cmocka_unit_test(other_tables_are_filled_when_first_read),
		cmocka_unit_test(a_window_has_its_rows_only),
		cmocka_unit_test(the_order_of_numbers_needs_no_sorting),
		cmocka_unit_test(joins_read_the_recording_once),
		cmocka_unit_test(damage_and_an_early_end_are_said),
		cmocka_unit_test(a_plan_with_nothing_to_find_reads_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
