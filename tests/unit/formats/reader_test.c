/* reader_test.c - formats/reader.h: what is no recording, versions, ranges, errors */
#include "formats/reader.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/record.h"
#include "formats/rectext.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

static void
expect_refused(const void *p, size_t n, int code, const char *words)
{
	struct reader *const r = reader_new_memory(p, n, "thing");
	struct reader_item item;

	assert_int_equal(reader_next(r, &item), code);
	assert_non_null(strstr(reader_error(r)->text, "thing"));
	if (!strstr(reader_error(r)->text, words))
		fail_msg("\"%s\" lacks \"%s\"", reader_error(r)->text, words);
	assert_int_equal(reader_next(r, &item), code);
	reader_free(r);
}

/* situation: 106 */
static void
what_is_no_recording_is_named_with_the_remedy(void **state)
{
	static const uint8_t noise[100] = {0x80, 1, 2, 3};
	static const struct {
		const char *p;
		size_t n;
		const char *words;
	} rows[] = {
		{"", 0, "is empty"},
		{"SQLite format 3\0....", 20, "iotap-analyze"},
		{"{\"type\":\"event\"}\n", 17, "-F events"},
		{"12:00:00 curl read\n", 19, "is text"},
		{"caf\xc3\xa9\n", 6, "is text"},
		{"\x7f" "ELF\2\1\1\0", 8, "ELF"},
		{"\x28\xb5\x2f\xfd....", 8, "zstd -dc"},
		{"\x1f\x8b\x08\0", 4, "zcat"},
		{"PERFILE2....", 12, "perf record"},
		{"\1\2\3", 3, "is not an iotap recording"},
		{(const char *)noise, sizeof(noise), "is not an iotap recording"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_refused(rows[i].p, rows[i].n, IOTAP_ENOTREC, rows[i].words);
}

/* situation: 106 */
static void
a_directory_is_named(void **state)
{
	const int fd = open("/tmp", O_RDONLY | O_DIRECTORY);
	struct reader *const r = reader_new_fd(fd, "/tmp");
	struct reader_item item;

	(void)state;
	assert_int_equal(reader_next(r, &item), IOTAP_ENOTREC);
	assert_non_null(strstr(reader_error(r)->text, "/tmp is a directory"));
	reader_free(r);
	close(fd);
}

static void
a_failing_read_is_an_error_with_its_reason(void **state)
{
	struct reader *const r = reader_new_fd(-1, "gone");
	struct reader_item item;

	(void)state;
	assert_int_equal(reader_next(r, &item), IOTAP_EIO);
	assert_non_null(strstr(reader_error(r)->text, "Bad file descriptor"));
	reader_free(r);
}

/* What looks like nothing is searched for a block, but not for ever. */
static void
endless_noise_ends(void **state)
{
	const int fd = open("/dev/urandom", O_RDONLY);
	struct reader *const r = reader_new_fd(fd, "noise");
	struct reader_item item;

	(void)state;
	assert_int_equal(reader_next(r, &item), IOTAP_ENOTREC);
	assert_true(reader_offset(r) < (uint64_t)16 << 20);
	reader_free(r);
	close(fd);
}

static void
assemble(const char *text, struct buf *out)
{
	struct iotap_error err = {0};

	if (rectext_assemble(text, strlen(text), out, &err) < 0)
		fail_msg("%s", err.text);
}

/* situation: 106 */
static void
a_newer_major_version_is_refused_naming_both(void **state)
{
	struct buf b = {0};

	(void)state;
	assemble("block header\nhost format_major=7 format_minor=3 tool=\"iotap-capture 9.1\"\n", &b);
	expect_refused(b.data, b.len, IOTAP_EVERSION, "7.3");
	expect_refused(b.data, b.len, IOTAP_EVERSION, "iotap-capture 9.1");
	expect_refused(b.data, b.len, IOTAP_EVERSION, "up to 1");
	buf_free(&b);
}

static void
a_newer_minor_version_is_read(void **state)
{
	struct buf b = {0}, text = {0};

	(void)state;
	assemble("block header\nhost format_major=1 format_minor=9 more=\"new\"\nrecord type=99 body=\"x\"\n"
		 "block end\nend reason=1\n", &b);
	sample_read(b.data, b.len, &text);
	assert_null(strstr(buf_cstr(&text), "error"));
	assert_non_null(strstr(buf_cstr(&text), "record type=99 body=\"x\""));
	buf_free(&b);
	buf_free(&text);
}

/* A block of a type that nobody knows yet, behind the first block of the sample. */
static void
with_unknown_block(uint16_t flags, struct buf *out)
{
	struct sample s;
	struct block_head head;
	uint8_t raw[BLOCK_HEAD_BYTES];

	sample_make(&s, &sample_small);
	head = s.heads[0];
	head.type = 99;
	head.codec = 17;
	head.flags = flags;
	head.sequence = 1;
	head.stored_bytes = 4;
	head.payload_crc = block_crc("new!", 4);
	block_head_put(raw, &head);
	assert_true(buf_put(out, s.bytes.data, s.end[0]) && buf_put(out, raw, sizeof(raw)) &&
		    buf_puts(out, "new!"));
	sample_fini(&s);
}

static void
unknown_blocks_are_handed_out_unless_required(void **state)
{
	struct buf b = {0};
	struct reader *r;
	struct reader_item item;

	(void)state;
	with_unknown_block(0, &b);
	r = reader_new_memory(b.data, b.len, "new");
	assert_int_equal(reader_next(r, &item), 0);
	assert_int_equal(reader_next(r, &item), 0);
	assert_int_equal(item.what, READER_BLOCK);
	assert_int_equal(item.head.type, 99);
	assert_memory_equal(item.payload, "new!", 4);
	reader_free(r);
	buf_clear(&b);
	with_unknown_block(BLOCK_REQUIRED, &b);
	r = reader_new_memory(b.data, b.len, "new");
	assert_int_equal(reader_next(r, &item), 0);
	assert_int_equal(reader_next(r, &item), IOTAP_EUNSUPPORTED);
	assert_non_null(strstr(reader_error(r)->text, "type 99"));
	reader_free(r);
	buf_free(&b);
}

/* A payload that no zstd makes, under a right checksum. */
static void
a_block_that_does_not_uncompress_is_damage(void **state)
{
	struct sample s;
	struct buf b = {0};
	struct reader *r;
	struct reader_item item;
	struct block_head head;
	uint8_t raw[BLOCK_HEAD_BYTES];

	(void)state;
	sample_make(&s, &sample_small);
	head = s.heads[1];
	head.codec = CODEC_ZSTD;
	head.plain_bytes = BLOCK_PLAIN_MAX;
	block_head_put(raw, &head);
	assert_true(buf_put(&b, s.bytes.data, s.bytes.len));
	memcpy(b.data + s.at[1], raw, sizeof(raw));
	r = reader_new_memory(b.data, b.len, "bomb");
	assert_int_equal(reader_next(r, &item), 0);
	assert_int_equal(reader_next(r, &item), 0);
	assert_int_equal(item.what, READER_DAMAGE);
	assert_int_equal(item.n_blocks, 1);
	assert_int_equal(reader_next(r, &item), 0);
	assert_int_equal(item.what, READER_BLOCK);
	assert_int_equal(item.head.sequence, 2);
	reader_free(r);
	buf_free(&b);
	sample_fini(&s);
}

/* The block that is damaged counts once, whether it comes again, whole, or not. */
static void
calls_of_a_damaged_block_are_counted(void **state)
{
	for (int again = 0; again < 2; again++) {
		struct sample s;
		struct buf b = {0};
		struct reader *r;
		struct reader_item item;
		uint64_t blocks = 0, damaged = 0, all = 0;
		unsigned int k = 0;

		(void)state;
		sample_make(&s, &sample_small);
		while (s.heads[k].type != BLOCK_CALLS)
			k++;
		assert_true(s.heads[k].count > 0);
		for (unsigned int i = 0; i < s.n; i++)
			all += s.heads[i].type == BLOCK_CALLS ? s.heads[i].count : 0;
		assert_true(buf_put(&b, s.bytes.data, s.end[k]));
		b.data[s.at[k] + BLOCK_HEAD_BYTES] ^= 1;
		if (again)
			assert_true(buf_put(&b, s.bytes.data + s.at[k], s.end[k] - s.at[k]));
		assert_true(buf_put(&b, s.bytes.data + s.end[k], s.bytes.len - s.end[k]));
		r = reader_new_memory(b.data, b.len, "damaged");
		while (reader_next(r, &item) == 0) {
			damaged += item.n_calls;
			if (item.what == READER_BLOCK && item.head.type == BLOCK_CALLS)
				blocks += item.head.count;
		}
		assert_int_equal(damaged, again ? 0 : s.heads[k].count);
		assert_int_equal(blocks + damaged, all);
		reader_free(r);
		buf_free(&b);
		sample_fini(&s);
	}
}

/* -- ranges -- */

static int
file_of(const struct sample *s, bool as_pipe)
{
	char name[] = "/tmp/iotap-reader.XXXXXX";
	int fds[2];

	if (as_pipe) {
		assert_int_equal(pipe(fds), 0);
		assert_int_equal(write(fds[1], s->bytes.data, s->bytes.len), s->bytes.len);
		close(fds[1]);
		return fds[0];
	}
	fds[0] = mkstemp(name);
	assert_true(fds[0] >= 0);
	unlink(name);
	assert_int_equal(write(fds[0], s->bytes.data, s->bytes.len), s->bytes.len);
	assert_int_equal(lseek(fds[0], 0, SEEK_SET), 0);
	return fds[0];
}

static void
expect_range(struct reader *r, const struct sample *s, uint64_t from, uint64_t to)
{
	struct reader_item item;

	reader_set_range(r, from, to);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct block_head *const h = &s->heads[i];
		const bool out = h->type == BLOCK_CALLS && (h->last_ns < from || h->first_ns > to);

		assert_int_equal(reader_next(r, &item), 0);
		assert_int_equal(item.what, out ? READER_PASSED : READER_BLOCK);
		assert_int_equal(item.head.sequence, i);
		assert_int_equal(item.head.count, h->count);
	}
	assert_int_equal(reader_next(r, &item), 1);
	reader_free(r);
}

static void
blocks_outside_a_range_are_passed_over(void **state)
{
	const struct sample_shape shape = {.codec = CODEC_NONE, .session = 5, .n_epochs = 3, .n_periods = 4,
					   .n_calls = 300};
	struct sample s;
	uint32_t k = 0;

	(void)state;
	sample_make(&s, &shape);
	while (s.heads[k].type != BLOCK_CALLS || s.heads[k].epoch < 2)
		k++;
	for (int how = 0; how < 3; how++) {
		const int fd = how ? file_of(&s, false) : -1;
		struct reader *const r = how ? reader_new_fd(fd, "file") :
					 reader_new_memory(s.bytes.data, s.bytes.len, "memory");

		expect_range(r, &s, how == 2 ? 0 : s.heads[k].first_ns, s.heads[k].first_ns);
		if (fd >= 0)
			close(fd);
	}
	sample_fini(&s);
	sample_make(&s, &sample_small);
	k = file_of(&s, true);
	expect_range(reader_new_fd((int)k, "pipe"), &s, 1, 2);
	close((int)k);
	sample_fini(&s);
}

/* Seeking beyond what is there must not hide that the end is missing. */
static void
a_cut_block_outside_the_range_is_truncation(void **state)
{
	const struct sample_shape shape = {.codec = CODEC_NONE, .session = 5, .n_epochs = 1, .n_periods = 1,
					   .n_calls = 4000};
	struct sample s;
	struct reader_item item;
	struct reader *r;
	uint32_t k = 0;
	int fd;

	(void)state;
	sample_make(&s, &shape);
	while (s.heads[k].type != BLOCK_CALLS)
		k++;
	fd = file_of(&s, false);
	assert_int_equal(ftruncate(fd, (off_t)s.end[k] - 10), 0);
	r = reader_new_fd(fd, "cut");
	reader_set_range(r, 1, 2);
	for (uint32_t i = 0; i < k; i++)
		assert_int_equal(reader_next(r, &item), 0);
	assert_int_equal(reader_next(r, &item), 0);
	assert_int_equal(item.what, READER_TRUNCATED);
	assert_int_equal(item.offset, s.at[k]);
	reader_free(r);
	close(fd);
	sample_fini(&s);
}

/* Thousands of headers that fit, each with a long payload that does not: the time stays in proportion. */
static void
many_false_headers_do_not_cost_for_ever(void **state)
{
	enum { N = 200000 };
	struct sample s;
	struct buf b = {0};
	struct block_head head;
	uint8_t raw[BLOCK_HEAD_BYTES];
	struct reader *r;
	struct reader_item item;
	int got;

	(void)state;
	sample_make(&s, &sample_small);
	assert_true(buf_put(&b, s.bytes.data, s.end[0]));
	head = s.heads[0];
	head.sequence = 1;
	head.stored_bytes = BLOCK_PLAIN_MAX;
	block_head_put(raw, &head);
	for (int i = 0; i < N; i++)
		assert_true(buf_put(&b, raw, sizeof(raw)));
	r = reader_new_memory(b.data, b.len, "slow");
	alarm(100);
	while ((got = reader_next(r, &item)) == 0)
		continue;
	alarm(0);
	assert_int_equal(got, 1);
	reader_free(r);
	buf_free(&b);
	sample_fini(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_recording_is_named_with_the_remedy),
		cmocka_unit_test(a_directory_is_named),
		cmocka_unit_test(a_failing_read_is_an_error_with_its_reason),
		cmocka_unit_test(endless_noise_ends),
		cmocka_unit_test(a_newer_major_version_is_refused_naming_both),
		cmocka_unit_test(a_newer_minor_version_is_read),
		cmocka_unit_test(unknown_blocks_are_handed_out_unless_required),
		cmocka_unit_test(a_block_that_does_not_uncompress_is_damage),
		cmocka_unit_test(calls_of_a_damaged_block_are_counted),
		cmocka_unit_test(blocks_outside_a_range_are_passed_over),
		cmocka_unit_test(a_cut_block_outside_the_range_is_truncation),
		cmocka_unit_test(many_false_headers_do_not_cost_for_ever),
	};

	return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
