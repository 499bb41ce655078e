/* call_decode_test.c - formats/call_block.h: payloads made by hand, each wrong in one value
 *
 * The directory and the sizes are right; what a column holds is not what its values may be. A decoder
 * refuses the block, names the column, and decodes the next one as ever.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/call_block.h"
#include "formats/call_parts.h"
#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

struct part {
	uint8_t id, codec;
	const char *bytes;
	uint32_t n;
};

#define PART(id, bytes) {id, CODEC_NONE, bytes, sizeof(bytes) - 1}

/* One call of thread 1 in process 1, and the parts of the test. */
static struct block_head
payload_make(struct buf *out, const struct part *parts, size_t n, uint32_t n_targets)
{
	static const struct part thread = PART(COL_THREADS, "\2\0");
	struct block_head head = {.type = BLOCK_CALLS, .count = 1, .codec = CODEC_NONE};

	buf_clear(out);
	(void)bytes_put_u32(out, n_targets);
	(void)bytes_put_u32(out, 1);
	(void)bytes_put_u16(out, (uint16_t)(n + 1));
	for (size_t i = 0; i <= n; i++) {
		const struct part *const part = i < n ? &parts[i] : &thread;

		(void)bytes_put_u8(out, part->id);
		(void)bytes_put_u8(out, part->codec);
		(void)bytes_put_u32(out, part->n);
		(void)bytes_put_u32(out, part->n);
	}
	for (size_t i = 0; i <= n; i++)
		(void)buf_put(out, i < n ? parts[i].bytes : thread.bytes, i < n ? parts[i].n : thread.n);
	assert_true(buf_ok(out));
	head.stored_bytes = head.plain_bytes = (uint32_t)out->len;
	return head;
}

/* What a decoder says of it; then the same decoder reads a good block. */
static void
expect(const struct part *parts, size_t n, uint32_t n_targets, int code, const char *words)
{
	static const struct part good[] = {PART(COL_call, "\5")};
	struct call_decoder *const d = call_decoder_new();
	struct iotap_error err = {0};
	struct buf payload = {0};
	struct block_head head = payload_make(&payload, parts, n, n_targets);
	uint8_t *copy = sample_copy(payload.data, payload.len);
	struct call_columns c;

	if (call_decoder_block(d, &head, copy, COL_ALL, &c, &err) != code || !strstr(err.text, words))
		fail_msg("%d \"%s\", not %d \"%s\"", err.code, err.text, code, words);
	free(copy);
	head = payload_make(&payload, good, 1, 0);
	copy = sample_copy(payload.data, payload.len);
	assert_int_equal(call_decoder_block(d, &head, copy, COL_ALL, &c, &err), 0);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.call[0], 5);
	assert_int_equal(c.threads[c.thread[0]].tid, 1);
	free(copy);
	buf_free(&payload);
	call_decoder_free(d);
}

#define EXPECT(parts, n_targets, code, words) expect(parts, sizeof(parts) / sizeof((parts)[0]), n_targets, code, words)

static void
values_over_their_limits(void **state)
{
	static const struct part
		key[] = {PART(COL_key, "\x80\x80\x80\x80\x80\x80\x80\x80\1")},
		call[] = {PART(COL_call, "\x80\x80\4")}, cpu[] = {PART(COL_cpu, "\x80\x80\4")},
		flags[] = {PART(COL_flags, "\x80\x80\x80\x80\x10")}, thread[] = {PART(COL_thread, "\1")};

	(void)state;
	EXPECT(key, 0, IOTAP_ECORRUPT, "has a value over its limit");
	EXPECT(call, 0, IOTAP_ECORRUPT, "has a value over its limit");
	EXPECT(cpu, 0, IOTAP_ECORRUPT, "has a value over its limit");
	EXPECT(flags, 0, IOTAP_ECORRUPT, "has a value over its limit");
	EXPECT(thread, 0, IOTAP_ECORRUPT, "has a value over its limit");
}

/* Descriptors are 32 bits with a sign; here they are one more in either direction, and the last that fit. */
static void
descriptors_at_their_limits(void **state)
{
	static const int64_t values[] = {INT32_MAX, INT32_MIN, INT64_C(1) + INT32_MAX, INT64_C(-1) + INT32_MIN};
	uint8_t flags[BYTES_VARINT_MAX], fd[BYTES_VARINT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const struct part parts[] = {
			{COL_flags, CODEC_NONE, (const char *)flags, (uint32_t)bytes_varint_at(flags, KF_FD)},
			{COL_fd, CODEC_NONE, (const char *)fd,
			 (uint32_t)bytes_varint_at(fd, bytes_zigzag(values[i]))},
		};

		EXPECT(parts, 0, i < 2 ? 0 : IOTAP_ECORRUPT, i < 2 ? "" : "has a value over its limit");
	}
}

static void
low_bytes(void **state)
{
	static const struct part two[] = {PART(COL_LOW + COL_key, "\1\2")},
		strange[] = {{COL_LOW + COL_key, 7, "\1", 1}}, none[] = {PART(COL_key, "\1")};

	(void)state;
	EXPECT(two, 0, IOTAP_ECORRUPT, "has not one value for each call");
	EXPECT(strange, 0, IOTAP_EUNSUPPORTED, "codec 7");
	EXPECT(none, 0, 0, "");
}

static void
dictionaries(void **state)
{
	static const struct part
		kind[] = {PART(COL_TARGETS, "\2\x80\x80\x80\x80\x10\0\0\0")},
		more[] = {PART(COL_TARGETS, "\2\0\0\0\0\0")},
		strange[] = {{COL_TARGETS, 7, "\2\0\0\0\0", 5}},
		good[] = {PART(COL_TARGETS, "\2\0\0\0\0")};
	struct call_decoder *const d = call_decoder_new();
	struct buf payload = {0};
	struct block_head head = payload_make(&payload, good, 1, 1);
	struct iotap_error err = {0};
	struct call_columns c;

	(void)state;
	EXPECT(kind, 1, IOTAP_ECORRUPT, "bad dictionary of targets");
	EXPECT(more, 1, IOTAP_ECORRUPT, "bad dictionary of targets");
	EXPECT(strange, 1, IOTAP_EUNSUPPORTED, "codec 7");
	EXPECT(good, 1, 0, "");
	payload.data[CALL_PARTS_FIXED + CALL_PARTS_ENTRY + 1] = 7;	/* that of threads */
	assert_int_equal(call_decoder_block(d, &head, payload.data, COL_ALL, &c, &err), IOTAP_EUNSUPPORTED);
	call_decoder_free(d);
	buf_free(&payload);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_over_their_limits),
		cmocka_unit_test(descriptors_at_their_limits),
		cmocka_unit_test(low_bytes),
		cmocka_unit_test(dictionaries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
