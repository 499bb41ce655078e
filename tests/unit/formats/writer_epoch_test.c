/* writer_epoch_test.c - formats/writer.h: what each epoch repeats, so that reading may begin with it */
#include "formats/writer.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/rig.h"
#include "tests/lib/unit.h"

#define MS RIG_MS
#define START_NS RIG_START_NS

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
	rig_expect(&rig, "text=\"/seven\"", 1);
	rig_epoch(&rig, START_NS + 1);
	rig_use(&rig, 7);
	rig_use(&rig, 7);
	assert_int_equal(writer_flush(rig.w), 0);
	rig_expect(&rig, "text=\"/seven\"", 2);
	rig_expect(&rig, "text=\"/eight\"", 1);
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
	rig_expect(&rig, "entry id=4 kind=file dev=1 ino=2 mode=4516", 1);
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
	rig_expect(&rig, "flags=256", 0);
	rig_epoch(&rig, START_NS + 1);
	rig_use(&rig, 2);
	rig_use(&rig, 2);
	assert_int_equal(writer_flush(rig.w), 0);
	rig_expect(&rig, "target id=2 kind=file flags=256 dev=8388609", 1);
	rig_expect(&rig, "text=\"/two\"", 1);
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
	rig_expect(&rig, "text=\"/seven\"", 2);
	rig_expect(&rig, "text=\"/eight\"", 2);
	rig_close(&rig);
}

/* The sums that an epoch restates bring definitions; a stream that is written anew has them once more. */
static void
a_definition_that_was_brought_is_not_written_twice(void **state)
{
	struct rig rig;
	const struct writer_options options = rig_options(&rig);
	const struct rec_aggregate aggregate = {.level = 1, .id = 7};

	(void)state;
	rig_open(&rig, &options);
	rig_define(&rig, 7, "/seven");
	rig_define(&rig, 7, "/seven");
	assert_int_equal(writer_record(rig.w, REC_aggregate, &aggregate), 0);
	rig_epoch(&rig, START_NS + 1);
	rig_define(&rig, 7, "/seven");
	rig_define(&rig, 7, "/other");
	rig_define(&rig, 7, "/seven");
	rig_define(&rig, 7, "/seven");
	assert_int_equal(writer_flush(rig.w), 0);
	rig_expect(&rig, "text=\"/seven\"", 3);
	rig_expect(&rig, "text=\"/other\"", 1);
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
	rig_expect(&rig, "restated=1", 1);
	rig_expect(&rig, "process time_ns=5000000000000 pid=10 start_ns=5 how=pid restated=1 "
		     "comm=\"newer\" exe=\"/bin/new\" arg0=\"-new\" cwd=\"/home\"", 1);
	rig_expect(&rig, "interface", 2);
	rig_expect(&rig, "pid=12 start_ns", 1);
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
	rig_expect(&rig, "comm=\"a\"", 2);
	rig_expect(&rig, "comm=\"b\"", 1);
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
	rig_expect(&rig, "restated=1", 3000);
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
	rig_expect(&rig, "calls=40", 1);
	rig_expect(&rig, "calls=41", 1);
	assert_int_equal(writer_end(rig.w, NULL, NULL, &end), 0);
	buf_clear(&rig.bytes);
	assert_int_equal(writer_reopen(rig.w, -1, &clock, NULL), 0);
	assert_int_equal(writer_record(rig.w, REC_aggregate, &sum), 0);
	assert_int_equal(writer_end(rig.w, NULL, NULL, &end), 0);
	rig_expect(&rig, "calls=40", 0);
	rig_expect(&rig, "calls=41", 1);
	rig_expect(&rig, "calls=50", 1);
	rig_expect(&rig, "text=\"/seven\"", 1);
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
	rig_expect(&rig, "host format_major=1", 1);
	rig_expect(&rig, "restated=1 comm=\"a\"", 1);
	rig_expect(&rig, "text=\"/seven\"", 1);
	rig_expect(&rig, "calls=1 blocks=5", 1);
	rig_expect(&rig, "missing", 0);
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_definition_is_repeated_when_it_is_used),
		cmocka_unit_test(the_dictionary_takes_kinds_from_definitions),
		cmocka_unit_test(an_evicted_definition_is_told_and_written_as_such),
		cmocka_unit_test(the_bytes_of_definitions_are_bounded),
		cmocka_unit_test(records_that_name_a_target_bring_its_definition),
		cmocka_unit_test(a_definition_that_was_brought_is_not_written_twice),
		cmocka_unit_test(live_processes_are_restated_as_they_are_now),
		cmocka_unit_test(a_restated_process_is_not_written_twice),
		cmocka_unit_test(a_large_state_goes_on_in_blocks_of_records),
		cmocka_unit_test(sums_are_said_again_in_each_epoch),
		cmocka_unit_test(a_rotated_file_stands_alone),
	};

	return cmocka_run_group_tests_name("writer_epoch", tests, NULL, NULL);
}
