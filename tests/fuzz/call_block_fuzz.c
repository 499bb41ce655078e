/* call_block_fuzz.c - the payload of a CALLS block, with the head's fields in front of it
 *
 * 12 bytes: count u16, codec u8, flags u8, plain_bytes u32, first_ns u32; then the payload. What is
 * decoded must keep what call_block.h promises of it, be the same when fewer columns are asked for, and
 * survive being encoded and decoded again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/bytes.h"
#include "formats/call_block.h"

enum { FRONT = 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
promise(int kept)
{
	if (!kept)
		abort();
}

static void
look(const struct call_columns *c, const struct block_head *head)
{
	promise(c->n == head->count);
	for (uint32_t i = 0; i < c->n; i++) {
		promise(c->thread[i] < c->n_threads);
		promise(c->target[i] <= c->n_targets && c->target2[i] <= c->n_targets);
		promise(i == 0 || c->key[i] >= c->key[i - 1]);
	}
}

/* Some columns alone are what they are among all. */
static void
some(const struct block_head *head, const uint8_t *payload, const struct call_columns *all)
{
	struct call_decoder *const d = call_decoder_new();
	struct call_columns c;

	if (!d)
		return;
	promise(call_decoder_block(d, head, payload, COL_BIT(key) | COL_BIT(result), &c, NULL) == 0);
	promise(memcmp(c.key, all->key, c.n * sizeof(c.key[0])) == 0);
	promise(memcmp(c.result, all->result, c.n * sizeof(c.result[0])) == 0);
	call_decoder_free(d);
}

static void
again(const struct call_columns *c)
{
	struct call_encoder *const encoder = call_encoder_new();
	struct call_decoder *const d = call_decoder_new();
	struct codec *const codec = codec_new(1);
	struct block_head head = {.type = 0};
	struct buf out = {.data = NULL};
	struct kr_call call;
	struct call_columns made;
	uint32_t n = 0;

	for (uint32_t i = 0; encoder && i < c->n && i < CALL_BLOCK_MAX; i++) {
		call_columns_row(c, i, &call);
		n += call_encoder_add(encoder, &call, 1);
	}
	if (n > 0 && d && codec && call_encoder_finish(encoder, codec, CODEC_NONE, &head, &out, NULL) == 0) {
		promise(call_decoder_block(d, &head, out.data, COL_ALL, &made, NULL) == 0);
		promise(made.n == n);
		for (uint32_t i = 0; i < n; i++)
			promise(made.key[i] == c->key[i] && made.result[i] == c->result[i]);
	}
	buf_free(&out);
	codec_free(codec);
	call_decoder_free(d);
	call_encoder_free(encoder);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct call_decoder *const d = call_decoder_new();
	struct block_head head = {.type = BLOCK_CALLS};
	struct call_columns c;

	if (d && size > FRONT) {
		head.count = (uint32_t)data[0] | (uint32_t)data[1] << 8;
		head.codec = data[2];
		head.flags = data[3];
		head.plain_bytes = bytes_u32_at(data + 4) % (BLOCK_PLAIN_MAX + 1);
		head.first_ns = bytes_u32_at(data + 8);
		head.stored_bytes = (uint32_t)(size - FRONT);
		if (head.count > 0 && call_decoder_block(d, &head, data + FRONT, COL_ALL, &c, NULL) == 0) {
			look(&c, &head);
			some(&head, data + FRONT, &c);
			again(&c);
		}
	}
	call_decoder_free(d);
	return 0;
}
