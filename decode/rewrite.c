/* rewrite.c - a recording written anew: as an event stream, without names, without its damage */
#include "decode/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/io.h"
#include "formats/base/unix_time.h"
#include "formats/cumulative.h"

enum { CALLS_AT_ONCE = 4096, END_SALVAGED = 11 };	/* records.def: end.reason */

static int
rewrite_fail(struct rewrite *w, int code)
{
	if (w->err.code == code)
		return code;
	if (w->writer && writer_error(w->writer)->code == code) {
		w->err = *writer_error(w->writer);
		return code;
	}
	return error_set(&w->err, code, "%s", error_text(code));
}

/* The clock of what comes from here on. False: it is not believed, and is not passed on. */
static bool
rewrite_clock(struct rewrite *w, const struct rec_clock *clock)
{
	if (!unix_time_offset(clock->boot_ns, clock->real_ns, &w->rows.unix_offset_ns)) {
		w->incomplete = w->damaged = true;
		return false;
	}
	w->clock = *clock;
	return true;
}

/* -- the header -- */

struct header {
	struct rec_host host;
	struct rec_clock clock;
	struct rec_request requests[256];
	size_t n_requests;
};

static void
header_parse(const struct reader_item *block, struct header *out)
{
	struct bytes_in in = bytes_in(block->payload, block->payload_bytes);
	struct record rec;

	memset(out, 0, sizeof(*out));
	while (record_next_known(&in, &rec, NULL) == 0) {
		if (rec.type == REC_host)
			out->host = rec.u.host;
		else if (rec.type == REC_clock)
			out->clock = rec.u.clock;
		else if (rec.type == REC_request && out->n_requests < 256)
			out->requests[out->n_requests++] = rec.u.request;
	}
}

static bool
is_header(const struct rewrite *w)
{
	return w->has_first && w->first.what == READER_BLOCK && w->first.head.type == BLOCK_HEADER;
}

int
rewrite_open(struct rewrite *w, struct reader *reader, struct iotap_info *info)
{
	struct header header;
	int r;

	*info = (struct iotap_info){.size = sizeof(*info)};
	w->reader = reader;
	r = reader_next(reader, &w->first);
	if (r < 0) {
		w->err = *reader_error(reader);
		return r;
	}
	w->has_first = r == 0;
	w->ended = r == 1;
	if (!is_header(w))
		return 0;
	header_parse(&w->first, &header);
	if (rewrite_clock(w, &header.clock)) {
		info->start_boot_ns = header.clock.boot_ns;
		info->start_time_ns = (uint64_t)header.clock.real_ns;
	}
	return 0;
}

/* Sets of calls and times are no secret: what is shown is still a selection. */
static bool
names_nobody(const struct rec_request *request)
{
	enum { CALLS = 7, MIN_LATENCY = 9, FAILED = 10 };	/* request.kind */

	return request->kind == CALLS || request->kind == MIN_LATENCY || request->kind == FAILED;
}

/* Hides what the requests say. Their bytes are gathered first: they move while they grow. */
static bool
requests_redact(struct rewrite *w, struct header *h)
{
	size_t at = 0;

	buf_clear(&w->texts);
	for (size_t i = 0; i < h->n_requests; i++) {
		struct rec_request *const request = &h->requests[i];

		if ((!names_nobody(request) && !redact_record(w->redact, REC_request, request)) ||
		    !buf_put(&w->texts, request->text.p, request->text.n))
			return false;
	}
	for (size_t i = 0; i < h->n_requests; i++) {
		h->requests[i].text.p = w->texts.data + at;
		at += h->requests[i].text.n;
	}
	return true;
}

static int
header_write(struct rewrite *w, struct header *h)
{
	if (w->redact && (!requests_redact(w, h) || !redact_record(w->redact, REC_host, &h->host)))
		return IOTAP_ENOMEM;
	w->has_header = true;
	return writer_header(w->writer, &h->host, &h->clock, h->requests, h->n_requests);
}

/* No recording has two: one that comes later was made up, and what it says of clocks is not believed. */
static int
rewrite_header(struct rewrite *w, const struct reader_item *block)
{
	struct header header;

	if (w->has_header) {
		w->incomplete = w->damaged = true;
		return 0;
	}
	header_parse(block, &header);
	if (!rewrite_clock(w, &header.clock))
		header.clock = (struct rec_clock){.boot_ns = 0};
	return header_write(w, &header);
}

/* A recording has a header, if the first thing that is whole is not one. */
static int
rewrite_need_header(struct rewrite *w, const struct rec_clock *clock)
{
	struct header header = {.host = {.os = OS_LINUX}, .clock = *clock};

	return w->has_header || !w->recording ? 0 : header_write(w, &header);
}

/* -- records -- */

