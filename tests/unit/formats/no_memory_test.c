/* no_memory_test.c - formats/ without memory: each allocation fails in turn, once and from then on
 *
 * Each step makes what it tests from nothing, compares what it got when nothing failed, and releases all.
 * Whatever fails says IOTAP_ENOMEM, stores a text, and leaves nothing behind. writer_failing_test.c has the
 * writer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/call_block.h"
#include "formats/definitions.h"
#include "formats/dump.h"
#include "formats/live.h"
#include "formats/reader.h"
#include "formats/rectext.h"
#include "tests/lib/sample.h"
#include "tests/lib/starve.h"
#include "tests/lib/unit.h"

static void
the_device_counts(void **state)
{
	const long before = starve_alive();
	void *volatile p;

	(void)state;
	starve_at(2, STARVE_ONCE);
	p = malloc(1);
	assert_non_null(p);
	assert_int_equal(starve_alive(), before + 1);
	assert_null(calloc(1, 1));
	free(p);
	starve_at(1, STARVE_EVER);
	p = malloc(1);
	assert_null(p);
	p = strdup("x");
	assert_null(p);
	assert_int_equal(starve_stop(), 2);
	assert_int_equal(starve_alive(), before);
}

/* -- reading -- */

struct input {
	struct sample s;
	struct buf text;		/* what a dump says of it */
	int fd;				/* -1 = from memory */
};

static int
read_all(void *arg)
{
	const struct input *const in = arg;
	struct iotap_error err = {0};
	struct buf text = {0};
	struct reader *const r = in->fd < 0 ? reader_new_memory(in->s.bytes.data, in->s.bytes.len, "sample") :
				 reader_new_fd(in->fd, "sample");
	int got;

	if (in->fd >= 0)
		assert_int_equal(lseek(in->fd, 0, SEEK_SET), 0);
	got = r ? dump_all(r, true, &text, &err) : IOTAP_ENOMEM;
	if (got == 0) {
		assert_int_equal(text.len, in->text.len);
		assert_memory_equal(text.data, in->text.data, text.len);
	} else if (r) {
		assert_int_equal(err.code, got);
		assert_non_null(strstr(err.text, "out of memory"));
	}
	buf_free(&text);
	reader_free(r);
	return got;
}

/* From memory and from a file: blocks in one frame, and blocks with a frame for each column. */
static void
reading(void **state)
{
	static const struct sample_shape shapes[] = {
		{.codec = CODEC_NONE, .session = 3, .n_epochs = 2, .n_periods = 1, .n_calls = 20},
		{.codec = CODEC_ZSTD, .session = 3, .n_epochs = 1, .n_periods = 1, .n_calls = 20},
		{.codec = CODEC_ZSTD, .session = 3, .n_epochs = 1, .n_periods = 1, .n_calls = 300},
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct input in = {.fd = i % 2 ? memfd_create("recording", 0) : -1};

		sample_make(&in.s, &shapes[i / 2]);
		sample_read(in.s.bytes.data, in.s.bytes.len, &in.text);
		if (in.fd >= 0)
			assert_int_equal(write(in.fd, in.s.bytes.data, in.s.bytes.len), in.s.bytes.len);
		starve_each(read_all, &in, IOTAP_ENOMEM);
		if (in.fd >= 0)
			assert_int_equal(close(in.fd), 0);
		buf_free(&in.text);
		sample_fini(&in.s);
	}
}

/* -- calls -- */

enum { N_CALLS = 400 };

static int
calls_there_and_back(void *arg)
{
	const struct kr_call *const calls = arg;
	struct call_encoder *const e = call_encoder_new();
	struct call_decoder *const d = call_decoder_new();
	struct codec *const codec = codec_new(1);
	struct block_head head = {0};
	struct iotap_error err = {0};
	struct buf out = {0};
	struct call_columns c;
	int r = e && d && codec ? 0 : IOTAP_ENOMEM;

	if (r == 0 && !buf_puts(&out, "before"))
		r = IOTAP_ENOMEM;
	if (r == 0) {
		assert_int_equal(call_encoder_add(e, calls, N_CALLS), N_CALLS);
		r = call_encoder_finish(e, codec, CODEC_NONE, &head, &out, &err);
		assert_int_equal(err.code, r);
		assert_int_equal(call_encoder_count(e), 0);
		if (r < 0)
			assert_int_equal(out.len, 6);
	}
	if (r == 0) {
		r = call_decoder_block(d, &head, out.data + 6, COL_ALL, &c, &err);
		assert_int_equal(err.code, r);
	}
	if (r == 0) {
		assert_int_equal(c.n, N_CALLS);
		assert_int_equal(c.key[N_CALLS - 1], calls[N_CALLS - 1].key_ns);
		assert_memory_equal(out.data, "before", 6);
	}
	buf_free(&out);
	codec_free(codec);
	call_decoder_free(d);
	call_encoder_free(e);
	return r;
}

