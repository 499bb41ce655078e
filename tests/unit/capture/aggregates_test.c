/* aggregates_test.c - sums of the kernel half become records when they change, losses are named */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "capture/aggregates.h"
#include "formats/record.h"

enum { N_SUMS = 3 };

/* A source that has nothing but sums. */
struct sums_source {
	struct source base;
	struct kr_aggregate_key keys[N_SUMS];
	struct kr_aggregate sums[N_SUMS];
	size_t n;
	unsigned int readings;
};

static int
give_sums(struct source *s, source_each_sum *each, void *arg, struct iotap_error *err)
{
	struct sums_source *const me = (struct sums_source *)s;
	int r = 0;

	(void)err;
	me->readings++;
	for (size_t i = 0; r == 0 && i < me->n; i++)
		r = each(arg, (unsigned int)i + 1, &me->keys[i], &me->sums[i]);
	return r;
}

static const struct source_ops ops = {.sums = give_sums};

/* The next record of a type out of the buffer; false when there is none. */
static bool
next_of(struct bytes_in *in, enum rec_type type, struct record *out)
{
	while (record_next(in, out, NULL) == 0) {
		if (out->type == type)
			return true;
	}
	return false;
}

/* situation: 58 */
static void
writes_what_changed(void **state)
{
	struct aggregates *const a = aggregates_new(1000);
	struct sums_source s = {.base.ops = &ops, .n = 2};
	uint64_t counters[KC_N] = {0};
	struct buf records = {0};
	struct bytes_in in;
	struct record r;

	(void)state;
	assert_int_equal(aggregates_tick(a, &s.base, counters, 2000, false, &records, NULL), 0);
	assert_int_equal(records.len, 0);
	assert_int_equal(s.readings, 0);

	s.keys[0] = (struct kr_aggregate_key){.tgid = 70, .call = 2, .id = 9};
	s.sums[0] = (struct kr_aggregate){.calls = 5, .bytes = 50, .first_ns = 2100, .last_ns = 2200};
	s.keys[1] = (struct kr_aggregate_key){.tgid = 71, .call = 2};
	s.sums[1] = (struct kr_aggregate){.calls = 1};
	counters[KC_aggregated] = 6;
	assert_int_equal(aggregates_tick(a, &s.base, counters, 3000, false, &records, NULL), 0);
	in = bytes_in(records.data, records.len);
	assert_true(next_of(&in, REC_aggregate, &r));
	assert_int_equal(r.u.aggregate.level, 1);
	assert_int_equal(r.u.aggregate.pid, 70);
	assert_int_equal(r.u.aggregate.id, 9);
	assert_int_equal(r.u.aggregate.calls, 5);
	assert_true(next_of(&in, REC_aggregate, &r));
	assert_int_equal(r.u.aggregate.level, 2);
	assert_true(next_of(&in, REC_loss, &r));
	assert_int_equal(r.u.loss.from_ns, 2000);
	assert_int_equal(r.u.loss.until_ns, 3000);
	assert_int_equal(r.u.loss.count, 6);
	assert_int_equal(r.u.loss.cause, 1);
	assert_int_equal(r.u.loss.pids.n, 2);
	assert_int_equal(r.u.loss.pids.p[0], 70);

	buf_clear(&records);
	s.sums[1].calls = 2;
	counters[KC_aggregated] = 7;
	assert_int_equal(aggregates_tick(a, &s.base, counters, 4000, false, &records, NULL), 0);
	in = bytes_in(records.data, records.len);
	assert_true(next_of(&in, REC_aggregate, &r));
	assert_int_equal(r.u.aggregate.pid, 71);
	assert_true(next_of(&in, REC_loss, &r));
	assert_int_equal(r.u.loss.count, 1);
	assert_int_equal(r.u.loss.pids.n, 1);
	aggregates_free(a);
	buf_free(&records);
}

/* A sum that was half written when it was read is put right at the end. */
/* situation: 60 */
static void
reads_again_at_the_end(void **state)
{
	struct aggregates *const a = aggregates_new(0);
	struct sums_source s = {.base.ops = &ops, .n = 1};
	uint64_t counters[KC_N] = {[KC_aggregated] = 5};
	struct buf records = {0};
	struct bytes_in in;
	struct record r;

	(void)state;
	s.sums[0] = (struct kr_aggregate){.calls = 5, .bytes = 10};
	assert_int_equal(aggregates_tick(a, &s.base, counters, 10, false, &records, NULL), 0);
	s.sums[0].bytes = 20;
	buf_clear(&records);
	assert_int_equal(aggregates_tick(a, &s.base, counters, 20, false, &records, NULL), 0);
	assert_int_equal(records.len, 0);
	assert_int_equal(aggregates_tick(a, &s.base, counters, 30, true, &records, NULL), 0);
	in = bytes_in(records.data, records.len);
	assert_true(next_of(&in, REC_aggregate, &r));
	assert_int_equal(r.u.aggregate.bytes, 20);
	assert_false(next_of(&in, REC_loss, &r));
	aggregates_free(a);
	buf_free(&records);
}

static void
lost_notes_are_a_loss_of_their_own(void **state)
{
	struct aggregates *const a = aggregates_new(5);
	struct sums_source s = {.base.ops = &ops};
	const uint64_t counters[KC_N] = {[KC_notes_lost] = 3};
	struct buf records = {0};
	struct bytes_in in;
	struct record r;

	(void)state;
	assert_int_equal(aggregates_tick(a, &s.base, counters, 10, false, &records, NULL), 0);
	in = bytes_in(records.data, records.len);
	assert_true(next_of(&in, REC_loss, &r));
	assert_int_equal(r.u.loss.cause, 2);
	assert_int_equal(r.u.loss.count, 3);
	assert_int_equal(r.u.loss.from_ns, 5);
	assert_int_equal(r.u.loss.pids.n, 0);
	assert_false(next_of(&in, REC_loss, &r));
	aggregates_free(a);
	buf_free(&records);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_what_changed),
		cmocka_unit_test(reads_again_at_the_end),
		cmocka_unit_test(lost_notes_are_a_loss_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