/* The process that a record is about; 0 = it is about none in particular. */
static uint64_t
record_pid(const struct record *rec)
{
	switch (rec->type) {
	case REC_process:
		return rec->u.process.pid;
	case REC_exec:
		return rec->u.exec.pid;
	case REC_rename:
		return rec->u.rename.pid;
	case REC_exit:
		return rec->u.exit.pid;
	case REC_open_fd:
		return rec->u.open_fd.pid;
	case REC_aggregate:
		return rec->u.aggregate.pid;
	case REC_aggregate_source:
		return rec->u.aggregate_source.pid;
	case REC_mapped:
		return rec->u.mapped.pid;
	default:
		return 0;
	}
}

/* 1 = it is written, 0 = it is not, or IOTAP_ENOMEM. */
static int
record_passes(struct rewrite *w, const struct record *rec)
{
	const uint64_t pid = record_pid(rec);
	struct target *target;
	int r;

	if (w->select.f.pid != 0 && pid != 0 && pid != w->select.f.pid)
		return 0;
	if (!cumulative_is((enum rec_type)rec->type) || !w->select.by_target)
		return 1;
	r = epoch_find(&w->epoch, cumulative_target((enum rec_type)rec->type, &rec->u), &target);
	return r < 0 ? r : target && select_target(&w->select, &target->pub) == SELECT_KEEP;
}

static int
rewrite_record(struct rewrite *w, struct record *rec)
{
	int r = 0;

	w->incomplete = w->incomplete || rec->type == REC_loss;
	if (!rec->info)
		return w->redact ? 0 : writer_record_raw(w->writer, &rec->raw);
	if (rec->type == REC_target && w->select.by_target)
		r = epoch_define(&w->epoch, rec);
	if (r == 0)
		r = record_passes(w, rec);
	if (r <= 0)
		return r;
	if (w->redact && !redact_record(w->redact, (enum rec_type)rec->type, &rec->u))
		return IOTAP_ENOMEM;
	return writer_record(w->writer, (enum rec_type)rec->type, &rec->u);
}

/* The records of a block that are not its clock, counters or end: those are the writer's to place. */
static int
rewrite_records(struct rewrite *w, const struct reader_item *block, bool apart)
{
	struct bytes_in in = bytes_in(block->payload, block->payload_bytes);
	struct record rec;
	int r;

	while ((r = record_next(&in, &rec, &w->err)) == 0) {
		if (rec.type == REC_clock && !rewrite_clock(w, &rec.u.clock))
			continue;
		if (apart && (rec.type == REC_clock || rec.type == REC_counters || rec.type == REC_end))
			continue;
		r = rewrite_record(w, &rec);
		if (r < 0)
			return r;
	}
	if (r != IOTAP_ECORRUPT)
		return 0;
	error_clear(&w->err);
	w->incomplete = w->damaged = true;
	return 0;
}

struct placed {
	struct rec_clock clock;
	struct rec_counters counters;
	struct rec_end end;
	bool has_clock, has_counters, has_end;
};

static void
placed_parse(const struct reader_item *block, struct placed *out)
{
	struct bytes_in in = bytes_in(block->payload, block->payload_bytes);
	struct record rec;

	memset(out, 0, sizeof(*out));
	while (record_next_known(&in, &rec, NULL) == 0) {
		if (rec.type == REC_clock) {
			out->clock = rec.u.clock;
			out->has_clock = true;
		} else if (rec.type == REC_counters) {
			out->counters = rec.u.counters;
			out->has_counters = true;
		} else if (rec.type == REC_end) {
			out->end = rec.u.end;
			out->has_end = true;
		}
	}
}

/* Counters prove that nothing is missing: of a stream that leaves something out they would say the
 * opposite of the truth. */
static int
rewrite_state(struct rewrite *w, const struct reader_item *block)
{
	struct placed placed;
	int r;

	placed_parse(block, &placed);
	if (!placed.has_clock || !rewrite_clock(w, &placed.clock))
		placed.clock = w->clock;
	epoch_clear(&w->epoch);
	r = rewrite_need_header(w, &placed.clock);
	if (r < 0)
		return r;
	r = writer_epoch(w->writer, &placed.clock,
			 placed.has_counters && !w->selects ? &placed.counters : NULL);
	return r < 0 ? r : rewrite_records(w, block, true);
}

static int
rewrite_end(struct rewrite *w, const struct reader_item *block)
{
	struct placed placed;
	int r = rewrite_records(w, block, true);

	placed_parse(block, &placed);
	if (r < 0 || !placed.has_end)
		return r;
	w->has_end = true;
	if (w->salvage && w->damaged)
		placed.end.reason = END_SALVAGED;
	return writer_end(w->writer, placed.has_clock && rewrite_clock(w, &placed.clock) ? &placed.clock : NULL,
			  placed.has_counters && !w->selects && !w->damaged ? &placed.counters : NULL,
			  &placed.end);
}

/* A recording that was cut gets an end that says so; one of which nothing was whole stays nothing. */
static int
rewrite_finish(struct rewrite *w)
{
	const struct rec_end end = {.time_ns = w->last_ns, .reason = END_SALVAGED};

	if (!w->salvage || w->has_end || !w->has_header)
		return writer_flush(w->writer);
	return writer_end(w->writer, NULL, NULL, &end);
}

