/* cursor.c - one recording or event stream, in order of time
 *
 * The loop of cursor_ready: rows that are left come first, unless something waits that belongs before
 * them; then what waits and is due; then the next block. A record is due when rows later than it come,
 * when a progress block says that nothing earlier can come any more, when an epoch or the recording ends,
 * or when too much waits.
 */
#include "decode/cursor.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "decode/tally_parts.h"

enum { HOW_COMMAND = 3, HOW_DESCENDANT = 4, HOW_SCOPE = 7 };	/* records.def: process.how */

/* Unix time as boot time: what is before the boot is its beginning. */
static uint64_t
cursor_boot(const struct cursor *c, uint64_t unix_ns)
{
	return unix_ns == UINT64_MAX ? UINT64_MAX : unix_time_less(unix_ns, c->unix_offset_ns);
}

int
cursor_fail(struct cursor *c, int code)
{
	return c->err->code == code ? code : error_set(c->err, code, "%s", error_text(code));
}

/* -- records that apply at once -- */

/* Behind the notice of the start: interfaces that the filter names and nobody knows. Once for the files of
 * one machine. */
static int
cursor_warn(struct cursor *c)
{
	const struct pending_item item = {.time_ns = 0, .what = PENDING_WARNING};
	struct buf text = {.data = NULL};
	int r = 0;

	for (size_t i = 0; !c->further && i < c->select->f.n_interfaces && r == 0; i++) {
		buf_clear(&text);
		if (absent_text(&c->absent, c->select->f.interfaces[i], &text))
			r = buf_ok(&text) ? pending_put(&c->pending, &item, text.data, (uint32_t)text.len) :
					    IOTAP_ENOMEM;
	}
	buf_free(&text);
	return r;
}

static int
cursor_start(struct cursor *c)
{
	const struct pending_item item = {.time_ns = 0, .what = PENDING_START};
	int r;

	if (c->started)
		return 0;
	c->started = true;
	r = pending_put(&c->pending, &item, NULL, 0);
	return r < 0 ? r : cursor_warn(c);
}

static int
cursor_wait(struct cursor *c, const struct record *rec)
{
	const struct pending_item item = {.time_ns = record_time(rec->type, &rec->u), .what = PENDING_RECORD};

	cursor_saw(c, item.time_ns);
	return pending_put(&c->pending, &item, rec->raw.p, rec->raw.n);
}

/* A process that was there from the start, or is restated, needs no notice and applies at once. */
static int
cursor_process(struct cursor *c, const struct record *rec, bool in_state)
{
	const bool initial = !c->started && (in_state || rec->u.process.how <= HOW_DESCENDANT ||
				     rec->u.process.how == HOW_SCOPE);
	struct rec_process named = rec->u.process;
	struct process *process;
	int r;

	if (!initial && !rec->u.process.restated) {
		r = cursor_start(c);
		return r < 0 ? r : cursor_wait(c, rec);
	}
	/* Before its first exec the command is still the capture's own copy: it is called what it was
	 * asked for as. */
	if (initial && named.how == HOW_COMMAND && !named.restated && c->command.len > 0) {
		named.arg0 = rec_bytes(c->command.data, c->command.len);
		named.name_from = 2;
	}
	r = processes_process(c->processes, &named, &process);
	if (process)
		process->told = true;
	return r;
}

static int
cursor_mapped(struct cursor *c, const struct rec_mapped *rec, bool in_state)
{
	const struct process *const process = processes_find(c->processes, (uint32_t)rec->pid);
	struct tally_place place = {.select = c->select, .baseline = in_state};
	struct target *target = NULL;
	const int r = rec->id != 0 ? epoch_find(&c->epoch, rec->id, &target) : 0;

	if (r < 0 || !c->tally)
		return r;
	place.target = target ? &target->pub : NULL;
	return tally_mapped(c->tally, rec, &place, process ? &process->pub : NULL);
}

/* A record of a STATE, RECORDS or END block. */
static int
cursor_record(struct cursor *c, const struct record *rec, bool in_state)
{
	int r;

	switch (rec->type) {
	case REC_target:
		if (!c->defers)
			return epoch_define(&c->epoch, rec);
		r = epoch_define_later(&c->epoch, rec);
		reader_show_passed(c->reader, c->epoch.counts);
		return r;
	case REC_process:
		return cursor_process(c, rec, in_state);
	case REC_interface:
		return c->started ? 0 : absent_seen(&c->absent, &rec->u.interface);
	case REC_clock:
		return cursor_clock(c, &rec->u.clock);
	case REC_aggregate:
	case REC_aggregate_source:
		return cursor_aggregate(c, rec, in_state);
	case REC_mapped:
		return cursor_mapped(c, &rec->u.mapped, in_state);
	case REC_counters:
		if (c->tally)
			tally_counters(c->tally, &rec->u.counters, in_state && !c->started);
		return 0;
	case REC_exec:
	case REC_rename:
	case REC_exit:
	case REC_untraced:
	case REC_loss:
	case REC_notice:
	case REC_end:
		r = cursor_start(c);
		return r < 0 ? r : cursor_wait(c, rec);
	default:
		return 0;
	}
}

