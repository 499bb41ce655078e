/* event_test.c - decode/event.c: what a row of a batch means as an event */
#include <string.h>

#include "decode/amount.h"
#include "decode/handle.h"
#include "formats/calls.h"
#include "formats/kernel_record.h"
#include "tests/lib/unit.h"

/* A batch of one row. */
static struct iotap_event
event(uint16_t call, uint32_t flags, int64_t result, int confirmed)
{
	static const struct iotap_process process = {.name = "p"};
	static char errno_text[32];
	const struct iotap_target target = {.klass = IOTAP_CLASS_NETWORK, .confirmed = confirmed};
	const struct iotap_target *const no_target = NULL, *const a_target = &target;
	const struct iotap_process *const a_process = &process;
	const uint64_t time = 7, unknown = IOTAP_UNKNOWN;
	const uint64_t bytes = amount_bytes(call_spec(call), flags, result, 77);
	const uint32_t id = 5;
	const uint16_t cpu = 1;
	const int32_t fd = 3;
	const struct iotap handle = {.errno_text = errno_text};
	const struct iotap_batch b = {
		.n = 1, .first_number = 40, .unix_offset_ns = UINT64_MAX - 1, .time_ns = &time,
		.duration_ns = &unknown, .call = &call, .flags = &flags, .tid = &id, .pid = &id,
		.process = &a_process, .cpu = &cpu, .fd = &fd, .fd2 = &fd, .target = &a_target,
		.target2 = &no_target, .requested = &unknown, .result = &result, .offset = &unknown,
		.arg0 = &unknown, .arg1 = &unknown, .bytes = &bytes,
	};
	struct iotap_event e;

	memset(&e, 0xff, sizeof(e));
	iotap_batch_event(&handle, &b, 0, &e);
	e.target = NULL;
	return e;
}

static void
times_and_numbers(void **state)
{
	const struct iotap_event e = event(CALL_read, 0, 1, 1);

	(void)state;
	assert_int_equal(e.number, 40);
	assert_int_equal(e.boot_ns, 7);
	assert_int_equal(e.time_ns, 5);		/* the offset is modulo 2^64 */
	assert_int_equal(e.klass, IOTAP_CLASS_NETWORK);
	assert_int_equal(e.pid, 5);
}

