/* rectext_assemble.c - a text of lines into a recording */
#include <string.h>

#include "formats/base/bytes.h"
#include "formats/base/hash.h"
#include "formats/base/map.h"
#include "formats/rectext.h"

struct assembler {
	struct buf *out;
	struct codec *codec;
	struct call_encoder *calls;
	struct map kinds;		/* of the targets defined so far, by id */
	struct buf scratch, plain, payload;
	struct block_head head;		/* of the block in work; type 0 = none */
	uint32_t given;
	uint64_t sequence, session;	/* of the next block */
	uint32_t epoch;
	struct iotap_error *err;
};

static int
calls_end(struct assembler *a)
{
	uint8_t raw[BLOCK_HEAD_BYTES];
	int r;

	buf_clear(&a->payload);
	r = call_encoder_finish(a->calls, a->codec, (enum block_codec)a->head.codec, &a->head, &a->payload,
				a->err);
	if (r < 0)
		return r;
	block_head_put(raw, &a->head);
	return buf_put(a->out, raw, sizeof(raw)) && buf_put(a->out, a->payload.data, a->payload.len) ? 0 :
		error_set(a->err, IOTAP_ENOMEM, "a block of calls: out of memory");
}

static int
block_end(struct assembler *a)
{
	int r;

	if (a->head.type == 0)
		return 0;
	r = a->head.type == BLOCK_CALLS ? calls_end(a) :
	    block_put(a->codec, (enum block_codec)a->head.codec, &a->head, a->plain.data, a->plain.len, a->out,
		      a->err);
	a->head.type = 0;
	return r;
}

static int
block_begin(struct assembler *a, const struct rectext_line *line)
{
	const int r = block_end(a);

	a->head = line->head;
	a->given = line->given;
	buf_clear(&a->plain);
	if (a->head.type == BLOCK_STATE)
		a->epoch++;
	if (!(a->given & RECTEXT_HAS_SEQUENCE))
		a->head.sequence = a->sequence;
	if (!(a->given & RECTEXT_HAS_SESSION))
		a->head.session = a->session;
	if (!(a->given & RECTEXT_HAS_EPOCH))
		a->head.epoch = a->epoch;
	a->sequence = a->head.sequence + 1;
	a->session = a->head.session;
	a->epoch = a->head.epoch;
	return r;
}

static int
record_add(struct assembler *a, const struct rectext_line *line)
{
	const uint64_t time_ns = record_time(line->type, &line->u);
	struct buf body = {0};
	int r;

	if (a->head.type == 0 || a->head.type == BLOCK_CALLS)
		return error_set(a->err, IOTAP_EUSAGE, "a record needs a block of records before it");
	if (!rec_info(line->type)) {
		r = record_put_raw(&a->plain, line->type, line->more.p, line->more.n, a->err);
	} else if (line->more.n == 0) {
		r = record_put(&a->plain, (enum rec_type)line->type, &line->u, a->err);
	} else {
		struct bytes_in in;
		struct record rec;

		r = record_put(&body, (enum rec_type)line->type, &line->u, a->err);
		in = bytes_in(body.data, body.len);
		if (r == 0 && record_next(&in, &rec, a->err) == 0) {
			const size_t n = rec.body.n;

			r = buf_put(&body, line->more.p, line->more.n) ?
				record_put_raw(&a->plain, line->type, body.data + body.len - line->more.n - n,
					       n + line->more.n, a->err) :
				error_set(a->err, IOTAP_ENOMEM, "a record: out of memory");
		}
		buf_free(&body);
	}
	a->head.count++;
	if (line->type == REC_target && !map_put(&a->kinds, line->u.target.id, line->u.target.kind))
		return error_set(a->err, IOTAP_ENOMEM, "targets: out of memory");
	if (!(a->given & RECTEXT_HAS_FIRST) && time_ns && (!a->head.first_ns || time_ns < a->head.first_ns))
		a->head.first_ns = time_ns;
	if (!(a->given & RECTEXT_HAS_LAST) && time_ns > a->head.last_ns)
		a->head.last_ns = time_ns;
	return r;
}

