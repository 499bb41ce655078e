/* writer_failing_test.c - formats/writer.h without memory, and over an output that fails at the n-th block
 *
 * The recording has a bit of everything that a writer keeps and says again. One that was written without a
 * failure reads back whole; whatever fails is the result and the stored text, and nothing leaks.
 */
#include "formats/writer.h"

#include <stdlib.h>
#include <string.h>

#include "formats/reader.h"
#include "tests/lib/sample.h"
#include "tests/lib/starve.h"
#include "tests/lib/unit.h"

enum { N_CALLS = 60 };

/* Where the recording goes. */
struct output {
	struct buf bytes, second;	/* and, behind a rotation */
	bool rotated;
	unsigned int n_blocks, fails_at;	/* 0 = never */
	int code;
	struct writer_options options;
	struct writer_totals totals;
};

static int
output_sink(void *arg, const struct block_head *head, const void *block, size_t n, struct iotap_error *err)
{
	struct output *const o = arg;

	(void)head;
	if (++o->n_blocks == o->fails_at)
		return error_set(err, o->code, "the test says no");
	return buf_put(o->rotated ? &o->second : &o->bytes, block, n) ? 0 :
		error_set(err, IOTAP_ENOMEM, "the test has no memory");
}

static const struct rec_clock clock_now = {.boot_ns = 1000, .real_ns = 5};
static const struct rec_counters counters = {.time_ns = 1, .values = {(const uint8_t *)"\1\2", 2}};

static int
begin(struct writer *w)
{
	const struct rec_host host = {.os = 1, .arch = 1, .series = 7};
	const struct rec_request requests[] = {{.kind = 2, .text = rec_str("a")}, {.kind = 2, .text = rec_str("b")}};
	const int r = writer_header(w, &host, &clock_now, requests, 2);

	return r < 0 ? r : writer_epoch(w, &clock_now, NULL);
}

static int
records(struct writer *w, uint64_t now)
{
	const struct rec_process process = {.time_ns = now, .pid = 5, .comm = rec_str("a")};
	const struct rec_exec exec = {.time_ns = now, .pid = 5, .comm = rec_str("b"), .path = rec_str("/b")};
	const struct rec_rename rename = {.time_ns = now, .pid = 5, .tid = 5, .comm = rec_str("c")};
	const struct rec_interface lo = {.ifindex = 1, .name = rec_str("lo")};
	const struct rec_target target = {.time_ns = now, .id = 700, .kind = 2, .text = rec_str("/x")};
	const struct rec_open_fd open_fd = {.pid = 5, .fd = 3, .id = 700};
	const struct rec_aggregate aggregate = {.pid = 5, .call = 1, .id = 700, .calls = now};
	const struct rec_aggregate_source source = {.pid = 5, .call = 1, .id = 0};
	const struct rec_mapped mapped = {.pid = 5, .id = 700, .ino = 3};
	static const struct {
		enum rec_type type;
		size_t at;
	} order[] = {{REC_process, 0}, {REC_exec, 1}, {REC_rename, 2}, {REC_interface, 3}, {REC_target, 4},
		     {REC_open_fd, 5}, {REC_aggregate, 6}, {REC_aggregate_source, 7}, {REC_mapped, 8}};
	const void *const all[] = {&process, &exec, &rename, &lo, &target, &open_fd, &aggregate, &source, &mapped};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(order) / sizeof(order[0]); i++)
		r = writer_record(w, order[i].type, all[order[i].at]);
	if (r == 0)
		r = writer_record_raw(w, &(struct bytes){.p = (const uint8_t *)"\x63\1x", .n = 3});
	return r;
}

/* Half of the calls use targets of which no definition was given. */
static int
calls(struct writer *w, uint32_t from)
{
	int r = 0;

	for (uint32_t i = from; r == 0 && i < from + N_CALLS; i++) {
		const struct kr_call call = sample_call(i);

		r = writer_calls(w, &call, 1);
	}
	return r;
}

