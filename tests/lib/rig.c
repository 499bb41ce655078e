/* rig.c - a writer without a file */
#include "tests/lib/rig.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/sample.h"
#include "tests/lib/unit.h"

static int
rig_sink(void *arg, const struct block_head *head, const void *block, size_t n, struct iotap_error *err)
{
	struct rig *const rig = arg;

	(void)err;
	rig->last = *head;
	rig->n_blocks++;
	assert_true(buf_put(&rig->bytes, block, n));
	return 0;
}

static void
rig_evicted(void *arg, uint64_t id)
{
	struct rig *const rig = arg;

	rig->n_evicted++;
	rig->evicted = id;
}

struct writer_options
rig_options(struct rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	return (struct writer_options){.fd = -1, .codec = CODEC_ZSTD, .session = 9, .sink = rig_sink,
				       .sink_arg = rig, .evicted = rig_evicted, .evicted_arg = rig};
}

void
rig_epoch(struct rig *rig, uint64_t boot_ns)
{
	const struct rec_clock clock = {.boot_ns = boot_ns, .real_ns = 1};

	assert_int_equal(writer_epoch(rig->w, &clock, NULL), 0);
}

void
rig_open(struct rig *rig, const struct writer_options *options)
{
	const struct rec_host host = {.os = 1, .arch = 1};
	const struct rec_clock clock = {.boot_ns = RIG_START_NS};

	rig->w = writer_new(options, NULL);
	assert_non_null(rig->w);
	assert_int_equal(writer_header(rig->w, &host, &clock, NULL, 0), 0);
	assert_int_equal(rig->last.type, BLOCK_HEADER);
	rig_epoch(rig, RIG_START_NS);
	assert_int_equal(rig->last.type, BLOCK_STATE);
	assert_int_equal(rig->last.epoch, 1);
	assert_int_equal(rig->n_blocks, 2);
}

void
rig_close(struct rig *rig)
{
	writer_free(rig->w);
	buf_free(&rig->bytes);
}

void
rig_calls(struct rig *rig, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct kr_call call = sample_call(rig->next++);

		call.id = call.id2 = 0;
		call.flags &= ~(uint32_t)(KF_IDENTITY | KF_SECOND);
		assert_int_equal(writer_calls(rig->w, &call, 1), 0);
	}
}

void
rig_use(struct rig *rig, uint64_t id)
{
	struct kr_call call = sample_call(0);

	call.id = id;
	call.flags = KF_FD | KF_IDENTITY;
	call.key_ns = RIG_START_NS + rig->next++;
	assert_int_equal(writer_calls(rig->w, &call, 1), 0);
}

void
rig_define(struct rig *rig, uint64_t id, const char *path)
{
	const struct rec_target t = {.id = id, .time_ns = RIG_START_NS, .kind = KR_KIND_FILE, .dev = 3,
				     .ino = 100 + id, .text = rec_str(path)};

	assert_int_equal(writer_record(rig->w, REC_target, &t), 0);
}

char *
rig_text(struct rig *rig)
{
	struct buf text = {0};
	char *out;

	sample_read(rig->bytes.data, rig->bytes.len, &text);
	out = strdup(buf_cstr(&text));
	buf_free(&text);
	return out;
}

unsigned int
rig_count(const char *text, const char *words)
{
	unsigned int n = 0;

	for (const char *p = text; (p = strstr(p, words)); p++)
		n++;
	return n;
}

void
rig_expect(struct rig *rig, const char *words, unsigned int n)
{
	char *const text = rig_text(rig);

	if (rig_count(text, words) != n)
		fail_msg("%u times \"%s\", not %u, in:\n%s", rig_count(text, words), words, n, text);
	free(text);
}
