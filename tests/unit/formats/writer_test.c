/* writer_test.c - formats/writer.h: when blocks close, what becomes of failures */
#include "formats/writer.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/rig.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

#define MS RIG_MS
#define START_NS RIG_START_NS

/* -- closing -- */

static void
a_block_closes_at_16384_calls(void **state)
{
	struct rig rig;
	const struct writer_options options = rig_options(&rig);

	(void)state;
	rig_open(&rig, &options);
	rig_calls(&rig, 16383);
	assert_int_equal(rig.n_blocks, 2);
	rig_calls(&rig, 1);
	assert_int_equal(rig.n_blocks, 3);
	assert_int_equal(rig.last.type, BLOCK_CALLS);
	assert_int_equal(rig.last.count, 16384);
	rig_close(&rig);
}

/* Hands n calls over and ticks until they are written: the time it took. */
static uint64_t
closing_ms(struct rig *rig, uint32_t n)
{
	const uint32_t blocks = rig->n_blocks;
	static uint64_t now = START_NS;
	uint64_t ms = 0;

	now += 10 * MS;
	assert_int_equal(writer_tick(rig->w, now), 0);
	assert_int_equal(rig->n_blocks, blocks);
	rig_calls(rig, n);
	while (rig->n_blocks == blocks && ms < 400) {
		assert_int_equal(writer_tick(rig->w, now += MS), 0);
		ms++;
	}
	assert_int_equal(rig->last.type, BLOCK_CALLS);
	assert_int_equal(rig->last.count, n);
	return ms;
}

static void
a_block_closes_when_its_time_has_come(void **state)
{
	struct rig rig;
	struct writer_options options = rig_options(&rig);

	(void)state;
	rig_open(&rig, &options);
	assert_int_equal(closing_ms(&rig, 1), 250);
	assert_int_equal(closing_ms(&rig, 1023), 250);
	assert_int_equal(closing_ms(&rig, 1024), 25);
	rig_close(&rig);
	options = rig_options(&rig);
	options.pipe = true;
	rig_open(&rig, &options);
	assert_int_equal(closing_ms(&rig, 1), 25);
	rig_close(&rig);
}

static void
records_alone_close_too_and_go_before_calls(void **state)
{
	struct rig rig;
	const struct writer_options options = rig_options(&rig);
	const struct rec_notice notice = {.time_ns = START_NS, .text = rec_str("hello")};

	(void)state;
	rig_open(&rig, &options);
	assert_int_equal(writer_tick(rig.w, START_NS), 0);
	assert_int_equal(writer_record(rig.w, REC_notice, &notice), 0);
	assert_int_equal(writer_tick(rig.w, START_NS + 249 * MS), 0);
	assert_int_equal(rig.n_blocks, 2);
	assert_int_equal(writer_next_due_ns(rig.w), MS);
	assert_int_equal(writer_tick(rig.w, START_NS + 250 * MS), 0);
	assert_int_equal(rig.n_blocks, 3);
	assert_int_equal(rig.last.type, BLOCK_RECORDS);
	rig_calls(&rig, 1);
	assert_int_equal(writer_record(rig.w, REC_notice, &notice), 0);
	assert_int_equal(writer_flush(rig.w), 0);
	assert_int_equal(rig.n_blocks, 5);
	assert_int_equal(rig.last.type, BLOCK_CALLS);
	rig_close(&rig);
}

/* Whoever reads along may tell what records alone say as soon as nothing earlier can come. */
static void
into_a_pipe_progress_follows_records_alone(void **state)
{
	struct rig rig;
	struct writer_options options = rig_options(&rig);
	const struct rec_notice notice = {.time_ns = START_NS, .text = rec_str("hello")};

	(void)state;
	options.pipe = true;
	rig_open(&rig, &options);
	assert_int_equal(writer_tick(rig.w, START_NS), 0);
	assert_int_equal(writer_record(rig.w, REC_notice, &notice), 0);
	assert_int_equal(writer_tick(rig.w, START_NS + 25 * MS), 0);
	assert_int_equal(rig.n_blocks, 4);
	assert_int_equal(rig.last.type, BLOCK_PROGRESS);
	assert_true(rig.last.last_ns == START_NS + 25 * MS);
	assert_int_equal(writer_record(rig.w, REC_notice, &notice), 0);
	rig_calls(&rig, 1);
	assert_int_equal(writer_tick(rig.w, START_NS + 50 * MS), 0);
	assert_int_equal(rig.n_blocks, 6);
	assert_int_equal(rig.last.type, BLOCK_CALLS);
	rig_close(&rig);
}

static void
idle_costs_one_small_block_a_second(void **state)
{
	struct rig rig;
	const struct writer_options options = rig_options(&rig);
	size_t before;

	(void)state;
	rig_open(&rig, &options);
	assert_int_equal(writer_tick(rig.w, START_NS), 0);
	before = rig.bytes.len;
	for (uint64_t t = 0; t <= 10000; t += 5)
		assert_int_equal(writer_tick(rig.w, START_NS + t * MS), 0);
	assert_int_equal(rig.n_blocks, 12);
	assert_int_equal(rig.last.type, BLOCK_PROGRESS);
	assert_true(rig.bytes.len - before <= 10 * 100);
	rig_expect(&rig, "progress time_ns=5010000000000", 1);
	rig_close(&rig);
}

