/* call_parts_test.c - formats/call_parts.h: a payload of calls taken apart, and every lie in its directory */
#include "formats/call_parts.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

/* A payload under construction. */
struct payload {
	struct buf directory, bytes;
	struct block_head head;
	uint32_t n_columns, plain;
};

static void
column(struct payload *p, uint8_t id, uint8_t codec, uint32_t stored, uint32_t plain,
       const char *bytes)
{
	(void)buf_putc(&p->directory, (char)id);
	(void)buf_putc(&p->directory, (char)codec);
	(void)bytes_put_u32(&p->directory, stored);
	(void)bytes_put_u32(&p->directory, plain);
	(void)buf_puts(&p->bytes, bytes);
	p->n_columns++;
	p->plain += plain;
}

/* Takes it apart from memory of its very size; column 7, if that works, must be text. */
static int
take_apart(struct payload *p, int head_off, const char *text)
{
	struct call_parts parts = {.codec = codec_new(1)};
	struct iotap_error err = {.code = 0};
	struct buf whole = {.data = NULL};
	struct bytes_in in;
	uint8_t *exact;
	int r;

	(void)bytes_put_u32(&whole, 3);
	(void)bytes_put_u32(&whole, 4);
	(void)bytes_put_u16(&whole, (uint16_t)p->n_columns);
	(void)buf_put(&whole, p->directory.data, p->directory.len);
	(void)buf_put(&whole, p->bytes.data, p->bytes.len);
	exact = sample_copy(whole.data, whole.len);
	p->head.stored_bytes = (uint32_t)whole.len;
	p->head.plain_bytes =
		(uint32_t)((int)(p->plain + CALL_PARTS_FIXED + CALL_PARTS_ENTRY * p->n_columns) +
			   head_off);
	r = call_parts_get(&parts, &p->head, exact, &err);
	if (r == 0) {
		assert_true(parts.n_targets == 3 && parts.n_threads == 4);
		r = call_parts_plain(&parts, 7, &in, &err);
	}
	if (r == 0 && text) {
		assert_int_equal(bytes_left(&in), strlen(text));
		assert_memory_equal(in.p, text, strlen(text));
	}
	assert_true(r == 0 || err.text[0] != '\0');
	free(exact);
	call_parts_fini(&parts);
	codec_free(parts.codec);
	buf_free(&whole);
	buf_free(&p->directory);
	buf_free(&p->bytes);
	*p = (struct payload){.n_columns = 0};
	return r;
}

static void
columns_by_themselves(void **state)
{
	struct payload p = {.n_columns = 0};

	(void)state;
	column(&p, 9, CODEC_NONE, 3, 3, "abc");
	column(&p, 7, CODEC_NONE, 4, 4, "text");
	column(&p, 255, CODEC_NONE, 0, 0, "");
	assert_int_equal(take_apart(&p, 0, "text"), 0);
	assert_int_equal(take_apart(&p, 0, ""), 0); /* no columns: each is empty */
}

static void
all_in_one_piece(void **state)
{
	struct payload p = {.head = {.flags = BLOCK_ONE_FRAME, .codec = CODEC_NONE}};

	(void)state;
	column(&p, 9, 0, 0, 3, "abc");
	column(&p, 7, 0, 0, 4, "text");
	assert_int_equal(take_apart(&p, 0, "text"), 0);
	/* Sizes that are not those of the piece. */
	p.head.flags = BLOCK_ONE_FRAME;
	column(&p, 7, 0, 0, 5, "text");
	assert_int_equal(take_apart(&p, 0, NULL), IOTAP_ECORRUPT);
	p.head.flags = BLOCK_ONE_FRAME;
	column(&p, 7, 0, 0, 3, "text");
	assert_int_equal(take_apart(&p, 0, NULL), IOTAP_ECORRUPT);
	p.head.flags = BLOCK_ONE_FRAME;
	p.head.codec = 2;
	column(&p, 7, 0, 0, 4, "text");
	assert_int_equal(take_apart(&p, 0, NULL), IOTAP_EUNSUPPORTED);
}

