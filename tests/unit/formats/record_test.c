/* record_test.c - formats/record.h: every record there and back, growing and shrinking, never beyond */
#include "formats/record.h"

#include <stdlib.h>

#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

static const uint8_t some_bytes[REC_BYTES_MAX + 1] = "some bytes";

/* A record of a type whose fields are all different and none is 0; large: as large as they can be. */
static void
fill(const struct rec_info *info, union rec_any *rec, bool large)
{
	memset(rec, 0, sizeof(*rec));
	for (uint32_t i = 0; i < info->n_fields; i++) {
		char *const at = (char *)rec + info->fields[i].offset;
		const uint64_t v = large ? UINT64_MAX - i : 1000 + i;
		const struct bytes bytes = {.p = some_bytes, .n = large ? REC_BYTES_MAX : 1 + i};

		if (info->fields[i].how == 'B')
			memcpy(at, &bytes, sizeof(bytes));
		else
			memcpy(at, &v, sizeof(v));
	}
}

static void
expect_same(const struct rec_info *info, const union rec_any *a, const union rec_any *b)
{
	for (uint32_t i = 0; i < info->n_fields; i++) {
		const char *const pa = (const char *)a + info->fields[i].offset;
		const char *const pb = (const char *)b + info->fields[i].offset;

		if (info->fields[i].how == 'B') {
			const struct bytes *const ba = (const struct bytes *)pa;
			const struct bytes *const bb = (const struct bytes *)pb;

			assert_int_equal(ba->n, bb->n);
			assert_memory_equal(ba->p, bb->p, ba->n);
		} else {
			assert_memory_equal(pa, pb, sizeof(uint64_t));
		}
	}
}

static struct record
read_one(const struct buf *b)
{
	struct bytes_in in = bytes_in(b->data, b->len);
	struct record rec;

	assert_int_equal(record_next(&in, &rec, NULL), 0);
	assert_int_equal(rec.raw.n, b->len);
	return rec;
}

/* situation: 50 */
static void
every_type_comes_back(void **state)
{
	uint32_t n = 0;

	(void)state;
	for (uint32_t type = 0; type < 100; type++) {
		const struct rec_info *const info = rec_info(type);

		for (int large = 0; info && large < 2; large++) {
			struct buf b = {0};
			union rec_any rec;
			struct record got;

			fill(info, &rec, large);
			assert_int_equal(record_put(&b, (enum rec_type)type, &rec, NULL), 0);
			got = read_one(&b);
			assert_int_equal(got.type, type);
			assert_ptr_equal(got.info, info);
			assert_int_equal(got.more.n, 0);
			expect_same(info, &rec, &got.u);
			buf_free(&b);
			n++;
		}
	}
	assert_int_equal(n, 2 * 21);
}

/* Types are part of the format: given once. */
static void
types_are_pinned(void **state)
{
	static const char *const names[] = {NULL, "host", "clock", "request", "process", "exec", "rename",
					    "exit", "untraced", "target", "open_fd", "aggregate",
					    "counters", "loss", "progress", "interface", "end", "notice",
					    "block_entry"};

	(void)state;
	for (uint32_t i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_string_equal(rec_info(i)->name, names[i]);
		assert_ptr_equal(rec_info_named(names[i], strlen(names[i])), rec_info(i));
	}
	assert_null(rec_info(0));
	assert_null(rec_info(UINT32_MAX));
	assert_null(rec_info_named("hos", 3));
}

/* The body of a record cut after each of its bytes: whole fields are taken, half ones refused. */
static void
a_short_body_leaves_fields_empty(void **state)
{
	const struct rec_info *const info = rec_info(REC_target);
	struct buf full = {0};
	union rec_any rec;
	struct record whole;
	uint32_t n_fine = 0;

	(void)state;
	fill(info, &rec, false);
	assert_int_equal(record_put(&full, REC_target, &rec, NULL), 0);
	whole = read_one(&full);
	for (size_t n = 0; n < whole.body.n; n++) {
		struct buf cut = {0};
		struct bytes_in in;
		struct record got;
		uint8_t *copy;
		int r;

		assert_int_equal(record_put_raw(&cut, REC_target, whole.body.p, n, NULL), 0);
		copy = sample_copy(cut.data, cut.len);
		in = bytes_in(copy, cut.len);
		r = record_next(&in, &got, NULL);
		assert_true(r == 0 || r == IOTAP_ECORRUPT);
		if (r == 0) {
			n_fine++;
			assert_int_equal(got.u.target.peer.n, 0);
			assert_true(n == 0 || got.u.target.id == 1000);
			assert_true(n > 0 || got.u.target.id == 0);
		}
		free(copy);
		buf_free(&cut);
	}
	assert_int_equal(n_fine, info->n_fields);
	buf_free(&full);
}

static void
later_fields_are_kept_aside(void **state)
{
	const struct rec_progress progress = {.time_ns = 300};
	struct buf b = {0}, longer = {0};
	struct record rec;

	(void)state;
	assert_int_equal(record_put(&b, REC_progress, &progress, NULL), 0);
	rec = read_one(&b);
	assert_true(buf_put(&longer, rec.body.p, rec.body.n) && buf_puts(&longer, "later"));
	buf_clear(&b);
	assert_int_equal(record_put_raw(&b, REC_progress, longer.data, longer.len, NULL), 0);
	rec = read_one(&b);
	assert_int_equal(rec.u.progress.time_ns, 300);
	assert_int_equal(rec.more.n, 5);
	assert_memory_equal(rec.more.p, "later", 5);
	buf_free(&b);
	buf_free(&longer);
}

