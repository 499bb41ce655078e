/* json_test.c - decode/json.h: JSON Lines of events, notices, drops and the summary
 *
 * The order of the fields is a contract: whole lines are compared.
 */
#include "decode/json.h"

#include <string.h>

#include "formats/calls.h"
#include "tests/lib/unit.h"

static const struct iotap_target file = {
	.kind = IOTAP_KIND_FILE,
	.resolved = IOTAP_RESOLVED_TRACED,
	.evidence = IOTAP_EVIDENCE_KERNEL,
	.json = "{\"kind\":\"file\",\"path\":\"/a\"}",
	.json_len = 27,
	.device = "eth0",
	.key = "/a",
	.key_len = 2,
	.text = "/a",
	.text_len = 2,
	.path = "/a",
	.path_len = 2,
};

static const struct iotap_event read_event = {
	.time_ns = UINT64_C(1700000000000000001),
	.pid = 1,
	.tid = 2,
	.op = "read",
	.syscall = "read",
	.dir = IOTAP_DIR_READ,
	.fd = 3,
	.fd2 = -1,
	.requested = 100,
	.bytes = 7,
	.messages = IOTAP_UNKNOWN,
	.offset = 0,
	.duration_ns = IOTAP_UNKNOWN,
	.target = &file,
	.confirmed = 1,
	.klass = IOTAP_CLASS_FILE,
};

static void
expect_event(const struct iotap_event *e, const char *line)
{
	struct buf out = {.data = NULL};

	json_event(&out, e);
	assert_string_equal(buf_cstr(&out), line);
	buf_free(&out);
}

#define READ_HEAD                                                                                         \
	"{\"type\":\"event\",\"time_ns\":1700000000000000001,\"pid\":1,\"tid\":2,\"op\":\"read\","        \
	"\"dir\":\"read\",\"syscall\":\"read\",\"fd\":3,\"requested\":100,\"bytes\":7,\"messages\":null," \
	"\"errno\":0,\"error\":null,\"latency_ns\":null,\"target\":{\"kind\":\"file\",\"path\":\"/a\"},"
#define READ_TAIL "\"resolved\":\"traced\",\"evidence\":\"kernel\",\"confirmed\":true,\"offset\":0"

/* An interface belongs to network traffic only, whatever the target brings along. */
static void
an_event(void **state)
{
	(void)state;
	expect_event(&read_event, READ_HEAD "\"interface\":null," READ_TAIL "}\n");
}

static void
a_failed_event(void **state)
{
	struct iotap_event e = read_event;

	(void)state;
	e.err = 11;
	e.err_name = "EAGAIN";
	e.bytes = e.requested = e.offset = IOTAP_UNKNOWN;
	e.dir = IOTAP_DIR_WRITE;
	e.fd = -1;
	e.duration_ns = UINT64_MAX - 1; /* integers are exact up to the last */
	e.confirmed = 0;
	expect_event(
		&e,
		"{\"type\":\"event\",\"time_ns\":1700000000000000001,\"pid\":1,\"tid\":2,"
		"\"op\":\"read\",\"dir\":\"write\",\"syscall\":\"read\",\"fd\":null,"
		"\"requested\":null,\"bytes\":null,\"messages\":null,\"errno\":11,"
		"\"error\":\"EAGAIN\",\"latency_ns\":18446744073709551614,"
		"\"target\":{\"kind\":\"file\",\"path\":\"/a\"},\"interface\":null,"
		"\"resolved\":\"traced\",\"evidence\":\"kernel\",\"confirmed\":false,\"offset\":null}\n");
}

