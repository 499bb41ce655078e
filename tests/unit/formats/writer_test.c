/* writer_test.c - formats/writer.h: when blocks close, what epochs repeat, what becomes of failures */
#include "formats/writer.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

#define MS UINT64_C(1000000)
#define START_NS UINT64_C(5000000000000)

struct rig {
	struct buf bytes;
	struct writer *w;
	struct block_head last;
	uint32_t n_blocks, n_evicted;
	uint64_t evicted;
	uint32_t next;			/* call */
};

static int
rig_sink(void *arg, const struct block_head *head, const void *block, size_t n, struct iotap_error *err)
{
	struct rig *const rig = arg;

	(void)err;
	rig->last = *head;
	rig->n_blocks++;
	assert_true(buf_put(&rig->bytes, block, n));
	return 0;
}

static void
rig_evicted(void *arg, uint64_t id)
{
	struct rig *const rig = arg;

	rig->n_evicted++;
	rig->evicted = id;
}

static struct writer_options
rig_options(struct rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	return (struct writer_options){.fd = -1, .codec = CODEC_ZSTD, .session = 9, .sink = rig_sink,
				       .sink_arg = rig, .evicted = rig_evicted, .evicted_arg = rig};
}

static void
rig_epoch(struct rig *rig, uint64_t boot_ns)
{
	const struct rec_clock clock = {.boot_ns = boot_ns, .real_ns = 1};

	assert_int_equal(writer_epoch(rig->w, &clock, NULL), 0);
}

static void
rig_open(struct rig *rig, const struct writer_options *options)
{
	const struct rec_host host = {.os = 1, .arch = 1};
	const struct rec_clock clock = {.boot_ns = START_NS};

	rig->w = writer_new(options, NULL);
	assert_non_null(rig->w);
	assert_int_equal(writer_header(rig->w, &host, &clock, NULL, 0), 0);
	assert_int_equal(rig->last.type, BLOCK_HEADER);
	rig_epoch(rig, START_NS);
	assert_int_equal(rig->last.type, BLOCK_STATE);
	assert_int_equal(rig->last.epoch, 1);
	assert_int_equal(rig->n_blocks, 2);
}

static void
rig_close(struct rig *rig)
{
	writer_free(rig->w);
	buf_free(&rig->bytes);
}

/* Hands n calls over that use no target. */
static void
rig_calls(struct rig *rig, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct kr_call call = sample_call(rig->next++);

		call.id = call.id2 = 0;
		call.flags &= ~(uint32_t)(KF_IDENTITY | KF_SECOND);
		assert_int_equal(writer_calls(rig->w, &call, 1), 0);
	}
}

static void
rig_use(struct rig *rig, uint64_t id)
{
	struct kr_call call = sample_call(0);

	call.id = id;
	call.flags = KF_FD | KF_IDENTITY;
	call.key_ns = START_NS + rig->next++;
	assert_int_equal(writer_calls(rig->w, &call, 1), 0);
}

static void
rig_define(struct rig *rig, uint64_t id, const char *path)
{
	const struct rec_target t = {.id = id, .time_ns = START_NS, .kind = KR_KIND_FILE, .dev = 3,
				     .ino = 100 + id, .text = rec_str(path)};

	assert_int_equal(writer_record(rig->w, REC_target, &t), 0);
}

/* The text of what was written since the last time. */
static char *
rig_text(struct rig *rig)
{
	struct buf text = {0};
	char *out;

	sample_read(rig->bytes.data, rig->bytes.len, &text);
	out = strdup(buf_cstr(&text));
	buf_free(&text);
	return out;
}

static unsigned int
count(const char *text, const char *words)
{
	unsigned int n = 0;

	for (const char *p = text; (p = strstr(p, words)); p++)
		n++;
	return n;
}

static void
expect_words(struct rig *rig, const char *words, unsigned int n)
{
	char *const text = rig_text(rig);

	if (count(text, words) != n)
		fail_msg("%u times \"%s\", not %u, in:\n%s", count(text, words), words, n, text);
	free(text);
}

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
	expect_words(&rig, "progress time_ns=5010000000000", 1);
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

/* -- what epochs repeat -- */

