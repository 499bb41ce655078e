/* rectext_test.c - formats/rectext.h, dump.h: text to recording and back without loss */
#include "formats/rectext.h"

#include <stdlib.h>
#include <string.h>

#include "formats/calls.h"
#include "formats/dump.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

/* As dump writes it: whatever can be said is said once. */
static const char canonical[] =
	"block header session=77 seq=0 epoch=0 first=1000 last=1000\n"
	"host format_major=1 os=linux arch=x86_64 cpus=8 tool=\"iotap-capture 0.1.0\" hostname=\"here\"\n"
	"clock boot_ns=1000 real_ns=-1700000000000000000 tai_ns=37\n"
	"request kind=name text=\"curl\"\n"
	"block state seq=1 epoch=1 first=1000 last=1000\n"
	"clock boot_ns=1000 real_ns=1700000000000000000\n"
	"counters time_ns=5 final=1 values=[1,0,300,18446744073709551615]\n"
	"block records seq=2 epoch=1 first=0 last=18446744073709551615\n"
	"process time_ns=5 pid=10 start_ns=1 how=descendant comm=\"a b\"\n"
	"target id=7 origin=call kind=file flags=16 dev=2049 ino=12 "
	"text=\"/tmp/\\\"q\\\\\\n\\t\\x1b\xc3\xa4\\xff\\xe2\\x80\\xae\"\n"
	"target id=8 origin=use kind=socket family=inet6 local=::1 remote=127.0.0.1 "
	"local_port=80 device=\"lo\" text=\"\\x00abstract\"\n"
	"target id=9 kind=77 family=unix local=\"12345\"\n"
	"aggregate level=1 pid=10 call=read id=7 calls=3\n"
	"loss from_ns=1 until_ns=2 count=3 cause=ring pids=[10,300]\n"
	"record type=99 body=\"new\\x00\"\n"
	"progress time_ns=3 more=\"later\"\n"
	"block calls seq=3 epoch=1\n"
	"entry id=7 kind=file dev=2049 ino=12 mode=33188\n"
	"entry kind=socket dev=9 ino=33\n"
	"call key=2000 duration=50 call=read flags=identity|offset|requested|fd tid=10 tgid=10 "
	"cpu=3 fd=3 id=7 requested=100 result=100 offset=-5\n"
	"call key=2000 call=sendfile flags=undefined|identity|second|args|0x80000000 "
	"tid=11 tgid=10 entry=2 result=-11 fd2=-1 id2=7 arg0=1 arg1=0\n"
	"call key=2001 call=400 flags=before tid=11 tgid=10\n"
	"block end seq=4 epoch=1 first=0 last=0\n"
	"end time_ns=3000 reason=exited calls=3 blocks=5\n";

static void
assemble(const char *text, struct buf *out)
{
	struct iotap_error err = {0};

	if (rectext_assemble(text, strlen(text), out, &err) < 0)
		fail_msg("%s", err.text);
}

static void
dump(const struct buf *recording, bool comments, struct buf *out)
{
	struct reader *const r = reader_new_memory(recording->data, recording->len, "text");
	struct iotap_error err = {0};

	if (dump_all(r, comments, out, &err) < 0)
		fail_msg("%s", err.text);
	reader_free(r);
}

static void
dump_of_assembled_text_is_the_text(void **state)
{
	struct buf recording = {0}, text = {0};

	(void)state;
	assemble(canonical, &recording);
	dump(&recording, false, &text);
	assert_string_equal(buf_cstr(&text), canonical);
	buf_free(&recording);
	buf_free(&text);
}

static void
assembled_dump_is_the_recording(void **state)
{
	static const struct sample_shape shapes[] = {
		{.codec = CODEC_ZSTD, .session = 77, .n_epochs = 3, .n_periods = 2, .n_calls = 40},
		{.codec = CODEC_ZSTD, .session = 1, .n_epochs = 1, .n_periods = 2, .n_calls = 400},
		{.codec = CODEC_NONE, .session = 2, .n_epochs = 2, .n_periods = 1, .n_calls = 300},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct sample s;
		struct buf text = {0}, again = {0};

		sample_make(&s, &shapes[i]);
		dump(&s.bytes, true, &text);
		assemble(buf_cstr(&text), &again);
		assert_int_equal(again.len, s.bytes.len);
		assert_memory_equal(again.data, s.bytes.data, again.len);
		buf_free(&text);
		buf_free(&again);
		sample_fini(&s);
	}
}