static void
epochs_are_due_by_time_and_size(void **state)
{
	struct rig rig;
	struct writer_options options = rig_options(&rig);
	uint8_t noise[16000];
	uint64_t lot = 1;
	struct rec_notice notice = {.text = rec_bytes(noise, sizeof(noise))};

	(void)state;
	options.codec = CODEC_NONE;
	rig_open(&rig, &options);
	assert_false(writer_epoch_due(rig.w, START_NS + 59999 * MS));
	assert_true(writer_epoch_due(rig.w, START_NS + 60000 * MS));
	rig_epoch(&rig, START_NS + 60000 * MS);
	assert_false(writer_epoch_due(rig.w, START_NS + 60001 * MS));
	assert_int_equal(rig.last.epoch, 2);
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (uint8_t)sample_lot(&lot);
	while (rig.bytes.len < WRITER_EPOCH_BYTES) {
		assert_false(writer_epoch_due(rig.w, START_NS + 60001 * MS));
		assert_int_equal(writer_record(rig.w, REC_notice, &notice), 0);
	}
	assert_int_equal(writer_flush(rig.w), 0);
	assert_true(writer_epoch_due(rig.w, START_NS + 60001 * MS));
	rig_close(&rig);
}

/* -- end, failures -- */

static void
the_end_block_has_the_totals(void **state)
{
	struct rig rig;
	struct writer_options options = rig_options(&rig);
	const struct rec_end end = {.time_ns = START_NS + 5, .reason = 2, .calls = 99, .blocks = 99};
	const struct rec_clock clock = {.boot_ns = START_NS + 5};

	(void)state;
	options.index = true;
	rig_open(&rig, &options);
	rig_calls(&rig, 3);
	assert_int_equal(writer_end(rig.w, &clock, NULL, &end), 0);
	assert_int_equal(rig.last.type, BLOCK_END);
	assert_int_equal(rig.n_blocks, 5);
	rig_expect(&rig, "end time_ns=5000000000005 reason=duration calls=3 blocks=5", 1);
	rig_expect(&rig, "block_entry", 2);
	rig_expect(&rig, "abruptly", 0);
	rig_close(&rig);
}

static void
expect_failure(int fd, int code, const char *words)
{
	const struct writer_options options = {.fd = fd, .session = 1};
	const struct rec_host host = {.os = 1};
	const struct rec_clock clock = {.boot_ns = 1};
	const struct kr_call call = sample_call(0);
	struct writer *const w = writer_new(&options, NULL);

	assert_int_equal(writer_header(w, &host, &clock, NULL, 0), code);
	assert_non_null(strstr(writer_error(w)->text, words));
	assert_int_equal(writer_calls(w, &call, 1), code);
	assert_int_equal(writer_record(w, REC_clock, &clock), code);
	assert_int_equal(writer_tick(w, 5), code);
	assert_int_equal(writer_flush(w), code);
	assert_int_equal(writer_epoch(w, &clock, NULL), code);
	assert_non_null(strstr(writer_error(w)->text, words));
	writer_free(w);
}

static void
a_failed_write_is_final(void **state)
{
	const int full = open("/dev/full", O_WRONLY);
	int fds[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	expect_failure(full, IOTAP_EIO, "No space left");
	close(full);
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	expect_failure(fds[1], IOTAP_EPIPE, "reader has gone");
	close(fds[1]);
}

static void
a_record_over_a_limit_is_refused_and_no_more(void **state)
{
	struct rig rig;
	const struct writer_options options = rig_options(&rig);
	uint8_t *const long_text = calloc(1, REC_BYTES_MAX + 1);
	const struct rec_notice notice = {.text = {.p = long_text, .n = REC_BYTES_MAX + 1}};

	(void)state;
	rig_open(&rig, &options);
	assert_int_equal(writer_record(rig.w, REC_notice, &notice), IOTAP_ELIMIT);
	rig_calls(&rig, 1);
	assert_int_equal(writer_flush(rig.w), 0);
	rig_close(&rig);
	free(long_text);
}

/* The writer looks at nothing but what it is given: the same comes out each time. */
static void
the_same_input_gives_the_same_bytes(void **state)
{
	struct sample a, b;

	(void)state;
	sample_make(&a, &sample_small);
	sample_make(&b, &sample_small);
	assert_int_equal(a.bytes.len, b.bytes.len);
	assert_memory_equal(a.bytes.data, b.bytes.data, a.bytes.len);
	sample_fini(&a);
	sample_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_closes_at_16384_calls),
		cmocka_unit_test(a_block_closes_when_its_time_has_come),
		cmocka_unit_test(records_alone_close_too_and_go_before_calls),
		cmocka_unit_test(into_a_pipe_progress_follows_records_alone),
		cmocka_unit_test(idle_costs_one_small_block_a_second),
		cmocka_unit_test(epochs_are_due_by_time_and_size),
		cmocka_unit_test(the_end_block_has_the_totals),
		cmocka_unit_test(a_failed_write_is_final),
		cmocka_unit_test(a_record_over_a_limit_is_refused_and_no_more),
		cmocka_unit_test(the_same_input_gives_the_same_bytes),
	};

	return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
