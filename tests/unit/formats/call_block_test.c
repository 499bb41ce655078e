/* call_block_test.c - formats/call_block.h: calls there and back, in all columns or some; hostile payloads */
#include "formats/call_block.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/bytes.h"
#include "formats/calls.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

struct packed {
	struct block_head head;
	struct buf payload;
};

static struct packed
pack(const struct kr_call *calls, uint32_t n, enum block_codec codec)
{
	struct call_encoder *const e = call_encoder_new();
	struct codec *const c = codec_new(1);
	struct packed out = {.payload = {0}};

	memset(&out.head, 0, sizeof(out.head));
	assert_int_equal(call_encoder_add(e, calls, n), n);
	assert_int_equal(call_encoder_finish(e, c, codec, &out.head, &out.payload, NULL), 0);
	assert_int_equal(call_encoder_count(e), 0);
	call_encoder_free(e);
	codec_free(c);
	return out;
}

static struct kr_call *
sample_calls(uint32_t n)
{
	struct kr_call *const calls = calloc(n + 1, sizeof(*calls));

	for (uint32_t i = 0; i < n; i++)
		calls[i] = sample_call(i);
	return calls;
}

static void
expect_call(const struct kr_call *got, const struct kr_call *want)
{
	assert_int_equal(got->key_ns, want->key_ns);
	assert_int_equal(got->start_ns, want->start_ns);
	assert_int_equal(got->duration_ns, want->duration_ns);
	assert_int_equal(got->tid, want->tid);
	assert_int_equal(got->tgid, want->tgid);
	assert_int_equal(got->call, want->call);
	assert_int_equal(got->cpu, want->cpu);
	assert_int_equal(got->flags, want->flags);
	assert_int_equal(got->fd, want->fd);
	assert_int_equal(got->fd2, want->fd2);
	assert_int_equal(got->id, want->id);
	assert_int_equal(got->id2, want->id2);
	assert_int_equal(got->offset, want->offset);
	assert_int_equal(got->requested, want->requested);
	assert_int_equal(got->result, want->result);
	assert_int_equal(got->arg0, want->arg0);
	assert_int_equal(got->arg1, want->arg1);
	if (want->flags & KF_IDENTITY) {
		assert_int_equal(got->dev, want->dev);
		assert_int_equal(got->mode, want->mode);
		assert_int_equal(got->ino, want->ino);
	}
}

/* situation: 50 */
static void
calls_come_back(void **state)
{
	static const uint32_t sizes[] = {0, 1, 2, 255, 256, 1000, CALL_BLOCK_MAX};
	struct kr_call *const calls = sample_calls(CALL_BLOCK_MAX);
	struct call_decoder *const d = call_decoder_new();

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		const uint32_t n = sizes[i / 2];
		struct packed p = pack(calls, n, i % 2 ? CODEC_ZSTD : CODEC_NONE);
		uint8_t *const copy = sample_copy(p.payload.data, p.payload.len);
		struct call_columns c;

		assert_int_equal(p.head.count, n);
		assert_int_equal(p.head.stored_bytes, p.payload.len);
		assert_int_equal(p.head.first_ns, n ? calls[0].key_ns : 0);
		assert_int_equal(p.head.last_ns, n ? calls[n - 1].key_ns : 0);
		assert_int_equal(!!(p.head.flags & BLOCK_ONE_FRAME), n < 256);
		assert_int_equal(call_decoder_block(d, &p.head, copy, COL_ALL, &c, NULL), 0);
		assert_int_equal(c.n, n);
		for (uint32_t k = 0; k < n; k++) {
			struct kr_call got;

			call_columns_row(&c, k, &got);
			expect_call(&got, &calls[k]);
		}
		free(copy);
		buf_free(&p.payload);
	}
	free(calls);
	call_decoder_free(d);
}