static void
a_sketch_is_filled_up(void **state)
{
	struct buf recording = {0}, text = {0};
	const char *t;

	(void)state;
	assemble("# a story\n"
		 "block header\n  host arch=arm64   # spaces\r\n\n"
		 "block state\nclock boot_ns=5 real_ns=6\n"
		 "block records\ntarget id=7 kind=2 time_ns=8\n"
		 "block calls\n"
		 "call key=9 tid=1 tgid=1 call=0x13 fd=3 id=7 requested=10 result=-EAGAIN offset=0x10\n"
		 "call key=10 tid=1 tgid=1 call=read dev=1 ino=2 mode=0x81a4\n"
		 "block state\nclock boot_ns=11\nblock end\nend reason=1", &recording);
	dump(&recording, false, &text);
	t = buf_cstr(&text);
	assert_non_null(strstr(t, "block header seq=0 epoch=0 first=0 last=0\nhost arch=arm64\n"));
	assert_non_null(strstr(t, "block state seq=1 epoch=1 first=5 last=5\n"));
	assert_non_null(strstr(t, "block records seq=2 epoch=1 first=8 last=8\n"));
	assert_non_null(strstr(t, "entry id=7 kind=socket\nentry kind=file dev=1 ino=2 mode=33188\n"));
	assert_non_null(strstr(t, "call=sendto flags=offset|requested|fd "
			       "tid=1 tgid=1 fd=3 id=7 requested=10 result=-11 offset=16\n"));
	assert_non_null(strstr(t, "call key=10 call=read flags=identity tid=1 tgid=1 entry=2\n"));
	assert_non_null(strstr(t, "block state seq=4 epoch=2 "));
	assert_non_null(strstr(t, "block end seq=5 epoch=2 "));
	buf_free(&recording);
	buf_free(&text);
}

static void
expect_wrong(const char *text, const char *words)
{
	struct buf out = {0};
	struct iotap_error err = {0};
	const int r = rectext_assemble(text, strlen(text), &out, &err);

	if (r >= 0 || !strstr(err.text, words))
		fail_msg("\"%s\": %d \"%s\", not \"%s\"", text, r, err.text, words);
	buf_free(&out);
}

static void
wrong_lines_are_named(void **state)
{
	(void)state;
	expect_wrong("block header\nhots os=1\n", "line 2: hots: neither block, call");
	expect_wrong("block nothing\n", "line 1: nothing: no such type");
	expect_wrong("block header\nhost colour=1\n", "line 2: colour: no such field");
	expect_wrong("block header\nhost os\n", "line 2: os: no = follows");
	expect_wrong("block header\nhost os=one\n", "line 2: os: bad value");
	expect_wrong("block header\nhost os=-1\n", "os: bad value");
	expect_wrong("block header\nhost os=18446744073709551616\n", "os: bad value");
	expect_wrong("block header\nhost hostname=here\n", "hostname: bad value");
	expect_wrong("block header\nhost hostname=\"here\n", "hostname: bad value");
	expect_wrong("block header\nhost hostname=\"\\q\"\n", "hostname: bad value");
	expect_wrong("block header\nhost hostname=\"\\x1\"\n", "hostname: bad value");
	expect_wrong("block records\ntarget local=1.2.3\n", "local: bad value");
	expect_wrong("block records\nloss pids=[1,x]\n", "pids: bad value");
	expect_wrong("host os=1\n", "line 1: a record needs a block");
	expect_wrong("block calls\nhost os=1\n", "line 2: a record needs a block");
	expect_wrong("block records\ncall key=1\n", "line 2: a call needs a block of calls");
	expect_wrong("block calls\ncall key=1 cpu=65536\n", "cpu: does not fit");
	expect_wrong("block calls\ncall key=1 fd=4294967296\n", "fd: does not fit");
	expect_wrong("block calls\ncall key=1 entry=1\n", "no entry 1");
	expect_wrong("block calls\ncall key=1\nentry id=1\n", "line 3: an entry must stand");
	expect_wrong("block records codec=lzma\n", "codec: neither none nor zstd");
	expect_wrong("block calls\ncall key=1 flags=fd|nonsense\n", "flags: bad value");
}

/* Every record type with every field: as numbers and quoted bytes if need be, nothing is lost. */
static void
every_field_of_every_record_comes_back(void **state)
{
	(void)state;
	for (uint32_t type = 1; type < 100; type++) {
		const struct rec_info *const info = rec_info(type);
		uint64_t lot = type;

		for (int round = 0; info && round < 20; round++) {
			uint8_t noise[40];
			struct buf b = {0}, line = {0}, scratch = {0}, again = {0};
			union rec_any rec = {.host = {0}};
			struct bytes_in in;
			struct record got;
			struct rectext_line parsed;

			for (size_t i = 0; i < sizeof(noise); i++)
				noise[i] = (uint8_t)sample_lot(&lot);
			for (uint32_t i = 0; i < info->n_fields; i++) {
				const struct bytes bytes = {.p = noise, .n = (uint32_t)(sample_lot(&lot) % 41)};
				const uint64_t v = sample_lot(&lot) >> sample_lot(&lot) % 64;

				memcpy((char *)&rec + info->fields[i].offset,
				       info->fields[i].how == 'B' ? (const void *)&bytes : &v,
				       info->fields[i].how == 'B' ? sizeof(bytes) : sizeof(v));
			}
			assert_int_equal(record_put(&b, (enum rec_type)type, &rec, NULL), 0);
			in = bytes_in(b.data, b.len);
			assert_int_equal(record_next(&in, &got, NULL), 0);
			rectext_put_record(&line, &got);
			assert_int_equal(rectext_parse((const char *)line.data, line.len - 1, &scratch,
						       &parsed, NULL), 0);
			assert_int_equal(parsed.what, RECTEXT_RECORD);
			assert_int_equal(record_put(&again, (enum rec_type)parsed.type, &parsed.u, NULL), 0);
			assert_int_equal(again.len, b.len);
			assert_memory_equal(again.data, b.data, b.len);
			buf_free(&b);
			buf_free(&line);
			buf_free(&scratch);
			buf_free(&again);
		}
	}
}