static void
calls(void **state)
{
	struct kr_call all[N_CALLS];

	(void)state;
	for (uint32_t i = 0; i < N_CALLS; i++)
		all[i] = sample_call(i);
	starve_each(calls_there_and_back, all, IOTAP_ENOMEM);
	call_encoder_free(NULL);
	call_decoder_free(NULL);
	dump_free(NULL);
	reader_free(NULL);
	codec_free(NULL);
}

/* After a failure a decoder reads the next block as if nothing had been. */
static void
a_decoder_goes_on(void **state)
{
	struct sample s;
	struct call_decoder *const d = call_decoder_new();
	struct call_columns c;
	struct iotap_error err = {0};
	uint32_t at = 0;

	(void)state;
	sample_make(&s, &sample_small);
	while (s.heads[at].type != BLOCK_CALLS)
		at++;
	for (unsigned long n = 1; n < 50; n++) {
		int r;

		starve_at(n, STARVE_ONCE);
		r = call_decoder_block(d, &s.heads[at], s.bytes.data + s.at[at] + BLOCK_HEAD_BYTES, COL_ALL, &c,
				       &err);
		if (starve_stop() < n) {
			assert_int_equal(r, 0);
			break;
		}
		assert_int_equal(r, IOTAP_ENOMEM);
	}
	assert_int_equal(c.n, s.heads[at].count);
	call_decoder_free(d);
	sample_fini(&s);
}

/* -- text -- */

static const char text[] =
	"block header session=77\nhost os=linux tool=\"a\"\nclock boot_ns=1000\n"
	"block records\ntarget id=7 kind=file dev=1 ino=12 text=\"/a\"\n"
	"target id=8 kind=socket local=::1 remote=127.0.0.1\nprogress time_ns=3 more=\"later\"\n"
	"record type=99 body=\"new\\x00\"\nloss pids=[1,2,300]\n"
	"block calls\nentry id=7 kind=file\ncall key=1 call=read tid=1 tgid=1 id=7\n"
	"block calls codec=zstd\ncall key=2 call=read tid=1 tgid=1 fd=3 result=-EAGAIN\n"
	"block end\nend time_ns=3 reason=exited\n";

static int
assemble(void *arg)
{
	const struct buf *const whole = arg;
	struct iotap_error err = {0};
	struct buf out = {0};
	const int r = rectext_assemble(text, strlen(text), &out, &err);

	assert_int_equal(err.code, r);
	if (r < 0 && !strstr(err.text, "out of memory"))
		fail_msg("%s", err.text);
	if (r == 0) {
		assert_int_equal(out.len, whole->len);
		assert_memory_equal(out.data, whole->data, out.len);
	}
	buf_free(&out);
	return r;
}

static void
assembling(void **state)
{
	struct buf whole = {0};

	(void)state;
	assert_int_equal(rectext_assemble(text, strlen(text), &whole, NULL), 0);
	starve_each(assemble, &whole, IOTAP_ENOMEM);
	buf_free(&whole);
}

/* Each line with a buffer of its own: nothing that was there before hides a want. */
static int
parse_one(void *arg)
{
	const char *const line = arg;
	struct iotap_error err = {0};
	struct rectext_line parsed;
	struct buf scratch = {0};
	const int r = rectext_parse(line, strlen(line), &scratch, &parsed, &err);

	assert_int_equal(err.code, r);
	buf_free(&scratch);
	return r;
}

static void
lines(void **state)
{
	static const char *const all[] = {"host tool=\"a\"", "target local=::1", "loss pids=[1]", "block end"};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char line[32];

		(void)snprintf(line, sizeof(line), "%s", all[i]);
		starve_each(parse_one, line, IOTAP_ENOMEM);
	}
}

/* -- records, blocks -- */