static void
an_op_has_a_result_and_no_sizes(void **state)
{
	struct iotap_event e = read_event;

	(void)state;
	e.dir = IOTAP_DIR_NONE;
	e.op = e.syscall = "dup";
	e.result = INT64_MIN;
	e.fd2 = 9;
	expect_event(
		&e,
		"{\"type\":\"op\",\"time_ns\":1700000000000000001,\"pid\":1,\"tid\":2,"
		"\"op\":\"dup\",\"syscall\":\"dup\",\"fd\":3,\"result\":-9223372036854775808,"
		"\"errno\":0,\"error\":null,\"latency_ns\":null,"
		"\"target\":{\"kind\":\"file\",\"path\":\"/a\"},\"interface\":null,"
		"\"resolved\":\"traced\",\"evidence\":\"kernel\",\"confirmed\":true,\"fd2\":9}\n");
}

/* The name of an interface comes from the recording and may be anything. */
static void
interfaces_are_escaped(void **state)
{
	static const struct {
		const char *device, *json;
	} rows[] = {
		{"eth0", "\"eth0\""},
		{"?", "\"?\""},
		{NULL, "null"},
		{"e\"0\\", "\"e\\\"0\\\\\""},
		{"a\nb", "\"a\\nb\""},
		{"a\\b", "\"a\\\\b\""},
		{"a\x7f", "\"a\\u007f\""},
		{"\xc3\xa4", "\"\xc3\xa4\""},
		{"0123456789012345678901234567890123456789",
		 "\"0123456789012345678901234567890123456789\""},
	};
	struct iotap_target target = file;
	struct iotap_event e = read_event;

	(void)state;
	e.klass = IOTAP_CLASS_NETWORK;
	e.target = &target;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char line[1000] = READ_HEAD "\"interface\":";

		target.device = rows[i].device;
		strcat(strcat(line, rows[i].json), "," READ_TAIL "}\n");
		expect_event(&e, line);
	}
}

static void
the_source_of_a_copy(void **state)
{
	struct iotap_event e = read_event;

	(void)state;
	e.target2 = &file;
	e.second = IOTAP_SECOND_SOURCE;
	e.fd2 = 12;
	expect_event(&e, READ_HEAD
		     "\"interface\":null," READ_TAIL
		     ",\"source\":{\"kind\":\"file\",\"path\":\"/a\"},\"source_fd\":12}\n");
	e.fd2 = -1;
	expect_event(&e, READ_HEAD
		     "\"interface\":null," READ_TAIL
		     ",\"source\":{\"kind\":\"file\",\"path\":\"/a\"},\"source_fd\":null}\n");
	e.second = IOTAP_SECOND_PEER;
	expect_event(&e, READ_HEAD "\"interface\":null," READ_TAIL
				   ",\"peer\":{\"kind\":\"file\",\"path\":\"/a\"}}\n");
	e.second = IOTAP_SECOND_BASE;
	e.fd2 = 4;
	expect_event(&e, READ_HEAD "\"interface\":null," READ_TAIL
				   ",\"second\":{\"kind\":\"file\",\"path\":\"/a\"},\"fd2\":4}\n");
	e.target2 = NULL;
	expect_event(&e, READ_HEAD "\"interface\":null," READ_TAIL ",\"second\":null,\"fd2\":4}\n");
	e.second = IOTAP_SECOND_FROM;
	expect_event(&e, READ_HEAD "\"interface\":null," READ_TAIL ",\"fd2\":4}\n");
}

/* Objects of targets may be longer than any line was thought to be. */
static void
room_is_made_for_long_targets(void **state)
{
	static char object[100001];
	struct iotap_target target = file;
	struct iotap_event e = read_event;
	struct buf out = {.data = NULL};

	(void)state;
	memset(object, 'x', sizeof(object) - 1);
	target.json = object;
	target.json_len = sizeof(object) - 1;
	e.target = e.target2 = &target;
	e.second = IOTAP_SECOND_SOURCE;
	for (int i = 0; i < 3; i++)
		json_event(&out, &e);
	assert_true(buf_ok(&out));
	assert_true(out.len > 6 * target.json_len);
	assert_int_equal(out.data[out.len - 1], '\n');
	buf_free(&out);
}