/* What was asked for is a number of bytes, unless messages have another one there, or a copy means all. */
static void
what_was_asked_for(void **state)
{
	static const struct {
		uint16_t call;
		uint32_t flags;
		uint64_t in_file, requested;
	} rows[] = {
		{CALL_read, 0, 0, 0},
		{CALL_read, 0, IOTAP_UNKNOWN, IOTAP_UNKNOWN},
		{CALL_read, 0, INT64_MAX, INT64_MAX},
		{CALL_writev, 0, UINT64_C(3) << 30, UINT64_C(3) << 30},
		{CALL_recvmmsg, KF_MESSAGE_BYTES, 20, IOTAP_UNKNOWN},
		{CALL_copy_file_range, 0, 0x7ffff000, 0x7ffff000},
		{CALL_copy_file_range, 0, 0x7ffff001, IOTAP_UNKNOWN},
		{CALL_copy_file_range, 0, INT64_MAX, IOTAP_UNKNOWN},
		{CALL_sendfile, 0, UINT64_MAX - 1, IOTAP_UNKNOWN},
		{CALL_uring_splice, 0, UINT32_MAX, IOTAP_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(amount_requested(rows[i].call, rows[i].flags, rows[i].in_file),
				 rows[i].requested);
}

/* A connect that goes on in the background has its errno, and has not failed. */
static void
what_failed(void **state)
{
	static const struct {
		uint16_t call;
		uint32_t flags;
		int64_t result;
		int failed;
		int32_t err;
	} rows[] = {
		{CALL_connect, 0, 0, 0, 0},
		{CALL_connect, 0, -115, 0, 115},
		{CALL_uring_connect, 0, -115, 0, 115},
		{CALL_connect, 0, -111, 1, 111},
		{CALL_connect, KF_INTERRUPTED, -512, 1, 4},
		{CALL_read, 0, -115, 1, 115},
		{CALL_read, 0, -4096, 0, 0},
		{CALL_NONE, 0, -115, 1, 115},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct iotap_event e = event(rows[i].call, rows[i].flags, rows[i].result, 1);

		assert_int_equal(e.failed, rows[i].failed);
		assert_int_equal(e.err, rows[i].err);
		assert_int_equal(iotap_call_failed(rows[i].call, rows[i].flags, rows[i].result), e.failed);
	}
}

/* Bytes are what a successful call that moves data returned, and nothing else is. */
/* situation: 51, 126 */
static void
what_a_result_means(void **state)
{
	static const struct {
		uint16_t call;
		uint32_t flags;
		int64_t result;
		uint64_t bytes, messages;
		int32_t err;
		const char *name;
	} rows[] = {
		{CALL_read, 0, 0, 0, IOTAP_UNKNOWN, 0, NULL},
		{CALL_write, 0, INT64_MAX, INT64_MAX, IOTAP_UNKNOWN, 0, NULL},
		{CALL_read, 0, -11, IOTAP_UNKNOWN, IOTAP_UNKNOWN, 11, "EAGAIN"},
		{CALL_read, 0, -4095, IOTAP_UNKNOWN, IOTAP_UNKNOWN, 4095, "errno 4095"},
		{CALL_read, KF_INTERRUPTED, -512, IOTAP_UNKNOWN, IOTAP_UNKNOWN, 4, "EINTR"},
		{CALL_read, KF_PHANTOM, 100, IOTAP_UNKNOWN, IOTAP_UNKNOWN, 0, NULL},
		{CALL_read, KF_UNFINISHED, 100, IOTAP_UNKNOWN, IOTAP_UNKNOWN, 0, NULL},
		{CALL_recvmmsg, 0, 3, IOTAP_UNKNOWN, 3, 0, NULL},
		{CALL_recvmmsg, KF_MESSAGE_BYTES, 3, 77, 3, 0, NULL},
		{CALL_recvmmsg, KF_PHANTOM, 3, IOTAP_UNKNOWN, IOTAP_UNKNOWN, 0, NULL},
		{CALL_recvmmsg, KF_UNFINISHED, 3, IOTAP_UNKNOWN, IOTAP_UNKNOWN, 0, NULL},
		{CALL_read, 0, INT64_MIN, IOTAP_UNKNOWN, IOTAP_UNKNOWN, 0, NULL},
		{CALL_sendmmsg, 0, -104, IOTAP_UNKNOWN, IOTAP_UNKNOWN, 104, "ECONNRESET"},
		{CALL_openat, 0, 5, IOTAP_UNKNOWN, IOTAP_UNKNOWN, 0, NULL},
		{CALL_close, 0, 0, IOTAP_UNKNOWN, IOTAP_UNKNOWN, 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct iotap_event e = event(rows[i].call, rows[i].flags, rows[i].result, 0);

		if (e.bytes != rows[i].bytes || e.messages != rows[i].messages || e.err != rows[i].err ||
		    (e.err_name == NULL) != (rows[i].name == NULL) ||
		    (e.err_name && strcmp(e.err_name, rows[i].name) != 0))
			fail_msg("row %zu: %llu bytes, %llu messages, errno %d %s", i,
				 (unsigned long long)e.bytes, (unsigned long long)e.messages, e.err,
				 e.err_name ? e.err_name : "");
	}
}

/* A name that was the descriptor's is not the call's when the table changed during the call. */
static void
a_race_takes_the_confirmation_away(void **state)
{
	(void)state;
	assert_true(event(CALL_read, 0, 1, 1).confirmed);
	assert_false(event(CALL_read, KF_RACED, 1, 1).confirmed);
	assert_false(event(CALL_read, 0, 1, 0).confirmed);
}

/* A later version's recording may hold calls that this one does not know. */
/* situation: 55 */
static void
unknown_calls_have_a_name_all_the_same(void **state)
{
	static const uint16_t ids[] = {0, 300, KR_MAX_CALLS, UINT16_MAX};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		const struct iotap_event e = event(ids[i], 0, 9, 0);

		assert_string_equal(e.op, "unknown");
		assert_string_equal(e.syscall, "unknown");
		assert_int_equal(e.dir, IOTAP_DIR_NONE);
		assert_true(e.bytes == IOTAP_UNKNOWN);
		assert_null(iotap_call_name(ids[i]));
		assert_int_equal(iotap_call_dir(ids[i]), IOTAP_DIR_NONE);
	}
}

static void
names_of_numbers(void **state)
{
	char buf[24];

	(void)state;
	assert_string_equal(iotap_call_name(CALL_pread64), "pread64");
	assert_string_equal(iotap_call_op(CALL_pread64), "pread");
	assert_int_equal(iotap_call_dir(CALL_sendfile), IOTAP_DIR_WRITE);
	assert_string_equal(iotap_errno_name(2, buf, sizeof(buf)), "ENOENT");
	assert_string_equal(iotap_errno_name(INT32_MIN, buf, sizeof(buf)), "errno -2147483648");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_and_numbers),
		cmocka_unit_test(what_was_asked_for),
		cmocka_unit_test(what_failed),
		cmocka_unit_test(what_a_result_means),
		cmocka_unit_test(a_race_takes_the_confirmation_away),
		cmocka_unit_test(unknown_calls_have_a_name_all_the_same),
		cmocka_unit_test(names_of_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
