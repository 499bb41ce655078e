/* block_test.c - formats/block.h: headers that vouch for themselves, frames that cannot explode */
#include "formats/block.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "formats/base/bytes.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

static const struct block_head some_head = {
	.type = BLOCK_CALLS, .codec = CODEC_ZSTD, .flags = BLOCK_ONE_FRAME, .sequence = UINT64_MAX - 1,
	.session = 0x1122334455667788, .stored_bytes = BLOCK_STORED_MAX, .plain_bytes = BLOCK_PLAIN_MAX,
	.first_ns = 3, .last_ns = UINT64_MAX, .count = BLOCK_COUNT_MAX, .epoch = 5, .payload_crc = 0xdeadbeef,
};

static void
a_header_is_64_bytes_as_documented(void **state)
{
	uint8_t raw[BLOCK_HEAD_BYTES];

	(void)state;
	block_head_put(raw, &some_head);
	assert_memory_equal(raw, "IoTB\4\1\2\0", 8);
	assert_int_equal(bytes_u64_at(raw + 8), UINT64_MAX - 1);
	assert_int_equal(bytes_u64_at(raw + 16), 0x1122334455667788);
	assert_int_equal(bytes_u32_at(raw + 24), BLOCK_STORED_MAX);
	assert_int_equal(bytes_u32_at(raw + 28), BLOCK_PLAIN_MAX);
	assert_int_equal(bytes_u64_at(raw + 32), 3);
	assert_int_equal(bytes_u64_at(raw + 40), UINT64_MAX);
	assert_int_equal(bytes_u32_at(raw + 48), BLOCK_COUNT_MAX);
	assert_int_equal(bytes_u32_at(raw + 52), 5);
	assert_int_equal(bytes_u32_at(raw + 56), 0xdeadbeef);
	assert_int_equal(bytes_u32_at(raw + 60), block_crc(raw, 60));
}

