/* damage_random_test.c - formats/reader.h: no damage gives a wrong answer in silence, or costs more than it hit
 *
 * A recording of 64 KiB with single bits turned, cut, and damaged at random: bytes changed, overwritten, lost,
 * put in, copied to another place. What comes out as a block is one of the recording's, in its order; one
 * that is missing is told; and unless blocks were moved, those that were not hit are all there.
 *
 * IOTAP_DAMAGE=N runs N random damages, every bit and every length (make torture-damage); without it a
 * sample of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/reader.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

enum { LEAST = 64 << 10, FEW = 1500, EVERY_BIT = 211, EVERY_LENGTH = 97, RUN_MAX = 300, SHAPES = 3 };

static const struct sample_shape shapes[SHAPES] = {
	{.codec = CODEC_ZSTD, .session = 77, .n_epochs = 8, .n_periods = 4, .n_calls = 150},
	{.codec = CODEC_NONE, .session = 78, .n_epochs = 4, .n_periods = 4, .n_calls = 150},
	{.codec = CODEC_ZSTD, .session = 79, .n_epochs = 12, .n_periods = 2, .n_calls = 40},
};

struct damage {
	const struct sample *s;
	bool hit[SAMPLE_BLOCKS_MAX];
	bool moved;			/* whole blocks may stand elsewhere: only the order counts */
};

static unsigned long
rounds(void)
{
	const char *const wanted = getenv("IOTAP_DAMAGE");

	return wanted ? strtoul(wanted, NULL, 10) : 0;
}

/* The long run says what it did: a line for docs/torture.md. */
static void
report(const char *what, unsigned long n)
{
	if (rounds())
		printf("done: %lu %s\n", n, what);
}

/* A block that came out is the recording's own. */
static void
expect_own(const struct sample *s, const struct reader_item *item)
{
	const uint64_t i = item->head.sequence;
	uint8_t head[BLOCK_HEAD_BYTES];

	assert_in_range(i, 0, s->n - 1);
	block_head_put(head, &item->head);
	/* memcmp(): assert_memory_equal() goes byte by byte, which is most of a million damages' time. */
	assert_int_equal(memcmp(head, s->bytes.data + s->at[i], sizeof(head)), 0);
	if (item->head.type == BLOCK_CALLS)
		assert_int_equal(memcmp(item->payload, s->bytes.data + s->at[i] + sizeof(head),
					item->payload_bytes), 0);
}

static void
expect_honest(const struct damage *d, const uint8_t *p, size_t n)
{
	struct reader *const r = reader_new_memory(p, n, "damaged");
	bool there[SAMPLE_BLOCKS_MAX] = {false}, said = false;
	uint64_t next = 0;
	struct reader_item item;
	int result;

	assert_non_null(r);
	while ((result = reader_next(r, &item)) == 0) {
		if (item.what != READER_BLOCK) {
			assert_true(item.text && item.text[0]);
			said = true;
			continue;
		}
		expect_own(d->s, &item);
		assert_true(item.head.sequence >= next);
		next = item.head.sequence + 1;
		there[item.head.sequence] = true;
	}
	if (result < 0)		/* no recording any more */
		assert_true(d->hit[0] || d->moved);
	for (uint32_t i = 0; result == 1 && i < d->s->n; i++) {
		if (!there[i])
			assert_true(said && (d->hit[i] || d->moved));
	}
	reader_free(r);
}

static void
hit(struct damage *d, size_t from, size_t to)
{
	for (uint32_t i = 0; i < d->s->n; i++) {
		if (from < d->s->end[i] && to > d->s->at[i])
			d->hit[i] = true;
	}
}

static void
every_bit_costs_its_block_only(void **state)
{
	unsigned long bits = 0;
	struct sample s;
	uint8_t *copy;

	(void)state;
	sample_make(&s, &shapes[0]);
	assert_true(s.bytes.len >= LEAST);
	copy = sample_copy(s.bytes.data, s.bytes.len);
	for (size_t bit = 0; bit < 8 * s.bytes.len; bit += rounds() ? 1 : EVERY_BIT) {
		struct damage d = {.s = &s};

		hit(&d, bit / 8, bit / 8 + 1);
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		expect_honest(&d, copy, s.bytes.len);
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		bits++;
	}
	report("bits turned, one at a time", bits);
	free(copy);
	sample_fini(&s);
}

