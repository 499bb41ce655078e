/* rectext_parse_test.c - formats/rectext.h: one line at a time, each field at its limits
 *
 * rectext_test.c goes there and back; here are the forms that no dump writes, and what is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/calls.h"
#include "formats/rectext.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

/* The line ends where its memory does, so that a sanitizer sees a byte read beyond. */
static int
parse(const char *line, size_t n, struct buf *scratch, struct rectext_line *out, struct iotap_error *err)
{
	uint8_t *const copy = sample_copy(line, n);
	const int r = rectext_parse((const char *)copy, n, scratch, out, err);

	free(copy);
	return r;
}

static void
refuse_n(const char *line, size_t n, const char *words)
{
	struct iotap_error err = {0};
	struct rectext_line out;
	struct buf scratch = {0};
	const int r = parse(line, n, &scratch, &out, &err);

	if (r != IOTAP_EUSAGE || !strstr(err.text, words))
		fail_msg("\"%s\": %d \"%s\", not \"%s\"", line, r, err.text, words);
	buf_free(&scratch);
}

static void
refuse(const char *line, const char *words)
{
	refuse_n(line, strlen(line), words);
}

static struct rectext_line
take(const char *line, struct buf *scratch)
{
	struct iotap_error err = {0};
	struct rectext_line out;

	if (parse(line, strlen(line), scratch, &out, &err) != 0)
		fail_msg("\"%s\": %s", line, err.text);
	return out;
}

#define DIGITS31 "0000000000000000000000000000001"
#define A80 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void
numbers(void **state)
{
	struct buf scratch = {0};

	(void)state;
	assert_int_equal(take("host os=" DIGITS31, &scratch).u.host.os, 1);
	assert_int_equal(take("host os=0X1f", &scratch).u.host.os, 31);
	assert_int_equal(take("clock real_ns=-9223372036854775808", &scratch).u.clock.real_ns, INT64_MIN);
	assert_int_equal(take("clock real_ns=9223372036854775807", &scratch).u.clock.real_ns, INT64_MAX);
	refuse("host os=0" DIGITS31, "os: bad value");
	refuse("host os=", "os: bad value");
	refuse("host os=/1", "os: bad value");
	refuse("host os=:1", "os: bad value");
	refuse("host cpus=12x", "cpus: bad value");
	refuse("clock real_ns=", "real_ns: bad value");
	refuse("clock real_ns=-", "real_ns: bad value");
	refuse("clock real_ns=-9223372036854775809", "real_ns: bad value");
	refuse("clock real_ns=9223372036854775808", "real_ns: bad value");
	buf_free(&scratch);
}

static void
names_and_flags(void **state)
{
	struct buf scratch = {0};
	struct rectext_line line = take("call flags=fd|0x2|offset call=read result=-ENOENT", &scratch);

	(void)state;
	assert_int_equal(line.call.flags, KF_FD | 2 | KF_OFFSET);
	assert_int_equal(line.call.call, CALL_read);
	assert_int_equal(line.call.result, -2);
	assert_int_equal(take("call result=-7", &scratch).call.result, -7);
	assert_int_equal(take("call call=400", &scratch).call.call, 400);
	assert_int_equal(take("target family=inet6", &scratch).u.target.family, 10);
	assert_int_equal(take("target family=99", &scratch).u.target.family, 99);
	refuse("call flags=", "flags: bad value");
	refuse("call flags=fd||offset", "flags: bad value");
	refuse("call call=nosuch", "call: bad value");
	refuse("call call=" A80, "call: bad value");
	refuse("call result=-ENOSUCH", "result: bad value");
	refuse("call result=-", "result: bad value");
	refuse("target family=nosuch", "family: bad value");
	buf_free(&scratch);
}

static void
strings(void **state)
{
	struct buf scratch = {0};
	const struct rectext_line line = take("host hostname=\"a\\x4A\\xfF\\\\\\\"\\n\\t b\"", &scratch);

	(void)state;
	assert_int_equal(line.u.host.hostname.n, 9);
	assert_memory_equal(line.u.host.hostname.p, "a\x4a\xff\\\"\n\t b", 9);
	refuse("host hostname=", "hostname: bad value");
	refuse("host hostname=\"", "hostname: bad value");
	refuse("host hostname=\"a\\", "hostname: bad value");
	refuse("host hostname=\"a\\x", "hostname: bad value");
	refuse("host hostname=\"a\\xg0\"", "hostname: bad value");
	refuse("host hostname=\"a\\x0g\"", "hostname: bad value");
	refuse("host hostname=\"a\\x0G\"", "hostname: bad value");
	refuse("host hostname=\"a\\x@0\"", "hostname: bad value");
	refuse_n("host hostname=\"\\x\0000\"", 20, "hostname: bad value");
	refuse("host hostname=[1]", "hostname: bad value");
	refuse("progress more=later", "more: bad value");
	buf_free(&scratch);
}