static void
a_header_comes_back_and_every_turned_bit_is_seen(void **state)
{
	uint8_t raw[BLOCK_HEAD_BYTES], again[BLOCK_HEAD_BYTES];
	struct block_head head;

	(void)state;
	block_head_put(raw, &some_head);
	assert_int_equal(block_head_get(raw, &head, NULL), 0);
	block_head_put(again, &head);
	assert_memory_equal(raw, again, sizeof(raw));
	for (int bit = 0; bit < 8 * BLOCK_HEAD_BYTES; bit++) {
		raw[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(block_head_get(raw, &head, NULL), IOTAP_ECORRUPT);
		raw[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

static void
limits_hold_even_with_a_right_checksum(void **state)
{
	struct block_head plain = some_head, stored = some_head, count = some_head, head;
	const struct block_head *const heads[] = {&plain, &stored, &count};

	(void)state;
	plain.plain_bytes++;
	stored.stored_bytes++;
	count.count++;
	for (int i = 0; i < 3; i++) {
		uint8_t raw[BLOCK_HEAD_BYTES];

		block_head_put(raw, heads[i]);
		assert_int_equal(block_head_get(raw, &head, NULL), IOTAP_ECORRUPT);
	}
}

static void
crc_is_that_of_zlib(void **state)
{
	(void)state;
	assert_int_equal(block_crc("123456789", 9), 0xcbf43926);
	assert_int_equal(block_crc(NULL, 0), 0);
}

static void
a_block_comes_back(void **state)
{
	static const size_t sizes[] = {0, 1, 23, 24, 1000, 100000, BLOCK_PLAIN_MAX};
	struct codec *const codec = codec_new(1);
	uint8_t *const plain = calloc(1, BLOCK_PLAIN_MAX);

	(void)state;
	for (size_t i = 0; i < BLOCK_PLAIN_MAX; i++)
		plain[i] = (uint8_t)(i % 7 * (i % 1000 < 500));
	for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		const size_t n = sizes[i / 2];
		struct block_head head = {.type = BLOCK_RECORDS}, got;
		struct buf out = {0}, scratch = {0};
		const uint8_t *back;

		assert_int_equal(block_put(codec, i % 2 ? CODEC_ZSTD : CODEC_NONE, &head, plain, n, &out, NULL), 0);
		assert_int_equal(block_head_get(out.data, &got, NULL), 0);
		assert_int_equal(got.stored_bytes, out.len - BLOCK_HEAD_BYTES);
		assert_int_equal(got.codec, i % 2 && n >= 1000 ? CODEC_ZSTD : CODEC_NONE);
		assert_true(got.stored_bytes <= n);
		assert_int_equal(got.payload_crc, block_crc(out.data + BLOCK_HEAD_BYTES, got.stored_bytes));
		assert_int_equal(block_plain(codec, &got, out.data + BLOCK_HEAD_BYTES, &scratch, &back, NULL), 0);
		assert_int_equal(got.plain_bytes, n);
		assert_memory_equal(back, plain, n);
		buf_free(&out);
		buf_free(&scratch);
	}
	free(plain);
	codec_free(codec);
}

static void
more_than_a_block_is_refused(void **state)
{
	struct codec *const codec = codec_new(1);
	uint8_t *const plain = calloc(1, BLOCK_PLAIN_MAX + 1);
	struct block_head head = {.type = BLOCK_RECORDS};
	struct buf out = {0};

	(void)state;
	assert_int_equal(block_put(codec, CODEC_ZSTD, &head, plain, BLOCK_PLAIN_MAX + 1, &out, NULL), IOTAP_ELIMIT);
	free(plain);
	buf_free(&out);
	codec_free(codec);
}

/* A zstd frame of n zero bytes with parameters of our own; returned in *out. */
static size_t
frame(size_t n, int checksum, int window_log, int known_size, uint8_t *out, size_t room)
{
	uint8_t *const zeros = calloc(1, n);
	ZSTD_CCtx *const c = ZSTD_createCCtx();
	ZSTD_inBuffer in = {.src = zeros, .size = n};
	ZSTD_outBuffer o = {.dst = out, .size = room};

	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, checksum);
	ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window_log);
	if (known_size)
		ZSTD_CCtx_setPledgedSrcSize(c, n);
	assert_int_equal(ZSTD_compressStream2(c, &o, &in, ZSTD_e_continue), 0);
	assert_int_equal(ZSTD_compressStream2(c, &o, &in, ZSTD_e_end), 0);
	ZSTD_freeCCtx(c);
	free(zeros);
	return o.pos;
}

static int
unpack(const uint8_t *p, size_t n, size_t plain)
{
	struct codec *const codec = codec_new(1);
	uint8_t *const copy = sample_copy(p, n);
	uint8_t *const out = malloc(plain > 0 ? plain : 1);
	const int r = codec_unpack(codec, CODEC_ZSTD, copy, n, out, plain, NULL);

	codec_free(codec);
	free(copy);
	free(out);
	return r;
}

static void
frames_that_are_not_ours_are_refused(void **state)
{
	static uint8_t raw[65536];
	size_t n = frame(100000, 1, 17, 1, raw, sizeof(raw));

	(void)state;
	assert_int_equal(unpack(raw, n, 100000), 0);
	assert_int_equal(unpack(raw, n, 99999), IOTAP_ECORRUPT);
	assert_int_equal(unpack(raw, n, 100001), IOTAP_ECORRUPT);
	for (size_t cut = 0; cut < n; cut++)
		assert_int_equal(unpack(raw, cut, 100000), IOTAP_ECORRUPT);
	n = frame(100000, 0, 17, 1, raw, sizeof(raw));
	assert_int_equal(unpack(raw, n, 100000), IOTAP_ECORRUPT);
	n = frame(100000, 1, 27, 0, raw, sizeof(raw));
	assert_int_equal(unpack(raw, n, 100000), IOTAP_ECORRUPT);
}

/* 64 MiB of zeros in some 2 KiB: no more than what was asked for is ever written. */
static void
a_bomb_does_not_explode(void **state)
{
	static uint8_t raw[65536];
	const size_t n = frame((size_t)64 << 20, 1, 20, 0, raw, sizeof(raw));

	(void)state;
	assert_true(n < 16384);
	assert_int_equal(unpack(raw, n, 1), IOTAP_ECORRUPT);
	assert_int_equal(unpack(raw, n, BLOCK_PLAIN_MAX), IOTAP_ECORRUPT);
}

static void
unknown_codecs_are_named(void **state)
{
	struct codec *const codec = codec_new(1);
	struct iotap_error err = {0};
	uint8_t out[4];

	(void)state;
	assert_int_equal(codec_unpack(codec, 2, "abcd", 4, out, 4, &err), IOTAP_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "codec 2"));
	assert_int_equal(codec_unpack(codec, CODEC_NONE, "abcd", 4, out, 3, &err), IOTAP_ECORRUPT);
	codec_free(codec);
}

static void
types_have_pinned_names(void **state)
{
	static const char *const names[] = {NULL, "header", "state", "records", "calls", "progress", "end",
					    "index", NULL};

	(void)state;
	for (uint32_t i = 1; i < 8; i++) {
		assert_string_equal(block_type_name(i), names[i]);
		assert_int_equal(block_type_named(names[i], strlen(names[i])), i);
	}
	assert_null(block_type_name(0));
	assert_null(block_type_name(8));
	assert_int_equal(block_type_named("heade", 5), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header_is_64_bytes_as_documented),
		cmocka_unit_test(a_header_comes_back_and_every_turned_bit_is_seen),
		cmocka_unit_test(limits_hold_even_with_a_right_checksum),
		cmocka_unit_test(crc_is_that_of_zlib),
		cmocka_unit_test(a_block_comes_back),
		cmocka_unit_test(more_than_a_block_is_refused),
		cmocka_unit_test(frames_that_are_not_ours_are_refused),
		cmocka_unit_test(a_bomb_does_not_explode),
		cmocka_unit_test(unknown_codecs_are_named),
		cmocka_unit_test(types_have_pinned_names),
	};

	return cmocka_run_group_tests_name("block", tests, NULL, NULL);
}
