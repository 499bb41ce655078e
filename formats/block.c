/* block.c - headers of blocks, and blocks of records */
#include "formats/block.h"

#include <string.h>
#include <zlib.h>

#include "formats/base/bytes.h"

static const char *const type_names[BLOCK_TYPE_END] = {
	[BLOCK_HEADER] = "header", [BLOCK_STATE] = "state", [BLOCK_RECORDS] = "records",
	[BLOCK_CALLS] = "calls", [BLOCK_PROGRESS] = "progress", [BLOCK_END] = "end",
	[BLOCK_INDEX] = "index",
};

const char *
block_type_name(uint32_t type)
{
	return type < BLOCK_TYPE_END ? type_names[type] : NULL;
}

uint32_t
block_type_named(const char *name, size_t n)
{
	for (uint32_t type = 1; type < BLOCK_TYPE_END; type++) {
		if (strlen(type_names[type]) == n && memcmp(type_names[type], name, n) == 0)
			return type;
	}
	return 0;
}

uint32_t
block_crc(const void *p, size_t n)
{
	return (uint32_t)crc32_z(0, n > 0 ? p : (const void *)"", n);
}

void
block_head_put(uint8_t out[BLOCK_HEAD_BYTES], const struct block_head *head)
{
	memcpy(out, BLOCK_MAGIC, 4);
	out[4] = head->type;
	out[5] = head->codec;
	bytes_set_u16(out + 6, head->flags);
	bytes_set_u64(out + 8, head->sequence);
	bytes_set_u64(out + 16, head->session);
	bytes_set_u32(out + 24, head->stored_bytes);
	bytes_set_u32(out + 28, head->plain_bytes);
	bytes_set_u64(out + 32, head->first_ns);
	bytes_set_u64(out + 40, head->last_ns);
	bytes_set_u32(out + 48, head->count);
	bytes_set_u32(out + 52, head->epoch);
	bytes_set_u32(out + 56, head->payload_crc);
	bytes_set_u32(out + 60, block_crc(out, 60));
}

int
block_head_get(const uint8_t in[BLOCK_HEAD_BYTES], struct block_head *out, struct iotap_error *err)
{
	if (memcmp(in, BLOCK_MAGIC, 4) != 0)
		return error_set(err, IOTAP_ECORRUPT, "no block begins here");
	if (bytes_u32_at(in + 60) != block_crc(in, 60))
		return error_set(err, IOTAP_ECORRUPT, "bad checksum of a block header");
	*out = (struct block_head){
		.type = in[4],
		.codec = in[5],
		.flags = bytes_u16_at(in + 6),
		.sequence = bytes_u64_at(in + 8),
		.session = bytes_u64_at(in + 16),
		.stored_bytes = bytes_u32_at(in + 24),
		.plain_bytes = bytes_u32_at(in + 28),
		.first_ns = bytes_u64_at(in + 32),
		.last_ns = bytes_u64_at(in + 40),
		.count = bytes_u32_at(in + 48),
		.epoch = bytes_u32_at(in + 52),
		.payload_crc = bytes_u32_at(in + 56),
	};
	if (out->plain_bytes > BLOCK_PLAIN_MAX || out->stored_bytes > BLOCK_STORED_MAX ||
	    out->count > BLOCK_COUNT_MAX)
		return error_set(err, IOTAP_ECORRUPT, "a block over the limits: plain %u, stored %u, entries %u",
				 out->plain_bytes, out->stored_bytes, out->count);
	return 0;
}

int
block_plain(struct codec *codec, const struct block_head *head, const uint8_t *stored,
	    struct buf *scratch, const uint8_t **plain, struct iotap_error *err)
{
	int r;

	if (head->codec == CODEC_NONE && head->stored_bytes == head->plain_bytes) {
		*plain = stored;
		return 0;
	}
	buf_clear(scratch);
	if (!buf_extend(scratch, head->plain_bytes))
		return error_set(err, IOTAP_ENOMEM, "a block of %u bytes: out of memory", head->plain_bytes);
	r = codec_unpack(codec, head->codec, stored, head->stored_bytes, scratch->data,
			 head->plain_bytes, err);
	*plain = scratch->data;
	return r;
}

int
block_put(struct codec *codec, enum block_codec want, struct block_head *head, const void *plain,
	  size_t n, struct buf *out, struct iotap_error *err)
{
	const size_t at = out->len;
	int used;

	if (n > BLOCK_PLAIN_MAX)
		return error_set(err, IOTAP_ELIMIT, "a block of more than %d bytes", BLOCK_PLAIN_MAX);
	if (!buf_extend(out, BLOCK_HEAD_BYTES))
		return error_set(err, IOTAP_ENOMEM, "a block of %zu bytes: out of memory", n);
	used = codec_pack(codec, want, plain, n, out, err);
	if (used < 0) {
		out->len = at;
		return used;
	}
	head->codec = (uint8_t)used;
	head->plain_bytes = (uint32_t)n;
	head->stored_bytes = (uint32_t)(out->len - at - BLOCK_HEAD_BYTES);
	head->payload_crc = block_crc(out->data + at + BLOCK_HEAD_BYTES, head->stored_bytes);
	block_head_put(out->data + at, head);
	return 0;
}
