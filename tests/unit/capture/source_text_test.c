/* source_text_test.c - capture/source.h over a text: what is taken, in which batches, and what is refused */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/source.h"
#include "tests/lib/unit.h"

struct fixture {
	char path[64];
	struct source *source;
	struct batch batch;
	struct iotap_error err;
};

static int
setup(void **state)
{
	struct fixture *const f = test_calloc(1, sizeof(*f));

	strcpy(f->path, "/tmp/iotap-source.XXXXXX");
	(void)close(mkstemp(f->path));
	*state = f;
	return batch_init(&f->batch) ? 0 : -1;
}

static int
teardown(void **state)
{
	struct fixture *const f = *state;

	source_close(f->source);
	batch_fini(&f->batch);
	(void)unlink(f->path);
	test_free(f);
	return 0;
}

static void
open_text(struct fixture *f, const char *text)
{
	FILE *const file = fopen(f->path, "w");

	assert_non_null(file);
	(void)fputs(text, file);
	assert_int_equal(fclose(file), 0);
	source_close(f->source);
	f->err = (struct iotap_error){.code = 0};
	batch_clear(&f->batch);
	f->source = source_text_open(f->path, &f->err);
}

static int
take(struct fixture *f)
{
	return f->source->ops->take(f->source, &f->batch, &f->err);
}

#define CALL(key) "call key=" key " tid=1 tgid=1 call=read result=1\n"

static void
header_and_end_are_apart(void **state)
{
	struct fixture *const f = *state;
	const struct source_header *h;

	open_text(f, "# first comes something else\n" CALL("200") "clock boot_ns=150 real_ns=7\n"
		  "host format_major=1 os=1 arch=x86_64 hostname=\"first\"\n"
		  "host format_major=1 os=1 arch=x86_64 hostname=\"second\"\n"
		  "clock boot_ns=999 real_ns=8\n"
		  "end time_ns=300 reason=2\n");
	assert_non_null(f->source);
	h = source_text_header(f->source);
	assert_true(h->has_host && h->has_clock);
	assert_int_equal(h->clock.boot_ns, 150);
	assert_int_equal(h->host.hostname.n, 5);
	assert_memory_equal(h->host.hostname.p, "first", 5);
	assert_null(source_text_end(f->source));		/* it is not there yet */
	assert_int_equal(take(f), SOURCE_END);
	assert_int_equal(f->batch.n_calls, 1);
	assert_int_equal(f->batch.records.len, 0);
	assert_int_equal(source_text_end(f->source)->reason, 2);
	assert_memory_equal(h->host.hostname.p, "first", 5);	/* kept */
}

static void
everything_up_to_the_last_key(void **state)
{
	struct fixture *const f = *state;

	open_text(f, CALL("200") CALL("200") "process time_ns=250 pid=1 comm=\"a\"\n");
	assert_false(source_text_header(f->source)->has_host);
	assert_int_equal(take(f), SOURCE_END);
	assert_int_equal(f->batch.n_calls, 2);
	assert_true(f->batch.records.len > 0);
	assert_int_equal(f->batch.until_ns, 251);
	assert_int_equal(take(f), SOURCE_END);			/* and again */
	assert_int_equal(f->batch.n_calls, 2);
}

/* More than a batch holds: the rest comes with the next one. */
static void
full_batches(void **state)
{
	struct fixture *const f = *state;
	struct buf text = {.data = NULL};
	uint64_t total = 0, last = 0;
	int r;

	for (unsigned int i = 0; i < 2 * BATCH_CALLS + 5; i++)
		(void)buf_printf(&text, "call key=%u tid=1 tgid=1 call=read\n", 100 + i);
	open_text(f, buf_cstr(&text));
	do {
		batch_clear(&f->batch);
		r = take(f);
		assert_true(r == SOURCE_MORE || r == SOURCE_END);
		assert_true(f->batch.n_calls <= BATCH_CALLS);
		assert_int_equal(f->batch.until_ns == 0, r == SOURCE_MORE);
		for (size_t i = 0; i < f->batch.n_calls; i++) {
			assert_true(f->batch.calls[i].key_ns > last);
			last = f->batch.calls[i].key_ns;
		}
		total += f->batch.n_calls;
	} while (r == SOURCE_MORE);
	assert_int_equal(total, 2 * BATCH_CALLS + 5);
	buf_free(&text);
}

static void
expect_refused(struct fixture *f, const char *text, const char *words)
{
	open_text(f, text);
	if (f->source && take(f) >= 0)
		fail_msg("taken: %s", text);
	if (f->err.code != IOTAP_EUSAGE || !strstr(f->err.text, words))
		fail_msg("%s", f->err.text);
}

static void
what_is_refused_with_its_line(void **state)
{
	struct fixture *const f = *state;

	expect_refused(f, CALL("200") "\n\n" CALL("199"), "line 4: a call before the one above it");
	expect_refused(f, CALL("200") "process time_ns=300 pid=1\n" CALL("299"), "line 3");
	expect_refused(f, "nonsense x=1\n", "line 1");
	expect_refused(f, CALL("1") "call key=2 call=never\n", "line 2");
	expect_refused(f, "record type=99 body=\"x\"\n", "line 1: not a record that capture writes");
	expect_refused(f, "block_entry offset=1\n", "line 1: not a record that capture writes");
	/* Lines for other readers are passed over. */
	open_text(f, "block header session=5\nblock calls\nentry id=1 kind=file\n" CALL("5"));
	assert_int_equal(take(f), SOURCE_END);
	assert_int_equal(f->batch.n_calls, 1);
}

static void
texts_that_are_none(void **state)
{
	struct fixture *const f = *state;

	open_text(f, "");
	assert_int_equal(take(f), SOURCE_END);
	assert_true(batch_is_empty(&f->batch));
	assert_null(source_text_open("/no/such/file", &f->err));
	assert_int_equal(f->err.code, IOTAP_EIO);
	assert_non_null(strstr(f->err.text, "/no/such/file"));
	assert_null(source_text_open("/", &f->err));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(header_and_end_are_apart),
		TEST(everything_up_to_the_last_key),
		TEST(full_batches),
		TEST(what_is_refused_with_its_line),
		TEST(texts_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