static void
lists_and_addresses(void **state)
{
	struct buf scratch = {0};
	struct rectext_line line = take("loss pids=[1,300]", &scratch);

	(void)state;
	assert_int_equal(line.u.loss.pids.n, 3);
	assert_memory_equal(line.u.loss.pids.p, "\1\xac\2", 3);
	assert_int_equal(take("loss pids=[]", &scratch).u.loss.pids.n, 0);
	assert_int_equal(take("loss pids=\"ab\"", &scratch).u.loss.pids.n, 2);
	refuse("loss pids=[", "pids: bad value");
	refuse("loss pids=[1", "pids: bad value");
	refuse("loss pids=[1,", "pids: bad value");
	refuse("loss pids=[1 2]", "pids: bad value");
	refuse("loss pids=1]", "pids: bad value");
	assert_int_equal(take("target local=fe80::1", &scratch).u.target.local.n, 16);
	assert_int_equal(take("target local=1.2.3.4", &scratch).u.target.local.n, 4);
	refuse("target local=", "local: bad value");
	refuse("target local=" A80, "local: bad value");
	buf_free(&scratch);
}

static void
calls_by_entry(void **state)
{
	struct buf scratch = {0};
	const struct rectext_line line = take("call entry=3 entry2=4", &scratch);

	(void)state;
	assert_int_equal(line.entry, 3);
	assert_int_equal(line.entry2, 4);
	assert_int_equal(line.call.flags, KF_SECOND);
	assert_int_equal(take("call entry=4294967295", &scratch).entry, UINT32_MAX);
	refuse("call entry=4294967297", "entry: does not fit");
	refuse("call entry2=4294967296", "entry2: does not fit");
	refuse("call entry=x", "entry: bad value");
	refuse("call entry3=1", "entry3: no such field");
	refuse("call entry", "entry: no = follows");
	refuse("entry colour=1", "colour: no such field");
	refuse("entry id=x", "id: bad value");
	refuse("entry id", "id: no = follows");
	buf_free(&scratch);
}

static void
blocks_and_unknown_records(void **state)
{
	struct buf scratch = {0};
	struct rectext_line line = take("\t block calls codec=none flags=2 seq=7 # more", &scratch);

	(void)state;
	assert_int_equal(line.what, RECTEXT_BLOCK);
	assert_int_equal(line.head.codec, CODEC_NONE);
	assert_int_equal(line.head.flags, 2);
	assert_int_equal(line.given, RECTEXT_HAS_SEQUENCE | RECTEXT_HAS_FLAGS);
	assert_int_equal(take("block calls codec=zstd", &scratch).head.codec, CODEC_ZSTD);
	line = take("record type=99 body=\"x\"", &scratch);
	assert_int_equal(line.type, 99);
	assert_int_equal(line.more.n, 1);
	assert_int_equal(take(" \t\r", &scratch).what, RECTEXT_NOTHING);
	assert_int_equal(take("# x", &scratch).what, RECTEXT_NOTHING);
	refuse("block", "no such type of block");
	refuse("block calls colour=1", "colour: no such field");
	refuse("block calls flags=65536", "flags: does not fit");
	refuse("block calls seq", "seq: no = follows");
	refuse("record type=4294967296", "type: does not fit");
	refuse("record body=x", "body: bad value");
	refuse("record colour=1", "colour: no such field");
	refuse("record type", "type: no = follows");
	refuse("host" A80 A80 "=1", "neither block");
	refuse_n("host os\0=1", 10, "no such field");
	buf_free(&scratch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(names_and_flags),
		cmocka_unit_test(strings),
		cmocka_unit_test(lists_and_addresses),
		cmocka_unit_test(calls_by_entry),
		cmocka_unit_test(blocks_and_unknown_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
