/* codec_test.c - the compressing half of formats/block.h: what comes back, and what is not believed */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "formats/block.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

/* What of zstd refuses; the test's own. Its functions are those below. */
static enum { NOTHING, NO_PACKER, NO_LEVEL, NO_CHECKSUM, NO_FRAME, NO_UNPACKER } refused;

#define REAL(name) ((typeof(&(name)))dlsym(RTLD_NEXT, #name))

ZSTD_CCtx *
ZSTD_createCCtx(void)
{
	return refused == NO_PACKER ? NULL : REAL(ZSTD_createCCtx)();
}

ZSTD_DCtx *
ZSTD_createDCtx(void)
{
	return refused == NO_UNPACKER ? NULL : REAL(ZSTD_createDCtx)();
}

size_t
ZSTD_CCtx_setParameter(ZSTD_CCtx *c, ZSTD_cParameter what, int value)
{
	if (refused == (what == ZSTD_c_checksumFlag ? NO_CHECKSUM : NO_LEVEL))
		return (size_t)-1;
	return REAL(ZSTD_CCtx_setParameter)(c, what, value);
}

size_t
ZSTD_compress2(ZSTD_CCtx *c, void *out, size_t room, const void *p, size_t n)
{
	return refused == NO_FRAME ? (size_t)-1 : REAL(ZSTD_compress2)(c, out, room, p, n);
}

static int
setup(void **state)
{
	*state = codec_new(1);
	return *state ? 0 : -1;
}

static int
teardown(void **state)
{
	codec_free(*state);
	codec_free(NULL);
	return 0;
}

/* Packs, unpacks from memory of exactly that size, and compares. The codec used. */
static int
there_and_back(struct codec *c, enum block_codec want, const void *p, size_t n)
{
	struct buf packed = {.data = NULL};
	uint8_t *stored, *plain = malloc(n + 1);
	int used;

	(void)buf_puts(&packed, "in front");
	used = codec_pack(c, want, p, n, &packed, NULL);
	assert_true(used >= 0);
	assert_memory_equal(packed.data, "in front", 8);
	assert_true(packed.len - 8 <= n);		/* never larger than it was */
	stored = sample_copy(packed.data + 8, packed.len - 8);
	plain[n] = 0xa5;
	assert_int_equal(codec_unpack(c, (uint32_t)used, stored, packed.len - 8, plain, n, NULL), 0);
	assert_memory_equal(plain, p, n);
	assert_int_equal(plain[n], 0xa5);
	free(stored);
	free(plain);
	buf_free(&packed);
	return used;
}

static void
there_and_back_again(void **state)
{
	uint8_t *const bytes = test_calloc(1, BLOCK_PLAIN_MAX);
	uint64_t lot = 1;

	assert_int_equal(there_and_back(*state, CODEC_ZSTD, bytes, BLOCK_PLAIN_MAX), CODEC_ZSTD);
	assert_int_equal(there_and_back(*state, CODEC_ZSTD, bytes, 1000), CODEC_ZSTD);
	assert_int_equal(there_and_back(*state, CODEC_NONE, bytes, 1000), CODEC_NONE);
	/* Where a frame would be larger, there is none. */
	for (size_t n = 0; n < 40; n++)
		(void)there_and_back(*state, CODEC_ZSTD, bytes, n);
	assert_int_equal(there_and_back(*state, CODEC_ZSTD, bytes, 0), CODEC_NONE);
	assert_int_equal(there_and_back(*state, CODEC_ZSTD, bytes, 20), CODEC_NONE);
	for (size_t i = 0; i < 100000; i++)
		bytes[i] = (uint8_t)sample_lot(&lot);
	assert_int_equal(there_and_back(*state, CODEC_ZSTD, bytes, 100000), CODEC_NONE);
	test_free(bytes);
}

static void
expect_refused(struct codec *c, const void *frame, size_t n, size_t plain, int code)
{
	uint8_t *const stored = sample_copy(frame, n), *const out = malloc(plain > 0 ? plain : 1);
	struct iotap_error err = {.code = 0};
	const int r = codec_unpack(c, CODEC_ZSTD, stored, n, out, plain, &err);

	if (r != code || err.text[0] == '\0')
		fail_msg("%d: %s", r, err.text);
	free(stored);
	free(out);
}

/* Any byte of a frame changed: its content checksum, or its header, tells. */
static void
changed_frames(void **state)
{
	struct buf packed = {.data = NULL};
	uint8_t plain[2000], out[2000];

	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (uint8_t)(i / 7);
	assert_int_equal(codec_pack(*state, CODEC_ZSTD, plain, sizeof(plain), &packed, NULL), CODEC_ZSTD);
	for (size_t i = 0; i < packed.len; i++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			int r;

			packed.data[i] ^= (uint8_t)(1u << bit);
			r = codec_unpack(*state, CODEC_ZSTD, packed.data, packed.len, out, sizeof(out), NULL);
			if (r != IOTAP_ECORRUPT && memcmp(plain, out, sizeof(plain)) != 0)
				fail_msg("byte %zu, bit %u: %d", i, bit, r);
			packed.data[i] ^= (uint8_t)(1u << bit);
		}
	}
	for (size_t n = 0; n < packed.len; n++)
		expect_refused(*state, packed.data, n, sizeof(plain), IOTAP_ECORRUPT);
	expect_refused(*state, packed.data, packed.len, sizeof(plain) - 1, IOTAP_ECORRUPT);
	expect_refused(*state, packed.data, packed.len, sizeof(plain) + 1, IOTAP_ECORRUPT);
	buf_free(&packed);
}

