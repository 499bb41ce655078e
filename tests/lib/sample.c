/* sample.c - a recording made in memory, the same every time, with a bit of everything in it */
#include "tests/lib/sample.h"

#include <stdlib.h>
#include <string.h>

#include "formats/calls.h"
#include "formats/dump.h"
#include "formats/reader.h"
#include "formats/writer.h"
#include "tests/lib/unit.h"

const struct sample_shape sample_small = {
	.codec = CODEC_ZSTD, .session = 77, .n_epochs = 3, .n_periods = 2, .n_calls = 40,
};

uint64_t
sample_lot(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint8_t *
sample_copy(const void *p, size_t n)
{
	uint8_t *const copy = malloc(n > 0 ? n : 1);

	assert_non_null(copy);
	if (n > 0)
		memcpy(copy, p, n);
	return copy;
}

static void
call_vary(struct kr_call *c, uint32_t i, uint64_t lot)
{
	switch (i % 8) {
	case 0:
		c->call = CALL_openat;
		c->flags |= KF_ARGS;
		c->result = (int64_t)(lot % 64);
		c->arg0 = lot >> 40;
		break;
	case 1:
		c->flags |= KF_BEFORE;
		c->duration_ns = 0;
		break;
	case 2:
		c->call = CALL_sendfile;
		c->flags |= KF_SECOND;
		c->fd2 = 9;
		c->id2 = 1 + (lot >> 20) % 9;
		break;
	case 3:
		c->id = 0;
		c->flags |= KF_UNDEFINED;
		break;
	case 4:
		c->result = -11;
		break;
	case 5:
		c->id = 0;
		c->flags &= ~(uint32_t)(KF_IDENTITY | KF_OFFSET | KF_FD);
		break;
	case 6:
		c->offset = INT64_MAX - (int64_t)(lot % 5);
		c->requested = UINT64_MAX - 5;
		break;
	default:
		break;
	}
}

struct kr_call
sample_call(uint32_t i)
{
	uint64_t state = i;
	const uint64_t lot = sample_lot(&state);
	struct kr_call c = {
		.key_ns = UINT64_C(5000000000000) + (uint64_t)i * 10007 + lot % 9000,
		.duration_ns = 300 + (lot >> 32) % 100000,
		.tid = 100 + (uint32_t)(lot % 7),
		.tgid = 100 + (uint32_t)(lot % 7) / 4,
		.call = lot & 1 ? CALL_read : CALL_write,
		.cpu = (uint16_t)(lot % 4),
		.flags = KF_FD | KF_IDENTITY | KF_OFFSET | KF_REQUESTED,
		.fd = (int32_t)(lot % 9),
		.fd2 = -1,
		.id = 1 + lot % 12,
		.offset = (int64_t)(i * 100),
		.requested = 4096,
		.result = (int64_t)((lot >> 8) % 4097),
		.dev = 0x800001,
		.mode = 0100644,
		.ino = 1000 + lot % 12,
	};

	call_vary(&c, i, lot);
	c.start_ns = c.flags & KF_BEFORE ? 0 : c.key_ns - c.duration_ns;
	if (!(c.flags & KF_FD))
		c.fd = -1;
	if (!(c.flags & KF_OFFSET))
		c.offset = 0;
	return c;
}

static int
sample_sink(void *arg, const struct block_head *head, const void *block, size_t n,
	    struct iotap_error *err)
{
	struct sample *const s = arg;

	(void)err;
	assert_true(s->n < SAMPLE_BLOCKS_MAX);
	s->heads[s->n] = *head;
	s->at[s->n] = s->bytes.len;
	assert_true(buf_put(&s->bytes, block, n));
	s->end[s->n++] = s->bytes.len;
	return 0;
}

static struct rec_target
sample_target(uint32_t i, uint64_t time_ns)
{
	struct rec_target t = {.id = i, .time_ns = time_ns, .origin = 1 + i % 3, .kind = KR_KIND_FILE,
			       .flags = KT_CONFIRMED, .pid = 100, .dev = 0x800001, .ino = 1000 + i,
			       .mode = 0100644, .text = rec_str("/tmp/\"a\\b\n\x1b[31m\xff\xe2\x80\xae.txt")};

	if (i % 3 == 0) {
		t.kind = KR_KIND_SOCKET;
		t.family = 2;
		t.local = rec_bytes("\x7f\0\0\1", 4);
		t.remote = rec_bytes("\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
		t.local_port = 50000;
		t.device = rec_str("lo");
		t.text = rec_bytes("\0abstract", 9);
	}
	return t;
}

static void
sample_records(struct writer *w, uint32_t epoch, uint32_t period, uint64_t now_ns)
{
	const struct rec_process process = {.time_ns = now_ns, .pid = 100 + epoch, .start_ns = 5,
					    .how = 2, .comm = rec_str("curl"),
					    .exe = rec_str("/usr/bin/curl")};
	const struct rec_exec exec = {.time_ns = now_ns, .pid = 100 + epoch, .comm = rec_str("sh"),
				      .path = rec_str("/bin/sh")};
	const struct rec_exit exit_ = {.time_ns = now_ns, .pid = 100 + epoch, .status = 256};
	const struct rec_loss loss = {.from_ns = now_ns - 5, .until_ns = now_ns, .count = 3, .cause = 1,
				      .pids = rec_bytes("\x64\xc8\x01", 3)};
	const struct rec_interface lo = {.netns = 1, .ifindex = 1, .name = rec_str("lo"),
					 .address = rec_bytes("\x7f\0\0\1", 4)};

	assert_int_equal(writer_record(w, REC_process, &process), 0);
	assert_int_equal(writer_record(w, REC_exec, &exec), 0);
	if (epoch == 0 && period == 0)
		assert_int_equal(writer_record(w, REC_interface, &lo), 0);
	for (uint32_t i = 1; epoch == 0 && i <= 6; i++) {
		const struct rec_target t = sample_target(6 * period + i, now_ns);

		assert_int_equal(writer_record(w, REC_target, &t), 0);
	}
	assert_int_equal(writer_record(w, REC_loss, &loss), 0);
	if (epoch == 1)
		assert_int_equal(writer_record(w, REC_exit, &exit_), 0);
}

static void
sample_begin(struct writer *w)
{
	const struct rec_host host = {.os = OS_LINUX, .arch = 1, .cpus = 4, .page_bytes = 4096,
				      .tool = rec_str("sample 1"), .hostname = rec_str("here"),
				      .options = rec_str("-f curl")};
	const struct rec_request request = {.kind = 2, .text = rec_str("curl")};
	const struct rec_clock clock = {.boot_ns = 4999999999999, .real_ns = -5, .tai_ns = 37};

	assert_int_equal(writer_header(w, &host, &clock, &request, 1), 0);
}

void
sample_make(struct sample *s, const struct sample_shape *shape)
{
	const struct writer_options options = {.fd = -1, .index = true, .codec = shape->codec,
					       .session = shape->session, .sink = sample_sink,
					       .sink_arg = s};
	const struct rec_end end = {.time_ns = 5, .reason = 1};
	const struct rec_counters counters = {.values = rec_bytes("\1\2\3", 3)};
	struct rec_clock clock = {.boot_ns = 5000000000000, .real_ns = 1700000000000000000};
	struct writer *const w = writer_new(&options, NULL);
	uint32_t next = 0;

	memset(s, 0, sizeof(*s));
	assert_non_null(w);
	sample_begin(w);
	for (uint32_t epoch = 0; epoch < shape->n_epochs; epoch++) {
		assert_int_equal(writer_epoch(w, &clock, epoch ? &counters : NULL), 0);
		for (uint32_t period = 0; period < shape->n_periods; period++) {
			sample_records(w, epoch, period, clock.boot_ns);
			for (uint32_t i = 0; i < shape->n_calls; i++) {
				const struct kr_call call = sample_call(next++);

				clock.boot_ns = call.key_ns + 1;
				assert_int_equal(writer_calls(w, &call, 1), 0);
			}
			assert_int_equal(writer_flush(w), 0);
		}
		assert_int_equal(writer_progress(w, clock.boot_ns), 0);
	}
	assert_int_equal(writer_end(w, &clock, &counters, &end), 0);
	writer_free(w);
}

void
sample_fini(struct sample *s)
{
	buf_free(&s->bytes);
}

void
sample_read(const void *p, size_t n, struct buf *text)
{
	struct reader *const r = reader_new_memory(p, n, "sample");
	struct iotap_error err = {0};

	assert_non_null(r);
	if (dump_all(r, true, text, &err) < 0)
		(void)buf_printf(text, "error %d: %s\n", err.code, err.text);
	assert_true(buf_ok(text));
	reader_free(r);
}
