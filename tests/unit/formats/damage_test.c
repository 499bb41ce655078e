/* damage_test.c - formats/reader.h: whatever happens to a recording is told, and the rest is read
 *
 * A recording cut at every length, with every bit turned, in pieces of every size, without each block,
 * with each block twice, with two blocks exchanged.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/call_block.h"
#include "formats/reader.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

static struct reader *
reader_of(const void *p, size_t n)
{
	struct reader *const r = reader_new_memory(p, n, "sample");

	assert_non_null(r);
	return r;
}

/* The next item must be block i of the sample. */
static void
expect_block(struct reader *r, const struct sample *s, uint32_t i)
{
	struct reader_item item;
	uint8_t head[BLOCK_HEAD_BYTES];

	assert_int_equal(reader_next(r, &item), 0);
	assert_int_equal(item.what, READER_BLOCK);
	assert_int_equal(item.head.sequence, i);
	block_head_put(head, &item.head);
	assert_memory_equal(head, s->bytes.data + s->at[i], sizeof(head));
}

static struct reader_item
expect_item(struct reader *r, enum reader_what what, uint64_t offset, uint64_t bytes)
{
	struct reader_item item;

	assert_int_equal(reader_next(r, &item), 0);
	assert_int_equal(item.what, what);
	assert_int_equal(item.offset, offset);
	assert_int_equal(item.bytes, bytes);
	assert_true(item.text && item.text[0]);
	return item;
}

static void
expect_end(struct reader *r)
{
	struct reader_item item;

	assert_int_equal(reader_next(r, &item), 1);
	assert_int_equal(reader_next(r, &item), 1);
	reader_free(r);
}

/* situation: 107 */
static void
every_length_gives_the_exact_prefix(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s, &sample_small);
	for (size_t n = 1; n <= s.bytes.len; n++) {
		uint8_t *const copy = sample_copy(s.bytes.data, n);
		struct reader *const r = reader_of(copy, n);
		size_t whole = 0;

		for (uint32_t i = 0; i < s.n && s.end[i] <= n; i++) {
			expect_block(r, &s, i);
			whole = s.end[i];
		}
		if (n < s.bytes.len)
			(void)expect_item(r, READER_TRUNCATED, whole, n - whole);
		expect_end(r);
		free(copy);
	}
	sample_fini(&s);
}

/* With a bit turned in block hit: the others are there, and the damage is exactly that block. */
static void
expect_one_damaged(const struct sample *s, const uint8_t *bytes, uint32_t hit)
{
	struct reader *const r = reader_of(bytes, s->bytes.len);
	const bool last = hit + 1 == s->n;

	for (uint32_t i = 0; i < s->n; i++) {
		if (i == hit) {
			const struct reader_item item =
				expect_item(r, READER_DAMAGE, s->at[i], s->end[i] - s->at[i]);

			assert_int_equal(item.n_blocks, last ? UINT64_MAX : 1);
		} else {
			expect_block(r, s, i);
		}
	}
	if (last)
		(void)expect_item(r, READER_TRUNCATED, s->end[hit], 0);
	expect_end(r);
}

