/* encoder_test.c - batches become a recording, in order, also when the output fails */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "capture/encoder.h"
#include "formats/dump.h"

/* A sink that keeps what it gets, and fails from some block on. */
struct sink {
	struct buf bytes;
	unsigned int blocks, fails_at;	/* 0 = never */
};

static int
keep_block(void *arg, const struct block_head *head, const void *block, size_t n,
	   struct iotap_error *err)
{
	struct sink *const s = arg;

	(void)head;
	if (s->fails_at > 0 && ++s->blocks >= s->fails_at)
		return error_set(err, IOTAP_EIO, "disk full");
	return buf_put(&s->bytes, block, n) ? 0 : error_set(err, IOTAP_ENOMEM, "out of memory");
}

static struct encoder *
begin(struct sink *s, uint32_t max_definitions)
{
	const struct encoder_options o = {.writer = {.fd = -1, .sink = keep_block, .sink_arg = s,
						     .max_definitions = max_definitions}};
	const struct rec_host host = {.os = OS_LINUX, .arch = 1};
	const struct rec_clock clock = {.boot_ns = 1};
	struct iotap_error err = {0};
	struct encoder *const e = encoder_new(&o, &err);

	assert_non_null(e);
	assert_int_equal(encoder_start(e, &host, &clock, NULL, 0, NULL, &err), 0);
	return e;
}

static void
add_call(struct batch *b, uint64_t key, uint64_t id, uint32_t flags)
{
	b->calls[b->n_calls++] = (struct kr_call){.key_ns = key, .tid = 7, .tgid = 7, .call = 2,
						  .fd = 3, .id = id, .result = 1,
						  .flags = KF_FD | flags};
}

static void
add_target(struct batch *b, uint64_t key, uint64_t id, const char *path)
{
	struct kr_note *const n = buf_extend(&b->notes, sizeof(*n));

	assert_non_null(n);
	memset(n, 0, sizeof(*n));
	n->key_ns = key;
	n->type = KR_TARGET;
	n->n_slots = 1;
	n->text_total = (kr_u32)strlen(path);
	n->target.id = id;
	n->target.kind = KR_KIND_FILE;
	n->target.text_len = (kr_u16)strlen(path);
	memcpy(n->text, path, strlen(path));
	b->n_notes++;
}

static struct buf
dumped(const struct sink *s)
{
	struct iotap_error err = {0};
	struct reader *const reader = reader_new_memory(s->bytes.data, s->bytes.len, "memory");
	struct buf text = {0};

	assert_int_equal(dump_all(reader, false, &text, &err), 0);
	reader_free(reader);
	return text;
}

static void
a_definition_stands_before_its_call(void **state)
{
	struct sink s = {0};
	struct encoder *const e = begin(&s, 0);
	struct counters counters = {.values = {6}, .n_values = 1};
	const struct rec_end end = {.time_ns = 50, .reason = 1};
	struct iotap_error err = {0};
	struct buf text;
	struct batch *b;
	const char *path;

	(void)state;
	for (uint64_t i = 0; i < 10; i++) {
		b = encoder_batch(e, true);
		assert_non_null(b);
		add_call(b, 10 + i, 4, i == 9 ? KF_UNFINISHED : 0);
		if (i == 0)
			add_target(b, 9, 4, "/etc/hosts");
		b->until_ns = 10 + i;
		encoder_put(e, b);
	}
	assert_int_equal(encoder_end(e, NULL, &counters, &end, &err), 0);
	text = dumped(&s);
	path = strstr(buf_cstr(&text), "/etc/hosts");
	assert_non_null(path);
	assert_non_null(strstr(path, "call key=10 "));
	assert_non_null(strstr(path, "call key=19 "));
	assert_non_null(strstr(path, "written=9 "));	/* an unfinished call came from no ring */
	assert_non_null(strstr(path, "calls=10"));
	encoder_free(e);
	buf_free(&text);
	buf_free(&s.bytes);
}

static void
a_failure_is_kept_and_nobody_waits(void **state)
{
	struct sink s = {.fails_at = 4};
	struct encoder *const e = begin(&s, 0);
	struct counters none = {0};
	const struct rec_end end = {.reason = 1};
	struct iotap_error err = {0};
	struct batch *b;

	(void)state;
	for (unsigned int i = 0; i < 100 && (b = encoder_batch(e, true)) != NULL; i++) {
		for (uint64_t k = 0; k < BATCH_CALLS; k++)
			add_call(b, 1 + i * BATCH_CALLS + k, 0, 0);
		encoder_put(e, b);
	}
	assert_null(encoder_batch(e, true));
	assert_int_equal(encoder_failed(e, &err), IOTAP_EIO);
	assert_non_null(strstr(err.text, "disk full"));
	assert_int_equal(encoder_end(e, NULL, &none, &end, &err), IOTAP_EIO);
	encoder_free(e);
	buf_free(&s.bytes);
}

static void
says_which_definitions_went(void **state)
{
	struct sink s = {0};
	struct encoder *const e = begin(&s, 4);
	struct counters none = {0};
	const struct rec_end end = {.reason = 1};
	struct iotap_error err = {0};
	struct buf ids = {0};
	struct batch *const b = encoder_batch(e, true);
	uint64_t first;

	(void)state;
	for (uint64_t i = 1; i <= 10; i++)
		add_target(b, i, i, "/x");
	encoder_put(e, b);
	assert_int_equal(encoder_end(e, NULL, &none, &end, &err), 0);
	assert_true(encoder_evicted(e, &ids));
	assert_int_equal(ids.len, 6 * sizeof(uint64_t));
	memcpy(&first, ids.data, sizeof(first));
	assert_int_equal(first, 1);
	buf_clear(&ids);
	assert_true(encoder_evicted(e, &ids));
	assert_int_equal(ids.len, 0);
	encoder_free(e);
	buf_free(&ids);
	buf_free(&s.bytes);
}

/* When nobody fetches the list for long, it must not look as if it were all. */
static void
says_that_more_went_than_it_lists(void **state)
{
	enum { BATCHES = 70, EACH = 1000 };
	struct sink s = {0};
	struct encoder *const e = begin(&s, 4);
	struct counters none = {0};
	const struct rec_end end = {.reason = 1};
	struct iotap_error err = {0};
	struct buf ids = {0};

	(void)state;
	for (uint64_t i = 0; i < BATCHES; i++) {
		struct batch *const b = encoder_batch(e, true);

		for (uint64_t k = 1; k <= EACH; k++)
			add_target(b, i * EACH + k, i * EACH + k, "/x");
		encoder_put(e, b);
	}
	assert_int_equal(encoder_end(e, NULL, &none, &end, &err), 0);
	assert_false(encoder_evicted(e, &ids));
	buf_clear(&ids);
	assert_true(encoder_evicted(e, &ids));
	assert_int_equal(ids.len, 0);
	encoder_free(e);
	buf_free(&ids);
	buf_free(&s.bytes);
}

static void
ends_without_ever_being_used(void **state)
{
	struct sink s = {0};

	(void)state;
	encoder_free(begin(&s, 0));
	encoder_free(NULL);
	buf_free(&s.bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_definition_stands_before_its_call),
		cmocka_unit_test(a_failure_is_kept_and_nobody_waits),
		cmocka_unit_test(says_which_definitions_went),
		cmocka_unit_test(says_that_more_went_than_it_lists),
		cmocka_unit_test(ends_without_ever_being_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
