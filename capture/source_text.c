/* source_text.c - a text of records as a source: the whole of capture without a kernel and without root
 *
 * One line a record or call (formats/rectext.h). Calls must stand in the order of their keys, as the
 * kernel half's come. Lines that say how the recording is to be laid out (block, entry) are for other
 * readers and passed over; host, clock and end go to the header and the end.
 */
#include "capture/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/rectext.h"

enum { TEXT_MAX = 256 << 20 };

struct source_text {
	struct source base;
	struct buf text;
	struct buf scratch;		/* bytes of the record of the line at hand */
	struct buf host_bytes;		/* those of the host record, kept */
	size_t at;			/* where the next line begins */
	unsigned int line;
	uint64_t last_key;
	struct source_header header;
	struct rec_end end;
	bool has_end;
};

static struct source_text *
self(const struct source *s)
{
	return (struct source_text *)(uintptr_t)s;
}

/* The next line, or false at the end. */
static bool
line_next(struct source_text *me, const char **line, size_t *n)
{
	const char *const from = (const char *)me->text.data + me->at;
	const size_t left = me->text.len - me->at;
	const char *newline;

	if (left == 0)
		return false;
	newline = memchr(from, '\n', left);
	*line = from;
	*n = newline ? (size_t)(newline - from) : left;
	me->at += newline ? *n + 1 : left;
	me->line++;
	return true;
}

static int
line_parse(struct source_text *me, const char *line, size_t n, struct buf *bytes,
	   struct rectext_line *out, struct iotap_error *err)
{
	const int r = rectext_parse(line, n, bytes, out, err);

	return r < 0 ? error_prefix(err, "line %u", me->line) : 0;
}

static int
take_call(struct source_text *me, const struct kr_call *call, struct batch *b,
	  struct iotap_error *err)
{
	if (call->key_ns < me->last_key)
		return error_set(err, IOTAP_EUSAGE, "line %u: a call before the one above it",
				 me->line);
	me->last_key = call->key_ns;
	b->calls[b->n_calls++] = *call;
	return 0;
}

static int
take_record(struct source_text *me, const struct rectext_line *line, struct batch *b,
	    struct iotap_error *err)
{
	const uint64_t time_ns = record_time(line->type, &line->u);

	switch ((enum rec_type)line->type) {
	case REC_host:
	case REC_clock:
	case REC_request:
		return 0;		/* found when the text was opened */
	case REC_end:
		me->end = line->u.end;
		me->has_end = true;
		return 0;
	case REC_process: case REC_exec: case REC_rename: case REC_exit: case REC_untraced:
	case REC_target: case REC_open_fd: case REC_aggregate: case REC_counters: case REC_loss:
	case REC_progress: case REC_interface: case REC_notice: case REC_aggregate_source: case REC_cost:
	case REC_mapped:
		if (time_ns > me->last_key)
			me->last_key = time_ns;
		return record_put(&b->records, (enum rec_type)line->type, &line->u, err);
	case REC_block_entry:
	case REC_NONE:
		break;
	}
	return error_set(err, IOTAP_EUSAGE, "line %u: not a record that capture writes", me->line);
}

static int
take(struct source *s, struct batch *b, struct iotap_error *err)
{
	struct source_text *const me = self(s);
	struct rectext_line parsed;
	const char *line;
	size_t n;

	while (b->n_calls < BATCH_CALLS && b->records.len < BATCH_NOTE_BYTES) {
		int r = 0;

		if (!line_next(me, &line, &n)) {
			b->until_ns = me->last_key + 1;
			return SOURCE_END;
		}
		r = line_parse(me, line, n, &me->scratch, &parsed, err);
		if (r == 0 && parsed.what == RECTEXT_CALL)
			r = take_call(me, &parsed.call, b, err);
		else if (r == 0 && parsed.what == RECTEXT_RECORD)
			r = take_record(me, &parsed, b, err);
		if (r < 0)
			return r;
	}
	return SOURCE_MORE;
}

static void
close_source(struct source *s)
{
	struct source_text *const me = self(s);

	buf_free(&me->text);
	buf_free(&me->scratch);
	buf_free(&me->host_bytes);
	free(me);
}

/* The first host and clock lines. */
static int
find_header(struct source_text *me, struct iotap_error *err)
{
	struct source_header *const h = &me->header;
	struct rectext_line parsed;
	const char *line;
	size_t n;

	while ((!h->has_host || !h->has_clock) && line_next(me, &line, &n)) {
		struct buf *const bytes = h->has_host ? &me->scratch : &me->host_bytes;
		const int r = line_parse(me, line, n, bytes, &parsed, err);

		if (r < 0)
			return r;
		if (parsed.what != RECTEXT_RECORD)
			continue;
		if (parsed.type == REC_host && !h->has_host) {
			h->host = parsed.u.host;
			h->has_host = true;
		} else if (parsed.type == REC_clock && !h->has_clock) {
			h->clock = parsed.u.clock;
			h->has_clock = true;
			me->last_key = h->clock.boot_ns;
		}
	}
	me->at = 0;
	me->line = 0;
	return 0;
}

static int
read_text(struct source_text *me, const char *path, struct iotap_error *err)
{
	const int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	const bool ok = fd >= 0 && io_read_rest(fd, &me->text);
	const int error = errno;

	if (fd > STDIN_FILENO)
		(void)close(fd);
	return ok ? 0 : error_errno(err, IOTAP_EIO, error, "%s", path);
}

struct source *
source_text_open(const char *path, struct iotap_error *err)
{
	static const struct source_ops ops = {.take = take, .close = close_source};
	struct source_text *const me = calloc(1, sizeof(*me));
	int r;

	if (!me) {
		(void)error_set(err, IOTAP_ENOMEM, "out of memory");
		return NULL;
	}
	me->base.ops = &ops;
	buf_init(&me->text, TEXT_MAX);
	r = read_text(me, path, err);
	if (r == 0) {
		r = find_header(me, err);
		if (r < 0)
			(void)error_prefix(err, "%s", path);
	}
	if (r < 0) {
		close_source(&me->base);
		return NULL;
	}
	return &me->base;
}

const struct source_header *
source_text_header(const struct source *s)
{
	return &self(s)->header;
}

const struct rec_end *
source_text_end(const struct source *s)
{
	return self(s)->has_end ? &self(s)->end : NULL;
}
