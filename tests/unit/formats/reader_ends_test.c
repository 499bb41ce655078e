/* reader_ends_test.c - formats/reader.h: recordings behind each other, in each other, and cut anywhere
 *
 * What a reader says is compared as the comments of a dump. reader_test.c has single inputs.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/reader.h"
#include "formats/rectext.h"
#include "tests/lib/mend.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

/* Two recordings of different sessions, and what the test makes of them. */
struct pair {
	struct sample a, b;
	struct buf bytes;
};

static void
pair_make(struct pair *p)
{
	static const struct sample_shape other = {.codec = CODEC_NONE, .session = 5, .n_epochs = 1, .n_periods = 1,
						  .n_calls = 20};

	memset(p, 0, sizeof(*p));
	sample_make(&p->a, &sample_small);
	sample_make(&p->b, &other);
}

static void
pair_fini(struct pair *p)
{
	sample_fini(&p->a);
	sample_fini(&p->b);
	buf_free(&p->bytes);
}

static void
put(struct pair *p, const struct sample *s, uint32_t from, uint32_t to)
{
	if (from < to)
		assert_true(buf_put(&p->bytes, s->bytes.data + s->at[from], s->end[to - 1] - s->at[from]));
}

static unsigned int
count(const char *text, const char *words)
{
	unsigned int n = 0;

	for (const char *at = text; (at = strstr(at, words)); at++)
		n++;
	return n;
}

/* The dump has words, n times; the copy shows a sanitizer each byte beyond the end. */
static void
expect(const struct pair *p, const char *words, unsigned int n)
{
	uint8_t *const copy = sample_copy(p->bytes.data, p->bytes.len);
	struct buf text = {0};

	sample_read(copy, p->bytes.len, &text);
	if (count(buf_cstr(&text), words) != n)
		fail_msg("%u times \"%s\", not %u, in:\n%s", count(buf_cstr(&text), words), words, n, buf_cstr(&text));
	buf_free(&text);
	free(copy);
}

static void
another_recording(void **state)
{
	struct pair p;

	(void)state;
	pair_make(&p);
	put(&p, &p.a, 0, p.a.n);
	put(&p, &p.b, 0, p.b.n);
	expect(&p, "another recording follows", 1);
	expect(&p, "ends abruptly", 0);
	p.bytes.len -= 5;	/* cut, and then no header either */
	expect(&p, "another recording follows", 1);
	p.bytes.len -= p.b.end[p.b.n - 1] - p.b.at[p.b.n - 1] - 10;
	expect(&p, "another recording follows", 1);
	buf_clear(&p.bytes);
	put(&p, &p.a, 0, 3);
	put(&p, &p.b, 1, 3);
	put(&p, &p.a, 3, p.a.n);
	expect(&p, "blocks of another recording", 1);
	expect(&p, "\nblock end ", 1);
	expect(&p, "missing", 0);
	buf_clear(&p.bytes);
	put(&p, &p.a, 0, 3);
	put(&p, &p.b, 1, 3);
	assert_true(buf_put(&p.bytes, p.a.bytes.data, 64));
	p.bytes.data[p.bytes.len - 1] ^= 1;
	expect(&p, "blocks of another recording", 1);
	expect(&p, "bad checksum of a block header", 1);
	pair_fini(&p);
}

/* A search goes over the headers of another recording, and over blocks that were there before. */
static void
searching(void **state)
{
	struct pair p;
	size_t at;

	(void)state;
	pair_make(&p);
	put(&p, &p.a, 0, 3);
	at = p.bytes.len;
	put(&p, &p.a, 3, 4);
	p.bytes.data[at + BLOCK_HEAD_BYTES] ^= 1;
	put(&p, &p.b, 1, 3);
	put(&p, &p.a, 4, p.a.n);
	expect(&p, "bad checksum in a block of type", 1);
	expect(&p, " (1 block)", 1);
	expect(&p, "\nblock end ", 1);
	buf_clear(&p.bytes);
	put(&p, &p.a, 0, 4);
	assert_true(buf_printf(&p.bytes, "%70s", "no block"));
	put(&p, &p.a, 2, p.a.n);
	expect(&p, "no block begins here", 1);
	expect(&p, "left out", 2);
	expect(&p, "\nblock end ", 1);
	pair_fini(&p);
}

static void
odd_tails(void **state)
{
	struct pair p;

	(void)state;
	pair_make(&p);
	put(&p, &p.a, 0, p.a.n);
	assert_true(buf_printf(&p.bytes, "%70s" BLOCK_MAGIC "%10s", "no block", "short"));
	expect(&p, "no block begins here", 1);
	expect(&p, "ends abruptly", 0);
	buf_clear(&p.bytes);
	put(&p, &p.a, 0, p.a.n);
	assert_true(buf_puts(&p.bytes, "ab"));
	expect(&p, "bytes that are no block", 1);
	pair_fini(&p);
}

