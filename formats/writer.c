/* writer.c - puts a recording together: when a block closes, what an epoch must repeat
 *
 * Two things are pending at any time: a block of records and a block of calls. Closing writes the
 * records first, so that whatever the calls refer to stands before them. Calls are encoded as they
 * come; each id that is new in the block in work is looked up among the definitions, and written again
 * if that was not done in this epoch. Header, epochs and end: writer_epoch.c.
 */
#include "formats/writer_parts.h"

#include <stdlib.h>

#include "formats/base/hash.h"

enum {
	RECORDS_FULL_BYTES = 1024 * 1024,	/* a block of records is closed from here on */
	RECORDS_FULL_COUNT = 32768,
};

/* A definition leaves the table; its mark is the epoch in which it was last written. Where that is this
 * epoch, a reader keeps it long enough (decode/epoch.h): it need not be told as unknown. */
static void
definition_evicted(void *arg, const struct definition *d)
{
	struct writer *const w = arg;

	if (d->mark == w->serial)
		(void)map_put(&w->gone, d->id, 0);
	if (w->options.evicted)
		w->options.evicted(w->options.evicted_arg, d->id);
}

struct writer *
writer_new(const struct writer_options *options, struct iotap_error *err)
{
	const uint32_t max = options->max_definitions;
	const uint32_t max_bytes = options->max_definition_bytes;
	struct writer *const w = calloc(1, sizeof(*w));

	if (!w) {
		(void)error_set(err, IOTAP_ENOMEM, "writing: out of memory");
		return NULL;
	}
	w->options = *options;
	w->out = (struct block_output){.fd = options->fd, .sink = options->sink, .err = &w->err,
				       .sink_arg = options->sink_arg, .codec = options->codec,
				       .max_index = options->index ? WRITER_INDEX_ENTRIES : 0,
				       .keeps_room = options->keeps_room};
	w->calls = call_encoder_new();
	w->definitions = definitions_new(max ? max : WRITER_DEFINITIONS,
					 max_bytes ? max_bytes : WRITER_DEFINITION_BYTES,
					 definition_evicted, w);
	map_init(&w->gone, hash_seed(), WRITER_DEFINITIONS);
	w->live = live_new(WRITER_PROCESSES, WRITER_INTERFACES);
	w->cumulative = cumulative_new();
	w->records_type = BLOCK_RECORDS;
	if (!block_output_init(&w->out, options->level ? options->level : 1, options->session) ||
	    !w->calls || !w->definitions || !w->live || !w->cumulative) {
		(void)error_set(err, IOTAP_ENOMEM, "writing: out of memory");
		writer_free(w);
		return NULL;
	}
	return w;
}

void
writer_free(struct writer *w)
{
	if (!w)
		return;
	block_output_fini(&w->out);
	call_encoder_free(w->calls);
	definitions_free(w->definitions);
	map_fini(&w->gone);
	live_free(w->live);
	cumulative_free(w->cumulative);
	buf_free(&w->records.bytes);
	buf_free(&w->one);
	file_header_free(&w->header);
	free(w);
}

const struct iotap_error *
writer_error(const struct writer *w)
{
	return &w->err;
}

uint64_t
writer_session(const struct writer *w)
{
	return w->out.session;
}

void
writer_get_totals(const struct writer *w, struct writer_totals *out)
{
	*out = w->totals;
	out->blocks = w->out.blocks;
	out->bytes = w->out.bytes;
	out->evicted = definitions_evicted(w->definitions);
	out->pending_calls = call_encoder_count(w->calls);
}

static int
out_of_memory(struct writer *w)
{
	return error_set(&w->err, IOTAP_ENOMEM, "writing: out of memory");
}

int
writer_records_write(struct writer *w, enum block_type type, const struct block_records *records)
{
	w->last_block_ns = w->now_ns;
	return block_output_records(&w->out, type, records);
}

/* Closes the pending block of records, if there is one. */
int
writer_records_close(struct writer *w)
{
	struct block_records *const records = &w->records;
	int r;

	if (records->n == 0)
		return 0;
	r = writer_records_write(w, w->records_type, records);
	w->records_type = BLOCK_RECORDS;
	buf_clear(&records->bytes);
	records->n = 0;
	records->first_ns = records->last_ns = 0;
	return r;
}

/* No call is pending any more. */
static void
calls_begin(struct writer *w)
{
	w->n_defined = w->used_bytes = w->ahead = w->ahead_bytes = 0;
}

static int
calls_close(struct writer *w)
{
	const uint32_t n = call_encoder_count(w->calls);
	int r;

	calls_begin(w);
	if (n == 0)
		return 0;
	r = block_output_calls(&w->out, w->calls);
	w->last_block_ns = w->now_ns;
	if (r == 0) {
		w->totals.calls += n;
		w->calls_here += n;
	}
	return r;
}

int
writer_flush(struct writer *w)
{
	int r;

	if (w->out.failed)
		return w->err.code;
	r = writer_records_close(w);
	return r < 0 ? r : calls_close(w);
}

/* -- what comes in -- */