/* The blocks that are whole, then that it ends abruptly. */
static void
expect_prefix(const struct sample *s, size_t n)
{
	uint8_t *const copy = sample_copy(s->bytes.data, n);
	struct reader *const r = reader_new_memory(copy, n, "cut");
	struct reader_item item;

	assert_non_null(r);
	for (uint32_t i = 0; i < s->n && s->end[i] <= n; i++) {
		assert_int_equal(reader_next(r, &item), 0);
		assert_int_equal(item.what, READER_BLOCK);
		assert_int_equal(item.head.sequence, i);
		expect_own(s, &item);
	}
	if (n < s->bytes.len) {
		assert_int_equal(reader_next(r, &item), 0);
		assert_int_equal(item.what, READER_TRUNCATED);
	}
	assert_int_equal(reader_next(r, &item), 1);
	reader_free(r);
	free(copy);
}

static void
every_length_of_three_files_is_a_prefix(void **state)
{
	unsigned long lengths = 0;

	(void)state;
	for (size_t k = 0; k < SHAPES; k++) {
		struct sample s;

		sample_make(&s, &shapes[k]);
		for (size_t n = 1; n <= s.bytes.len; n += rounds() ? 1 : EVERY_LENGTH, lengths++)
			expect_prefix(&s, n);
		expect_prefix(&s, s.bytes.len);
		sample_fini(&s);
	}
	report("lengths of three files", lengths);
}

static void
put_lots(struct buf *b, size_t n, uint64_t *lot)
{
	for (size_t i = 0; i < n; i++) {
		const uint8_t byte = (uint8_t)sample_lot(lot);

		assert_true(buf_put(b, &byte, 1));
	}
}

/* One damage: what is between from and to is replaced in one of five ways. */
static void
damage(struct damage *d, struct buf *b, uint64_t *lot)
{
	const uint8_t *const p = d->s->bytes.data;
	const size_t n = d->s->bytes.len, from = sample_lot(lot) % n;
	const size_t run = 1 + sample_lot(lot) % RUN_MAX, to = from + run < n ? from + run : n;
	const size_t elsewhere = sample_lot(lot) % n;
	const unsigned int kind = (unsigned int)(sample_lot(lot) % 5);

	buf_clear(b);
	assert_true(buf_put(b, p, from));
	switch (kind) {
	case 0:			/* overwritten by anything, 1 by zeros */
		put_lots(b, to - from, lot);
		break;
	case 1:
		for (size_t i = from; i < to; i++)
			assert_true(buf_put(b, "", 1));
		break;
	case 2:			/* lost */
		break;
	case 3:			/* something put in */
		put_lots(b, run, lot);
		break;
	default:		/* a copy from elsewhere put in: of whole blocks too */
		assert_true(buf_put(b, p + elsewhere, (n - elsewhere) % 9000));
		d->moved = true;
	}
	assert_true(kind > 2 ? buf_put(b, p + from, n - from) : buf_put(b, p + to, n - to));
	hit(d, kind > 2 && from > 0 ? from - 1 : from, kind > 2 ? from + 1 : to);
}

static void
random_damage_is_told_and_costs_what_it_hit(void **state)
{
	const unsigned long n = rounds() ? rounds() : FEW;
	struct buf b = {.data = NULL};
	struct sample s[SHAPES];
	uint64_t lot = 1;

	(void)state;
	for (size_t k = 0; k < SHAPES; k++)
		sample_make(&s[k], &shapes[k]);
	for (unsigned long i = 0; i < n; i++) {
		struct damage d = {.s = &s[i % SHAPES]};

		damage(&d, &b, &lot);
		expect_honest(&d, b.data, b.len);
	}
	report("random damages of three files", n);
	buf_free(&b);
	for (size_t k = 0; k < SHAPES; k++)
		sample_fini(&s[k]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bit_costs_its_block_only),
		cmocka_unit_test(every_length_of_three_files_is_a_prefix),
		cmocka_unit_test(random_damage_is_told_and_costs_what_it_hit),
	};

	return cmocka_run_group_tests_name("damage_random", tests, NULL, NULL);
}
