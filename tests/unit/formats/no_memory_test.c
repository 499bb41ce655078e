/* no_memory_test.c - formats/ without memory: each allocation fails in turn, once and from then on
 *
 * Each step makes what it tests from nothing, compares what it got when nothing failed, and releases all.
 * A buffer of no limit keeps what it had: whatever fails says IOTAP_ENOMEM and leaves nothing behind.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/dump.h"
#include "formats/reader.h"
#include "formats/writer.h"
#include "tests/lib/sample.h"
#include "tests/lib/starve.h"
#include "tests/lib/unit.h"

static void
the_device_counts(void **state)
{
	const long before = starve_alive();
	void *volatile p;

	(void)state;
	starve_at(2, STARVE_ONCE);
	p = malloc(1);
	assert_non_null(p);
	assert_int_equal(starve_alive(), before + 1);
	assert_null(calloc(1, 1));
	free(p);
	starve_at(1, STARVE_EVER);
	p = malloc(1);
	assert_null(p);
	p = strdup("x");
	assert_null(p);
	assert_int_equal(starve_stop(), 2);
	assert_int_equal(starve_alive(), before);
}

/* -- reading -- */

static int
read_all(void *arg)
{
	const struct sample *const s = arg;
	struct iotap_error err = {0};
	struct buf text = {0};
	struct reader *const r = reader_new_memory(s->bytes.data, s->bytes.len, "sample");
	int got = r ? dump_all(r, true, &text, &err) : IOTAP_ENOMEM;

	if (got == 0 && !buf_ok(&text))
		got = IOTAP_ENOMEM;
	if (r && got < 0)
		assert_int_equal(err.code, got);
	buf_free(&text);
	reader_free(r);
	return got;
}

static void
reading(void **state)
{
	const struct sample_shape shape = {.codec = CODEC_NONE, .session = 3, .n_epochs = 2, .n_periods = 1,
					   .n_calls = 20};
	struct sample s;

	(void)state;
	sample_make(&s, &shape);
	starve_each(read_all, &s, IOTAP_ENOMEM);
	sample_fini(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_device_counts),
		cmocka_unit_test(reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