static void
a_definition_is_repeated_when_it_is_used(void **state)
{
	struct rig rig;
	const struct writer_options options = rig_options(&rig);
	struct writer_totals t;

	(void)state;
	rig_open(&rig, &options);
	rig_define(&rig, 7, "/seven");
	rig_define(&rig, 8, "/eight");
	rig_use(&rig, 7);
	rig_use(&rig, 7);
	assert_int_equal(writer_flush(rig.w), 0);
	rig_use(&rig, 7);
	assert_int_equal(writer_flush(rig.w), 0);
	expect_words(&rig, "text=\"/seven\"", 1);
	rig_epoch(&rig, START_NS + 1);
	rig_use(&rig, 7);
	rig_use(&rig, 7);
	assert_int_equal(writer_flush(rig.w), 0);
	expect_words(&rig, "text=\"/seven\"", 2);
	expect_words(&rig, "text=\"/eight\"", 1);
	writer_get_totals(rig.w, &t);
	assert_int_equal(t.definitions, 3);
	assert_int_equal(t.repeated, 1);
	assert_int_equal(t.calls, 5);
	assert_int_equal(t.epochs, 2);
	rig_close(&rig);
}

static void
the_dictionary_takes_kinds_from_definitions(void **state)
{
	struct rig rig;
	const struct writer_options options = rig_options(&rig);
	const struct rec_target fifo = {.id = 4, .kind = KR_KIND_FILE, .dev = 1, .ino = 2, .mode = 010644};
	struct kr_call call = {.key_ns = START_NS, .id = 4, .flags = KF_IDENTITY, .mode = 010644, .dev = 1,
			       .ino = 2};

	(void)state;
	rig_open(&rig, &options);
	assert_int_equal(writer_record(rig.w, REC_target, &fifo), 0);
	assert_int_equal(writer_calls(rig.w, &call, 1), 0);
	assert_int_equal(writer_flush(rig.w), 0);
	expect_words(&rig, "entry id=4 kind=file dev=1 ino=2 mode=4516", 1);
	rig_close(&rig);
}

static void
an_evicted_definition_is_told_and_written_as_such(void **state)
{
	struct rig rig;
	struct writer_options options = rig_options(&rig);

	(void)state;
	options.max_definitions = 3;
	rig_open(&rig, &options);
	rig_define(&rig, 1, "/one");
	rig_define(&rig, 2, "/two");
	rig_define(&rig, 3, "/three");
	rig_use(&rig, 1);
	assert_int_equal(rig.n_evicted, 0);
	rig_define(&rig, 4, "/four");
	assert_int_equal(rig.n_evicted, 1);
	assert_int_equal(rig.evicted, 2);
	rig_use(&rig, 2);
	assert_int_equal(writer_flush(rig.w), 0);
	expect_words(&rig, "flags=256", 0);
	rig_epoch(&rig, START_NS + 1);
	rig_use(&rig, 2);
	rig_use(&rig, 2);
	assert_int_equal(writer_flush(rig.w), 0);
	expect_words(&rig, "target id=2 kind=file flags=256 dev=8388609", 1);
	expect_words(&rig, "text=\"/two\"", 1);
	rig_close(&rig);
}

static void
the_bytes_of_definitions_are_bounded(void **state)
{
	struct rig rig;
	struct writer_options options = rig_options(&rig);
	char path[1001];

	(void)state;
	options.max_definition_bytes = 5000;
	rig_open(&rig, &options);
	memset(path, 'x', sizeof(path) - 1);
	path[1000] = '\0';
	for (uint64_t id = 1; id <= 100; id++)
		rig_define(&rig, id, path);
	assert_int_equal(rig.n_evicted, 96);
	rig_close(&rig);
}

static void
records_that_name_a_target_bring_its_definition(void **state)
{
	struct rig rig;
	const struct writer_options options = rig_options(&rig);
	const struct rec_aggregate aggregate = {.level = 1, .id = 7};
	const struct rec_open_fd open_fd = {.fd = 3, .id = 8};

	(void)state;
	rig_open(&rig, &options);
	rig_define(&rig, 7, "/seven");
	rig_define(&rig, 8, "/eight");
	rig_epoch(&rig, START_NS + 1);
	assert_int_equal(writer_record(rig.w, REC_aggregate, &aggregate), 0);
	assert_int_equal(writer_record(rig.w, REC_open_fd, &open_fd), 0);
	assert_int_equal(writer_flush(rig.w), 0);
	expect_words(&rig, "text=\"/seven\"", 2);
	expect_words(&rig, "text=\"/eight\"", 2);
	rig_close(&rig);
}