static void
unknown_values_are_unknown_not_zero(void **state)
{
	struct kr_call call = {.key_ns = 10, .flags = KF_BEFORE, .tid = 1, .tgid = 1, .call = CALL_read};
	struct packed p = pack(&call, 1, CODEC_NONE);
	struct call_decoder *const d = call_decoder_new();
	struct call_columns c;

	(void)state;
	assert_int_equal(call_decoder_block(d, &p.head, p.payload.data, COL_ALL, &c, NULL), 0);
	assert_int_equal(c.duration[0], UINT64_MAX);
	assert_int_equal(c.requested[0], UINT64_MAX);
	assert_int_equal(c.offset[0], UINT64_MAX);
	assert_int_equal(c.arg0[0], UINT64_MAX);
	assert_int_equal(c.arg1[0], UINT64_MAX);
	assert_int_equal(c.fd[0], -1);
	assert_int_equal(c.fd2[0], -1);
	assert_int_equal(c.target[0], 0);
	assert_int_equal(c.target2[0], 0);
	buf_free(&p.payload);
	call_decoder_free(d);
}

/* The largest and smallest values that each member can have, next to each other. */
/* situation: 51 */
static void
extreme_values_come_back(void **state)
{
	struct kr_call calls[4] = {{.key_ns = 0}};
	struct call_decoder *const d = call_decoder_new();
	struct packed p;
	struct call_columns c;

	(void)state;
	for (int i = 0; i < 4; i++) {
		const uint64_t v = i & 1 ? UINT64_MAX - 1 : 0;

		calls[i] = (struct kr_call){
			.key_ns = i < 2 ? (uint64_t)i : v - 5 + (uint64_t)i, .duration_ns = v, .tid = (uint32_t)v,
			.tgid = (uint32_t)~v, .call = (uint16_t)v, .cpu = (uint16_t)v,
			.flags = KF_FD | KF_SECOND | KF_OFFSET | KF_REQUESTED | KF_ARGS | 1u << 31,
			.fd = i & 1 ? INT32_MIN : INT32_MAX, .fd2 = i & 1 ? INT32_MAX : INT32_MIN,
			.id = v, .id2 = UINT64_MAX - (uint64_t)i, .offset = i & 1 ? INT64_MIN : INT64_MAX,
			.requested = v, .result = i & 1 ? INT64_MAX : INT64_MIN, .arg0 = v - 1, .arg1 = v - 2,
		};
		calls[i].start_ns = calls[i].key_ns - v;
		if (v - 1 == UINT64_MAX)
			calls[i].arg0 = 7;
	}
	p = pack(calls, 4, CODEC_NONE);
	assert_int_equal(call_decoder_block(d, &p.head, p.payload.data, COL_ALL, &c, NULL), 0);
	for (uint32_t i = 0; i < 4; i++) {
		struct kr_call got;

		call_columns_row(&c, i, &got);
		expect_call(&got, &calls[i]);
	}
	buf_free(&p.payload);
	call_decoder_free(d);
}

#define EXPECT_COLUMN(name) do { \
	if (columns & COL_BIT(name)) \
		assert_memory_equal(some.name, all.name, all.n * sizeof(*all.name)); \
	else if (!(some.columns & COL_BIT(name))) \
		assert_null(some.name); \
} while (0)