static void
compressed_columns(void **state)
{
	static const uint8_t plain[1000];
	struct codec *const codec = codec_new(1);
	struct call_parts parts = {.codec = codec};
	struct buf frame = {.data = NULL}, whole = {.data = NULL};
	struct block_head head = {.type = BLOCK_CALLS};
	struct bytes_in in;

	(void)state;
	assert_int_equal(codec_pack(codec, CODEC_ZSTD, plain, sizeof(plain), &frame, NULL),
			 CODEC_ZSTD);
	(void)bytes_put_u32(&whole, 0);
	(void)bytes_put_u32(&whole, 0);
	(void)bytes_put_u16(&whole, 1);
	(void)buf_putc(&whole, 7);
	(void)buf_putc(&whole, CODEC_ZSTD);
	(void)bytes_put_u32(&whole, (uint32_t)frame.len);
	(void)bytes_put_u32(&whole, sizeof(plain));
	(void)buf_put(&whole, frame.data, frame.len);
	head.stored_bytes = (uint32_t)whole.len;
	head.plain_bytes = sizeof(plain) + CALL_PARTS_FIXED + CALL_PARTS_ENTRY;
	assert_int_equal(call_parts_get(&parts, &head, whole.data, NULL), 0);
	assert_int_equal(call_parts_plain(&parts, 7, &in, NULL), 0);
	assert_int_equal(bytes_left(&in), sizeof(plain));
	assert_memory_equal(in.p, plain, sizeof(plain));
	assert_int_equal(call_parts_plain(&parts, 8, &in, NULL), 0);
	assert_int_equal(bytes_left(&in), 0);
	/* The frame is damaged: found when the column is asked for. */
	whole.data[whole.len - 1] ^= 1;
	assert_int_equal(call_parts_get(&parts, &head, whole.data, NULL), 0);
	assert_int_equal(call_parts_plain(&parts, 7, &in, NULL), IOTAP_ECORRUPT);
	assert_int_equal(bytes_left(&in), 0);
	call_parts_fini(&parts);
	codec_free(codec);
	buf_free(&frame);
	buf_free(&whole);
}

static void
lies_in_the_directory(void **state)
{
	struct payload p = {.n_columns = 0};

	(void)state;
	column(&p, 7, CODEC_NONE, 4, 4, "text");
	column(&p, 7, CODEC_NONE, 4, 4, "text");
	assert_int_equal(take_apart(&p, 0, NULL), IOTAP_ECORRUPT); /* there twice */
	column(&p, 7, CODEC_NONE, 5, 5, "text");
	assert_int_equal(take_apart(&p, 0, NULL), IOTAP_ECORRUPT); /* over the end */
	column(&p, 7, CODEC_NONE, UINT32_MAX, 4, "text");
	assert_int_equal(take_apart(&p, 0, NULL), IOTAP_ECORRUPT);
	column(&p, 7, CODEC_NONE, 3, 3, "text");
	assert_int_equal(take_apart(&p, 0, NULL), IOTAP_ECORRUPT); /* bytes behind it */
	column(&p, 7, CODEC_NONE, 4, 3, "text");
	assert_int_equal(take_apart(&p, 0, NULL), IOTAP_ECORRUPT); /* not compressed, yet smaller */
	column(&p, 7, 9, 4, 4, "text");
	assert_int_equal(take_apart(&p, 0, NULL), IOTAP_EUNSUPPORTED);
	column(&p, 7, CODEC_NONE, 4, 4, "text");
	assert_int_equal(take_apart(&p, 1, NULL), IOTAP_ECORRUPT); /* not what the block says */
	column(&p, 7, CODEC_NONE, 4, 4, "text");
	p.n_columns = 2;
	assert_int_equal(take_apart(&p, 0, NULL), IOTAP_ECORRUPT); /* fewer entries */
	p.n_columns = 65535;
	assert_int_equal(take_apart(&p, 0, NULL), IOTAP_ECORRUPT);
}

/* Plain sizes that add up to the block's only when they wrap. */
static void
sums_do_not_wrap(void **state)
{
	struct payload p = {.n_columns = 0};

	(void)state;
	column(&p, 1, CODEC_ZSTD, 0, UINT32_MAX, "");
	column(&p, 2, CODEC_ZSTD, 0, 1, "");
	assert_int_equal(take_apart(&p, 0, NULL), IOTAP_ECORRUPT);
}

static void
too_short_for_anything(void **state)
{
	struct call_parts parts = {.codec = codec_new(1)};

	(void)state;
	for (uint32_t n = 0; n < CALL_PARTS_FIXED; n++) {
		uint8_t *const exact = sample_copy("\0\0\0\0\0\0\0\0\0\0", n);
		const struct block_head head = {.stored_bytes = n, .plain_bytes = CALL_PARTS_FIXED};

		assert_int_equal(call_parts_get(&parts, &head, exact, NULL), IOTAP_ECORRUPT);
		free(exact);
	}
	call_parts_fini(&parts);
	codec_free(parts.codec);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_by_themselves), cmocka_unit_test(all_in_one_piece),
		cmocka_unit_test(compressed_columns),	 cmocka_unit_test(lies_in_the_directory),
		cmocka_unit_test(sums_do_not_wrap),	 cmocka_unit_test(too_short_for_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
