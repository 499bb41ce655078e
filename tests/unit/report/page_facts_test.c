/* page_facts_test.c - report/page_facts.h against what a slower count of the same events says */
#include "report/page_facts.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

#define BEGIN UINT64_C(5000000000)

static const struct iotap_process somebody = {.pid = 7, .id = 1, .name = "cat", .name_len = 3};
static const struct iotap_target file = {.klass = IOTAP_CLASS_FILE, .text = "/a", .text_len = 2};

static struct iotap_event
an_event(uint64_t since_ns, uint64_t duration_ns)
{
	return (struct iotap_event){
		.size = sizeof(struct iotap_event), .boot_ns = BEGIN + since_ns, .duration_ns = duration_ns,
		.bytes = 1, .call = 1, .dir = IOTAP_DIR_READ, .klass = IOTAP_CLASS_FILE, .target = &file,
		.process = &somebody,
	};
}

static struct facts *
fresh(void)
{
	struct facts *const f = facts_new();

	assert_non_null(f);
	f->begin_ns = BEGIN;
	return f;
}

static void
classes_are_in_a_row(void **state)
{
	(void)state;
	assert_int_equal(facts_class_begin(0), 0);
	for (size_t i = 0; i < FACTS_LATENCY_CLASSES; i++) {
		const uint64_t begin = facts_class_begin(i);
		const uint64_t end = facts_class_begin(i + 1);

		assert_true(begin < end);
		assert_true(begin < 16 || i + 1 == FACTS_LATENCY_CLASSES || end - begin <= begin / 16);
	}
	assert_true(facts_class_begin(FACTS_LATENCY_CLASSES) == UINT64_MAX);
}

static int
by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a;
	const uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void
quantiles_are_at_most_a_class_too_high(void **state)
{
	static const double shares[] = {0.01, 0.5, 0.9, 0.99, 0.999, 1};
	enum { N = 5000 };
	uint64_t lot = 3;
	uint64_t values[N];
	struct facts *const f = fresh();
	const struct facts_latency *const l = &f->latency[FACTS_FILE_READ];

	(void)state;
	assert_int_equal(facts_quantile(l, 0.5), 0);
	for (size_t i = 0; i < N; i++) {
		struct iotap_event e;

		values[i] = sample_lot(&lot) >> (20 + sample_lot(&lot) % 40);
		e = an_event(i, values[i]);
		assert_true(facts_event(f, &e));
	}
	qsort(values, N, sizeof(values[0]), by_value);
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		const uint64_t exact = values[(size_t)(shares[i] * N) - 1];
		const uint64_t got = facts_quantile(l, shares[i]);

		assert_true(got >= exact);
		assert_true(got - exact <= exact / 16 + 1);
	}
	assert_int_equal(facts_quantile(l, 1), values[N - 1]);
	facts_free(f);
}

static void
the_slowest_are_kept(void **state)
{
	enum { N = 3000 };
	uint64_t lot = 5;
	uint64_t values[N];
	struct facts *const f = fresh();

	(void)state;
	for (size_t i = 0; i < N; i++) {
		struct iotap_event e;

		values[i] = sample_lot(&lot) % 1000;	/* many alike */
		e = an_event(i, values[i]);
		e.number = i;
		assert_true(facts_event(f, &e));
	}
	qsort(values, N, sizeof(values[0]), by_value);
	facts_finish(f);
	assert_int_equal(f->n_slowest, FACTS_SLOWEST);
	for (size_t i = 0; i < FACTS_SLOWEST; i++)
		assert_int_equal(f->slowest[i].duration_ns, values[N - 1 - i]);
	facts_free(f);
}

static void
fewer_than_the_slowest_are_sorted_too(void **state)
{
	struct facts *const f = fresh();

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		const struct iotap_event e = an_event(i, i == 1 ? IOTAP_UNKNOWN : i + 1);

		assert_true(facts_event(f, &e));
	}
	facts_finish(f);
	assert_int_equal(f->n_slowest, 2);	/* of the other one nobody knows how long it was */
	assert_int_equal(f->slowest[0].duration_ns, 3);
	facts_free(f);
}

static void
time_gets_coarser_and_loses_nothing(void **state)
{
	static const uint64_t times[] = {0, 1, 999999, 1000000, 239999999, 240000000, UINT64_C(3600000000000),
					 UINT64_C(1) << 62, 5};
	const size_t n = sizeof(times) / sizeof(times[0]);
	struct facts *const f = fresh();
	struct iotap_event early = an_event(0, 1);
	uint64_t calls = 0;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		const struct iotap_event e = an_event(times[i], 1);

		assert_true(facts_event(f, &e));
		assert_true(f->n_buckets <= FACTS_BUCKETS);
		assert_true(times[i] / f->bucket_ns < FACTS_BUCKETS);
	}
	early.boot_ns = BEGIN - 1000;	/* a clock of another file */
	assert_true(facts_event(f, &early));
	for (size_t i = 0; i < FACTS_BUCKETS; i++) {
		assert_true(i < f->n_buckets || f->buckets[i].calls[FACTS_FILE_READ] == 0);
		calls += f->buckets[i].calls[FACTS_FILE_READ];
	}
	assert_int_equal(calls, n + 1);
	facts_free(f);
}