static void
unknown_types_are_skipped(void **state)
{
	const struct rec_progress progress = {.time_ns = 300};
	struct buf b = {0};
	struct bytes_in in;
	struct record rec;

	(void)state;
	assert_int_equal(record_put_raw(&b, 4000000, "what", 4, NULL), 0);
	assert_int_equal(record_put(&b, REC_progress, &progress, NULL), 0);
	assert_int_equal(record_put_raw(&b, 0, "", 0, NULL), 0);
	in = bytes_in(b.data, b.len);
	assert_int_equal(record_next(&in, &rec, NULL), 0);
	assert_null(rec.info);
	assert_int_equal(rec.type, 4000000);
	assert_memory_equal(rec.body.p, "what", 4);
	in = bytes_in(b.data, b.len);
	assert_int_equal(record_next_known(&in, &rec, NULL), 0);
	assert_int_equal(rec.type, REC_progress);
	assert_int_equal(record_next_known(&in, &rec, NULL), 1);
	assert_int_equal(record_next_known(&in, &rec, NULL), 1);
	buf_free(&b);
}

static void
fields_over_the_limit_are_refused(void **state)
{
	struct rec_notice notice = {.text = {.p = some_bytes, .n = REC_BYTES_MAX + 1}};
	struct iotap_error err = {0};
	struct buf b = {0}, body = {0};
	struct bytes_in in;
	struct record rec;

	(void)state;
	assert_int_equal(record_put(&b, REC_notice, &notice, &err), IOTAP_ELIMIT);
	assert_int_equal(b.len, 0);
	assert_non_null(strstr(err.text, "text"));
	assert_true(bytes_put_varint(&body, 1) && bytes_put_varint(&body, 1) &&
		    bytes_put_sized(&body, some_bytes, REC_BYTES_MAX + 1));
	assert_int_equal(record_put_raw(&b, REC_notice, body.data, body.len, NULL), 0);
	in = bytes_in(b.data, b.len);
	assert_int_equal(record_next(&in, &rec, &err), IOTAP_ECORRUPT);
	assert_int_equal(record_next(&in, &rec, &err), IOTAP_ECORRUPT);
	buf_free(&b);
	buf_free(&body);
}

/* A length that runs over the end, at each of its bytes; and one that overflows. */
/* situation: 50, 110 */
static void
a_record_never_runs_over_the_end(void **state)
{
	static const uint8_t huge[] = {9, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
	struct buf b = {0};
	union rec_any any;
	struct bytes_in in;
	struct record rec;

	(void)state;
	fill(rec_info(REC_host), &any, false);
	assert_int_equal(record_put(&b, REC_host, &any, NULL), 0);
	for (size_t n = 1; n < b.len; n++) {
		uint8_t *const copy = sample_copy(b.data, n);

		in = bytes_in(copy, n);
		assert_int_equal(record_next(&in, &rec, NULL), IOTAP_ECORRUPT);
		free(copy);
	}
	in = bytes_in(huge, sizeof(huge));
	assert_int_equal(record_next(&in, &rec, NULL), IOTAP_ECORRUPT);
	buf_free(&b);
}

static void
time_is_found_by_name(void **state)
{
	const struct rec_target target = {.id = 1, .time_ns = 2};
	const struct rec_clock clock = {.boot_ns = 3, .real_ns = 4};
	const struct rec_loss loss = {.from_ns = 5, .until_ns = 6};
	const struct rec_host host = {.pid = 7};

	(void)state;
	assert_int_equal(record_time(REC_target, &target), 2);
	assert_int_equal(record_time(REC_clock, &clock), 3);
	assert_int_equal(record_time(REC_loss, &loss), 6);
	assert_int_equal(record_time(REC_host, &host), 0);
	assert_int_equal(record_time(99, &host), 0);
}

/* Types and sizes over what can be: refused when written, and when read. */
static void
types_and_sizes_that_cannot_be(void **state)
{
	const struct rec_clock rec = {.boot_ns = 1};
	struct iotap_error err = {0};
	struct buf b = {0};
	struct bytes_in in;
	struct record got;

	(void)state;
	assert_int_equal(record_put(&b, (enum rec_type)9999, &rec, &err), IOTAP_EUSAGE);
	assert_int_equal(b.len, 0);
	assert_null(rec_info_named("clocc", 5));
	(void)bytes_put_varint(&b, UINT64_C(1) << 32);
	(void)bytes_put_sized(&b, "x", 1);
	in = bytes_in(b.data, b.len);
	assert_int_equal(record_next(&in, &got, &err), IOTAP_ECORRUPT);
	assert_int_equal(bytes_left(&in), 0);
	buf_clear(&b);
	(void)bytes_put_varint(&b, REC_clock);
	(void)bytes_put_varint(&b, REC_BODY_MAX + 1);
	memset(buf_extend(&b, REC_BODY_MAX + 1), 1, REC_BODY_MAX + 1);
	in = bytes_in(b.data, b.len);
	assert_int_equal(record_next(&in, &got, &err), IOTAP_ECORRUPT);
	assert_non_null(strstr(err.text, "clock record of 131073 bytes"));
	in = bytes_in(b.data, b.len);
	assert_int_equal(record_next(&in, &got, &err), IOTAP_ECORRUPT);
	buf_free(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_comes_back),
		cmocka_unit_test(types_are_pinned),
		cmocka_unit_test(a_short_body_leaves_fields_empty),
		cmocka_unit_test(later_fields_are_kept_aside),
		cmocka_unit_test(unknown_types_are_skipped),
		cmocka_unit_test(fields_over_the_limit_are_refused),
		cmocka_unit_test(a_record_never_runs_over_the_end),
		cmocka_unit_test(time_is_found_by_name),
		cmocka_unit_test(types_and_sizes_that_cannot_be),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