/* A buffer that cannot grow holds whole lines only. */
static void
a_full_buffer_gets_nothing(void **state)
{
	struct buf out = {.limit = 500};

	(void)state;
	json_event(&out, &read_event);
	assert_false(buf_ok(&out));
	assert_int_equal(out.len, 0);
	buf_free(&out);
}

static void
expect_notice(const struct iotap_notice *n, const char *line)
{
	struct buf out = {.data = NULL};

	json_notice(&out, n);
	assert_string_equal(buf_cstr(&out), line);
	buf_free(&out);
}

static void
notices(void **state)
{
	const struct iotap_process p = {
		.pid = 5, .name = "a\x1b", .name_len = 2, .exit_status = 256, .uid = UINT32_MAX, .gid = 0,
		.pid_ns = 1, .mnt_ns = 2, .net_ns = 3, .pid_in_ns = 4, .cgroup = "/\xff", .cgroup_len = 2,
		.container = "", .container_len = 0};

	(void)state;
	expect_notice(&(struct iotap_notice){.type = IOTAP_NOTICE_START, .time_ns = 9}, "");
	expect_notice(
		&(struct iotap_notice){
			.type = IOTAP_NOTICE_ATTACHED, .pid = 5, .process = &p, .time_ns = 9},
		"{\"type\":\"attached\",\"pid\":5,\"name\":\"a\\u001b\",\"parent\":null,\"time_ns\":9,"
		"\"uid\":null,\"gid\":0,\"cgroup\":\"/\xef\xbf\xbd\",\"cgroup_hex\":\"2fff\",\"container\":null,"
		"\"pid_ns\":1,\"mnt_ns\":2,\"net_ns\":3,\"pid_in_ns\":4}\n");
	expect_notice(
		&(struct iotap_notice){.type = IOTAP_NOTICE_EXEC,
				       .pid = 5,
				       .path = "/\xff",
				       .path_len = 2,
				       .time_ns = 9},
		"{\"type\":\"exec\",\"pid\":5,\"path\":\"/\xef\xbf\xbd\",\"path_hex\":\"2fff\","
		"\"name\":null,\"time_ns\":9}\n");
	expect_notice(&(struct iotap_notice){.type = IOTAP_NOTICE_RENAMED,
					     .pid = 5,
					     .tid = 6,
					     .name = "",
					     .name_len = 0,
					     .time_ns = 9},
		      "{\"type\":\"renamed\",\"pid\":5,\"tid\":6,\"name\":\"\",\"time_ns\":9}\n");
	expect_notice(
		&(struct iotap_notice){
			.type = IOTAP_NOTICE_EXITED, .pid = 5, .process = &p, .time_ns = 9},
		"{\"type\":\"exited\",\"pid\":5,\"name\":\"a\\u001b\",\"status\":256,\"time_ns\":9}\n");
	expect_notice(
		&(struct iotap_notice){.type = IOTAP_NOTICE_UNTRACED,
				       .pid = 5,
				       .parent = 4,
				       .reason = 2,
				       .time_ns = 9},
		"{\"type\":\"untraced\",\"pid\":5,\"parent\":4,\"reason\":\"full\",\"time_ns\":9}\n");
	expect_notice(
		&(struct iotap_notice){
			.type = IOTAP_NOTICE_TEXT, .message = "x\"", .level = 2, .time_ns = 9},
		"{\"type\":\"notice\",\"level\":\"warning\",\"text\":\"x\\\"\",\"time_ns\":9}\n");
	expect_notice(
		&(struct iotap_notice){.type = IOTAP_NOTICE_CLOCK_STEP,
				       .step_ns = INT64_MIN,
				       .time_ns = IOTAP_UNKNOWN},
		"{\"type\":\"clock_step\",\"step_ns\":-9223372036854775808,\"time_ns\":null}\n");
	expect_notice(&(struct iotap_notice){.type = IOTAP_NOTICE_END, .reason = 3, .time_ns = 9},
		      "{\"type\":\"end\",\"reason\":\"exited\",\"time_ns\":9}\n");
	expect_notice(&(struct iotap_notice){.type = IOTAP_NOTICE_END,
					     .reason = UINT32_MAX,
					     .time_ns = 9},
		      "{\"type\":\"end\",\"reason\":\"unknown\",\"time_ns\":9}\n");
}