static int
finish(struct writer *w, struct output *o)
{
	const struct rec_end end = {.time_ns = 9, .reason = 1};
	int r = writer_end(w, &clock_now, &counters, &end);

	if (r < 0)
		return r;
	o->rotated = true;
	r = writer_reopen(w, -1, &clock_now, &counters);
	if (r == 0)
		r = calls(w, 2 * N_CALLS);
	return r < 0 ? r : writer_end(w, NULL, NULL, &end);
}

static int
all_of_it(struct writer *w, struct output *o)
{
	int r = begin(w);

	if (r == 0)
		r = records(w, 2000);
	if (r == 0)
		r = calls(w, 0);
	if (r == 0)
		r = writer_flush(w);
	if (r == 0)
		r = writer_epoch(w, &clock_now, &counters);
	if (r == 0)
		r = calls(w, N_CALLS);
	if (r == 0)
		r = writer_tick(w, 1);
	if (r == 0)
		r = writer_tick(w, 1 + 2 * WRITER_SLOW_NS);
	if (r == 0)
		r = writer_progress(w, 2 + 2 * WRITER_SLOW_NS);
	return r < 0 ? r : finish(w, o);
}

/* Calls of a recording that must be whole. */
static uint32_t
calls_read(const struct buf *bytes)
{
	struct reader *const r = reader_new_memory(bytes->data, bytes->len, "x");
	struct reader_item item;
	uint32_t n = 0;
	int got;

	while ((got = reader_next(r, &item)) == 0) {
		assert_int_equal(item.what, READER_BLOCK);
		n += item.head.type == BLOCK_CALLS ? item.head.count : 0;
	}
	assert_int_equal(got, 1);
	reader_free(r);
	return n;
}

/* The first failure, or 0 and a recording that was read back. */
static int
write_one(struct output *o)
{
	struct iotap_error err = {0};
	struct writer *const w = writer_new(&o->options, &err);
	int r = w ? all_of_it(w, o) : err.code;

	if (w) {
		assert_int_equal(writer_error(w)->code, r);
		assert_true(r == 0 || writer_error(w)->text[0] != '\0');
		writer_get_totals(w, &o->totals);
	}
	writer_free(w);
	return r;
}

static struct writer_options
options_of(struct output *o)
{
	return (struct writer_options){.fd = -1, .codec = CODEC_NONE, .session = 9, .index = true,
				       .sink = output_sink, .sink_arg = o, .max_definitions = 3, .level = 3};
}

static int
write_starved(void *arg)
{
	struct output o = {.options = options_of(&o)};
	int r;

	o.options.codec = *(const enum block_codec *)arg;
	o.options.max_definitions = 20;
	r = write_one(&o);
	(void)starve_stop();
	if (r == 0) {
		assert_int_equal(calls_read(&o.bytes), 2 * N_CALLS);
		assert_int_equal(calls_read(&o.second), N_CALLS);
		assert_int_equal(o.totals.calls, 3 * N_CALLS);
		assert_int_equal(o.totals.pending_calls, 0);
	}
	buf_free(&o.bytes);
	buf_free(&o.second);
	return r;
}

static void
no_memory(void **state)
{
	enum block_codec codec = CODEC_NONE;

	(void)state;
	starve_each(write_starved, &codec, IOTAP_ENOMEM);
	codec = CODEC_ZSTD;
	starve_each(write_starved, &codec, IOTAP_ENOMEM);
}

