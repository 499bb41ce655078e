/* reader_window_test.c - formats/reader.h: blocks outside a window of Unix time or of numbers, and when a reader
 * may go on at an epoch of the index
 *
 * reader_test.c has ranges of boot time, reader_index_test.c the epochs.
 */
#include "formats/reader.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/mend.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

static const struct sample_shape shape = {
	.codec = CODEC_NONE, .session = 77, .n_epochs = 3, .n_periods = 2, .n_calls = 40,
};

static const struct reader_window all = {INT64_MIN, INT64_MAX, 0, UINT64_MAX};

static uint32_t
calls_block(const struct sample *s, uint32_t n)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->heads[i].type == BLOCK_CALLS && n-- == 0)
			return i;
	}
	fail_msg("no such block of calls");
	return 0;
}

/* Does any call that this block could have, by its two times and its numbers, lie in the window? */
static bool
may_have(const struct reader_window *w, const struct block_head *h, uint64_t offset_ns, uint64_t number)
{
	const int64_t first = (int64_t)(h->first_ns + offset_ns), last = (int64_t)(h->last_ns + offset_ns);
	bool numbered = false;

	for (uint32_t i = 0; i < h->count; i++)
		numbered = numbered || (number + i >= w->first_number && number + i <= w->last_number);
	return numbered && first <= w->to_unix_ns && last >= w->from_unix_ns;
}

/* Every block comes; those of calls that can have nothing of the window come without their payload. How
 * many of these. */
static uint32_t
passed(const struct sample *s, const struct reader_window *w, uint64_t offset_ns)
{
	struct reader *const r = reader_new_memory(s->bytes.data, s->bytes.len, "sample");
	struct reader_item item;
	uint64_t number = 0;
	uint32_t n = 0;

	assert_non_null(r);
	reader_set_window(r, w);
	reader_set_unix_offset(r, offset_ns);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct block_head *const h = &s->heads[i];
		const bool calls = h->type == BLOCK_CALLS;
		const bool out = calls && !may_have(w, h, offset_ns, number);

		assert_int_equal(reader_next(r, &item), 0);
		assert_int_equal(item.what, out ? READER_PASSED : READER_BLOCK);
		assert_int_equal(item.head.sequence, i);
		if (out)
			assert_null(item.payload);
		number += calls ? h->count : 0;
		n += out;
	}
	assert_int_equal(reader_next(r, &item), 1);
	reader_free(r);
	return n;
}

/* Offsets on both sides of zero: Unix time may be less than the time since the boot. */
static void
unix_time(void **state)
{
	static const uint64_t offsets[] = {0, 1700000000000000000, (uint64_t)-1, (uint64_t)-4000000000000};
	struct sample s;

	(void)state;
	sample_make(&s, &shape);
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		const struct block_head *const h = &s.heads[calls_block(&s, 2)];
		const int64_t first = (int64_t)(h->first_ns + offsets[i]), last = (int64_t)(h->last_ns + offsets[i]);
		struct reader_window w = all;

		assert_int_equal(passed(&s, &w, offsets[i]), 0);
		w.from_unix_ns = last;
		assert_int_equal(passed(&s, &w, offsets[i]), 2);
		w.from_unix_ns = last + 1;
		assert_int_equal(passed(&s, &w, offsets[i]), 3);
		w = all;
		w.to_unix_ns = first;
		assert_int_equal(passed(&s, &w, offsets[i]), 3);
		w.to_unix_ns = first - 1;
		assert_int_equal(passed(&s, &w, offsets[i]), 4);
		w.from_unix_ns = first;
		w.to_unix_ns = last;
		assert_int_equal(passed(&s, &w, offsets[i]), 5);
	}
	sample_fini(&s);
}

static void
numbers(void **state)
{
	struct reader_window w = all;
	struct sample s;

	(void)state;
	sample_make(&s, &shape);	/* 6 blocks of 40 calls */
	assert_int_equal(s.heads[calls_block(&s, 5)].count, 40);
	w.first_number = 79;
	assert_int_equal(passed(&s, &w, 0), 1);
	w.first_number = 80;
	assert_int_equal(passed(&s, &w, 0), 2);
	w.first_number = 240;
	assert_int_equal(passed(&s, &w, 0), 6);
	w.first_number = UINT64_MAX;
	assert_int_equal(passed(&s, &w, 0), 6);
	w = all;
	w.last_number = 40;
	assert_int_equal(passed(&s, &w, 0), 4);
	w.last_number = 39;
	assert_int_equal(passed(&s, &w, 0), 5);
	w.last_number = 0;
	assert_int_equal(passed(&s, &w, 0), 5);
	w.first_number = w.last_number = 100;
	assert_int_equal(passed(&s, &w, 0), 5);
	sample_fini(&s);
}

