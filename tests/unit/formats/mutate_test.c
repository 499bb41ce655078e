/* mutate_test.c - recordings that are wrong inside while every checksum is right
 *
 * A sample is changed at random places and its checksums are repaired, so that the change gets past
 * them; then all of it is read and decoded. Nothing may crash, hang, or read beyond the input; the
 * lots are the same in every run.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/base/bytes.h"
#include "formats/block.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

enum { ROUNDS = 1500, SECONDS_MAX = 20 };

static const uint8_t tempting[] = {0, 1, 0x7f, 0x80, 0xff, 0xfe, 4, 7, 10, 100, 101, 129};

/* Changes one to four bytes of a block, of its header or its payload. */
static void
change_block(uint8_t *block, size_t n, uint64_t *lot)
{
	const uint64_t changes = 1 + sample_lot(lot) % 4;

	for (uint64_t i = 0; i < changes; i++) {
		const bool in_head = sample_lot(lot) % 4 == 0;
		const size_t at = in_head || n == BLOCK_HEAD_BYTES ? sample_lot(lot) % BLOCK_HEAD_BYTES :
				  BLOCK_HEAD_BYTES + sample_lot(lot) % (n - BLOCK_HEAD_BYTES);

		block[at] = sample_lot(lot) & 1 ? tempting[sample_lot(lot) % sizeof(tempting)] :
			    (uint8_t)sample_lot(lot);
	}
}

static void
repair_block(uint8_t *block, size_t n)
{
	memcpy(block, BLOCK_MAGIC, 4);
	bytes_set_u32(block + 56, block_crc(block + BLOCK_HEAD_BYTES, n - BLOCK_HEAD_BYTES));
	bytes_set_u32(block + 60, block_crc(block, 60));
}

static void
mutate(const struct sample_shape *shape, uint64_t seed)
{
	const time_t until = time(NULL) + SECONDS_MAX;
	struct sample s;
	uint64_t lot = seed;

	sample_make(&s, shape);
	for (int round = 0; round < ROUNDS && time(NULL) < until; round++) {
		uint8_t *const copy = sample_copy(s.bytes.data, s.bytes.len);
		struct buf text = {0};

		for (uint64_t i = 1 + sample_lot(&lot) % 3; i > 0; i--) {
			const uint32_t k = (uint32_t)(sample_lot(&lot) % s.n);

			change_block(copy + s.at[k], s.end[k] - s.at[k], &lot);
			repair_block(copy + s.at[k], s.end[k] - s.at[k]);
		}
		sample_read(copy, s.bytes.len, &text);
		assert_true(text.len > 0);
		buf_free(&text);
		free(copy);
	}
	sample_fini(&s);
}

static void
a_plain_recording_may_say_anything(void **state)
{
	const struct sample_shape shape = {.codec = CODEC_NONE, .session = 1, .n_epochs = 2, .n_periods = 1,
					   .n_calls = 20};

	(void)state;
	mutate(&shape, 1);
}

static void
a_compressed_recording_may_say_anything(void **state)
{
	const struct sample_shape shape = {.codec = CODEC_ZSTD, .session = 1, .n_epochs = 2, .n_periods = 1,
					   .n_calls = 20};

	(void)state;
	mutate(&shape, 2);
}

/* Each column a frame of its own. */
static void
a_large_block_may_say_anything(void **state)
{
	const struct sample_shape shape = {.codec = CODEC_ZSTD, .session = 1, .n_epochs = 1, .n_periods = 1,
					   .n_calls = 300};

	(void)state;
	mutate(&shape, 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_recording_may_say_anything),
		cmocka_unit_test(a_compressed_recording_may_say_anything),
		cmocka_unit_test(a_large_block_may_say_anything),
	};

	return cmocka_run_group_tests_name("mutate", tests, NULL, NULL);
}