static void
expect_drop(const struct iotap_drop *d, const char *line)
{
	struct buf out = {.data = NULL};

	json_drop(&out, d);
	assert_string_equal(buf_cstr(&out), line);
	buf_free(&out);
}

static void
drops(void **state)
{
	static const uint32_t pids[] = {1, UINT32_MAX};

	(void)state;
	expect_drop(
		&(struct iotap_drop){.cause = IOTAP_DROP_RING,
				     .from_ns = 10,
				     .until_ns = 15,
				     .time_ns = 110,
				     .count = 3,
				     .pids = pids,
				     .n_pids = 2},
		"{\"type\":\"lost_events\",\"time_ns\":110,\"until_ns\":115,\"count\":3,\"cause\":\"buffer\","
		"\"pids\":[1,4294967295]}\n");
	expect_drop(&(struct iotap_drop){.cause = IOTAP_DROP_DAMAGE,
					 .from_ns = IOTAP_UNKNOWN,
					 .until_ns = IOTAP_UNKNOWN,
					 .time_ns = IOTAP_UNKNOWN,
					 .count = IOTAP_UNKNOWN,
					 .offset = 64,
					 .bytes = 3},
		    "{\"type\":\"lost_events\",\"time_ns\":null,\"until_ns\":null,\"count\":null,"
		    "\"cause\":\"damage\",\"pids\":[],\"offset\":64,\"size\":3}\n");
}

static void
the_start(void **state)
{
	const struct iotap_process p = {.pid = 5, .name = "a", .name_len = 1, .uid = 7, .gid = 8},
				   q = {.pid = 6, .name = "\xfe", .name_len = 1, .uid = UINT32_MAX, .gid = UINT32_MAX};
	const struct iotap_process *const both[] = {&p, &q};
	const struct iotap_info info = {.start_boot_ns = 4,
					.start_time_ns = 9,
					.tool = "t",
					.hostname = "h\t",
					.release = ""};
	struct buf out = {.data = NULL};

	(void)state;
	json_start(&out, &info, both, 2);
	assert_string_equal(
		buf_cstr(&out),
		"{\"type\":\"start\",\"time_ns\":9,\"processes\":[{\"pid\":5,\"name\":\"a\",\"uid\":7,\"gid\":8,"
		"\"cgroup\":null,\"container\":null,"
		"\"pid_ns\":null,\"mnt_ns\":null,\"net_ns\":null,\"pid_in_ns\":null},"
		"{\"pid\":6,\"name\":\"\xef\xbf\xbd\",\"name_hex\":\"fe\","
		"\"uid\":null,\"gid\":null,\"cgroup\":null,\"container\":null,"
		"\"pid_ns\":null,\"mnt_ns\":null,\"net_ns\":null,\"pid_in_ns\":null}],"
		"\"tool\":\"t\",\"hostname\":\"h\\t\",\"release\":null}\n");
	/* A recording whose header is damaged: nothing is known. */
	buf_clear(&out);
	json_start(&out, &(struct iotap_info){.tool = "", .hostname = "", .release = ""}, NULL, 0);
	assert_string_equal(
		buf_cstr(&out),
		"{\"type\":\"start\",\"time_ns\":null,\"processes\":[],\"tool\":null,\"hostname\":null,"
		"\"release\":null}\n");
	buf_free(&out);
}

/* -- the summary -- */

static void
write_away(void *arg)
{
	struct buf *const parts = arg;

	/* parts[0] is what is being made, parts[1] all that was. */
	(void)buf_put(&parts[1], parts[0].data, parts[0].len);
	buf_clear(&parts[0]);
}