/* -- epochs -- */

/* Reads n items of a file of these bytes, and asks for the epoch of from_ns. *left: how many items come then. */
static bool
seeks_after(const uint8_t *p, size_t len, uint64_t from_ns, uint32_t n, uint32_t *left)
{
	const int fd = memfd_create("recording", MFD_CLOEXEC);
	struct reader_item item;
	struct reader *r;
	uint64_t calls = 4711;
	bool sought;

	assert_int_equal(write(fd, p, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	r = reader_new_fd(fd, "file");
	assert_non_null(r);
	reader_set_range(r, from_ns, UINT64_MAX);
	while (n-- > 0)
		assert_int_equal(reader_next(r, &item), 0);
	sought = reader_seek_range(r, &calls);
	if (!sought)
		assert_int_equal(calls, 4711);
	for (*left = 0; reader_next(r, &item) == 0; ++*left)
		continue;
	assert_int_equal(reader_error(r)->code, 0);
	reader_free(r);
	assert_int_equal(close(fd), 0);
	return sought;
}

/* Before the first block there is no session, after the last nothing is ahead. */
static void
where_a_reader_goes_on(void **state)
{
	struct sample s;
	uint64_t from_ns;
	uint32_t left;

	(void)state;
	sample_make(&s, &shape);
	from_ns = s.heads[calls_block(&s, 4)].first_ns;
	assert_false(seeks_after(s.bytes.data, s.bytes.len, from_ns, 0, &left));
	assert_int_equal(left, s.n);
	assert_true(seeks_after(s.bytes.data, s.bytes.len, from_ns, 1, &left));
	assert_true(left < s.n - 1);
	assert_false(seeks_after(s.bytes.data, s.bytes.len, from_ns, s.n, &left));
	assert_int_equal(left, 0);
	assert_true(buf_printf(&s.bytes, "%100s", "behind its end"));
	assert_false(seeks_after(s.bytes.data, s.bytes.len, from_ns, s.n, &left));
	assert_int_equal(left, 1);
	sample_fini(&s);
}

static int
tired(void *arg)
{
	return *(const int *)arg;
}

/* In the middle of a search nothing is believed. */
static void
a_search_is_not_left(void **state)
{
	struct sample s;
	struct reader_item item;
	struct reader *r;
	uint64_t calls;
	int fds[2], stop = 1;

	(void)state;
	sample_make(&s, &shape);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], s.bytes.data, s.end[0]), s.end[0]);
	assert_int_equal(write(fds[1], s.bytes.data + 4, 100), 100);
	r = reader_new_fd(fds[0], "pipe");
	assert_non_null(r);
	reader_on_idle(r, tired, &stop);
	assert_int_equal(reader_next(r, &item), 0);
	assert_int_equal(reader_next(r, &item), 2);
	assert_false(reader_seek_range(r, &calls));
	assert_int_equal(close(fds[1]), 0);
	assert_int_equal(reader_next(r, &item), 0);
	assert_int_equal(item.what, READER_DAMAGE);
	assert_int_equal(item.bytes, 100);
	reader_free(r);
	assert_int_equal(close(fds[0]), 0);
	sample_fini(&s);
}

/* The first block says that it is a late one: the place of the index would lead back. All blocks come, as
 * ones that are out of their order, and that there is no end. */
static void
an_epoch_of_before_is_no_place(void **state)
{
	enum { SEQUENCE_AT = 8 };
	struct sample s;
	uint32_t left;

	(void)state;
	sample_make(&s, &shape);
	memset(s.bytes.data + SEQUENCE_AT, 0x10, 8);
	mend(s.bytes.data, s.bytes.len);
	assert_false(seeks_after(s.bytes.data, s.bytes.len, s.heads[calls_block(&s, 4)].first_ns, 2, &left));
	assert_int_equal(left, s.n - 1 + 1);
	sample_fini(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unix_time),
		cmocka_unit_test(numbers),
		cmocka_unit_test(where_a_reader_goes_on),
		cmocka_unit_test(a_search_is_not_left),
		cmocka_unit_test(an_epoch_of_before_is_no_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