/* Each column alone, and each pair, gives what all together give. */
static void
some_columns_are_as_in_all(void **state)
{
	struct kr_call *const calls = sample_calls(500);
	struct call_decoder *const d = call_decoder_new(), *const e = call_decoder_new();
	struct packed p = pack(calls, 500, CODEC_ZSTD);
	struct call_columns all, some;

	(void)state;
	assert_int_equal(call_decoder_block(d, &p.head, p.payload.data, COL_ALL, &all, NULL), 0);
	for (int a = 1; a < COL_END; a++) {
		for (int b = a; b < COL_END; b++) {
			const uint32_t columns = 1u << a | 1u << b;

			assert_int_equal(call_decoder_block(e, &p.head, p.payload.data, columns, &some, NULL), 0);
			assert_int_equal(some.columns & columns, columns);
			EXPECT_COLUMN(key);
			EXPECT_COLUMN(duration);
			EXPECT_COLUMN(call);
			EXPECT_COLUMN(flags);
			EXPECT_COLUMN(thread);
			EXPECT_COLUMN(cpu);
			EXPECT_COLUMN(fd);
			EXPECT_COLUMN(fd2);
			EXPECT_COLUMN(target);
			EXPECT_COLUMN(target2);
			EXPECT_COLUMN(requested);
			EXPECT_COLUMN(result);
			EXPECT_COLUMN(offset);
			EXPECT_COLUMN(arg0);
			EXPECT_COLUMN(arg1);
		}
	}
	free(calls);
	buf_free(&p.payload);
	call_decoder_free(d);
	call_decoder_free(e);
}

static void
a_full_block_takes_no_more(void **state)
{
	struct kr_call *const calls = sample_calls(CALL_BLOCK_MAX);
	struct call_encoder *const e = call_encoder_new();

	(void)state;
	assert_int_equal(call_encoder_add(e, calls, 10), 10);
	assert_int_equal(call_encoder_add(e, calls, CALL_BLOCK_MAX), CALL_BLOCK_MAX - 10);
	assert_int_equal(call_encoder_add(e, calls, 1), 0);
	free(calls);
	call_encoder_free(e);
}

/* The most a block can hold: every call with two targets and a thread of its own, numbers all long. */
static void
the_largest_block_is_within_the_limits(void **state)
{
	struct kr_call *const calls = calloc(CALL_BLOCK_MAX, sizeof(*calls));
	struct call_decoder *const d = call_decoder_new();
	uint64_t lot = 1;
	struct packed p;
	struct call_columns c;

	(void)state;
	for (uint32_t i = 0; i < CALL_BLOCK_MAX; i++) {
		memset(&calls[i], 0, sizeof(calls[i]));
		calls[i].key_ns = sample_lot(&lot) | UINT64_C(1) << 63;
		calls[i].duration_ns = calls[i].key_ns - 1;
		calls[i].requested = calls[i].arg0 = calls[i].arg1 = sample_lot(&lot) | UINT64_C(1) << 63;
		calls[i].id = sample_lot(&lot);
		calls[i].id2 = sample_lot(&lot);
		calls[i].dev = calls[i].mode = calls[i].flags = UINT32_MAX;
		calls[i].ino = UINT64_MAX;
		calls[i].fd = calls[i].fd2 = INT32_MIN;
		calls[i].call = calls[i].cpu = UINT16_MAX;
		calls[i].offset = calls[i].result = (int64_t)sample_lot(&lot);
		calls[i].tid = (uint32_t)sample_lot(&lot);
		calls[i].tgid = (uint32_t)sample_lot(&lot);
	}
	p = pack(calls, CALL_BLOCK_MAX, CODEC_ZSTD);
	assert_true(p.head.plain_bytes <= BLOCK_PLAIN_MAX);
	assert_true(p.head.stored_bytes <= BLOCK_STORED_MAX);
	assert_int_equal(call_decoder_block(d, &p.head, p.payload.data, COL_ALL, &c, NULL), 0);
	assert_int_equal(c.n_targets, 2 * CALL_BLOCK_MAX);
	assert_int_equal(c.n_threads, CALL_BLOCK_MAX);
	assert_int_equal(c.offset[CALL_BLOCK_MAX - 1], (uint64_t)calls[CALL_BLOCK_MAX - 1].offset);
	free(calls);
	buf_free(&p.payload);
	call_decoder_free(d);
}

