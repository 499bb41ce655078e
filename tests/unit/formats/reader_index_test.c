/* reader_index_test.c - formats/reader_index.h: an epoch is found by the index, and a false index is not believed */
#include "formats/reader_index.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/reader.h"
#include "formats/record.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

static const struct sample_shape shape = {
	.codec = CODEC_ZSTD, .session = 77, .n_epochs = 4, .n_periods = 2, .n_calls = 40,
};

static int
file_of(const uint8_t *p, size_t n)
{
	const int fd = memfd_create("recording", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* The blocks of calls from from_ns on, each with its place among the calls; how many blocks were handed
 * out in all. */
static uint32_t
calls_of(int fd, uint64_t from_ns, bool seek, struct buf *text)
{
	struct reader *const r = reader_new_fd(fd, "sample");
	struct reader_item item;
	uint64_t calls = 0;
	uint32_t n = 0;

	reader_set_range(r, from_ns, UINT64_MAX);
	for (; reader_next(r, &item) == 0; n++) {
		if ((item.what != READER_BLOCK && item.what != READER_PASSED) || item.head.type != BLOCK_CALLS)
			continue;
		if (item.what == READER_BLOCK)
			(void)buf_printf(text, "%llu:%llu:%x ", (unsigned long long)item.head.sequence,
					 (unsigned long long)calls, item.head.payload_crc);
		calls += item.head.count;
		if (item.what == READER_PASSED && seek) {
			(void)reader_seek_range(r, &calls);
			seek = false;
		}
	}
	assert_int_equal(reader_error(r)->code, 0);
	reader_free(r);
	return n;
}

/* What is read with the index is what is read without. The number of blocks handed out with it. */
static uint32_t
expect_same(const uint8_t *p, size_t n, uint64_t from_ns)
{
	struct buf with = {0}, without = {0};
	const int fd = file_of(p, n);
	uint32_t blocks;

	(void)calls_of(fd, from_ns, false, &without);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	blocks = calls_of(fd, from_ns, true, &with);
	assert_string_equal(buf_cstr(&with), buf_cstr(&without));
	close(fd);
	buf_free(&with);
	buf_free(&without);
	return blocks;
}

static uint32_t
block_of(const struct sample *s, uint8_t type, uint32_t n)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->heads[i].type == type && n-- == 0)
			return i;
	}
	fail_msg("no such block");
	return 0;
}

static void
reading_begins_at_the_right_epoch(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s, &shape);
	for (uint32_t i = 0; i < s.n; i++) {
		const struct block_head *const h = &s.heads[i];
		const uint64_t froms[] = {h->first_ns, h->first_ns + 1, h->last_ns, h->last_ns + 1};

		for (size_t k = 0; h->type == BLOCK_CALLS && k < 4; k++) {
			const uint32_t blocks = expect_same(s.bytes.data, s.bytes.len, froms[k]);
			const uint32_t state_at = block_of(&s, BLOCK_STATE, h->epoch - 1);
			const uint32_t first = block_of(&s, BLOCK_CALLS, 0);

			if (k < 3)	/* up to the first calls, then from the state on */
				assert_int_equal(blocks, h->epoch == 1 ? s.n : first + 1 + s.n - state_at);
		}
	}
	sample_fini(&s);
}

/* The recording may begin somewhere in a file; a pipe has no end to look at. */
static void
where_there_is_no_file_nothing_is_found(void **state)
{
	const uint64_t late = UINT64_MAX - 1;
	struct sample s;
	struct buf text = {0};
	int fds[2];
	int fd;

	(void)state;
	sample_make(&s, &shape);
	assert_int_equal(pipe(fds), 0);
	assert_true(s.bytes.len < 65536);
	assert_int_equal(write(fds[1], s.bytes.data, s.bytes.len), s.bytes.len);
	close(fds[1]);
	assert_int_equal(calls_of(fds[0], late, true, &text), s.n);
	close(fds[0]);
	fd = memfd_create("recording", MFD_CLOEXEC);
	assert_int_equal(write(fd, "before", 6), 6);
	assert_int_equal(write(fd, s.bytes.data, s.bytes.len), s.bytes.len);
	assert_int_equal(lseek(fd, 6, SEEK_SET), 6);
	assert_true(calls_of(fd, late, true, &text) < s.n);
	close(fd);
	buf_free(&text);
	sample_fini(&s);
}