static void
live_processes_are_restated_as_they_are_now(void **state)
{
	struct rig rig;
	const struct writer_options options = rig_options(&rig);
	struct rec_process p = {.time_ns = START_NS, .pid = 10, .start_ns = 5, .how = 1,
				.comm = rec_str("old"), .exe = rec_str("/bin/old"), .cwd = rec_str("/home")};
	const struct rec_exec exec = {.time_ns = START_NS, .pid = 10, .comm = rec_str("new"),
				      .path = rec_str("/bin/new"), .arg0 = rec_str("-new")};
	const struct rec_rename leader = {.pid = 10, .tid = 10, .comm = rec_str("newer")};
	const struct rec_rename thread = {.pid = 10, .tid = 11, .comm = rec_str("worker")};
	const struct rec_exit exit_ = {.pid = 12};
	const struct rec_interface lo = {.ifindex = 1, .name = rec_str("lo")};

	(void)state;
	rig_open(&rig, &options);
	assert_int_equal(writer_record(rig.w, REC_process, &p), 0);
	p.pid = 12;
	assert_int_equal(writer_record(rig.w, REC_process, &p), 0);
	assert_int_equal(writer_record(rig.w, REC_exec, &exec), 0);
	assert_int_equal(writer_record(rig.w, REC_rename, &leader), 0);
	assert_int_equal(writer_record(rig.w, REC_rename, &thread), 0);
	assert_int_equal(writer_record(rig.w, REC_interface, &lo), 0);
	assert_int_equal(writer_record(rig.w, REC_interface, &lo), 0);
	assert_int_equal(writer_record(rig.w, REC_exit, &exit_), 0);
	rig_epoch(&rig, START_NS + 1);
	expect_words(&rig, "restated=1", 1);
	expect_words(&rig, "process time_ns=5000000000000 pid=10 start_ns=5 how=pid restated=1 "
		     "comm=\"newer\" exe=\"/bin/new\" arg0=\"-new\" cwd=\"/home\"", 1);
	expect_words(&rig, "interface", 2);
	expect_words(&rig, "pid=12 start_ns", 1);
	rig_close(&rig);
}

/* An event stream is made of a recording's records, the restated ones included. */
static void
a_restated_process_is_not_written_twice(void **state)
{
	struct rig rig;
	const struct writer_options options = rig_options(&rig);
	struct rec_process p = {.time_ns = START_NS, .pid = 10, .comm = rec_str("a")};

	(void)state;
	rig_open(&rig, &options);
	assert_int_equal(writer_record(rig.w, REC_process, &p), 0);
	rig_epoch(&rig, START_NS + 1);
	p.restated = 1;
	assert_int_equal(writer_record(rig.w, REC_process, &p), 0);
	p.comm = rec_str("b");
	assert_int_equal(writer_record(rig.w, REC_process, &p), 0);
	assert_int_equal(writer_flush(rig.w), 0);
	expect_words(&rig, "comm=\"a\"", 2);
	expect_words(&rig, "comm=\"b\"", 1);
	rig_close(&rig);
}

/* So many live processes that one block of state cannot hold them. */
static void
a_large_state_goes_on_in_blocks_of_records(void **state)
{
	struct rig rig;
	const struct writer_options options = rig_options(&rig);
	char exe[400];
	struct rec_process p = {.comm = rec_str("many"), .exe = rec_bytes(exe, sizeof(exe))};
	uint32_t before;

	(void)state;
	memset(exe, 'x', sizeof(exe));
	rig_open(&rig, &options);
	for (p.pid = 1; p.pid <= 3000; p.pid++)
		assert_int_equal(writer_record(rig.w, REC_process, &p), 0);
	assert_int_equal(writer_flush(rig.w), 0);
	before = rig.n_blocks;
	rig_epoch(&rig, START_NS + 1);
	assert_true(rig.n_blocks - before >= 2);
	assert_int_equal(rig.last.type, BLOCK_RECORDS);
	assert_int_equal(rig.last.epoch, 2);
	expect_words(&rig, "restated=1", 3000);
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
	expect_words(&rig, "end time_ns=5000000000005 reason=duration calls=3 blocks=5", 1);
	expect_words(&rig, "block_entry", 2);
	expect_words(&rig, "abruptly", 0);
	rig_close(&rig);
}