/* -- calls -- */

static int
rewrite_rows(struct rewrite *w)
{
	int r = 0;

	for (uint32_t at = 0; r == 0 && at < w->rows.n;) {
		uint32_t n = 0;

		for (; n < CALLS_AT_ONCE && at < w->rows.n; n++, at++)
			call_columns_row(&w->rows.c, at, &w->calls[n]);
		r = writer_calls(w->writer, w->calls, n);
	}
	return r;
}

static int
rewrite_calls(struct rewrite *w, const struct reader_item *block)
{
	int r;

	if (block->what == READER_PASSED)
		return 0;
	r = rows_load(&w->rows, &block->head, block->payload, IOTAP_COL_ALL, 0, &w->epoch, &w->select,
		      &w->err);
	if (r == IOTAP_ECORRUPT) {
		error_clear(&w->err);
		w->incomplete = w->damaged = true;
		return 0;
	}
	if (r == 0)
		r = rewrite_rows(w);
	if (r < 0)
		return r;
	return w->selects ? writer_tick(w->writer, block->head.last_ns) : writer_flush(w->writer);
}

static int
rewrite_block(struct rewrite *w, const struct reader_item *block)
{
	if (block->head.last_ns > w->last_ns)
		w->last_ns = block->head.last_ns;
	switch (block->head.type) {
	case BLOCK_HEADER:
		return rewrite_header(w, block);
	case BLOCK_STATE:
		return rewrite_state(w, block);
	case BLOCK_RECORDS:
		return rewrite_records(w, block, false);
	case BLOCK_CALLS:
		return rewrite_calls(w, block);
	case BLOCK_PROGRESS:
		return writer_progress(w->writer, block->head.last_ns);
	case BLOCK_END:
		return rewrite_end(w, block);
	default:
		return 0;	/* an index: of other offsets */
	}
}

static int
rewrite_item(struct rewrite *w, const struct reader_item *item)
{
	int r = 0;

	switch (item->what) {
	case READER_BLOCK:
		r = rewrite_block(w, item);
		break;
	case READER_PASSED:
		r = rewrite_calls(w, item);
		break;
	case READER_DAMAGE:
	case READER_TRUNCATED:
	case READER_GAP:
	case READER_REPEATED:
	case READER_FOREIGN:
		w->incomplete = w->damaged = true;
		r = writer_flush(w->writer);
		break;
	}
	return r < 0 ? rewrite_fail(w, r) : 0;
}

/* While no event flows nothing is written, so that only asking tells that the reader has gone. */
static int
on_idle(void *arg)
{
	struct rewrite *const w = arg;

	w->idle_result = writer_flush(w->writer);
	if (w->idle_result == 0 && io_reader_gone(w->out_fd))
		w->idle_result = error_set(&w->err, IOTAP_EPIPE, "%s", error_text(IOTAP_EPIPE));
	return w->idle_result;
}

static int
rewrite_begin(struct rewrite *w, const struct iotap_filter *filter)
{
	const struct writer_options options = {
		.fd = w->out_fd, .pipe = !w->recording || w->pipe, .stream = !w->recording,
		.codec = w->recording ? CODEC_ZSTD : CODEC_NONE, .index = w->recording && !w->pipe,
		.session = w->redact ? 0 : reader_session(w->reader),	/* 0: another one */
	};

	w->calls = malloc(CALLS_AT_ONCE * sizeof(*w->calls));
	w->writer = writer_new(&options, &w->err);
	if (!w->calls || !w->writer || select_init(&w->select, filter) < 0 ||
	    epoch_init(&w->epoch) < 0 || rows_init(&w->rows) < 0)
		return rewrite_fail(w, IOTAP_ENOMEM);
	w->selects = w->select.by_target || w->select.f.pid != 0 || w->select.f.from_ns > 0 ||
		     w->select.f.to_ns < UINT64_MAX;
	reader_set_range(w->reader, w->select.f.from_ns, w->select.f.to_ns);
	reader_on_idle(w->reader, on_idle, w);
	return 0;
}

int
rewrite_run(struct rewrite *w, const struct iotap_filter *filter)
{
	struct reader_item item;
	int r = rewrite_begin(w, filter);

	if (r == 0 && w->has_first)
		r = rewrite_item(w, &w->first);
	while (r == 0 && !w->ended) {
		r = reader_next(w->reader, &item);
		if (r < 0) {
			w->err = *reader_error(w->reader);
			return r;
		}
		w->ended = r == 1;
		if (r == 2)
			return rewrite_fail(w, w->idle_result);
		r = r == 0 ? rewrite_item(w, &item) : 0;
	}
	if (r < 0)
		return r;
	r = rewrite_finish(w);
	return r < 0 ? rewrite_fail(w, r) : 0;
}

void
rewrite_close(struct rewrite *w)
{
	writer_free(w->writer);
	select_fini(&w->select);
	epoch_fini(&w->epoch);
	rows_fini(&w->rows);
	buf_free(&w->texts);
	free(w->calls);
}