/* Each byte of the index and of the end, turned in every bit: the same calls. */
static void
a_damaged_index_changes_nothing(void **state)
{
	struct sample s;
	uint64_t from_ns;

	(void)state;
	sample_make(&s, &shape);
	from_ns = s.heads[block_of(&s, BLOCK_STATE, 3)].first_ns;
	for (size_t at = s.at[block_of(&s, BLOCK_INDEX, 0)]; at < s.bytes.len; at++) {
		for (int bit = 0; bit < 8; bit += 3) {
			s.bytes.data[at] ^= (uint8_t)(1u << bit);
			(void)expect_same(s.bytes.data, s.bytes.len, from_ns);
			s.bytes.data[at] ^= (uint8_t)(1u << bit);
		}
	}
	for (size_t n = s.at[block_of(&s, BLOCK_INDEX, 0)]; n <= s.bytes.len; n++)
		(void)expect_same(s.bytes.data, n, from_ns);
	sample_fini(&s);
}

/* The recording with another index, all checksums right. */
static void
with_index(const struct sample *s, const uint8_t *plain, size_t n, uint32_t count, struct buf *out)
{
	const uint32_t i = block_of(s, BLOCK_INDEX, 0);
	struct codec *const codec = codec_new(1);
	struct block_head head = s->heads[i];

	buf_clear(out);
	head.count = count;
	assert_true(buf_put(out, s->bytes.data, s->at[i]));
	assert_int_equal(block_put(codec, CODEC_NONE, &head, plain, n, out, NULL), 0);
	assert_true(buf_put(out, s->bytes.data + s->end[i], s->bytes.len - s->end[i]));
	codec_free(codec);
}

static void
plain_index(const struct sample *s, struct buf *out)
{
	const uint32_t i = block_of(s, BLOCK_INDEX, 0);
	struct codec *const codec = codec_new(1);
	const uint8_t *plain;

	assert_int_equal(block_plain(codec, &s->heads[i], s->bytes.data + s->at[i] + BLOCK_HEAD_BYTES, out, &plain,
				     NULL), 0);
	if (plain != out->data)
		assert_true(buf_put(out, plain, s->heads[i].plain_bytes));
	codec_free(codec);
}

/* Somebody made it so. Any bit of what it says, and each of its entries left out or said twice. */
static void
a_false_index_changes_nothing(void **state)
{
	struct sample s;
	struct buf plain = {0}, file = {0};
	uint64_t from_ns;
	uint32_t count;

	(void)state;
	sample_make(&s, &shape);
	from_ns = s.heads[block_of(&s, BLOCK_STATE, 3)].first_ns;
	count = s.heads[block_of(&s, BLOCK_INDEX, 0)].count;
	plain_index(&s, &plain);
	with_index(&s, plain.data, plain.len, count, &file);
	assert_true(expect_same(file.data, file.len, from_ns) < s.n);	/* it is believed as it is */
	for (size_t at = 0; at < plain.len; at++) {
		for (int bit = 0; bit < 8; bit++) {
			plain.data[at] ^= (uint8_t)(1u << bit);
			with_index(&s, plain.data, plain.len, count, &file);
			(void)expect_same(file.data, file.len, from_ns);
			plain.data[at] ^= (uint8_t)(1u << bit);
		}
	}
	for (size_t at = 0; at < plain.len; at += 2u + plain.data[at + 1]) {
		const size_t n = 2u + plain.data[at + 1];	/* id and length are a byte each */
		struct buf other = {0};

		assert_true(buf_put(&other, plain.data, at) &&
			    buf_put(&other, plain.data + at + n, plain.len - at - n));
		with_index(&s, other.data, other.len, count - 1, &file);
		(void)expect_same(file.data, file.len, from_ns);
		buf_clear(&other);
		assert_true(buf_put(&other, plain.data, at + n) && buf_put(&other, plain.data + at, plain.len - at));
		with_index(&s, other.data, other.len, count + 1, &file);
		(void)expect_same(file.data, file.len, from_ns);
		buf_free(&other);
	}
	buf_free(&plain);
	buf_free(&file);
	sample_fini(&s);
}

/* The state that the index leads to, or what is before it, is damaged: then all is read. */
static void
damage_at_the_place_is_not_jumped_over(void **state)
{
	struct sample s;
	uint32_t at;

	(void)state;
	sample_make(&s, &shape);
	at = block_of(&s, BLOCK_STATE, 3);
	for (uint32_t i = at - 1; i <= at; i++) {
		s.bytes.data[s.at[i] + 20] ^= 1;
		(void)expect_same(s.bytes.data, s.bytes.len, s.heads[at].first_ns);
		s.bytes.data[s.at[i] + 20] ^= 1;
	}
	s.bytes.data[s.end[at] - 1] ^= 1;
	assert_true(expect_same(s.bytes.data, s.bytes.len, s.heads[at].first_ns) >= s.n);
	sample_fini(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading_begins_at_the_right_epoch),
		cmocka_unit_test(where_there_is_no_file_nothing_is_found),
		cmocka_unit_test(a_damaged_index_changes_nothing),
		cmocka_unit_test(a_false_index_changes_nothing),
		cmocka_unit_test(damage_at_the_place_is_not_jumped_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