static void
every_turned_bit_is_found(void **state)
{
	struct sample s;
	uint8_t *copy;

	(void)state;
	sample_make(&s, &sample_small);
	copy = sample_copy(s.bytes.data, s.bytes.len);
	for (uint32_t i = 0; i < s.n; i++) {
		for (size_t bit = 8 * s.at[i]; bit < 8 * s.end[i]; bit++) {
			copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
			expect_one_damaged(&s, copy, i);
			copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
	free(copy);
	sample_fini(&s);
}

/* Fills buf with the sample without block drop, and with block twice there two times. */
static void
splice(const struct sample *s, int drop, int twice, struct buf *out)
{
	buf_clear(out);
	for (uint32_t i = 0; i < s->n; i++) {
		for (int times = (int)i == drop ? 0 : (int)i == twice ? 2 : 1; times > 0; times--)
			assert_true(buf_put(out, s->bytes.data + s->at[i], s->end[i] - s->at[i]));
	}
}

static void
a_missing_block_is_a_gap(void **state)
{
	struct sample s;
	struct buf b = {0};

	(void)state;
	sample_make(&s, &sample_small);
	for (uint32_t gone = 0; gone < s.n; gone++) {
		struct reader *r;

		splice(&s, (int)gone, -1, &b);
		r = reader_of(b.data, b.len);
		for (uint32_t i = 0; i < s.n; i++) {
			if (i != gone)
				expect_block(r, &s, i);
			else if (gone + 1 < s.n)
				assert_int_equal(expect_item(r, READER_GAP, s.at[i], 0).n_blocks, 1);
			else
				(void)expect_item(r, READER_TRUNCATED, s.at[i], 0);
		}
		expect_end(r);
	}
	buf_free(&b);
	sample_fini(&s);
}

static void
a_block_twice_is_left_out_once(void **state)
{
	struct sample s;
	struct buf b = {0};

	(void)state;
	sample_make(&s, &sample_small);
	for (uint32_t twice = 0; twice < s.n; twice++) {
		struct reader *r;

		splice(&s, -1, (int)twice, &b);
		r = reader_of(b.data, b.len);
		for (uint32_t i = 0; i < s.n; i++) {
			expect_block(r, &s, i);
			if (i == twice)
				(void)expect_item(r, READER_REPEATED, s.end[i], s.end[i] - s.at[i]);
		}
		expect_end(r);
	}
	buf_free(&b);
	sample_fini(&s);
}

static void
lost_bytes_cost_one_block(void **state)
{
	struct sample s;
	struct buf b = {0};

	(void)state;
	sample_make(&s, &sample_small);
	for (uint32_t hit = 0; hit + 1 < s.n; hit++) {
		const size_t cut = s.at[hit] + (s.end[hit] - s.at[hit]) / 2;
		struct reader *r;

		buf_clear(&b);
		assert_true(buf_put(&b, s.bytes.data, cut));
		assert_true(buf_put(&b, s.bytes.data + cut + 7, s.bytes.len - cut - 7));
		r = reader_of(b.data, b.len);
		for (uint32_t i = 0; i < s.n; i++) {
			if (i != hit)
				expect_block(r, &s, i);
			else
				(void)expect_item(r, READER_DAMAGE, s.at[i], s.end[i] - s.at[i] - 7);
		}
		expect_end(r);
	}
	buf_free(&b);
	sample_fini(&s);
}

static void
a_second_recording_is_foreign(void **state)
{
	const struct sample_shape shape = {.codec = CODEC_NONE, .session = 78, .n_epochs = 1,
					   .n_periods = 1, .n_calls = 3};
	struct sample s, other;
	struct buf b = {0};
	struct reader *r;

	(void)state;
	sample_make(&s, &sample_small);
	sample_make(&other, &shape);
	assert_true(buf_put(&b, s.bytes.data, s.bytes.len) && buf_put(&b, other.bytes.data, other.bytes.len));
	r = reader_of(b.data, b.len);
	for (uint32_t i = 0; i < s.n; i++)
		expect_block(r, &s, i);
	(void)expect_item(r, READER_FOREIGN, s.bytes.len, other.bytes.len);
	expect_end(r);
	buf_free(&b);
	sample_fini(&s);
	sample_fini(&other);
}

static void
rubbish_behind_the_end_is_damage(void **state)
{
	struct sample s;
	struct buf b = {0};
	struct reader *r;

	(void)state;
	sample_make(&s, &sample_small);
	assert_true(buf_put(&b, s.bytes.data, s.bytes.len) && buf_puts(&b, "rubbish"));
	r = reader_of(b.data, b.len);
	for (uint32_t i = 0; i < s.n; i++)
		expect_block(r, &s, i);
	(void)expect_item(r, READER_DAMAGE, s.bytes.len, 7);
	expect_end(r);
	buf_free(&b);
	sample_fini(&s);
}

/* -- pieces -- */

struct pieces {
	const struct sample *s;
	int fd;
	uint32_t size;			/* 0 = all sorts of sizes */
	size_t at;
	uint64_t lot;
};

/* The reader found nothing to read: the next piece comes. */
static int
next_piece(void *arg)
{
	struct pieces *const p = arg;
	const size_t left = p->s->bytes.len - p->at;
	size_t n = p->size ? p->size : 1 + sample_lot(&p->lot) % 3000;

	n = n < left ? n : left;
	if (n == 0)
		return close(p->fd);
	assert_int_equal(write(p->fd, p->s->bytes.data + p->at, n), n);
	p->at += n;
	return 0;
}

static void
expect_same_in_pieces(const struct sample *s, uint32_t size)
{
	int fds[2];
	struct pieces p = {.s = s, .size = size};
	struct reader *r;

	assert_int_equal(pipe(fds), 0);
	p.fd = fds[1];
	r = reader_new_fd(fds[0], "pipe");
	reader_on_idle(r, next_piece, &p);
	for (uint32_t i = 0; i < s->n; i++)
		expect_block(r, s, i);
	expect_end(r);
	close(fds[0]);
}

static void
pieces_of_any_size_read_the_same(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s, &sample_small);
	expect_same_in_pieces(&s, 1);
	expect_same_in_pieces(&s, 63);
	expect_same_in_pieces(&s, 0);
	expect_same_in_pieces(&s, 60000);
	sample_fini(&s);
}

static int
stop_once(void *arg)
{
	int *const n = arg;

	return (*n)++ == 0;
}

static void
an_idle_function_can_stop_the_reading(void **state)
{
	struct sample s;
	int fds[2], n = 0;
	struct reader *r;
	struct reader_item item;

	(void)state;
	sample_make(&s, &sample_small);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], s.bytes.data, 100), 100);
	r = reader_new_fd(fds[0], "pipe");
	reader_on_idle(r, stop_once, &n);
	assert_int_equal(reader_next(r, &item), 2);
	assert_int_equal(write(fds[1], s.bytes.data + 100, s.end[1] - 100), s.end[1] - 100);
	close(fds[1]);
	expect_block(r, &s, 0);
	expect_block(r, &s, 1);
	(void)expect_item(r, READER_TRUNCATED, s.end[1], 0);
	expect_end(r);
	close(fds[0]);
	sample_fini(&s);
}