/* A block of a later version that is damaged; one that is whole but does not uncompress, at the end. */
static void
damaged_blocks(void **state)
{
	struct pair p;
	size_t at;

	(void)state;
	pair_make(&p);
	put(&p, &p.a, 0, p.a.n);
	p.bytes.data[p.a.at[2] + 4] = 200;
	mend(p.bytes.data, p.bytes.len);
	p.bytes.data[p.a.at[2] + BLOCK_HEAD_BYTES] ^= 1;
	expect(&p, "bad checksum in a block of type unknown", 1);
	buf_clear(&p.bytes);
	put(&p, &p.a, 0, p.a.n);
	at = p.a.at[p.a.n - 1];
	p.bytes.data[at + 5] = 7;
	mend(p.bytes.data, p.bytes.len);
	expect(&p, "compressed with codec 7 (1 block)", 1);
	expect(&p, "ends abruptly", 1);
	pair_fini(&p);
}

static void
assembled(struct pair *p, const char *text)
{
	struct iotap_error err = {0};

	buf_clear(&p->bytes);
	if (rectext_assemble(text, strlen(text), &p->bytes, &err) < 0)
		fail_msg("%s", err.text);
}

static void
versions(void **state)
{
	struct pair p = {.bytes = {0}};

	(void)state;
	assembled(&p, "block header\nhost format_major=99\nblock end\nend reason=1\n");
	expect(&p, "has format version 99.0, made by ; this program reads up to", 1);
	assembled(&p, "block header\nclock boot_ns=1\nblock end\nend reason=1\n");
	expect(&p, "\nblock end ", 1);
	assembled(&p, "block header\nblock end\nend reason=1\n");
	expect(&p, "\nblock end ", 1);
	buf_free(&p.bytes);
}

/* Blocks outside a range that are out of their order are told of like any other. */
static void
ranges(void **state)
{
	struct pair p;
	struct reader *r;
	struct reader_item item;
	unsigned int what[READER_TRUNCATED + 8] = {0};
	uint32_t calls = 0;

	(void)state;
	pair_make(&p);
	while (p.a.heads[calls].type != BLOCK_CALLS)
		calls++;
	put(&p, &p.a, 0, calls);
	put(&p, &p.a, calls + 1, p.a.n);
	put(&p, &p.a, calls, calls + 1);
	r = reader_new_memory(p.bytes.data, p.bytes.len, "x");
	reader_set_range(r, 0, 1);
	while (reader_next(r, &item) == 0)
		what[item.what]++;
	assert_int_equal(what[READER_GAP], 1);
	assert_int_equal(what[READER_REPEATED], 1);
	assert_true(what[READER_PASSED] > 0);
	reader_free(r);
	pair_fini(&p);
}

static int
tired(void *arg)
{
	++*(unsigned int *)arg;
	return 1;
}

/* A line for each item; ranges of other recordings that follow each other are one, however they are cut. */
static void
tell(struct buf *out, const struct reader_item *item, uint64_t *foreign_to)
{
	const bool goes_on = item->what == READER_FOREIGN && item->offset == *foreign_to;

	if (!goes_on)
		(void)buf_printf(out, "%d %llu %s\n", item->what, (unsigned long long)item->offset, item->text);
	*foreign_to = item->what == READER_FOREIGN ? item->offset + item->bytes : UINT64_MAX;
}

/* Whoever reads along may be called away at each byte: the reader goes on where it was. */
static void
called_away_at_each_byte(void **state)
{
	struct pair p;
	struct buf whole = {0}, got = {0};
	struct reader_item item;
	struct reader *r;
	uint64_t to = UINT64_MAX;
	unsigned int n_tired = 0;
	int fds[2], code;

	(void)state;
	pair_make(&p);
	put(&p, &p.a, 0, 3);
	put(&p, &p.b, 1, 3);
	assert_true(buf_printf(&p.bytes, "%70s", "no block"));
	put(&p, &p.a, 3, 4);
	r = reader_new_memory(p.bytes.data, p.bytes.len, "x");
	while (reader_next(r, &item) == 0)
		tell(&whole, &item, &to);
	to = UINT64_MAX;
	reader_free(r);
	assert_int_equal(pipe(fds), 0);
	r = reader_new_fd(fds[0], "x");
	reader_on_idle(r, tired, &n_tired);
	for (size_t i = 0; i <= p.bytes.len; i++) {
		while ((code = reader_next(r, &item)) == 0)
			tell(&got, &item, &to);
		assert_int_equal(code, 2);
		if (i < p.bytes.len)
			assert_int_equal(write(fds[1], p.bytes.data + i, 1), 1);
	}
	(void)close(fds[1]);
	while (reader_next(r, &item) == 0)
		tell(&got, &item, &to);
	assert_string_equal(buf_cstr(&got), buf_cstr(&whole));
	assert_true(n_tired >= p.bytes.len);
	reader_free(r);
	(void)close(fds[0]);
	buf_free(&whole);
	buf_free(&got);
	pair_fini(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_recording),
		cmocka_unit_test(searching),
		cmocka_unit_test(odd_tails),
		cmocka_unit_test(damaged_blocks),
		cmocka_unit_test(versions),
		cmocka_unit_test(ranges),
		cmocka_unit_test(called_away_at_each_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
