/* pending_test.c - decode/pending.h, decode/select.h */
#include "decode/pending.h"

#include <stdlib.h>
#include <string.h>

#include "decode/select.h"
#include "tests/lib/unit.h"

static void
put(struct pending *q, uint64_t time_ns, const char *text)
{
	const struct pending_item like = {.time_ns = time_ns, .what = PENDING_DAMAGE};

	assert_int_equal(pending_put(q, &like, text, (uint32_t)strlen(text)), 0);
}

static void
expect(struct pending *q, const char *text)
{
	struct pending_item *const item = pending_take(q);

	assert_non_null(item);
	assert_string_equal(item->data, text);
	free(item);
}

static void
items_come_in_order_of_time_and_of_arrival(void **state)
{
	struct pending q = {.first = NULL};

	(void)state;
	put(&q, 10, "a");
	put(&q, 30, "c");
	put(&q, 20, "b1");
	put(&q, 20, "b2");
	put(&q, 0, "now");
	put(&q, 40, "d");
	assert_true(pending_before(&q, 0));
	expect(&q, "now");
	assert_false(pending_before(&q, 9));
	assert_true(pending_before(&q, 10));
	expect(&q, "a");
	expect(&q, "b1");
	expect(&q, "b2");
	expect(&q, "c");
	expect(&q, "d");
	assert_null(pending_take(&q));
	assert_int_equal(q.bytes, 0);
}

/* situation: 61 */
static void
too_much_is_due_whatever_its_time(void **state)
{
	static char text[4096];
	struct pending q = {.first = NULL};

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	while (q.bytes <= PENDING_BYTES_MAX)
		put(&q, UINT64_MAX, text);
	assert_true(pending_before(&q, 0));
	pending_fini(&q);
	assert_null(q.first);
}

/* A made-up recording whose times all go down must not take an endless time. */
/* situation: 57 */
static void
disorder_is_given_up_on(void **state)
{
	struct pending q = {.first = NULL};
	uint64_t last = 0;
	struct pending_item *item;

	(void)state;
	for (uint64_t i = 0; i < 50000; i++)
		put(&q, i % 2 == 0 ? 1000000 : 1000000 - i, "");
	while ((item = pending_take(&q))) {
		assert_true(item->time_ns >= last);
		last = item->time_ns;
		free(item);
	}
}

/* situation: 75 */
static void
filters(void **state)
{
	char name[] = "eth0";
	const char *const names[] = {name};
	const struct iotap_filter f = {.interfaces = names, .n_interfaces = 1};
	struct iotap_target t = {.klass = IOTAP_CLASS_NETWORK, .device = "eth0", .id = 5};
	struct select s;

	(void)state;
	assert_int_equal(select_init(&s, &f), 0);
	name[0] = 'X';		/* the filter has its own copy */
	assert_true(select_time(&s, 0) && select_time(&s, UINT64_MAX));
	assert_int_equal(select_target(&s, &t), SELECT_KEEP);
	t.device = "?";
	assert_int_equal(select_target(&s, &t), SELECT_DROP_UNKNOWN_INTERFACE);
	t.device = NULL;
	assert_int_equal(select_target(&s, &t), SELECT_DROP);
	select_fini(&s);
	assert_int_equal(select_init(&s, &(struct iotap_filter){.target = 5, .classes = 2}), 0);
	assert_int_equal(select_target(&s, &t), SELECT_KEEP);
	t.klass = IOTAP_CLASS_FILE;
	assert_int_equal(select_target(&s, &t), SELECT_DROP);
	select_fini(&s);
}

/* What finds no place within a few thousand steps goes to the end, with the time of what is there. */
static void
far_out_of_order_goes_to_the_end(void **state)
{
	struct pending q = {.first = NULL};
	struct pending_item *item;
	uint64_t last = 0;
	size_t n = 0;

	(void)state;
	assert_false(pending_before(&q, UINT64_MAX));		/* of nothing nothing is due */
	for (uint64_t i = 0; i < 6000; i++)
		put(&q, i, "");
	put(&q, 1000000, "last");
	put(&q, 4000, "near");
	put(&q, 5500, "far");
	while ((item = pending_take(&q))) {
		assert_true(item->time_ns >= last);
		last = item->time_ns;
		if (strcmp((const char *)item->data, "near") == 0)
			assert_int_equal(n, 4001);
		if (strcmp((const char *)item->data, "far") == 0)
			assert_int_equal(n, 6002);
		n++;
		free(item);
	}
	assert_int_equal(n, 6003);
	assert_true(last == 1000000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_come_in_order_of_time_and_of_arrival),
		cmocka_unit_test(too_much_is_due_whatever_its_time),
		cmocka_unit_test(disorder_is_given_up_on),
		cmocka_unit_test(filters),
		cmocka_unit_test(far_out_of_order_goes_to_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
