/* definitions_test.c - formats/definitions.h: a bounded table, the least recently used goes first */
#include "formats/definitions.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

/* The ids that were evicted, as text; each must still be whole when that is told. */
struct evicted {
	char text[4000];
	uint64_t n;
};

static void
on_evicted(void *arg, const struct definition *d)
{
	struct evicted *const e = arg;
	char raw[32];
	const size_t used = strlen(e->text);

	(void)snprintf(raw, sizeof(raw), "raw %llu", (unsigned long long)d->id);
	assert_true(d->n_raw >= strlen(raw));
	assert_memory_equal(d->raw, raw, strlen(raw));
	if (used < sizeof(e->text) - 30)
		(void)snprintf(e->text + used, sizeof(e->text) - used, "%llu ", (unsigned long long)d->id);
	e->n++;
}

/* Puts a definition whose bytes name it, n bytes long if that is more. */
static struct definition *
put(struct definitions *d, uint64_t id, uint32_t n)
{
	const struct rec_target target = {.id = id, .dev = 8, .ino = id * 2, .mode = 0100644, .kind = 1};
	char raw[2000] = "";
	struct definition *e;

	(void)snprintf(raw, sizeof(raw), "raw %llu", (unsigned long long)id);
	if (n < strlen(raw))
		n = (uint32_t)strlen(raw);
	e = definitions_put(d, &target, raw, n);
	assert_non_null(e);
	assert_true(e->id == id && e->n_raw == n && e->ino == id * 2 && e->mark == 0);
	return e;
}

static void
the_oldest_goes_first(void **state)
{
	struct evicted evicted = {.n = 0};
	struct definitions *const d = definitions_new(3, 1000, on_evicted, &evicted);

	(void)state;
	for (uint64_t id = 1; id <= 3; id++)
		put(d, id, 0);
	assert_string_equal(evicted.text, "");
	assert_non_null(definitions_use(d, 1));		/* now 2 is the oldest */
	assert_int_equal(definitions_peek(d, 2)->id, 2);	/* which a look does not change */
	assert_null(definitions_peek(d, 9));
	put(d, 4, 0);
	assert_string_equal(evicted.text, "2 ");
	assert_null(definitions_use(d, 2));
	put(d, 5, 0);
	put(d, 6, 0);
	assert_string_equal(evicted.text, "2 3 1 ");
	assert_int_equal(definitions_evicted(d), 3);
	assert_non_null(definitions_use(d, 4));
	definitions_free(d);
	definitions_free(NULL);
	assert_int_equal(evicted.n, 3);		/* those that are left are not evicted */
}

/* A new meaning for an id takes no further room and is no eviction. */
static void
an_id_is_there_once(void **state)
{
	struct evicted evicted = {.n = 0};
	struct definitions *const d = definitions_new(2, 1000, on_evicted, &evicted);

	(void)state;
	put(d, 1, 0)->mark = 7;
	put(d, 2, 0);
	assert_int_equal(definitions_use(d, 1)->mark, 7);
	put(d, 1, 500);
	put(d, 1, 100);
	assert_int_equal(definitions_use(d, 1)->n_raw, 100);
	assert_int_equal(definitions_use(d, 1)->mark, 0);
	assert_non_null(definitions_use(d, 2));
	assert_int_equal(evicted.n, 0);
	definitions_free(d);
}

/* A definition made from the bytes of one that is in the table. */
static void
bytes_of_the_table_itself(void **state)
{
	struct evicted evicted = {.n = 0};
	struct definitions *const d = definitions_new(1, 1000, on_evicted, &evicted);
	const struct definition *const first = put(d, 1, 50);
	const struct rec_target again = {.id = 1, .ino = 9};
	const struct definition *const second = definitions_put(d, &again, first->raw, first->n_raw);

	(void)state;
	assert_int_equal(second->n_raw, 50);
	assert_memory_equal(second->raw, "raw 1", 5);
	assert_int_equal(second->ino, 9);
	definitions_free(d);
}

static void
bytes_are_bounded_too(void **state)
{
	struct evicted evicted = {.n = 0};
	struct definitions *const d = definitions_new(100, 1000, on_evicted, &evicted);

	(void)state;
	for (uint64_t id = 1; id <= 10; id++)
		put(d, id, 100);
	assert_int_equal(evicted.n, 0);
	put(d, 11, 250);
	assert_string_equal(evicted.text, "1 2 3 ");
	put(d, 12, 1500);		/* larger than all: alone */
	assert_int_equal(evicted.n, 11);
	assert_non_null(definitions_use(d, 12));
	put(d, 13, 10);
	assert_null(definitions_use(d, 12));
	definitions_free(d);
}

/* Against a plain list, over many steps. */
static void
like_a_list(void **state)
{
	enum { MAX = 50, IDS = 120 };
	struct evicted evicted = {.n = 0};
	struct definitions *const d = definitions_new(MAX, 1 << 20, on_evicted, &evicted);
	uint64_t used[IDS] = {0}, now = 0, lot = 3, n = 0;	/* 0 = not there */

	(void)state;
	for (int step = 0; step < 20000; step++) {
		const uint64_t id = sample_lot(&lot) % IDS;
		const bool there = definitions_use(d, id + 1) != NULL;

		assert_int_equal(there, used[id] != 0);
		if (!there && n == MAX) {
			size_t oldest = 0;

			for (size_t i = 0; i < IDS; i++) {
				if (used[i] != 0 && (used[oldest] == 0 || used[i] < used[oldest]))
					oldest = i;
			}
			used[oldest] = 0;
			n--;
		}
		if (!there) {
			put(d, id + 1, 0);
			n++;
		}
		used[id] = ++now;
	}
	assert_int_equal(definitions_evicted(d), evicted.n);
	definitions_free(d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_oldest_goes_first),
		cmocka_unit_test(an_id_is_there_once),
		cmocka_unit_test(bytes_of_the_table_itself),
		cmocka_unit_test(bytes_are_bounded_too),
		cmocka_unit_test(like_a_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