/* Sums are cumulative: where reading may begin, where counting begins is said. */
static void
sums_are_said_again_in_each_epoch(void **state)
{
	struct rig rig;
	const struct writer_options options = rig_options(&rig);
	struct rec_aggregate sum = {.level = 1, .pid = 5, .call = 2, .id = 7, .calls = 40};
	const struct rec_aggregate_source source = {.pid = 5, .call = 2, .id = 7, .calls = 50};
	const struct rec_end end = {.reason = 1};
	const struct rec_clock clock = {.boot_ns = START_NS + 5};

	(void)state;
	rig_open(&rig, &options);
	rig_define(&rig, 7, "/seven");
	assert_int_equal(writer_record(rig.w, REC_aggregate, &sum), 0);
	sum.calls = 41;
	assert_int_equal(writer_record(rig.w, REC_aggregate, &sum), 0);
	assert_int_equal(writer_record(rig.w, REC_aggregate, &sum), 0);
	assert_int_equal(writer_record(rig.w, REC_aggregate_source, &source), 0);
	assert_int_equal(writer_flush(rig.w), 0);
	expect_words(&rig, "calls=40", 1);
	expect_words(&rig, "calls=41", 1);
	assert_int_equal(writer_end(rig.w, NULL, NULL, &end), 0);
	buf_clear(&rig.bytes);
	assert_int_equal(writer_reopen(rig.w, -1, &clock, NULL), 0);
	assert_int_equal(writer_record(rig.w, REC_aggregate, &sum), 0);
	assert_int_equal(writer_end(rig.w, NULL, NULL, &end), 0);
	expect_words(&rig, "calls=40", 0);
	expect_words(&rig, "calls=41", 1);
	expect_words(&rig, "calls=50", 1);
	expect_words(&rig, "text=\"/seven\"", 1);
	rig_close(&rig);
}

static void
a_rotated_file_stands_alone(void **state)
{
	struct rig rig;
	const struct writer_options options = rig_options(&rig);
	const struct rec_process p = {.pid = 10, .comm = rec_str("a")};
	const struct rec_end end = {.reason = 1};
	const struct rec_clock clock = {.boot_ns = START_NS + 5};

	(void)state;
	rig_open(&rig, &options);
	assert_int_equal(writer_record(rig.w, REC_process, &p), 0);
	rig_define(&rig, 7, "/seven");
	rig_use(&rig, 7);
	assert_int_equal(writer_end(rig.w, NULL, NULL, &end), 0);
	buf_clear(&rig.bytes);
	assert_int_equal(writer_reopen(rig.w, -1, &clock, NULL), 0);
	assert_int_not_equal(writer_session(rig.w), 9);
	rig_use(&rig, 7);
	assert_int_equal(writer_end(rig.w, NULL, NULL, &end), 0);
	assert_int_equal(rig.last.sequence, 4);
	expect_words(&rig, "host format_major=1", 1);
	expect_words(&rig, "restated=1 comm=\"a\"", 1);
	expect_words(&rig, "text=\"/seven\"", 1);
	expect_words(&rig, "calls=1 blocks=5", 1);
	expect_words(&rig, "missing", 0);
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
		cmocka_unit_test(a_definition_is_repeated_when_it_is_used),
		cmocka_unit_test(the_dictionary_takes_kinds_from_definitions),
		cmocka_unit_test(an_evicted_definition_is_told_and_written_as_such),
		cmocka_unit_test(the_bytes_of_definitions_are_bounded),
		cmocka_unit_test(records_that_name_a_target_bring_its_definition),
		cmocka_unit_test(live_processes_are_restated_as_they_are_now),
		cmocka_unit_test(a_restated_process_is_not_written_twice),
		cmocka_unit_test(a_large_state_goes_on_in_blocks_of_records),
		cmocka_unit_test(the_end_block_has_the_totals),
		cmocka_unit_test(sums_are_said_again_in_each_epoch),
		cmocka_unit_test(a_rotated_file_stands_alone),
		cmocka_unit_test(a_failed_write_is_final),
		cmocka_unit_test(a_record_over_a_limit_is_refused_and_no_more),
		cmocka_unit_test(the_same_input_gives_the_same_bytes),
	};

	return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