/* -- blocks -- */

static int
cursor_damage(struct cursor *c, const struct reader_item *item)
{
	const bool truncated = item->what == READER_TRUNCATED;
	const struct pending_item like = {
		.time_ns = truncated ? UINT64_MAX : 0,
		.what = PENDING_DAMAGE,
		.cause = truncated ? IOTAP_DROP_TRUNCATED : IOTAP_DROP_DAMAGE,
		.offset = item->offset,
		.bytes = item->bytes,
	};

	return pending_put(&c->pending, &like, item->text, (uint32_t)strlen(item->text));
}

/* A payload whose checksum is right but whose content is not: err says what, and is clear again. */
static int
cursor_corrupt(struct cursor *c, const struct reader_item *block)
{
	struct reader_item item = *block;
	int r;

	item.what = READER_DAMAGE;
	item.bytes = BLOCK_HEAD_BYTES + block->head.stored_bytes;
	item.text = c->err->text;
	r = cursor_damage(c, &item);
	error_clear(c->err);
	return r;
}

static int
cursor_records(struct cursor *c, const struct reader_item *block)
{
	const bool in_header = block->head.type == BLOCK_HEADER;
	const bool in_state = block->head.type == BLOCK_STATE;
	struct bytes_in in = bytes_in(block->payload, block->payload_bytes);
	struct record rec;
	int r;

	while ((r = record_next_known(&in, &rec, c->err)) == 0) {
		r = in_header ? cursor_header(c, &rec) : cursor_record(c, &rec, in_state);
		if (r == IOTAP_ECORRUPT)
			r = cursor_corrupt(c, block);
		if (r < 0)
			return cursor_fail(c, r);
	}
	if (r == IOTAP_ECORRUPT)
		r = cursor_corrupt(c, block);
	return r < 0 ? cursor_fail(c, r) : 0;
}

static int
cursor_calls(struct cursor *c, const struct reader_item *block)
{
	const uint64_t first = c->next_number;
	int r = cursor_start(c);

	if (r < 0)
		return r;
	c->next_number += block->head.count;
	cursor_saw(c, block->head.last_ns);
	if (block->what == READER_PASSED)
		r = block->payload ? rows_pass(&c->rows, &block->head, block->payload, &c->epoch, c->err) : 0;
	else
		r = rows_load(&c->rows, &block->head, block->payload, c->columns, first, &c->epoch, c->select,
			      c->err);
	return r == IOTAP_ECORRUPT ? cursor_corrupt(c, block) : r;
}

static int
cursor_state(struct cursor *c, const struct reader_item *block)
{
	int r = 0;

	if (c->seen_state)
		r = cursor_start(c);
	c->seen_state = true;
	epoch_clear(&c->epoch);
	reader_show_passed(c->reader, false);
	return r < 0 ? r : cursor_records(c, block);
}

/* The initial processes follow the first STATE; a block of records that brought some makes the start
 * known, and so does anything that comes later. */
static int
cursor_records_block(struct cursor *c, const struct reader_item *block)
{
	const size_t before = c->processes->n;
	const int r = cursor_records(c, block);

	return r == 0 && c->processes->n > before && !c->started ? cursor_start(c) : r;
}

static int
cursor_progress(struct cursor *c, const struct reader_item *block)
{
	cursor_saw(c, block->head.last_ns);
	if (block->head.last_ns > c->due_ns)
		c->due_ns = block->head.last_ns;
	return cursor_start(c);
}

static int
cursor_block(struct cursor *c, const struct reader_item *block)
{
	switch (block->head.type) {
	case BLOCK_HEADER:
		return cursor_records(c, block);
	case BLOCK_STATE:
		return cursor_state(c, block);
	case BLOCK_RECORDS:
		return cursor_records_block(c, block);
	case BLOCK_CALLS:
		return cursor_calls(c, block);
	case BLOCK_PROGRESS:
		return cursor_progress(c, block);
	case BLOCK_END:
		c->end_seen = true;
		return cursor_records(c, block);
	default:
		return 0;
	}
}

/* True when what waits must be told before the block is applied. */
static bool
cursor_must_hold(const struct cursor *c, const struct reader_item *item)
{
	return c->pending.first && item->what == READER_BLOCK && item->head.type == BLOCK_STATE;
}

static int
cursor_apply(struct cursor *c, const struct reader_item *item)
{
	int r = 0;

	switch (item->what) {
	case READER_BLOCK:
		r = cursor_block(c, item);
		break;
	case READER_PASSED:
		r = cursor_calls(c, item);
		break;
	case READER_DAMAGE:
	case READER_TRUNCATED:
	case READER_GAP:
	case READER_REPEATED:
	case READER_FOREIGN:
		c->next_number += item->n_calls;
		r = cursor_start(c);
		if (r == 0)
			r = cursor_damage(c, item);
		break;
	}
	return r < 0 ? cursor_fail(c, r) : r;
}

