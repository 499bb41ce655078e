/* call_parts.c - the payload of a CALLS block taken apart into its columns' bytes
 *
 * Sizes are compared with each other and with the block's before memory is asked for: the plain sizes
 * must add up to the header's, which is limited.
 */
#include "formats/call_parts.h"

static int
no_memory(struct iotap_error *err)
{
	return error_set(err, IOTAP_ENOMEM, "a block of calls: out of memory");
}

void
call_parts_fini(struct call_parts *p)
{
	buf_free(&p->scratch);
	buf_free(&p->joined);
}

/* Reads the directory, and finds each part's bytes in the rest of the payload unless they are joined. */
static int
directory_get(struct call_parts *p, struct bytes_in *in, uint32_t n_columns, bool joined,
	      uint64_t *plain_total, struct iotap_error *err)
{
	struct bytes_in dir = bytes_sub(in, (size_t)n_columns * CALL_PARTS_ENTRY);

	if (dir.bad)
		return error_set(err, IOTAP_ECORRUPT, "the directory of columns runs over the end");
	memset(p->part, 0, sizeof(p->part));
	*plain_total = 0;
	for (uint32_t i = 0; i < n_columns; i++) {
		struct call_part *const part = &p->part[bytes_get_u8(&dir)];

		if (part->there)
			return error_set(err, IOTAP_ECORRUPT, "a column is there twice");
		part->there = true;
		part->codec = bytes_get_u8(&dir);
		part->stored = bytes_get_u32(&dir);
		part->plain = bytes_get_u32(&dir);
		part->p = joined ? NULL : bytes_get(in, part->stored);
		*plain_total += part->plain;
		if (in->bad)
			return error_set(err, IOTAP_ECORRUPT, "a column runs over the end");
	}
	return 0;
}

/* Uncompresses the one frame and cuts it up in the order of the directory. */
static int
joined_get(struct call_parts *p, const struct block_head *head, struct bytes_in *in,
	   const uint8_t *directory, uint32_t n_columns, size_t plain_total, struct iotap_error *err)
{
	const size_t stored = bytes_left(in);
	const uint8_t *at;
	int r;

	buf_clear(&p->joined);
	if (!buf_extend(&p->joined, plain_total))
		return no_memory(err);
	r = codec_unpack(p->codec, head->codec, bytes_get(in, stored), stored, p->joined.data,
			 plain_total, err);
	at = p->joined.data;
	for (uint32_t i = 0; r == 0 && i < n_columns; i++) {
		struct call_part *const part = &p->part[directory[(size_t)i * CALL_PARTS_ENTRY]];

		part->p = at;
		part->stored = part->plain;
		part->codec = CODEC_NONE;
		at += part->plain;
	}
	return r;
}

int
call_parts_get(struct call_parts *p, const struct block_head *head, const uint8_t *payload,
	       struct iotap_error *err)
{
	struct bytes_in in = bytes_in(payload, head->stored_bytes);
	const bool joined = head->flags & BLOCK_ONE_FRAME;
	uint32_t n_columns;
	uint64_t plain = 0;
	int r;

	p->n_targets = bytes_get_u32(&in);
	p->n_threads = bytes_get_u32(&in);
	n_columns = bytes_get_u16(&in);
	r = directory_get(p, &in, n_columns, joined, &plain, err);
	if (r < 0)
		return r;
	if (plain + CALL_PARTS_FIXED + (uint64_t)n_columns * CALL_PARTS_ENTRY != head->plain_bytes)
		return error_set(err, IOTAP_ECORRUPT, "the columns' sizes differ from the block's");
	if (joined)
		r = joined_get(p, head, &in, payload + CALL_PARTS_FIXED, n_columns, (size_t)plain, err);
	if (r == 0 && bytes_left(&in) > 0)
		return error_set(err, IOTAP_ECORRUPT, "bytes after the last column");
	return r;
}

int
call_parts_plain(struct call_parts *p, uint8_t id, struct bytes_in *out, struct iotap_error *err)
{
	const struct call_part *const part = &p->part[id];
	int r;

	*out = bytes_in(part->p, part->plain);
	if (!part->there || (part->codec == CODEC_NONE && part->stored == part->plain))
		return 0;
	*out = bytes_in(NULL, 0);
	buf_clear(&p->scratch);
	if (!buf_extend(&p->scratch, part->plain))
		return no_memory(err);
	r = codec_unpack(p->codec, part->codec, part->p, part->stored, p->scratch.data, part->plain, err);
	if (r == 0)
		*out = bytes_in(p->scratch.data, part->plain);
	return r;
}