/* -- calls -- */

static void
expect_same_calls(struct call_decoder *d, const struct sample *s, uint32_t i, uint32_t *next)
{
	struct call_columns c;

	assert_int_equal(call_decoder_block(d, &s->heads[i], s->bytes.data + s->at[i] + BLOCK_HEAD_BYTES,
					    COL_ALL, &c, NULL), 0);
	for (uint32_t k = 0; k < c.n; k++) {
		const struct kr_call want = sample_call(*next + k);
		struct kr_call got;

		call_columns_row(&c, k, &got);
		assert_int_equal(got.key_ns, want.key_ns);
		assert_int_equal(got.result, want.result);
		assert_int_equal(got.id, want.id);
		assert_int_equal(got.offset, want.offset);
	}
	*next += c.n;
}

static void
blocks_of_calls_need_no_other(void **state)
{
	struct call_decoder *const one = call_decoder_new();
	struct sample s;
	uint32_t next = 0;

	(void)state;
	sample_make(&s, &sample_small);
	for (uint32_t i = 0; i < s.n; i++) {
		if (s.heads[i].type == BLOCK_CALLS)
			expect_same_calls(one, &s, i, &next);
	}
	assert_int_equal(next, 240);
	for (uint32_t i = s.n; i-- > 0;) {
		struct call_decoder *const fresh = call_decoder_new();
		uint32_t from;

		if (s.heads[i].type == BLOCK_CALLS) {
			from = next -= s.heads[i].count;
			expect_same_calls(fresh, &s, i, &from);
			from = next;
			expect_same_calls(one, &s, i, &from);
		}
		call_decoder_free(fresh);
	}
	assert_int_equal(next, 0);
	call_decoder_free(one);
	sample_fini(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length_gives_the_exact_prefix),
		cmocka_unit_test(every_turned_bit_is_found),
		cmocka_unit_test(a_missing_block_is_a_gap),
		cmocka_unit_test(a_block_twice_is_left_out_once),
		cmocka_unit_test(lost_bytes_cost_one_block),
		cmocka_unit_test(a_second_recording_is_foreign),
		cmocka_unit_test(rubbish_behind_the_end_is_damage),
		cmocka_unit_test(pieces_of_any_size_read_the_same),
		cmocka_unit_test(an_idle_function_can_stop_the_reading),
		cmocka_unit_test(blocks_of_calls_need_no_other),
	};

	return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
