/* text_test.c - decode/text.h, decode/address.h: events as lines, addresses as text */
#include "decode/text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode/address.h"
#include "tests/lib/unit.h"

static const struct iotap_target target = {.text = "/a b", .text_len = 4};

static const struct iotap_event a_read = {
	.time_ns = UINT64_C(1700000000004541999),
	.pid = 42,
	.op = "read",
	.dir = IOTAP_DIR_READ,
	.fd = 3,
	.requested = 4096,
	.bytes = 100,
	.messages = IOTAP_UNKNOWN,
	.duration_ns = 41999,
	.target = &target,
};

static void
expect(const struct iotap_event *e, const char *line)
{
	struct text t = {.begun = true};

	text_event(&t, e);
	assert_string_equal(buf_cstr(&t.out), line);
	buf_free(&t.out);
}

static void
lines(void **state)
{
	struct iotap_event e = a_read;

	(void)state;
	expect(&e,
	       "22:13:20.004541      42  read              3        4096         100    0.041 ms  /a b\n");
	e.err = 11;
	e.err_name = "EAGAIN";
	e.bytes = IOTAP_UNKNOWN;
	expect(&e,
	       "22:13:20.004541      42  read              3        4096      EAGAIN    0.041 ms  /a b\n");
	e.err = 0;
	e.fd = -1;
	e.requested = IOTAP_UNKNOWN;
	e.duration_ns = IOTAP_UNKNOWN;
	expect(&e,
	       "22:13:20.004541      42  read              -           -           ?           -  /a b\n");
	e.messages = 1;
	expect(&e,
	       "22:13:20.004541      42  read              -           -       1 msg           -  /a b\n");
	e.messages = IOTAP_UNKNOWN;
	e.dir = IOTAP_DIR_NONE;
	e.result = -1;
	e.fd = 0;
	expect(&e,
	       "22:13:20.004541      42  read              0           -          -1           -  /a b\n");
	e.bytes = UINT64_MAX - 1;
	e.pid = UINT32_MAX;
	expect(&e,
	       "22:13:20.004541  4294967295  read              0           - 18446744073709551614           -  /a b\n");
}

static void
headings_come_once(void **state)
{
	struct text t = {.begun = false};

	(void)state;
	text_event(&t, &a_read);
	text_event(&t, &a_read);
	assert_string_equal(
		buf_cstr(&t.out),
		"TIME                PID  OP               FD   REQUESTED      RESULT     LATENCY  TARGET\n"
		"22:13:20.004541      42  read              3        4096         100    0.041 ms  /a b\n"
		"22:13:20.004541      42  read              3        4096         100    0.041 ms  /a b\n");
	buf_free(&t.out);
}

/* The zone of whoever looks; times may go back, and be beyond every calendar. */
static void
times_of_day(void **state)
{
	struct text t = {.begun = true};
	char out[TEXT_TIME_SIZE];

	(void)state;
	assert_string_equal(text_time(&t, 0, out), "00:00:00.000000");
	assert_string_equal(text_time(&t, 999999999, out), "00:00:00.999999");
	assert_string_equal(text_time(&t, 1000000000, out), "00:00:01.000000");
	assert_string_equal(text_time(&t, 5, out), "00:00:00.000000");
	assert_int_equal(strlen(text_time(&t, UINT64_MAX, out)), 15);
	assert_int_equal(setenv("TZ", "XXX-5:30", 1), 0);
	tzset();
	t = (struct text){.begun = true};
	assert_string_equal(text_time(&t, 0, out), "05:30:00.000000");
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	tzset();
}

static void
addresses(void **state)
{
	static const struct {
		uint8_t bytes[16];
		unsigned int n;
		uint16_t port;
		const char *with, *without;
		bool unspecified;
	} rows[] = {
		{{127, 0, 0, 1}, 4, 80, "127.0.0.1:80", "127.0.0.1", false},
		{{0}, 4, 0, "0.0.0.0:0", "0.0.0.0", true},
		{{0}, 16, 65535, "[::]:65535", "::", true},
		{{[15] = 1}, 16, 1, "[::1]:1", "::1", false},
		{{[10] = 0xff, [11] = 0xff, 10, 0, 0, 1}, 16, 8, "10.0.0.1:8", "10.0.0.1", false},
		{{[10] = 0xff, [11] = 0xff}, 16, 8, "0.0.0.0:8", "0.0.0.0", true},
		{{0x20, 1, 0x0d, 0xb8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		  0xff, 0xff},
		 16,
		 65535,
		 "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]:65535",
		 "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
		 false},
		{{1, 2, 3, 4}, 5, 80, "", "", false},
		{{0}, 0, 80, "", "", true},
		{{1}, 15, 80, "", "", false},
	};
	char out[ADDRESS_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(address_text(out, rows[i].bytes, rows[i].n, rows[i].port, true),
				    rows[i].with);
		assert_string_equal(
			address_text(out, rows[i].bytes, rows[i].n, rows[i].port, false),
			rows[i].without);
		assert_int_equal(address_is_unspecified(rows[i].bytes, rows[i].n),
				 rows[i].unspecified);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(headings_come_once),
		cmocka_unit_test(times_of_day),
		cmocka_unit_test(addresses),
	};

	(void)setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
