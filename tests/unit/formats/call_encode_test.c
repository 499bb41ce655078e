/* call_encode_test.c - formats/call_block.h: what an encoder learns of targets and threads, call by call */
#include <string.h>
#include <sys/stat.h>

#include "formats/call_block.h"
#include "tests/lib/unit.h"

static uint32_t
targets_after(struct call_encoder *e, const struct kr_call *call, struct call_target *last)
{
	uint32_t n;
	const struct call_target *targets;

	assert_int_equal(call_encoder_add(e, call, 1), 1);
	targets = call_encoder_targets(e, &n);
	if (n > 0)
		*last = targets[n - 1];
	return n;
}

/* Of a target that nobody defined the mode says what it may be. */
static void
a_mode_tells_the_kind(void **state)
{
	static const struct {
		uint32_t mode, kind;
	} rows[] = {{0, KR_KIND_UNKNOWN}, {0600, KR_KIND_ANON}, {S_IFSOCK, KR_KIND_SOCKET},
		    {S_IFIFO | 0600, KR_KIND_PIPE}, {S_IFREG | 0644, KR_KIND_FILE}, {S_IFCHR, KR_KIND_FILE}};
	struct call_encoder *const e = call_encoder_new();

	(void)state;
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct kr_call call = {.id = i + 1, .flags = KF_IDENTITY, .dev = 1, .ino = i + 1,
					     .mode = rows[i].mode};
		struct call_target t;

		assert_int_equal(targets_after(e, &call, &t), i + 1);
		assert_int_equal(t.kind, rows[i].kind);
		assert_int_equal(t.mode, rows[i].mode);
		assert_int_equal(t.ino, i + 1);
	}
	call_encoder_free(e);
}

/* The first call that has device, inode and mode is believed; later ones are not. */
static void
the_first_identity_counts(void **state)
{
	struct call_encoder *const e = call_encoder_new();
	struct kr_call call = {.id = 9};
	struct call_target t;

	(void)state;
	(void)targets_after(e, &call, &t);
	assert_int_equal(t.ino + t.dev + t.mode, 0);
	call = (struct kr_call){.id = 9, .flags = KF_IDENTITY, .dev = 5, .ino = 0};
	(void)targets_after(e, &call, &t);
	assert_int_equal(t.dev, 5);
	call.dev = 6;
	call.mode = S_IFREG;
	(void)targets_after(e, &call, &t);
	assert_int_equal(t.dev, 5);
	assert_int_equal(t.mode, 0);
	call = (struct kr_call){.id = 10, .flags = KF_IDENTITY, .ino = 7};
	(void)targets_after(e, &call, &t);
	call.ino = 8;
	assert_int_equal(targets_after(e, &call, &t), 2);
	assert_int_equal(t.ino, 7);
	call.mode = S_IFREG;
	call.ino = 9;
	(void)targets_after(e, &call, &t);
	assert_int_equal(t.mode, 0);
	call_encoder_free(e);
}

/* Without an id device and inode are it, both of them; a second target without an id is none. */
static void
targets_without_an_id(void **state)
{
	struct call_encoder *const e = call_encoder_new();
	struct kr_call call = {.flags = KF_IDENTITY, .dev = 1, .ino = 1};
	struct call_target t;

	(void)state;
	assert_int_equal(targets_after(e, &call, &t), 1);
	assert_int_equal(targets_after(e, &call, &t), 1);
	call.ino = 2;
	assert_int_equal(targets_after(e, &call, &t), 2);
	call.dev = 2;
	assert_int_equal(targets_after(e, &call, &t), 3);
	call.flags |= KF_SECOND;
	assert_int_equal(targets_after(e, &call, &t), 3);
	call.id2 = 40;
	assert_int_equal(targets_after(e, &call, &t), 4);
	assert_int_equal(t.id, 40);
	assert_int_equal(t.dev + t.ino, 0);
	call_encoder_free(e);
}

/* Threads with one tid in two processes (two moments of it) are two. */
static void
a_thread_is_both_its_ids(void **state)
{
	const struct kr_call calls[] = {{.key_ns = 1, .tid = 5, .tgid = 5}, {.key_ns = 2, .tid = 5, .tgid = 6},
					{.key_ns = 3, .tid = 5, .tgid = 5}, {.key_ns = 4, .tid = 6, .tgid = 5}};
	struct call_encoder *const e = call_encoder_new();
	struct call_decoder *const d = call_decoder_new();
	struct codec *const codec = codec_new(1);
	struct block_head head = {0};
	struct buf out = {0};
	struct call_columns c;

	(void)state;
	assert_int_equal(call_encoder_add(e, calls, 4), 4);
	assert_int_equal(call_encoder_finish(e, codec, CODEC_NONE, &head, &out, NULL), 0);
	assert_int_equal(call_decoder_block(d, &head, out.data, COL_ALL, &c, NULL), 0);
	assert_int_equal(c.n_threads, 3);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(c.threads[c.thread[i]].tid, calls[i].tid);
		assert_int_equal(c.threads[c.thread[i]].tgid, calls[i].tgid);
	}
	buf_free(&out);
	codec_free(codec);
	call_decoder_free(d);
	call_encoder_free(e);
}

/* Entries by hand: as many as a block may have calls, before the first call; the same one once. */
static void
entries_by_hand(void **state)
{
	struct call_encoder *const e = call_encoder_new();
	struct call_target t = {.id = 1, .kind = KR_KIND_FILE};
	const struct kr_call call = {.id = 1};

	(void)state;
	assert_int_equal(call_encoder_entry(e, &t), 0);
	t.kind = KR_KIND_PIPE;
	assert_int_equal(call_encoder_entry(e, &t), 0);
	for (uint32_t id = 2; id <= CALL_BLOCK_MAX; id++) {
		t.id = id;
		assert_int_equal(call_encoder_entry(e, &t), id - 1);
	}
	t.id++;
	assert_int_equal(call_encoder_entry(e, &t), IOTAP_ELIMIT);
	assert_int_equal(call_encoder_add(e, &call, 1), 1);
	assert_int_equal(call_encoder_entry(e, &t), IOTAP_ELIMIT);
	call_encoder_free(e);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mode_tells_the_kind),
		cmocka_unit_test(the_first_identity_counts),
		cmocka_unit_test(targets_without_an_id),
		cmocka_unit_test(a_thread_is_both_its_ids),
		cmocka_unit_test(entries_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