static bool
is_pending(const struct writer *w)
{
	return w->records.n > 0 || call_encoder_count(w->calls) > 0;
}

static void
pending_begins(struct writer *w)
{
	if (!is_pending(w))
		w->opened_ns = w->now_ns;
}

int
writer_raw_put(struct writer *w, const struct bytes *raw, uint64_t time_ns)
{
	struct block_records *const records = &w->records;

	pending_begins(w);
	if (!buf_put(&records->bytes, raw->p, raw->n)) {
		records->bytes.failed = false;
		return out_of_memory(w);
	}
	records->n++;
	if (call_encoder_count(w->calls) > 0) {
		w->ahead++;
		w->ahead_bytes += raw->n;
	}
	if (time_ns && (!records->first_ns || time_ns < records->first_ns))
		records->first_ns = time_ns;
	if (time_ns > records->last_ns)
		records->last_ns = time_ns;
	if (records->bytes.len >= RECORDS_FULL_BYTES || records->n >= RECORDS_FULL_COUNT)
		return writer_records_close(w);
	return 0;
}

/* Encodes a record; raw stands until the next one. */
static int
record_encode(struct writer *w, enum rec_type type, const void *rec, struct bytes *raw)
{
	int r;

	buf_clear(&w->one);
	r = record_put(&w->one, type, rec, &w->err);
	*raw = (struct bytes){.p = w->one.data, .n = (uint32_t)w->one.len};
	return r < 0 ? r : 0;
}

int
writer_record_pending(struct writer *w, enum rec_type type, const void *rec)
{
	struct bytes raw;
	const int r = record_encode(w, type, rec, &raw);

	return r == 0 ? writer_raw_put(w, &raw, record_time(type, rec)) : r;
}

/* A new definition: into the table, and into the pending records. What a record before it has brought is
 * not written twice. */
static int
definition_put(struct writer *w, const struct rec_target *target)
{
	struct bytes raw;
	struct definition *d;
	int r = record_encode(w, REC_target, target, &raw);

	if (r < 0 || definitions_stands(w->definitions, target->id, w->serial, &raw))
		return r;
	d = definitions_put(w->definitions, target, raw.p, raw.n);
	r = d ? writer_raw_put(w, &raw, target->time_ns) : out_of_memory(w);
	if (r < 0)
		return r;
	d->mark = w->serial;
	w->totals.definitions++;
	return 0;
}

/* Makes sure that this epoch has the definition d. */
static int
definition_repeat(struct writer *w, struct definition *d)
{
	const struct bytes raw = {.p = d->raw, .n = d->n_raw};
	const int r = d->mark == w->serial ? 0 : writer_raw_put(w, &raw, 0);

	if (r < 0 || d->mark == w->serial)
		return r;
	d->mark = w->serial;
	w->totals.definitions++;
	w->totals.repeated++;
	return 0;
}

/* An id that a call uses: its definition must be in this epoch; of one that had to go, what the call
 * itself knows of it is written. */
static int
target_used(struct writer *w, struct call_target *t)
{
	struct definition *const d = t->id ? definitions_use(w->definitions, t->id) : NULL;
	struct rec_target evicted;

	if (!t->id)
		return 0;
	if (d) {
		if (d->kind != KR_KIND_UNKNOWN)
			t->kind = d->kind;
		if (t->dev == 0 && t->ino == 0) {
			t->dev = d->dev;
			t->ino = d->ino;
			t->mode = d->mode;
		}
		w->used_bytes += d->n_raw;
		return definition_repeat(w, d);
	}
	if (map_find(&w->gone, t->id))
		return 0;
	evicted = (struct rec_target){.id = t->id, .kind = t->kind, .dev = t->dev, .ino = t->ino,
				      .mode = t->mode, .flags = TARGET_EVICTED};
	return definition_put(w, &evicted);
}

static int
targets_used(struct writer *w)
{
	uint32_t n;
	struct call_target *const targets = call_encoder_targets(w->calls, &n);
	int r = 0;

	while (r == 0 && w->n_defined < n) {
		r = target_used(w, &targets[w->n_defined]);
		w->n_defined += r == 0;		/* one that found no memory is tried again */
	}
	return r;
}

static bool
calls_due(const struct writer *w)
{
	const uint32_t n = call_encoder_count(w->calls);

	return n == CALL_BLOCK_MAX ||
	       (n > 0 && (w->n_defined >= WRITER_BLOCK_TARGETS || w->used_bytes >= WRITER_BLOCK_TARGET_BYTES ||
			  w->ahead >= WRITER_AHEAD_RECORDS || w->ahead_bytes >= WRITER_AHEAD_BYTES));
}

/* After something was put, with the result r: closes what is due. */
static int
flush_when_due(struct writer *w, int r)
{
	return r == 0 && calls_due(w) ? writer_flush(w) : r;
}

int
writer_calls(struct writer *w, const struct kr_call *calls, uint32_t n)
{
	if (w->out.failed)
		return w->err.code;
	for (uint32_t done = 0; done < n;) {
		const uint32_t step = n - done < WRITER_STEP_CALLS ? n - done : WRITER_STEP_CALLS;
		int r;

		pending_begins(w);
		done += call_encoder_add(w->calls, calls + done, step);
		r = flush_when_due(w, targets_used(w));
		if (r < 0)
			return r;
	}
	return 0;
}