/* Frames that zstd would take, but that are none of ours. */
static void
foreign_frames(void **state)
{
	static const uint8_t plain[1000];
	uint8_t frame[2000] = {0};
	ZSTD_CCtx *const z = ZSTD_createCCtx();
	size_t n;

	n = ZSTD_compress2(z, frame, sizeof(frame), plain, sizeof(plain));	/* no checksum */
	assert_false(ZSTD_isError(n));
	expect_refused(*state, frame, n, sizeof(plain), IOTAP_ECORRUPT);
	(void)ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(z, frame, sizeof(frame), plain, sizeof(plain));
	assert_false(ZSTD_isError(n));
	assert_int_equal(codec_unpack(*state, CODEC_ZSTD, frame, n, frame + 1000, 1000, NULL), 0);
	memcpy(frame, "\x50\x2a\x4d\x18\x04\x00\x00\x00skip", 12);		/* skippable */
	expect_refused(*state, frame, 12, 0, IOTAP_ECORRUPT);
	/* A window of 2^31 bytes. */
	memcpy(frame, "\x28\xb5\x2f\xfd\x04\xa8\x01\x00\x00", 9);
	expect_refused(*state, frame, 9, 0, IOTAP_ECORRUPT);
	(void)ZSTD_freeCCtx(z);
}

/* Two frames, one after the other, give what both hold; that is not what a column has. */
static void
more_than_one_frame(void **state)
{
	static const uint8_t plain[500];
	struct buf packed = {.data = NULL};

	assert_int_equal(codec_pack(*state, CODEC_ZSTD, plain, sizeof(plain), &packed, NULL), CODEC_ZSTD);
	assert_int_equal(codec_pack(*state, CODEC_ZSTD, plain, sizeof(plain), &packed, NULL), CODEC_ZSTD);
	expect_refused(*state, packed.data, packed.len, sizeof(plain), IOTAP_ECORRUPT);
	buf_free(&packed);
}

static void
other_codecs(void **state)
{
	uint8_t out[4];

	assert_int_equal(codec_unpack(*state, 2, "abcd", 4, out, 4, NULL), IOTAP_EUNSUPPORTED);
	assert_int_equal(codec_unpack(*state, UINT32_MAX, "abcd", 4, out, 4, NULL), IOTAP_EUNSUPPORTED);
	assert_int_equal(codec_unpack(*state, CODEC_NONE, "abcd", 4, out, 3, NULL), IOTAP_ECORRUPT);
	assert_int_equal(codec_unpack(*state, CODEC_NONE, "abcd", 3, out, 4, NULL), IOTAP_ECORRUPT);
	assert_int_equal(codec_unpack(*state, CODEC_NONE, NULL, 0, NULL, 0, NULL), 0);
}

/* A buffer with a limit refuses; what it held is still there. */
static void
no_room(void **state)
{
	static const uint8_t plain[5000];
	struct buf packed = {.limit = 100};

	(void)buf_puts(&packed, "in front");
	assert_int_equal(codec_pack(*state, CODEC_ZSTD, plain, sizeof(plain), &packed, NULL), IOTAP_ENOMEM);
	assert_int_equal(packed.len, 8);
	buf_free(&packed);
}

/* zstd without memory, or that cannot: nothing is written, or what there is as it is. */
static void
zstd_refuses(void **state)
{
	static const uint8_t plain[5000];
	struct codec *c;
	struct buf packed = {.data = NULL}, whole = {.data = NULL};
	uint8_t out[sizeof(plain)];

	assert_int_equal(codec_pack(*state, CODEC_ZSTD, plain, sizeof(plain), &whole, NULL), CODEC_ZSTD);
	for (refused = NO_PACKER; refused <= NO_CHECKSUM; refused++) {
		c = codec_new(1);
		assert_int_equal(codec_pack(c, CODEC_ZSTD, plain, sizeof(plain), &packed, NULL), IOTAP_ENOMEM);
		assert_int_equal(packed.len, 0);
		codec_free(c);
	}
	c = codec_new(1);
	refused = NO_FRAME;
	assert_int_equal(codec_pack(c, CODEC_ZSTD, plain, sizeof(plain), &packed, NULL), CODEC_NONE);
	assert_int_equal(packed.len, sizeof(plain));
	refused = NO_UNPACKER;
	assert_int_equal(codec_unpack(c, CODEC_ZSTD, whole.data, whole.len, out, sizeof(out), NULL), IOTAP_ENOMEM);
	refused = NOTHING;
	assert_int_equal(codec_unpack(c, CODEC_ZSTD, whole.data, whole.len, out, sizeof(out), NULL), 0);
	assert_memory_equal(out, plain, sizeof(plain));
	codec_free(c);
	buf_free(&packed);
	buf_free(&whole);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(there_and_back_again),
		TEST(changed_frames),
		TEST(foreign_frames),
		TEST(more_than_one_frame),
		TEST(other_codecs),
		TEST(no_room),
		TEST(zstd_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
