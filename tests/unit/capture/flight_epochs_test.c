/* flight_epochs_test.c - capture/flight.h: the latest epochs of a recording, which are a recording again */
#include "capture/flight.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/reader.h"
#include "formats/record.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

/* Gives blocks [from, to) of a sample to the recorder. */
static void
feed(struct flight *f, const struct sample *s, uint32_t from, uint32_t to)
{
	struct iotap_error err = {.code = 0};

	for (uint32_t i = from; i < to; i++) {
		if (s->heads[i].type != BLOCK_INDEX) /* of other offsets */
			assert_int_equal(flight_sink(f, &s->heads[i], s->bytes.data + s->at[i],
						     s->end[i] - s->at[i], &err),
					 0);
	}
}

struct found {
	uint32_t blocks, states, calls, other;
	uint64_t end_calls, end_blocks, last_first_ns;
};

/* Writes what is held and reads it: a recording without a gap, that knows its own size. */
static struct found
write_and_read(struct flight *f)
{
	const int fd = memfd_create("flight", MFD_CLOEXEC);
	struct iotap_error err = {.code = 0};
	struct buf bytes = {.data = NULL};
	struct found found = {.blocks = 0};
	struct reader_item item;
	struct reader *reader;

	if (flight_write(f, fd, &err) < 0)
		fail_msg("%s", err.text);
	(void)lseek(fd, 0, SEEK_SET);
	assert_true(io_read_rest(fd, &bytes));
	(void)close(fd);
	reader = reader_new_memory(bytes.data, bytes.len, "flight");
	while (reader_next(reader, &item) == 0) {
		found.other += item.what != READER_BLOCK;
		if (item.what != READER_BLOCK)
			continue;
		assert_int_equal(item.head.sequence, found.blocks);
		found.blocks++;
		found.states += item.head.type == BLOCK_STATE;
		assert_int_equal(item.head.epoch, found.states);
		if (item.head.type == BLOCK_CALLS)
			found.calls += item.head.count;
		if (item.head.type == BLOCK_END) {
			struct bytes_in in = bytes_in(item.payload, item.payload_bytes);
			struct record rec;

			while (record_next(&in, &rec, &err) == 0) {
				if (rec.type == REC_end) {
					found.end_calls = rec.u.end.calls;
					found.end_blocks = rec.u.end.blocks;
				}
			}
		}
	}
	reader_free(reader);
	buf_free(&bytes);
	assert_int_equal(found.other, 0);
	assert_int_equal(found.end_calls, found.calls);
	assert_int_equal(found.end_blocks, found.blocks);
	assert_int_equal(flight_bytes(f), 0);
	return found;
}

static uint32_t
calls_of(const struct sample *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += s->heads[i].type == BLOCK_CALLS ? s->heads[i].count : 0;
	return n;
}

static void
all_of_it_where_there_is_room(void **state)
{
	struct flight *const f = flight_new(1 << 30);
	struct found found;
	struct sample s;

	(void)state;
	sample_make(&s, &sample_small);
	feed(f, &s, 0, s.n);
	found = write_and_read(f);
	assert_int_equal(found.states, 3);
	assert_int_equal(found.calls, calls_of(&s));
	/* Another recording begins anew. */
	feed(f, &s, 0, s.n);
	assert_int_equal(write_and_read(f).calls, calls_of(&s));
	sample_fini(&s);
	flight_free(f);
	flight_free(NULL);
}

/* The less room, the fewer epochs: whole ones, the newest, and never more bytes than were asked for. */
static void
whole_epochs_go(void **state)
{
	const struct sample_shape shape = {
		.codec = CODEC_NONE, .session = 5, .n_epochs = 10, .n_periods = 2, .n_calls = 100};
	uint32_t states_before = 10;
	struct sample s;

	(void)state;
	sample_make(&s, &shape);
	for (uint64_t max = s.bytes.len * 2; max > s.bytes.len / 5; max -= s.bytes.len / 10) {
		struct flight *const f = flight_new(max);
		struct found found;

		for (uint32_t i = 0; i < s.n; i++) {
			feed(f, &s, i, i + 1);
			if (s.heads[i].type != BLOCK_END)
				assert_true(flight_bytes(f) <= max);
		}
		found = write_and_read(f);
		assert_true(found.states >= 1 && found.states <= states_before);
		assert_int_equal(found.calls, calls_of(&s) / 10 * found.states);
		states_before = found.states;
		flight_free(f);
	}
	assert_true(states_before < 5);
	sample_fini(&s);
}

/* Even a single epoch is too large: then there is a recording without calls, and the wish for an epoch. */
static void
room_for_nothing(void **state)
{
	struct flight *const f = flight_new(2000);
	struct found found;
	struct sample s;
	bool wanted = false;

	(void)state;
	sample_make(&s, &sample_small);
	for (uint32_t i = 0; i < s.n; i++) {
		feed(f, &s, i, i + 1);
		wanted = wanted || flight_wants_epoch(f);
	}
	assert_true(wanted);
	found = write_and_read(f);
	assert_true(found.calls < calls_of(&s));
	assert_true(found.blocks >= 2);
	sample_fini(&s);
	flight_free(f);
}

static void
an_epoch_is_wanted_when_it_has_its_part(void **state)
{
	const struct sample_shape shape = {
		.codec = CODEC_NONE, .session = 5, .n_epochs = 1, .n_periods = 20, .n_calls = 100};
	struct sample s;
	struct flight *f;
	uint64_t at = 0;

	(void)state;
	sample_make(&s, &shape);
	f = flight_new(s.bytes.len);
	for (uint32_t i = 0; i < s.n && at == 0; i++) {
		feed(f, &s, i, i + 1);
		if (flight_wants_epoch(f))
			at = flight_bytes(f);
	}
	assert_true(at >= s.bytes.len / FLIGHT_EPOCHS && at < s.bytes.len / FLIGHT_EPOCHS * 2);
	sample_fini(&s);
	flight_free(f);
}

static void
a_disk_that_is_full(void **state)
{
	struct flight *const f = flight_new(1 << 30);
	struct iotap_error err = {.code = 0};
	struct sample s;
	FILE *const full = fopen("/dev/full", "w");

	(void)state;
	sample_make(&s, &sample_small);
	feed(f, &s, 0, s.n);
	assert_non_null(full);
	assert_int_equal(flight_write(f, fileno(full), &err), IOTAP_EIO);
	(void)fclose(full);
	sample_fini(&s);
	flight_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_where_there_is_room),
		cmocka_unit_test(whole_epochs_go),
		cmocka_unit_test(room_for_nothing),
		cmocka_unit_test(an_epoch_is_wanted_when_it_has_its_part),
		cmocka_unit_test(a_disk_that_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