static int
records(void *arg)
{
	const struct rec_host host = {.os = 1, .tool = rec_str("iotap")};
	struct codec *const codec = codec_new(1);
	struct block_head head = {.type = BLOCK_HEADER};
	struct iotap_error err = {0};
	struct buf one = {0}, raw = {0}, block = {0};
	int r = codec ? record_put(&one, REC_host, &host, &err) : IOTAP_ENOMEM;

	(void)arg;
	if (r == 0)
		r = record_put_raw(&raw, 99, "body", 4, &err);
	if (r < 0)
		assert_int_equal(raw.len, 0);
	if (r == 0) {
		r = block_put(codec, CODEC_NONE, &head, one.data, one.len, &block, &err);
		assert_int_equal(block.len, r < 0 ? 0 : BLOCK_HEAD_BYTES + one.len);
	}
	buf_free(&one);
	buf_free(&raw);
	buf_free(&block);
	codec_free(codec);
	return r;
}

static void
records_and_blocks(void **state)
{
	(void)state;
	starve_each(records, NULL, IOTAP_ENOMEM);
}

/* A block whose payload finds the buffer full: nothing of it is there. */
static void
a_block_that_does_not_fit(void **state)
{
	struct codec *const codec = codec_new(1);
	struct block_head head = {.type = BLOCK_RECORDS};
	struct iotap_error err = {0};
	uint8_t plain[500] = {0};
	struct buf out;

	(void)state;
	buf_init(&out, BLOCK_HEAD_BYTES + 100);
	assert_int_equal(block_put(codec, CODEC_NONE, &head, plain, sizeof(plain), &out, &err), IOTAP_ENOMEM);
	assert_int_equal(out.len, 0);
	assert_int_equal(err.code, IOTAP_ENOMEM);
	buf_free(&out);
	codec_free(codec);
}

/* -- tables -- */

static void
never_evicted(void *arg, const struct definition *d)
{
	(void)arg;
	fail_msg("%llu went", (unsigned long long)d->id);
}

/* 200 definitions, so that the table grows: an id is there with its bytes, or not at all. */
static int
define(void *arg)
{
	struct definitions *const d = definitions_new(1000, 100000, never_evicted, NULL);
	unsigned int there = 0, put = 0;

	(void)arg;
	if (!d)
		return IOTAP_ENOMEM;
	for (uint64_t id = 1; id <= 200; id++) {
		const struct rec_target target = {.id = id, .kind = 2};

		put += definitions_put(d, &target, "bytes", 5) != NULL;
	}
	for (uint64_t id = 1; id <= 200; id++) {
		const struct definition *const e = definitions_use(d, id);

		there += e != NULL;
		if (e)
			assert_memory_equal(e->raw, "bytes", 5);
	}
	assert_int_equal(there, put);
	definitions_free(d);
	return there == 200 ? 0 : IOTAP_ENOMEM;
}

static int
restated(void *arg, const struct bytes *raw)
{
	++*(unsigned int *)arg;
	return raw->n > 0 ? 0 : IOTAP_ECORRUPT;
}

static int
keep_alive(void *arg)
{
	struct live *const l = live_new(100, 10);
	const struct rec_process process = {.pid = 5, .comm = rec_str("a")};
	const struct rec_rename rename = {.pid = 5, .tid = 5, .comm = rec_str("b")};
	const struct rec_exec exec = {.pid = 5, .comm = rec_str("c"), .path = rec_str("/c")};
	const struct rec_interface lo = {.ifindex = 1, .name = rec_str("lo")};
	struct iotap_error err = {0};
	unsigned int n = 0;
	bool known;
	int r = l ? live_record(l, REC_process, &process, &known, &err) : IOTAP_ENOMEM;

	(void)arg;
	if (r == 0)
		r = live_record(l, REC_rename, &rename, &known, &err);
	if (r == 0)
		r = live_record(l, REC_exec, &exec, &known, &err);
	if (r == 0)
		r = live_record(l, REC_interface, &lo, &known, &err);
	if (l)
		assert_int_equal(err.code, r);
	if (r == 0) {
		assert_int_equal(live_restate(l, restated, &n), 0);
		assert_int_equal(n + live_refused(l) >= 2, true);
	}
	live_free(l);
	return r;
}

static void
tables(void **state)
{
	(void)state;
	starve_each(define, NULL, IOTAP_ENOMEM);
	starve_each(keep_alive, NULL, IOTAP_ENOMEM);
	definitions_free(NULL);
	live_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_device_counts),
		cmocka_unit_test(reading),
		cmocka_unit_test(calls),
		cmocka_unit_test(a_decoder_goes_on),
		cmocka_unit_test(assembling),
		cmocka_unit_test(lines),
		cmocka_unit_test(records_and_blocks),
		cmocka_unit_test(a_block_that_does_not_fit),
		cmocka_unit_test(tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