/* After the output has failed every function says the same, and writes nothing. */
static void
expect_dead(struct writer *w, struct output *o, int code)
{
	const struct rec_host host = {.os = 1};
	const struct rec_end end = {.time_ns = 9};
	const struct kr_call call = sample_call(1);
	const struct bytes raw = {.p = (const uint8_t *)"\x63\1x", .n = 3};
	const unsigned int before = o->n_blocks;

	assert_int_equal(writer_header(w, &host, &clock_now, NULL, 0), code);
	assert_int_equal(writer_epoch(w, &clock_now, NULL), code);
	assert_int_equal(writer_record(w, REC_clock, &clock_now), code);
	assert_int_equal(writer_record_raw(w, &raw), code);
	assert_int_equal(writer_calls(w, &call, 1), code);
	assert_int_equal(writer_flush(w), code);
	assert_int_equal(writer_tick(w, UINT64_MAX), code);
	assert_int_equal(writer_progress(w, 1), code);
	assert_int_equal(writer_end(w, NULL, NULL, &end), code);
	assert_int_equal(writer_reopen(w, -1, &clock_now, NULL), code);
	assert_int_equal(o->n_blocks, before);
}

static void
each_block_fails(void **state)
{
	static const int codes[] = {IOTAP_EIO, IOTAP_EPIPE};
	struct output whole = {.options = options_of(&whole)};

	(void)state;
	assert_int_equal(write_one(&whole), 0);
	assert_true(whole.n_blocks > 10);
	for (unsigned int at = 1; at <= whole.n_blocks; at++) {
		struct output o = {.fails_at = at, .code = codes[at % 2], .options = options_of(&o)};
		struct writer *const w = writer_new(&o.options, NULL);

		assert_int_equal(all_of_it(w, &o), o.code);
		assert_int_equal(o.n_blocks, at);
		assert_int_equal(writer_error(w)->code, o.code);
		assert_string_equal(writer_error(w)->text, "the test says no");
		expect_dead(w, &o, o.code);
		assert_memory_equal(o.bytes.data, whole.bytes.data, o.bytes.len);
		assert_false(writer_give_up(w));
		writer_free(w);
		buf_free(&o.bytes);
		buf_free(&o.second);
	}
	buf_free(&whole.bytes);
	buf_free(&whole.second);
}

static unsigned int
count(const char *text, const char *words)
{
	unsigned int n = 0;

	for (const char *at = text; (at = strstr(at, words)); at++)
		n++;
	return n;
}

/* A definition that found no memory in an epoch is written there as soon as there is some. */
static void
what_found_no_memory_is_said_later(void **state)
{
	static char name[10000];	/* two of that size do not fit the room that one of them made */
	const struct rec_target target = {.time_ns = 1, .id = 700, .kind = 2, .text = rec_bytes(name, sizeof(name))};
	const struct rec_request request = {.kind = 2, .text = rec_bytes(name, sizeof(name))};
	const struct rec_end end = {.time_ns = 9, .reason = 1};
	const struct kr_call call = {.key_ns = 2000, .id = 700, .tid = 1, .tgid = 1};
	unsigned long n_failed = 0;
	bool failed = true;

	(void)state;
	memset(name, 'n', sizeof(name));
	for (unsigned long n = 1; failed; n++) {
		struct output o = {.options = options_of(&o)};
		struct writer *const w = writer_new(&o.options, NULL);
		struct buf text = {0};
		int r;

		assert_int_equal(begin(w), 0);
		assert_int_equal(writer_record(w, REC_target, &target), 0);
		assert_int_equal(writer_epoch(w, &clock_now, NULL), 0);
		assert_int_equal(writer_record(w, REC_request, &request), 0);
		starve_at(n, STARVE_ONCE);
		r = writer_calls(w, &call, 1);
		failed = starve_stop() >= n;
		n_failed += failed;
		assert_int_equal(r, failed ? IOTAP_ENOMEM : 0);
		assert_int_equal(writer_calls(w, &call, 1), 0);
		assert_int_equal(writer_end(w, NULL, NULL, &end), 0);
		sample_read(o.bytes.data, o.bytes.len, &text);
		assert_int_equal(count(buf_cstr(&text), "target id=700 "), 2);
		buf_free(&text);
		buf_free(&o.bytes);
		writer_free(w);
	}
	assert_true(n_failed > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_memory),
		cmocka_unit_test(each_block_fails),
		cmocka_unit_test(what_found_no_memory_is_said_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