/* However often the line is written away meanwhile, it is the same line. */
static void
a_long_summary_is_one_line(void **state)
{
	enum {
		N = 3000
	};
	static struct iotap_row rows[N];
	struct iotap_summary s = {.rows = rows, .n_rows = N};
	struct buf parts[2] = {{.data = NULL}}, whole = {.data = NULL};
	size_t lines = 0;

	(void)state;
	for (size_t i = 0; i < N; i++)
		rows[i] = (struct iotap_row){.target = &file,
					     .klass = (enum iotap_class)(i % 3),
					     .read = {i, 1},
					     .latency_max_ns = UINT64_MAX};
	json_summary(&whole, &s, NULL, NULL);
	json_summary(&parts[0], &s, write_away, parts);
	assert_true(parts[0].len < 200 * 1024);
	write_away(parts);
	assert_int_equal(parts[1].len, whole.len);
	assert_memory_equal(parts[1].data, whole.data, whole.len);
	for (size_t i = 0; i < whole.len; i++)
		lines += whole.data[i] == '\n';
	assert_int_equal(lines, 1);
	buf_free(&whole);
	buf_free(&parts[0]);
	buf_free(&parts[1]);
}

static void
expect_in_summary(const struct iotap_summary *s, const char *piece)
{
	struct buf out = {.data = NULL};

	json_summary(&out, s, NULL, NULL);
	if (!strstr(buf_cstr(&out), piece))
		fail_msg("no %s in %s", piece, buf_cstr(&out));
	buf_free(&out);
}

static void
parts_of_a_summary(void **state)
{
	struct iotap_target odd = file;
	const struct iotap_row rows[] = {
		{.target = &odd, .klass = IOTAP_CLASS_NETWORK, .connections = 4},
		{.target = &file, .klass = IOTAP_CLASS_FILE},
	};
	const struct iotap_interface_row interfaces[] = {{.interface = NULL, .read = {1, 2}},
							 {.interface = "a\"b"}};
	const struct iotap_op_row ops[] = {{.call = CALL_close, .calls = 2},
					   {.call = 500, .calls = 1}};
	const struct iotap_summary s = {
		.rows = rows,
		.n_rows = 2,
		.interfaces = interfaces,
		.n_interfaces = 2,
		.op_rows = ops,
		.n_op_rows = 2,
		.command_pid = 7,
		.command_status = 9,
		.truncated = 1,
		.events = UINT64_MAX,
	};

	(void)state;
	odd.key = "/\xff";
	expect_in_summary(&s, "\"target_hex\":\"2fff\"}");
	expect_in_summary(&s, ",\"connections\":4,");
	expect_in_summary(
		&s,
		"\"files\":[{\"target\":\"/a\",\"read_bytes\":0,\"read_calls\":0,\"write_bytes\":0,"
		"\"write_calls\":0,\"errors\":0,\"messages\":0,\"unsized_calls\":0,\"ops\":0,"
		"\"latency_ns\":0,\"latency_max_ns\":0}],");
	expect_in_summary(&s, "\"other\":[],");
	expect_in_summary(&s, "[{\"interface\":null,\"read_bytes\":1,\"read_calls\":2,");
	expect_in_summary(&s, "{\"interface\":\"a\\\"b\",");
	expect_in_summary(&s, "{\"op\":\"close\",\"syscall\":\"close\",\"calls\":2,");
	expect_in_summary(&s, "{\"op\":\"unknown\",\"syscall\":\"unknown\",\"calls\":1,");
	expect_in_summary(&s, "\"events\":18446744073709551615,");
	expect_in_summary(
		&s,
		"\"truncated\":true,\"complete\":false,\"command_pid\":7,\"command_status\":9,"
		"\"blind_spots\":{\"paused_ns\":0,");
}

