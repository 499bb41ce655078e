/* dump_test.c - formats/dump.h item by item: with comments and without, whole and not */
#include "formats/dump.h"

#include <string.h>

#include "formats/rectext.h"
#include "tests/lib/unit.h"

static void
expect(bool comments, const struct reader_item *item, const char *want)
{
	struct dump *const d = dump_new(comments);
	struct iotap_error err = {0};
	struct buf out = {0};

	assert_int_equal(dump_item(d, item, &out, &err), 0);
	assert_string_equal(buf_cstr(&out), want);
	buf_free(&out);
	dump_free(d);
}

#define PAYLOAD(bytes) .payload = (const uint8_t *)(bytes), .payload_bytes = sizeof(bytes) - 1

static void
what_cannot_be_decoded_is_a_comment(void **state)
{
	const struct reader_item records = {.what = READER_BLOCK, .offset = 64, .bytes = 66, .text = "",
					    .head = {.type = BLOCK_RECORDS, .count = 2, .session = 1},
					    PAYLOAD("\x63\1x\x63\x09")};
	const struct reader_item calls = {.what = READER_BLOCK, .offset = 64, .bytes = 66, .text = "",
					  .head = {.type = BLOCK_CALLS, .count = 2, .session = 1,
						   .stored_bytes = 2}, PAYLOAD("ab")};
	const struct reader_item unknown = {.what = READER_BLOCK, .offset = 64, .bytes = 66, .text = "",
					    .head = {.type = 200, .stored_bytes = 2}, PAYLOAD("ab")};

	(void)state;
	expect(false, &records, "block records seq=0 epoch=0 first=0 last=0\nrecord type=99 body=\"x\"\n");
	expect(true, &records, "# offset 64: 66 bytes, 0 stored, 0 plain, 2 entries\n"
	       "block records seq=0 epoch=0 first=0 last=0\nrecord type=99 body=\"x\"\n"
	       "# damaged: a record runs over the end of its block\n");
	expect(false, &calls, "block calls seq=0 epoch=0\n");
	expect(true, &calls, "# offset 64: 66 bytes, 2 stored, 0 plain, 2 entries\nblock calls seq=0 epoch=0\n"
	       "# damaged: the directory of columns runs over the end\n");
	expect(false, &unknown, "# a block of the unknown type 200\n");
}

static void
what_lies_between_blocks(void **state)
{
	struct reader_item item = {.what = READER_GAP, .offset = 5, .n_blocks = 3, .text = "missing\033"};

	(void)state;
	expect(false, &item, "");
	expect(true, &item, "# offset 5: 0 bytes: missing? (3 blocks)\n");
	item.n_blocks = 0;
	expect(true, &item, "# offset 5: 0 bytes: missing?\n");
	item.n_blocks = UINT64_MAX;
	expect(true, &item, "# offset 5: 0 bytes: missing?\n");
	item = (struct reader_item){.what = READER_PASSED, .offset = 5, .bytes = 9, .n_blocks = UINT64_MAX};
	expect(true, &item, "# offset 5: 9 bytes: passed over\n");
}

/* Flags that later versions may set stand in the line of a block, and come back. */
static void
heads_of_blocks(void **state)
{
	struct block_head head = {.type = BLOCK_CALLS, .session = 1, .flags = BLOCK_ONE_FRAME | 0x100};
	struct buf out = {0};

	(void)state;
	rectext_put_block(&out, &head, 1);
	assert_non_null(strstr(buf_cstr(&out), " flags="));
	buf_clear(&out);
	head.flags = BLOCK_ONE_FRAME;
	head.type = 200;
	rectext_put_block(&out, &head, 1);
	assert_non_null(strstr(buf_cstr(&out), "block type=200 "));
	assert_null(strstr(buf_cstr(&out), " flags="));
	buf_free(&out);
}

/* A list whose numbers are longer than they need be, or cut, would not come back: it stays bytes. */
static void
lists_that_would_not_come_back(void **state)
{
	struct record rec = {.type = REC_loss, .info = rec_info(REC_loss)};
	struct buf out = {0};

	(void)state;
	rec.u.loss.pids = rec_bytes("\x80\0", 2);
	rectext_put_record(&out, &rec);
	assert_string_equal(buf_cstr(&out), "loss pids=\"\\x80\\x00\"\n");
	buf_clear(&out);
	rec.u.loss.pids = rec_bytes("\1\x80", 2);
	rectext_put_record(&out, &rec);
	assert_string_equal(buf_cstr(&out), "loss pids=\"\\x01\\x80\"\n");
	buf_free(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_decoded_is_a_comment),
		cmocka_unit_test(what_lies_between_blocks),
		cmocka_unit_test(heads_of_blocks),
		cmocka_unit_test(lists_that_would_not_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