static void
an_undefined_target_is_known_by_its_inode(void **state)
{
	struct kr_call calls[3] = {
		{.flags = KF_IDENTITY | KF_UNDEFINED, .dev = 1, .ino = 2, .mode = 0140777},
		{.flags = KF_IDENTITY | KF_UNDEFINED, .dev = 1, .ino = 3, .mode = 0100600},
		{.flags = KF_IDENTITY | KF_UNDEFINED, .dev = 1, .ino = 2, .mode = 0140777},
	};
	struct packed p = pack(calls, 3, CODEC_NONE);
	struct call_decoder *const d = call_decoder_new();
	struct call_columns c;

	(void)state;
	assert_int_equal(call_decoder_block(d, &p.head, p.payload.data, COL_ALL, &c, NULL), 0);
	assert_int_equal(c.n_targets, 2);
	assert_int_equal(c.target[0], 1);
	assert_int_equal(c.target[1], 2);
	assert_int_equal(c.target[2], 1);
	assert_int_equal(c.targets[0].ino, 2);
	assert_int_equal(c.targets[0].kind, KR_KIND_SOCKET);
	assert_int_equal(c.targets[1].kind, KR_KIND_FILE);
	buf_free(&p.payload);
	call_decoder_free(d);
}

/* -- hostile payloads: the checksum of the block is right, what is in it is not -- */

static int
decode_raw(const struct block_head *head, const uint8_t *p, size_t n)
{
	struct call_decoder *const d = call_decoder_new();
	uint8_t *const copy = sample_copy(p, n);
	struct call_columns c;
	const int r = call_decoder_block(d, head, copy, COL_ALL, &c, NULL);

	for (uint32_t i = 0; r == 0 && i < c.n; i++) {
		struct kr_call call;

		assert_true(c.thread[i] < c.n_threads);
		assert_true(c.target[i] <= c.n_targets && c.target2[i] <= c.n_targets);
		call_columns_row(&c, i, &call);
	}
	assert_true(r == 0 || r == IOTAP_ECORRUPT || r == IOTAP_EUNSUPPORTED);
	free(copy);
	call_decoder_free(d);
	return r;
}

/* situation: 50 */
static void
every_changed_byte_is_survived(void **state)
{
	struct kr_call *const calls = sample_calls(60);
	uint64_t lot = 3;

	(void)state;
	for (int codec = 0; codec < 2; codec++) {
		struct packed p = pack(calls, 60, codec ? CODEC_ZSTD : CODEC_NONE);

		for (size_t i = 0; i < p.payload.len; i++) {
			const uint8_t was = p.payload.data[i];

			for (int k = 0; k < 4; k++) {
				p.payload.data[i] = k == 0 ? 0xff : k == 1 ? 0 : (uint8_t)sample_lot(&lot);
				(void)decode_raw(&p.head, p.payload.data, p.payload.len);
			}
			p.payload.data[i] = was;
		}
		for (size_t n = 0; n < p.payload.len; n++) {
			p.head.stored_bytes = (uint32_t)n;
			assert_int_equal(decode_raw(&p.head, p.payload.data, n), IOTAP_ECORRUPT);
		}
		buf_free(&p.payload);
	}
	free(calls);
}

static void
counts_that_are_not_there_are_refused(void **state)
{
	struct kr_call *const calls = sample_calls(300);
	struct packed p = pack(calls, 300, CODEC_ZSTD);
	struct block_head head = p.head;

	(void)state;
	head.count = 301;
	assert_int_equal(decode_raw(&head, p.payload.data, p.payload.len), IOTAP_ECORRUPT);
	head.count = 299;
	assert_int_equal(decode_raw(&head, p.payload.data, p.payload.len), IOTAP_ECORRUPT);
	head.count = BLOCK_COUNT_MAX;
	assert_int_equal(decode_raw(&head, p.payload.data, p.payload.len), IOTAP_ECORRUPT);
	head = p.head;
	head.plain_bytes++;
	assert_int_equal(decode_raw(&head, p.payload.data, p.payload.len), IOTAP_ECORRUPT);
	bytes_set_u32(p.payload.data, UINT32_MAX);
	assert_int_equal(decode_raw(&p.head, p.payload.data, p.payload.len), IOTAP_ECORRUPT);
	free(calls);
	buf_free(&p.payload);
}