static void
tables_have_a_bound_and_say_so(void **state)
{
	enum { MORE = 10 };
	struct facts *const f = fresh();
	struct iotap_process many = somebody;
	size_t n;

	(void)state;
	for (uint64_t i = 0; i < FACTS_FAILURES_MAX + MORE; i++) {
		struct iotap_event e = an_event(i, 1);

		e.err = (int32_t)i + 1;
		e.failed = 1;
		assert_true(facts_event(f, &e));
	}
	for (uint64_t i = 0; i < FACTS_PROCESSES_MAX + MORE; i++) {
		struct iotap_event e = an_event(i, 1);

		many.id = i + 1;
		e.process = &many;
		assert_true(facts_event(f, &e));
	}
	facts_finish(f);
	(void)facts_failures(f, &n);
	assert_int_equal(n, FACTS_FAILURES_MAX);
	assert_int_equal(f->failures_refused, MORE);
	(void)facts_processes(f, &n);
	assert_int_equal(n, FACTS_PROCESSES_MAX);
	assert_int_equal(f->processes_refused, MORE);
	facts_free(f);
}

static void
expect_arguments(const struct facts *f, const char *row, size_t n)
{
	size_t rows;
	const struct facts_process *const p = facts_processes(f, &rows);

	assert_int_equal(rows, 1);
	assert_int_equal(p->arguments_len, n);
	if (n > 0)
		assert_memory_equal(f->arguments.data + p->arguments_at, row, n);
}

static void
arguments_are_those_of_the_latest_program(void **state)
{
	static char far[2 * FACTS_ARGUMENTS_MAX];
	static const struct { const char *row; size_t n, kept, all; } steps[] = {
		{NULL, 0, 0, 0}, {"ls\0-l", 6, 6, 6}, {"ls\0-l", 6, 6, 6}, {"ls\0-a", 6, 6, 6}, {"w", 2, 2, 6},
		{far, sizeof(far), FACTS_ARGUMENTS_KEPT, 6 + FACTS_ARGUMENTS_KEPT},
		{NULL, 0, 0, 6 + FACTS_ARGUMENTS_KEPT},
	};
	struct facts *const f = fresh();
	struct iotap_process p = somebody;

	(void)state;
	memset(far, 'x', sizeof(far));
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct iotap_event e = an_event(i, 1);

		p.arguments = steps[i].row;
		p.arguments_len = steps[i].n;
		e.process = &p;
		assert_true(facts_event(f, &e));
		expect_arguments(f, steps[i].row, steps[i].kept);
		assert_int_equal(f->arguments.len, steps[i].all);
	}
	facts_free(f);
}

static void
arguments_beyond_the_bound_are_refused_and_said(void **state)
{
	static char far[FACTS_ARGUMENTS_KEPT];
	enum { ROOM = FACTS_ARGUMENTS_ALL / FACTS_ARGUMENTS_KEPT };
	struct facts *const f = fresh();
	struct iotap_process p = somebody;

	(void)state;
	p.arguments = far;
	p.arguments_len = sizeof(far);
	for (uint64_t i = 0; i < ROOM + 2; i++) {
		struct iotap_event e = an_event(i, 1);

		p.id = i + 1;
		e.process = &p;
		assert_true(facts_event(f, &e));
		assert_true(f->arguments.len <= FACTS_ARGUMENTS_ALL);
		assert_int_equal(f->arguments_refused, i >= ROOM);
	}
	facts_free(f);
}

static void
sums_of_nobody_have_a_row(void **state)
{
	const struct iotap_aggregate sum = {.size = sizeof(sum), .target = &file, .call = 1, .calls = 5, .bytes = 50,
					    .errors = 1, .latency_ns = 9};
	struct facts *const f = fresh();
	const struct facts_process *rows;
	size_t n;

	(void)state;
	assert_true(facts_aggregate(f, &sum));
	facts_finish(f);
	rows = facts_processes(f, &n);
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].pid, 0);
	assert_int_equal(rows[0].calls, 5);
	assert_int_equal(rows[0].failed, 1);
	facts_free(f);
}

static void
long_names_are_cut(void **state)
{
	char name[3 * FACTS_NAME_MAX];
	const struct iotap_target target = {.klass = IOTAP_CLASS_FILE, .text = name, .text_len = sizeof(name)};
	struct iotap_process process = somebody;
	struct iotap_event e = an_event(0, 1);
	struct facts *const f = fresh();

	(void)state;
	memset(name, 'a', sizeof(name));
	process.name = process.exe = name;
	process.name_len = process.exe_len = sizeof(name);
	e.target = &target;
	e.process = &process;
	e.err = 2;
	e.failed = 1;
	assert_true(facts_event(f, &e));
	assert_int_equal(f->slowest[0].name_len, FACTS_NAME_MAX);
	facts_free(f);
	facts_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_are_in_a_row),
		cmocka_unit_test(quantiles_are_at_most_a_class_too_high),
		cmocka_unit_test(the_slowest_are_kept),
		cmocka_unit_test(fewer_than_the_slowest_are_sorted_too),
		cmocka_unit_test(time_gets_coarser_and_loses_nothing),
		cmocka_unit_test(tables_have_a_bound_and_say_so),
		cmocka_unit_test(arguments_are_those_of_the_latest_program),
		cmocka_unit_test(arguments_beyond_the_bound_are_refused_and_said),
		cmocka_unit_test(sums_of_nobody_have_a_row),
		cmocka_unit_test(long_names_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