static int
entry_add(struct assembler *a, const struct rectext_line *line)
{
	const int r = a->head.type == BLOCK_CALLS ? call_encoder_entry(a->calls, &line->target) :
		      IOTAP_EUSAGE;

	return r >= 0 ? 0 : error_set(a->err, r, "an entry must stand in a block of calls, before its calls");
}

/* A target named by the number of its entry. */
static int
entry_resolve(struct assembler *a, uint32_t entry, struct call_target *out)
{
	uint32_t n;
	const struct call_target *const targets = call_encoder_targets(a->calls, &n);

	if (entry > n)
		return error_set(a->err, IOTAP_EUSAGE, "there is no entry %u", entry);
	*out = targets[entry - 1];
	return 0;
}

/* What the recording says of the kinds of targets, which the mode alone may not tell. */
static void
kinds_set(struct assembler *a, uint32_t from)
{
	uint32_t n;
	struct call_target *const targets = call_encoder_targets(a->calls, &n);

	for (uint32_t i = from; i < n; i++) {
		const uint64_t *const kind = targets[i].id ? map_find(&a->kinds, targets[i].id) : NULL;

		if (kind)
			targets[i].kind = (uint32_t)*kind;
	}
}

static int
call_add(struct assembler *a, const struct rectext_line *line)
{
	struct kr_call call = line->call;
	struct call_target t;
	uint32_t before;
	int r;

	if (a->head.type != BLOCK_CALLS)
		return error_set(a->err, IOTAP_EUSAGE, "a call needs a block of calls before it");
	if (line->entry) {
		r = entry_resolve(a, line->entry, &t);
		if (r < 0)
			return r;
		call.id = t.id;
		call.dev = t.dev;
		call.ino = t.ino;
		call.mode = t.mode;
	}
	if (line->entry2) {
		r = entry_resolve(a, line->entry2, &t);
		if (r < 0)
			return r;
		call.id2 = t.id;
	}
	(void)call_encoder_targets(a->calls, &before);
	if (call_encoder_add(a->calls, &call, 1) != 1)
		return error_set(a->err, IOTAP_ELIMIT, "more than %d calls in a block", CALL_BLOCK_MAX);
	kinds_set(a, before);
	return 0;
}

static int
line_add(struct assembler *a, const struct rectext_line *line)
{
	switch (line->what) {
	case RECTEXT_NOTHING:
		return 0;
	case RECTEXT_BLOCK:
		return block_begin(a, line);
	case RECTEXT_RECORD:
		return record_add(a, line);
	case RECTEXT_CALL:
		return call_add(a, line);
	case RECTEXT_ENTRY:
		return entry_add(a, line);
	}
	return 0;
}

static int
lines_add(struct assembler *a, const char *text, size_t n)
{
	unsigned int number = 1;
	const char *p = text;

	for (size_t left = n; left > 0; number++) {
		const char *const newline = memchr(p, '\n', left);
		const size_t len = newline ? (size_t)(newline - p) : left;
		struct rectext_line line;
		int r = rectext_parse(p, len, &a->scratch, &line, a->err);

		if (r == 0)
			r = line_add(a, &line);
		if (r < 0)
			return error_prefix(a->err, "line %u", number), r;
		p += len + (newline != NULL);
		left -= len + (newline != NULL);
	}
	return block_end(a);
}

int
rectext_assemble(const char *text, size_t n, struct buf *out, struct iotap_error *err)
{
	struct assembler a = {.out = out, .codec = codec_new(1), .calls = call_encoder_new(), .err = err,
			      .session = 1};
	int r;

	map_init(&a.kinds, hash_seed(), 0);
	r = a.codec && a.calls ? lines_add(&a, text, n) : error_set(err, IOTAP_ENOMEM, "out of memory");
	codec_free(a.codec);
	call_encoder_free(a.calls);
	map_fini(&a.kinds);
	buf_free(&a.scratch);
	buf_free(&a.plain);
	buf_free(&a.payload);
	return r;
}