/* Wherever the room ends: a line is whole, or the buffer says that it has failed. */
static void
however_little_room(void **state)
{
	struct iotap_target target = file;
	struct iotap_event e = read_event;
	struct buf whole = {.data = NULL};
	size_t failures = 0;

	(void)state;
	target.device = "a\nb";		/* the way that needs room twice */
	e.klass = IOTAP_CLASS_NETWORK;
	e.target = &target;
	json_event(&whole, &e);
	for (size_t limit = 1; limit < 4000; limit++) {
		struct buf out = {.limit = limit};

		json_event(&out, &e);
		if (buf_ok(&out)) {
			assert_int_equal(out.len, whole.len);
			assert_memory_equal(out.data, whole.data, out.len);
		}
		failures += !buf_ok(&out);
		buf_free(&out);
	}
	assert_in_range(failures, whole.len - 1, 3998);
	buf_free(&whole);
}

/* What not every notice has. */
static void
notices_with_less(void **state)
{
	(void)state;
	expect_notice(&(struct iotap_notice){.type = IOTAP_NOTICE_TEXT, .message = "x", .level = 1, .time_ns = 9},
		      "{\"type\":\"notice\",\"level\":\"information\",\"text\":\"x\",\"time_ns\":9}\n");
	expect_notice(&(struct iotap_notice){.type = IOTAP_NOTICE_ATTACHED, .pid = 5, .time_ns = 9},
		      "{\"type\":\"attached\",\"pid\":5,\"name\":null,\"parent\":null,\"time_ns\":9}\n");
	expect_drop(&(struct iotap_drop){.cause = IOTAP_DROP_RING, .from_ns = 10, .until_ns = 15,
					 .time_ns = IOTAP_UNKNOWN, .count = 3},
		    "{\"type\":\"lost_events\",\"time_ns\":null,\"until_ns\":null,\"count\":3,"
		    "\"cause\":\"buffer\",\"pids\":[]}\n");
}

/* Interfaces by bytes that are no text; latencies that nobody recorded; files that were mapped, in many parts. */
static void
what_a_summary_may_lack(void **state)
{
	enum {
		N = 3000
	};
	static struct iotap_mapped_row mapped[N];
	const struct iotap_interface_row interfaces[] = {{.interface = "a\xff"}};
	const struct iotap_row rows[] = {{.target = &file, .klass = IOTAP_CLASS_FILE, .latency_ns = 7}};
	struct iotap_summary s = {
		.rows = rows, .n_rows = 1, .interfaces = interfaces, .n_interfaces = 1, .no_latency = 1,
		.mapped = mapped, .n_mapped = N,
	};
	struct buf parts[2] = {{.data = NULL}}, whole = {.data = NULL};

	(void)state;
	for (size_t i = 0; i < N; i++)
		mapped[i] = (struct iotap_mapped_row){.pid = 7, .target = &file, .in_by_faults = 4096};
	expect_in_summary(&s, "[{\"interface\":\"a\xef\xbf\xbd\",\"interface_hex\":\"61ff\",");
	expect_in_summary(&s, "\"latency_ns\":null,\"latency_max_ns\":null}");
	json_summary(&whole, &s, NULL, NULL);
	json_summary(&parts[0], &s, write_away, parts);
	assert_true(parts[0].len < whole.len / 2);
	write_away(parts);
	assert_int_equal(parts[1].len, whole.len);
	assert_memory_equal(parts[1].data, whole.data, whole.len);
	buf_free(&whole);
	buf_free(&parts[0]);
	buf_free(&parts[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event),
		cmocka_unit_test(a_failed_event),
		cmocka_unit_test(an_op_has_a_result_and_no_sizes),
		cmocka_unit_test(interfaces_are_escaped),
		cmocka_unit_test(the_source_of_a_copy),
		cmocka_unit_test(room_is_made_for_long_targets),
		cmocka_unit_test(a_full_buffer_gets_nothing),
		cmocka_unit_test(notices),
		cmocka_unit_test(drops),
		cmocka_unit_test(the_start),
		cmocka_unit_test(a_long_summary_is_one_line),
		cmocka_unit_test(parts_of_a_summary),
		cmocka_unit_test(however_little_room),
		cmocka_unit_test(notices_with_less),
		cmocka_unit_test(what_a_summary_may_lack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
