/* mapped_test.c - sums of mapped files become records when they change, in bytes */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "capture/mapped.h"
#include "formats/record.h"

struct mapped_source {
	struct source base;
	struct kr_mapped_key key[2];
	struct kr_mapped sums[2];
};

static int
give(struct source *s, source_each_mapped *each, void *arg, struct iotap_error *err)
{
	struct mapped_source *const me = (struct mapped_source *)s;
	int r = each(arg, &me->key[0], &me->sums[0]);

	(void)err;
	return r == 0 ? each(arg, &me->key[1], &me->sums[1]) : r;
}

static unsigned int
tick(struct mapped *m, struct mapped_source *s, struct record *last)
{
	struct buf records = {0};
	struct bytes_in in;
	unsigned int n = 0;

	assert_int_equal(mapped_tick(m, &s->base, &records, NULL), 0);
	in = bytes_in(records.data, records.len);
	while (record_next(&in, last, NULL) == 0)
		n++;
	buf_free(&records);
	return n;
}

static void
writes_what_changed(void **state)
{
	static const struct source_ops ops = {.mapped = give};
	struct mapped_source s = {
		.base.ops = &ops,
		.key = {{.tgid = 1, .dev = 2, .ino = 3, .generation = 4},
			{.tgid = 1, .dev = 2, .ino = 3, .generation = 5}},
		.sums = {{.id = 7, .in_by_faults = 2}, {.dirty_by_calls = 1}},
	};
	struct mapped *const m = mapped_new(4096);
	struct record last;

	(void)state;
	assert_int_equal(tick(m, &s, &last), 2);
	assert_int_equal(tick(m, &s, &last), 0);
	s.sums[0].dirty_by_faults = 3;
	assert_int_equal(tick(m, &s, &last), 1);
	assert_int_equal(last.type, REC_mapped);
	assert_int_equal(last.u.mapped.pid, 1);
	assert_int_equal(last.u.mapped.generation, 4);
	assert_int_equal(last.u.mapped.id, 7);
	assert_int_equal(last.u.mapped.in_by_faults, 2 * 4096);
	assert_int_equal(last.u.mapped.dirty_by_faults, 3 * 4096);
	assert_int_equal(last.u.mapped.dirty_by_calls, 0);
	mapped_free(m);
	mapped_free(NULL);
}

/* The child, whose sum comes first, is told by the name that its parent's has. */
static void
names_of_other_processes(void **state)
{
	static const struct source_ops ops = {.mapped = give};
	struct mapped_source s = {
		.base.ops = &ops,
		.key = {{.tgid = 2, .dev = 2, .ino = 3, .generation = 4},
			{.tgid = 1, .dev = 2, .ino = 3, .generation = 4}},
		.sums = {{.in_by_faults = 2}, {.in_by_faults = 1}},
	};
	struct mapped *const m = mapped_new(4096);
	struct record last;

	(void)state;
	assert_int_equal(tick(m, &s, &last), 2);
	assert_int_equal(last.u.mapped.id, 0);
	s.sums[1].id = 7;
	assert_int_equal(tick(m, &s, &last), 2);
	assert_int_equal(last.u.mapped.pid, 2);
	assert_int_equal(last.u.mapped.id, 7);
	assert_int_equal(tick(m, &s, &last), 0);
	s.key[0].generation = 5;
	s.sums[0].in_by_faults = 9;
	assert_int_equal(tick(m, &s, &last), 1);
	assert_int_equal(last.u.mapped.id, 0);
	mapped_free(m);
}

/* Files that found no room are of no name, whatever id there is. */
static void
no_room_no_name(void **state)
{
	static const struct source_ops ops = {.mapped = give};
	struct mapped_source s = {
		.base.ops = &ops, .key = {{.tgid = 1}, {.tgid = 2}}, .sums = {{.id = 7}, {.in_by_calls = 1}},
	};
	struct mapped *const m = mapped_new(4096);
	struct record last;

	(void)state;
	assert_int_equal(tick(m, &s, &last), 2);
	assert_int_equal(last.u.mapped.pid, 2);
	assert_int_equal(last.u.mapped.id, 0);
	mapped_free(m);
}

static void
a_source_without(void **state)
{
	static const struct source_ops ops = {.take = NULL};
	struct mapped_source s = {.base.ops = &ops};
	struct mapped *const m = mapped_new(4096);
	struct record last;

	(void)state;
	assert_int_equal(tick(m, &s, &last), 0);
	mapped_free(m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_what_changed),
		cmocka_unit_test(names_of_other_processes),
		cmocka_unit_test(no_room_no_name),
		cmocka_unit_test(a_source_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