/* The directory of an uncompressed block of one call; column with this id gets this one value. */
static void
set_value(struct packed *p, uint8_t id, uint8_t value)
{
	const uint32_t n_columns = bytes_u16_at(p->payload.data + 8);
	size_t at = 10 + 10 * (size_t)n_columns;

	for (uint32_t i = 0; i < n_columns; i++) {
		const uint8_t *const entry = p->payload.data + 10 + 10 * (size_t)i;

		if (entry[0] == id) {
			p->payload.data[at] = value;
			return;
		}
		at += bytes_u32_at(entry + 6);
	}
	fail_msg("no column %u", id);
}

static void
indices_outside_their_dictionary_are_refused(void **state)
{
	const struct kr_call calls[2] = {
		{.key_ns = 1, .id = 5, .id2 = 6, .flags = KF_SECOND, .tid = 1, .tgid = 1},
		{.key_ns = 2, .id = 5, .id2 = 6, .flags = KF_SECOND, .tid = 2, .tgid = 2}};
	struct packed p = pack(calls, 2, CODEC_NONE);

	(void)state;
	assert_int_equal(decode_raw(&p.head, p.payload.data, p.payload.len), 0);
	for (int value = 0; value < 128; value++) {
		/* 1 is the next new one, entry 1 of 2; 2 is the one after it; others are outside. So is the
		 * second call's, which is the one before, if the first has none. */
		const int want = value == 1 || value == 2 ? 0 : IOTAP_ECORRUPT;

		set_value(&p, COL_target, (uint8_t)value);
		assert_int_equal(decode_raw(&p.head, p.payload.data, p.payload.len), want);
		set_value(&p, COL_target, 1);
		set_value(&p, COL_target2, (uint8_t)value);
		assert_int_equal(decode_raw(&p.head, p.payload.data, p.payload.len), want);
		set_value(&p, COL_target2, 1);
	}
	set_value(&p, COL_thread, 2);
	assert_int_equal(decode_raw(&p.head, p.payload.data, p.payload.len), IOTAP_ECORRUPT);
	buf_free(&p.payload);
}

static void
unknown_columns_are_skipped_doubled_ones_refused(void **state)
{
	const struct kr_call call = {.key_ns = 9, .id = 5, .tid = 1, .tgid = 1, .cpu = 3};
	struct packed p = pack(&call, 1, CODEC_NONE);
	const uint32_t n_columns = bytes_u16_at(p.payload.data + 8);

	(void)state;
	for (uint32_t i = 0; i < n_columns; i++) {
		uint8_t *const id = p.payload.data + 10 + 10 * (size_t)i;
		const uint8_t was = *id;

		if (was == COL_cpu) {
			*id = 77;
			assert_int_equal(decode_raw(&p.head, p.payload.data, p.payload.len), 0);
		}
		*id = p.payload.data[10 + 10 * (size_t)(i ? 0 : 1)];
		assert_int_equal(decode_raw(&p.head, p.payload.data, p.payload.len), IOTAP_ECORRUPT);
		*id = was;
	}
	buf_free(&p.payload);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_come_back),
		cmocka_unit_test(unknown_values_are_unknown_not_zero),
		cmocka_unit_test(extreme_values_come_back),
		cmocka_unit_test(some_columns_are_as_in_all),
		cmocka_unit_test(a_full_block_takes_no_more),
		cmocka_unit_test(the_largest_block_is_within_the_limits),
		cmocka_unit_test(an_undefined_target_is_known_by_its_inode),
		cmocka_unit_test(every_changed_byte_is_survived),
		cmocka_unit_test(counts_that_are_not_there_are_refused),
		cmocka_unit_test(indices_outside_their_dictionary_are_refused),
		cmocka_unit_test(unknown_columns_are_skipped_doubled_ones_refused),
	};

	return cmocka_run_group_tests_name("call_block", tests, NULL, NULL);
}