/* Ids that records refer to, which is no use that readers count. An unknown one stays unknown: a record knows
 * nothing else of it. */
static int
id_needed(struct writer *w, uint64_t id)
{
	struct definition *const d = id ? definitions_peek(w->definitions, id) : NULL;

	return d ? definition_repeat(w, d) : 0;
}

int
writer_aggregate_pending(void *arg, enum rec_type type, const void *rec)
{
	struct writer *const w = arg;
	const int r = id_needed(w, cumulative_target(type, rec));

	return r < 0 ? r : writer_record_pending(w, type, rec);
}

static int
record_take(struct writer *w, enum rec_type type, const void *rec)
{
	bool known = false;
	int r;

	w->totals.records++;
	if (type == REC_target)
		return definition_put(w, rec);
	r = live_record(w->live, type, rec, &known, &w->err);
	if (r == 0 && type == REC_open_fd)
		r = id_needed(w, ((const struct rec_open_fd *)rec)->id);
	if (cumulative_is(type))
		return cumulative_put(w->cumulative, type, rec, w->serial, writer_aggregate_pending, w);
	if (r < 0 || known)
		return r;
	return writer_record_pending(w, type, rec);
}

int
writer_record(struct writer *w, enum rec_type type, const void *rec)
{
	return w->out.failed ? w->err.code : flush_when_due(w, record_take(w, type, rec));
}

int
writer_record_raw(struct writer *w, const struct bytes *raw)
{
	if (w->out.failed)
		return w->err.code;
	w->totals.records++;
	return flush_when_due(w, writer_raw_put(w, raw, 0));
}

/* -- as time goes by -- */

bool
writer_epoch_due(const struct writer *w, uint64_t now_ns)
{
	return w->out.epoch > 0 && (w->out.bytes - w->epoch_began_bytes >= WRITER_EPOCH_BYTES ||
				(now_ns > w->epoch_began_ns &&
				 now_ns - w->epoch_began_ns >= WRITER_EPOCH_NS));
}

static int
progress_write(struct writer *w, uint64_t time_ns)
{
	const struct rec_progress progress = {.time_ns = time_ns};
	struct block_records one = {.n = 1, .first_ns = time_ns, .last_ns = time_ns};
	int r = record_put(&one.bytes, REC_progress, &progress, &w->err);

	if (r == 0)
		r = writer_records_write(w, BLOCK_PROGRESS, &one);
	buf_free(&one.bytes);
	return r;
}

int
writer_progress(struct writer *w, uint64_t time_ns)
{
	const int r = writer_flush(w);

	return r < 0 ? r : progress_write(w, time_ns);
}

/* For how long pending things may wait. */
static uint64_t
patience_ns(const struct writer *w)
{
	return w->options.pipe || call_encoder_count(w->calls) >= WRITER_FULL_CALLS ? WRITER_FAST_NS :
		WRITER_SLOW_NS;
}

/* What a block of records tells has its place among the calls by its time: where no calls follow, whoever
 * reads along waits for the word that none will come. */
static int
flush_due(struct writer *w)
{
	const bool alone = w->options.pipe && call_encoder_count(w->calls) == 0;
	const int r = writer_flush(w);

	return r < 0 || !alone ? r : progress_write(w, w->now_ns);
}

int
writer_tick(struct writer *w, uint64_t now_ns)
{
	if (w->out.failed)
		return w->err.code;
	if (w->now_ns == 0)
		w->opened_ns = w->last_block_ns = now_ns;
	if (now_ns > w->now_ns)
		w->now_ns = now_ns;
	if (is_pending(w))
		return w->now_ns - w->opened_ns >= patience_ns(w) ? flush_due(w) : 0;
	return w->now_ns - w->last_block_ns >= WRITER_PROGRESS_NS ? progress_write(w, w->now_ns) : 0;
}

uint64_t
writer_next_due_ns(const struct writer *w)
{
	const uint64_t due = is_pending(w) ? w->opened_ns + patience_ns(w) :
			     w->last_block_ns + WRITER_PROGRESS_NS;

	if (w->now_ns == 0)
		return UINT64_MAX;
	return due > w->now_ns ? due - w->now_ns : 0;
}

/* -- when writing failed -- */

bool
writer_give_up(struct writer *w)
{
	struct call_encoder *const fresh = call_encoder_new();

	if (fresh) {
		call_encoder_free(w->calls);
		w->calls = fresh;
	}
	error_clear(&w->err);
	buf_clear(&w->records.bytes);
	w->records.n = 0;
	w->records.first_ns = w->records.last_ns = 0;
	w->records_type = BLOCK_RECORDS;
	calls_begin(w);
	return block_output_give_up(&w->out);
}

bool
writer_take_back(struct writer *w)
{
	uint32_t calls;

	if (!block_output_take_back(&w->out, &calls))
		return false;
	w->totals.calls -= calls;
	w->calls_here -= calls;
	return true;
}