/* Nothing that could move a cursor or break the line stands in a dump. */
static void
a_dump_is_harmless_on_a_terminal(void **state)
{
	struct sample s;
	struct buf text = {0};

	(void)state;
	sample_make(&s, &sample_small);
	dump(&s.bytes, true, &text);
	for (size_t i = 0; i < text.len; i++)
		assert_true(text.data[i] >= 0x20 || text.data[i] == '\n');
	buf_free(&text);
	sample_fini(&s);
}

static void
damage_is_a_comment(void **state)
{
	struct sample s;
	struct buf text = {0};

	(void)state;
	sample_make(&s, &sample_small);
	s.bytes.data[s.at[2] + 70] ^= 1;
	s.bytes.len -= 3;
	dump(&s.bytes, true, &text);
	assert_non_null(strstr(buf_cstr(&text), "# offset "));
	assert_non_null(strstr(buf_cstr(&text), "bad checksum in a block of type records (1 block)\n"));
	assert_non_null(strstr(buf_cstr(&text), "ends abruptly"));
	buf_free(&text);
	sample_fini(&s);
}

/* Lines of rubbish are refused or taken, never more. */
static void
rubbish_is_survived(void **state)
{
	static const char *const words[] = {"call", "target", "block", "entry", "record", " ", "=", "\"", "\\",
					    "\\x4", "[", "]", ",", "id", "local", "type", "body", "1", "::",
					    "-", "|", "flags", "calls", "values", "#", "\r", "0x", "\xff"};
	uint64_t lot = 5;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct buf line = {0}, scratch = {0};
		struct rectext_line parsed;
		const uint64_t n = sample_lot(&lot) % 12;
		uint8_t *copy;

		for (uint64_t k = 0; k < n; k++)
			(void)buf_puts(&line, words[sample_lot(&lot) % (sizeof(words) / sizeof(words[0]))]);
		copy = sample_copy(line.data, line.len);
		(void)rectext_parse((const char *)copy, line.len, &scratch, &parsed, NULL);
		free(copy);
		buf_free(&line);
		buf_free(&scratch);
	}
}

/* Times of a block are those of its records, if the line did not say; entries are by number too. */
static void
blocks_are_filled_up(void **state)
{
	struct buf recording = {0}, text = {0};
	const char *t;

	(void)state;
	assemble("block header\n"
		 "block records\nprogress time_ns=9\nprogress time_ns=5\nprogress time_ns=7\n"
		 "block records first=1 last=2\nprogress time_ns=9\n"
		 "block records\ntarget id=3\n"
		 "block calls\nentry dev=1 ino=2\nentry id=7\ncall key=1 flags=identity tid=1 tgid=1 entry=1 entry2=2\n"
		 "block end\n", &recording);
	dump(&recording, false, &text);
	t = buf_cstr(&text);
	assert_non_null(strstr(t, "block records seq=1 epoch=0 first=5 last=9\n"));
	assert_non_null(strstr(t, "block records seq=2 epoch=0 first=1 last=2\n"));
	assert_non_null(strstr(t, "block records seq=3 epoch=0 first=0 last=0\n"));
	assert_non_null(strstr(t, " entry=1 "));
	assert_non_null(strstr(t, " id2=7"));
	buf_free(&recording);
	buf_free(&text);
	expect_wrong("block calls\ncall key=1 entry2=1\n", "no entry 1");
	expect_wrong("block records\nentry id=1\n", "line 2: an entry must stand");
}

/* One call more than a block holds. */
static void
a_block_is_full(void **state)
{
	struct buf text = {0}, out = {0};
	struct iotap_error err = {0};

	(void)state;
	(void)buf_puts(&text, "block calls\n");
	for (uint32_t i = 0; i <= CALL_BLOCK_MAX; i++)
		(void)buf_printf(&text, "call key=%u tid=1 tgid=1\n", i);
	assert_int_equal(rectext_assemble((const char *)text.data, text.len, &out, &err), IOTAP_ELIMIT);
	assert_non_null(strstr(err.text, "line 16386: more than 16384 calls"));
	buf_free(&text);
	buf_free(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dump_of_assembled_text_is_the_text),
		cmocka_unit_test(assembled_dump_is_the_recording),
		cmocka_unit_test(a_sketch_is_filled_up),
		cmocka_unit_test(wrong_lines_are_named),
		cmocka_unit_test(every_field_of_every_record_comes_back),
		cmocka_unit_test(a_dump_is_harmless_on_a_terminal),
		cmocka_unit_test(damage_is_a_comment),
		cmocka_unit_test(rubbish_is_survived),
		cmocka_unit_test(blocks_are_filled_up),
		cmocka_unit_test(a_block_is_full),
	};

	return cmocka_run_group_tests_name("rectext", tests, NULL, NULL);
}