/* At the first block of calls that is passed over: the notice of the start is made by then, of all that it
 * tells. Totals need the rest too. */
static void
cursor_seek(struct cursor *c)
{
	uint64_t calls;

	if (c->seeks && !c->tally && reader_seek_range(c->reader, &calls))
		c->next_number = calls;
	c->seeks = false;
}

/* Takes the next block in. 0, 1 = no more, 2 = stopped, negative. */
static int
cursor_read(struct cursor *c)
{
	int r;

	processes_trim(c->processes);
	if (c->has_held) {
		c->has_held = false;
		return cursor_apply(c, &c->held);
	}
	r = reader_next(c->reader, &c->held);
	if (r < 0)
		*c->err = *reader_error(c->reader);
	if (r != 0)
		return r;
	if (cursor_must_hold(c, &c->held)) {
		c->has_held = true;
		return 0;
	}
	r = cursor_apply(c, &c->held);
	if (r == 0 && c->held.what == READER_PASSED)
		cursor_seek(c);
	return r;
}

/* At the end: what a summary needs has been copied, and it takes memory of its own. */
static void
cursor_forget(struct cursor *c)
{
	const bool any = c->epoch.n > 0;

	epoch_clear(&c->epoch);
#ifdef __GLIBC__
	if (any)
		(void)malloc_trim(0);
#else
	(void)any;
#endif
}

int
cursor_ready(struct cursor *c, uint64_t *time_ns)
{
	for (;;) {
		const bool rows = rows_left(&c->rows);
		const bool all_due = c->has_held || c->ended;
		int r;

		if (c->pending.first &&
		    (all_due || pending_before(&c->pending, rows ? rows_next_ns(&c->rows) : c->due_ns))) {
			*time_ns = cursor_unix(c, c->pending.first->time_ns);
			return CURSOR_ITEM;
		}
		if (rows) {
			*time_ns = cursor_unix(c, rows_next_ns(&c->rows));
			return CURSOR_ROWS;
		}
		if (c->ended) {
			cursor_forget(c);
			return CURSOR_END;
		}
		r = cursor_read(c);
		if (r < 0)
			return r;
		if (r == 2)
			return CURSOR_STOPPED;
		c->ended = r == 1;
	}
}

int
cursor_rows(struct cursor *c, uint64_t until_ns, struct iotap_batch *out)
{
	uint64_t until = cursor_boot(c, until_ns);
	int r;

	if (c->pending.first && c->pending.first->time_ns < until)
		until = c->pending.first->time_ns;
	r = rows_take(&c->rows, until, c->processes, out);
	if (r < 0)
		return cursor_fail(c, r);
	out->unix_offset_ns = c->unix_offset_ns;
	return 0;
}

/* -- opening -- */

/* The clock of a block that is not applied yet. One that is not believed is told of when it is. */
static int
cursor_peek_clock(struct cursor *c, const struct reader_item *block)
{
	struct bytes_in in = bytes_in(block->payload, block->payload_bytes);
	struct record rec;
	int r = 0;

	if (block->head.type != BLOCK_STATE)
		return 0;
	while (record_next_known(&in, &rec, NULL) == 0) {
		if (rec.type == REC_clock) {
			r = cursor_clock(c, &rec.u.clock);
			break;
		}
	}
	if (r == IOTAP_ECORRUPT)
		error_clear(c->err);
	return r == IOTAP_ECORRUPT ? 0 : r;
}

/* Reads up to the header. A recording whose header is damaged is read all the same: its epochs say
 * enough. */
static int
cursor_read_header(struct cursor *c)
{
	while (!c->ended && !c->has_held && c->info.size == 0) {
		int r = reader_next(c->reader, &c->held);

		if (r < 0) {
			*c->err = *reader_error(c->reader);
			return r;
		}
		if (r == 1) {
			c->ended = true;
		} else if (c->held.what == READER_BLOCK && c->held.head.type != BLOCK_HEADER) {
			c->has_held = true;	/* no header: it is applied when it is asked for */
			r = cursor_peek_clock(c, &c->held);
			if (r < 0)
				return r;
		} else {
			r = cursor_apply(c, &c->held);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

int
cursor_open(struct cursor *c, struct reader *reader, struct select *select, struct iotap_error *err)
{
	*c = (struct cursor){.reader = reader, .select = select, .err = err};
	c->strings.limit = c->names.limit = c->scopes.limit = c->selected.limit = c->command.limit = 128 * 1024;
	if (epoch_init(&c->epoch) < 0 || rows_init(&c->rows) < 0)
		return cursor_fail(c, IOTAP_ENOMEM);
	return cursor_read_header(c);
}

void
cursor_close(struct cursor *c)
{
	reader_free(c->reader);
	epoch_fini(&c->epoch);
	rows_fini(&c->rows);
	pending_fini(&c->pending);
	buf_free(&c->strings);
	buf_free(&c->scopes);
	buf_free(&c->selected);
	buf_free(&c->names);
	buf_free(&c->command);
	absent_fini(&c->absent);
	*c = (struct cursor){.reader = NULL};
}
