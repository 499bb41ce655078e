/* redact_test.c - decode/redact.h: keys and where they come from, fields of records one by one
 *
 * That nothing of 1,000 names is left in a recording is tests/cli/decode_redact.sh's.
 */
#include "decode/redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "tests/lib/unit.h"

/* A file of n bytes; its name. */
static void
key_file(char path[64], size_t n)
{
	static const uint8_t bytes[8192] = {1, 2, 3};
	int fd;

	(void)snprintf(path, 64, "/tmp/iotap-redact.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_true(io_write_all(fd, bytes, n));
	(void)close(fd);
}

static int
open_key(const char *path, struct redact *r, const char *words)
{
	struct iotap_error err = {.code = 0};
	const int result = redact_open(r, path, &err);

	if (words && !strstr(err.text, words))
		fail_msg("no \"%s\" in \"%s\"", words, err.text);
	assert_int_equal(err.code, result);
	redact_close(r);
	return result;
}

static void
keys(void **state)
{
	struct redact r;
	char path[64];

	(void)state;
	assert_int_equal(open_key("/nonexistent/key", &r, "--redact: /nonexistent/key: cannot open it"), IOTAP_EIO);
	assert_int_equal(open_key("/", &r, "--redact: /: cannot read it"), IOTAP_EIO);
	assert_int_equal(open_key("/dev/null", &r, "a key has at least 16 bytes"), IOTAP_EUSAGE);
	assert_int_equal(open_key("-", &r, NULL), 0);
	key_file(path, 15);
	assert_int_equal(open_key(path, &r, "at least"), IOTAP_EUSAGE);
	(void)unlink(path);
}

/* The name that a key file of n bytes gives. */
static void
name_by(size_t n, struct buf *name)
{
	struct iotap_error err = {.code = 0};
	struct rec_process process = {.comm = rec_str("prog")};
	struct redact r;
	char path[64];

	key_file(path, n);
	assert_int_equal(redact_open(&r, path, &err), 0);
	(void)unlink(path);
	assert_true(redact_record(&r, REC_process, &process));
	(void)buf_put(name, process.comm.p, process.comm.n);
	redact_close(&r);
}

/* Of a long file the first 4,096 bytes are the key, however many follow. */
static void
long_keys(void **state)
{
	struct buf a = {.data = NULL}, b = {.data = NULL}, c = {.data = NULL};

	(void)state;
	name_by(4096, &a);
	name_by(8192, &b);
	name_by(4095, &c);
	assert_string_equal(buf_cstr(&a), buf_cstr(&b));
	assert_string_not_equal(buf_cstr(&a), buf_cstr(&c));
	buf_free(&a);
	buf_free(&b);
	buf_free(&c);
}

static void
expect_text(struct redact *r, const char *text, const char *expected)
{
	struct rec_notice notice = {.level = 1, .text = rec_str(text)};

	assert_true(redact_record(r, REC_notice, &notice));
	assert_int_equal(notice.text.n, strlen(expected));
	assert_memory_equal(notice.text.p, expected, notice.text.n);
}

/* Messages may name anything, but those of pauses say what was not recorded. */
static void
messages(void **state)
{
	struct iotap_error err;
	struct redact r;
	char longer[300];

	(void)state;
	assert_int_equal(redact_open(&r, "-", &err), 0);
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	expect_text(&r, "", "");
	expect_text(&r, "secret", "a message of the recording, hidden by --redact");
	expect_text(&r, longer, "a message of the recording, hidden by --redact");
	expect_text(&r, "paused: calls from here on are not recorded", "paused: calls from here on are not recorded");
	expect_text(&r, "recording again after a pause of 0.500 s", "recording again after a pause of 0.500 s");
	redact_close(&r);
}

/* What is empty stays empty: there is nothing to hide, and something in its place would say something else. */
static void
empty_fields_stay_empty(void **state)
{
	struct rec_process process = {.pid = 1};
	struct iotap_error err;
	struct redact r;

	(void)state;
	assert_int_equal(redact_open(&r, "-", &err), 0);
	assert_true(redact_record(&r, REC_process, &process));
	assert_int_equal(process.comm.n + process.exe.n + process.arg0.n + process.cwd.n, 0);
	process.arg0 = rec_bytes("\0secret", 7);
	assert_true(redact_record(&r, REC_process, &process));
	assert_int_equal(process.arg0.n, 0);
	redact_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys),
		cmocka_unit_test(long_keys),
		cmocka_unit_test(messages),
		cmocka_unit_test(empty_fields_stay_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
