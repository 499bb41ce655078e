/* cumulative_test.c - formats/cumulative.h: the latest sum of each key, said once an epoch */
#include "formats/cumulative.h"

#include "tests/lib/unit.h"

static int
count_it(void *arg, enum rec_type type, const void *rec)
{
	(void)type;
	(void)rec;
	++*(int *)arg;
	return 0;
}

/* Whether it stood there already. */
static bool
put_rec(struct cumulative *c, enum rec_type type, const void *rec, uint32_t epoch)
{
	int written = 0;

	assert_int_equal(cumulative_put(c, type, rec, epoch, count_it, &written), 0);
	assert_in_range(written, 0, 1);
	return written == 0;
}

static bool
put(struct cumulative *c, uint64_t pid, uint64_t id, uint64_t calls, uint32_t epoch)
{
	const struct rec_aggregate rec = {
		.level = 1, .pid = pid, .call = 1, .id = id, .calls = calls};

	return put_rec(c, REC_aggregate, &rec, epoch);
}

static int
write_it(void *arg, enum rec_type type, const void *rec)
{
	struct buf *const text = arg;

	if (type == REC_aggregate)
		(void)buf_printf(text, "%llu:%llu=%llu ",
				 (unsigned long long)((const struct rec_aggregate *)rec)->pid,
				 (unsigned long long)((const struct rec_aggregate *)rec)->id,
				 (unsigned long long)((const struct rec_aggregate *)rec)->calls);
	else
		(void)buf_printf(
			text, "source=%llu ",
			(unsigned long long)((const struct rec_aggregate_source *)rec)->calls);
	return 0;
}

static void
expect(struct cumulative *c, uint32_t epoch, const char *said)
{
	struct buf text = {.data = NULL};

	assert_int_equal(cumulative_restate(c, epoch, write_it, &text), 0);
	assert_string_equal(buf_cstr(&text), said);
	buf_free(&text);
}

static void
each_epoch_begins_with_the_latest(void **state)
{
	struct cumulative *const c = cumulative_new();

	(void)state;
	expect(c, 1, "");
	assert_false(put(c, 1, 5, 10, 1));
	assert_false(put(c, 2, 5, 20, 1));
	assert_false(put(c, 1, 5, 11, 1));
	expect(c, 1, ""); /* it stands there already */
	expect(c, 2, "1:5=11 2:5=20 ");
	expect(c, 2, "");
	assert_false(put(c, 2, 5, 21, 3));
	expect(c, 3, "1:5=11 "); /* what was written in it is not said again */
	cumulative_free(c);
	cumulative_free(NULL);
}

/* The same in every field, in the same epoch: nothing to write. */
static void
what_stands_there_already(void **state)
{
	struct cumulative *const c = cumulative_new();

	(void)state;
	assert_false(put(c, 1, 5, 10, 1));
	assert_true(put(c, 1, 5, 10, 1));
	assert_false(put(c, 1, 5, 11, 1));
	assert_false(put(c, 1, 5, 10, 1)); /* down again: that is news, too */
	assert_false(put(c, 1, 5, 10, 2));
	assert_true(put(c, 1, 5, 10, 2));
	expect(c, 3, "1:5=10 ");
	assert_true(put(c, 1, 5, 10, 3)); /* said by restating */
	cumulative_free(c);
}

static void
keys_are_told_apart(void **state)
{
	struct cumulative *const c = cumulative_new();
	struct rec_aggregate rec = {.level = 2, .pid = 1, .call = 1, .id = 5, .calls = 1};
	const struct rec_aggregate_source source = {.pid = 1, .call = 1, .id = 5, .calls = 9};

	(void)state;
	assert_false(put(c, 1, 5, 3, 1));
	assert_false(put_rec(c, REC_aggregate, &rec, 1));
	rec.call = 2;
	assert_false(put_rec(c, REC_aggregate, &rec, 1));
	assert_false(put_rec(c, REC_aggregate_source, &source, 1));
	assert_true(put_rec(c, REC_aggregate_source, &source, 1));
	assert_true(put(c, 1, 5, 3, 1));
	expect(c, 2, "1:5=3 1:5=1 1:5=1 source=9 ");
	cumulative_free(c);
}

static void
keys_are_bounded(void **state)
{
	struct cumulative *const c = cumulative_new();
	struct buf text = {.data = NULL};
	size_t n = 0;

	(void)state;
	for (uint64_t id = 1; id <= CUMULATIVE_KEPT + 1000; id++)
		assert_false(put(c, 1, id, 1, 1));
	assert_true(put(c, 1, 5, 1, 1));
	assert_false(put(c, 1, CUMULATIVE_KEPT + 5, 1, 1)); /* no room: always to be written */
	assert_false(put(c, 1, CUMULATIVE_KEPT + 5, 1, 1));
	assert_int_equal(cumulative_restate(c, 2, write_it, &text), 0);
	for (size_t i = 0; i < text.len; i++)
		n += text.data[i] == ' ';
	assert_int_equal(n, CUMULATIVE_KEPT);
	buf_free(&text);
	cumulative_free(c);
}

static int
fail_at_once(void *arg, enum rec_type type, const void *rec)
{
	(void)type;
	(void)rec;
	++*(int *)arg;
	return IOTAP_EIO;
}

static void
a_failure_stops_it(void **state)
{
	struct cumulative *const c = cumulative_new();
	int n = 0;

	(void)state;
	(void)put(c, 1, 1, 1, 1);
	(void)put(c, 1, 2, 1, 1);
	assert_int_equal(cumulative_restate(c, 2, fail_at_once, &n), IOTAP_EIO);
	assert_int_equal(n, 1);
	cumulative_free(c);
}

/* The latest that there is, and still to be said. */
static void
what_could_not_be_written_is_not_said(void **state)
{
	const struct rec_aggregate rec = {.level = 1, .pid = 1, .call = 1, .id = 5, .calls = 11};
	struct cumulative *const c = cumulative_new();
	int n = 0;

	(void)state;
	(void)put(c, 1, 5, 10, 1);
	assert_int_equal(cumulative_put(c, REC_aggregate, &rec, 1, fail_at_once, &n), IOTAP_EIO);
	expect(c, 1, "1:5=11 ");
	/* It stands there now. */
	assert_int_equal(cumulative_put(c, REC_aggregate, &rec, 1, fail_at_once, &n), 0);
	assert_int_equal(cumulative_restate(c, 2, fail_at_once, &n), IOTAP_EIO);
	expect(c, 2, "1:5=11 ");
	assert_int_equal(n, 2);
	cumulative_free(c);
}

/* The epoch began without it: the same sum again is said in it. */
static void
what_an_epoch_could_not_begin_with_is_said_later(void **state)
{
	struct cumulative *const c = cumulative_new();
	int n = 0;

	(void)state;
	(void)put(c, 1, 5, 10, 1);
	assert_true(put(c, 1, 5, 10, 1));
	assert_int_equal(cumulative_restate(c, 2, fail_at_once, &n), IOTAP_EIO);
	assert_false(put(c, 1, 5, 10, 2));
	assert_true(put(c, 1, 5, 10, 2));
	expect(c, 2, "");
	cumulative_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_epoch_begins_with_the_latest),
		cmocka_unit_test(what_stands_there_already),
		cmocka_unit_test(keys_are_told_apart),
		cmocka_unit_test(keys_are_bounded),
		cmocka_unit_test(a_failure_stops_it),
		cmocka_unit_test(what_could_not_be_written_is_not_said),
		cmocka_unit_test(what_an_epoch_could_not_begin_with_is_said_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
