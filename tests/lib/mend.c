/* mend.c - makes the checksums of a damaged recording right */
#include "tests/lib/mend.h"

#include <string.h>

#include "formats/base/bytes.h"
#include "formats/block.h"

enum { STORED_AT = 24, PAYLOAD_CRC_AT = 56, HEAD_CRC_AT = 60 };	/* iotap-recording(5), "Blocks" */

void
mend(uint8_t *recording, size_t n)
{
	for (size_t at = 0; at + BLOCK_HEAD_BYTES <= n && memcmp(recording + at, BLOCK_MAGIC, 4) == 0;) {
		uint8_t *const head = recording + at;
		const size_t stored = bytes_u32_at(head + STORED_AT);

		if (stored > n - at - BLOCK_HEAD_BYTES)
			return;
		bytes_set_u32(head + PAYLOAD_CRC_AT, block_crc(head + BLOCK_HEAD_BYTES, stored));
		bytes_set_u32(head + HEAD_CRC_AT, block_crc(head, HEAD_CRC_AT));
		at += BLOCK_HEAD_BYTES + stored;
	}
}
