/* check.c - proof that a recording is whole */
#include "decode/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/base/hash.h"
#include "formats/base/units.h"
#include "formats/base/unix_time.h"
#include "formats/call_block.h"
#include "formats/record.h"

enum { END_ROTATED = 9, END_DUMPED = 10 };	/* end.reason in formats/records.def */

/* Counters are cumulative over all files of a rotation: those of the first STATE block say where this
 * one begins. */
static void
check_counters(struct check *c, const struct rec_counters *rec, bool at_beginning)
{
	struct check_counters now = {
		.there = true, .final = rec->final, .in_flight = rec->in_flight, .waiting = rec->waiting,
		.written = rec->written, .lost_user = rec->lost_user,
		.program_misses = rec->program_misses, .requests_in_flight = rec->requests_in_flight,
	};
	struct bytes_in in = bytes_in(rec->values.p, rec->values.n);

	for (unsigned int i = 0; i < KC_N && bytes_left(&in) > 0; i++)
		now.kernel[i] = bytes_get_varint(&in);
	if (at_beginning)
		c->first = now;
	c->last = now;
}

/* The sum over keys of the latest cumulative value. A key is known by its hash: the numbers of a proof
 * may collide once in 2^64. */
static bool
check_aggregate(struct check *c, const struct rec_aggregate *rec)
{
	const uint64_t key = hash_pair(hash_pair(rec->level << 32 | rec->call, rec->pid, 1), rec->id, 1);
	uint64_t *const before = map_find(&c->aggregates, key);
	const uint64_t had = before ? *before : 0;

	c->aggregated += rec->calls - had;
	return map_put(&c->aggregates, key, rec->calls);
}

/* 0; IOTAP_ECORRUPT, text in why, of what cannot be; IOTAP_ENOMEM. */
static int
check_record(struct check *c, const struct record *rec, bool at_beginning, struct iotap_error *why)
{
	switch (rec->type) {
	case REC_host:
		c->stream = rec->u.host.stream != 0;
		return 0;
	case REC_clock:
		return unix_time_offset(rec->u.clock.boot_ns, rec->u.clock.real_ns, &c->unix_offset_ns) ? 0 :
			error_set(why, IOTAP_ECORRUPT, "a clock that no kernel has");
	case REC_counters:
		check_counters(c, &rec->u.counters, at_beginning);
		return 0;
	case REC_aggregate:
		return check_aggregate(c, &rec->u.aggregate) ? 0 : IOTAP_ENOMEM;
	case REC_loss:
		c->losses++;
		c->lost_calls += rec->u.loss.cause >= 3 ? rec->u.loss.count : 0;
		return 0;
	case REC_cost:
		c->cost_user_ns = rec->u.cost.user_ns;
		c->cost_system_ns = rec->u.cost.system_ns;
		c->cost_resident_bytes = rec->u.cost.resident_bytes;
		c->cost_bytes = rec->u.cost.bytes;
		c->cost_waiting = rec->u.cost.batches_waiting;
		return 0;
	case REC_end:
		c->end_seen = true;
		c->end_calls = rec->u.end.calls;
		c->end_blocks = rec->u.end.blocks;
		c->end_reason = rec->u.end.reason;
		return 0;
	default:
		return 0;
	}
}

static void
check_bad(struct check *c, const struct reader_item *block, const char *why, struct buf *out)
{
	c->bad_blocks++;
	(void)buf_printf(out, "bad    block %" PRIu64 " at %" PRIu64 ": %s\n", block->head.sequence, block->offset,
			 why);
}

static int
check_records(struct check *c, const struct reader_item *block, struct buf *out)
{
	const bool at_beginning = block->head.type == BLOCK_STATE && c->states++ == 0;
	struct bytes_in in = bytes_in(block->payload, block->payload_bytes);
	struct iotap_error err = {.code = 0};
	struct record rec;
	uint64_t n = 0;
	int r;

	while ((r = record_next(&in, &rec, &err)) == 0) {
		n++;
		if (rec.info && check_record(c, &rec, at_beginning, &err) == IOTAP_ENOMEM)
			return error_set(&c->err, IOTAP_ENOMEM, "out of memory");
	}
	c->records += n;
	if (err.code != 0)
		check_bad(c, block, err.text, out);
	else if (n != block->head.count)
		check_bad(c, block, "another number of records than it says", out);
	return 0;
}

static int
check_calls(struct check *c, struct call_decoder *decoder, const struct reader_item *block,
	    struct buf *out)
{
	struct iotap_error err = {.code = 0};
	struct call_columns columns;
	int r = call_decoder_block(decoder, &block->head, block->payload, COL_ALL, &columns, &err);

	if (r == 0 && !call_columns_fit(&columns, c->unix_offset_ns))
		r = error_set(&err, IOTAP_ECORRUPT, "calls at times that no kernel has");
	if (r == IOTAP_ENOMEM) {
		c->err = err;
		return r;
	}
	if (r < 0) {
		check_bad(c, block, err.text, out);
		return 0;
	}
	for (uint32_t i = 0; i < columns.n; i++) {
		c->disorders += columns.key[i] < c->last_key;
		c->last_key = columns.key[i];
		c->unfinished += (columns.flags[i] & KF_UNFINISHED) != 0;
	}
	c->calls += columns.n;
	return 0;
}

static int
check_item(struct check *c, struct call_decoder *decoder, const struct reader_item *item,
	   struct buf *out)
{
	char bytes[UNITS_SIZE];

	if (item->what == READER_BLOCK) {
		c->blocks++;
		if (item->head.type == BLOCK_CALLS)
			return check_calls(c, decoder, item, out);
		return item->head.type < BLOCK_TYPE_END ? check_records(c, item, out) : 0;
	}
	if (item->what == READER_TRUNCATED) {
		c->truncated = true;
		return 0;
	}
	c->damages++;
	c->damaged_bytes += item->bytes;
	(void)buf_printf(out, "bad    at %" PRIu64 " (%s): %s\n", item->offset,
			 units_count(bytes, item->bytes, "byte"), item->text);
	return 0;
}

/* -- the verdict -- */

static void
law(struct check *c, struct buf *out, const char *text, uint64_t left, uint64_t right)
{
	const bool holds = left == right;

	(void)buf_printf(out, "%-6s %s: %" PRIu64 " %s %" PRIu64 "\n", holds ? "ok" : "BROKEN", text, left,
			 holds ? "=" : "!=", right);
	c->broken = c->broken || !holds;
}

static void
check_kernel_laws(struct check *c, struct buf *out)
{
	const struct check_counters *const n = &c->last;
	const uint64_t *const k = n->kernel;
	const bool requests = k[KC_requests] + k[KC_requests_before] > 0;
	char text[128];

	law(c, out, "exits = paired + restart waits + not selected + before + before, unselected + phantom + "
	    "newborn + stateless", k[KC_exits],
	    k[KC_paired] + k[KC_restart_waits] + k[KC_not_selected] + k[KC_before] +
	    k[KC_before_unselected] + k[KC_phantom] + k[KC_newborn] + k[KC_stateless]);
	law(c, out, "enters = paired + restart waits + not selected + in flight + never returning + no state + "
	    "replaced", k[KC_enters],
	    k[KC_paired] + k[KC_restart_waits] + k[KC_not_selected] + n->in_flight +
	    k[KC_never_returning] + k[KC_no_state] + k[KC_replaced]);
	(void)snprintf(text, sizeof(text), "paired + before + interrupted%s%s = recorded + aggregated%s",
		       requests ? " + requests done" : "", k[KC_parts] > 0 ? " + parts" : "",
		       requests || k[KC_filtered] > 0 ? " + filtered" : "");
	law(c, out, text, k[KC_paired] + k[KC_before] + k[KC_interrupted] + k[KC_requests_done] + k[KC_parts],
	    k[KC_recorded] + k[KC_aggregated] + k[KC_filtered]);
	law(c, out, "restart waits = joined + interrupted + waiting", k[KC_restart_waits],
	    k[KC_joined] + k[KC_interrupted] + n->waiting);
	if (requests)
		law(c, out, "requests + more results + results of older requests = requests done + in flight "
		    "+ replaced + without room", k[KC_requests] + k[KC_requests_more] + k[KC_requests_before],
		    k[KC_requests_done] + n->requests_in_flight + k[KC_requests_replaced] +
		    k[KC_requests_no_room]);
	law(c, out, "recorded = written + lost in user space", k[KC_recorded], n->written + n->lost_user);
	law(c, out, "aggregated = sum of the aggregates", k[KC_aggregated], c->aggregated);
	(void)buf_printf(out, "note   program runs skipped by the kernel: %" PRIu64 "\n",
			 n->program_misses);
}

/* What holds for each file of a series by itself: written calls are counted from where it begins. */
static void
check_written(struct check *c, struct buf *out)
{
	const uint64_t before = c->first.there ? c->first.written : 0;

	if (c->damages == 0 && !c->truncated)
		law(c, out, "written = calls here that finished", c->last.written - before,
		    c->calls - c->unfinished);
}

static void
check_laws(struct check *c, struct buf *out)
{
	const bool goes_on = c->end_seen &&
			     (c->end_reason == END_ROTATED || c->end_reason == END_DUMPED);

	if (c->damages == 0 && !c->truncated && c->end_seen) {
		law(c, out, "calls here = calls of the end block", c->calls, c->end_calls);
		law(c, out, "blocks here = blocks of the end block", c->blocks, c->end_blocks);
	}
	if (c->last.there && c->last.final) {
		check_kernel_laws(c, out);
		check_written(c, out);
	} else if (c->last.there && goes_on) {
		check_written(c, out);
		(void)buf_puts(out, "note   one of several: the counters are closed in the last one\n");
	} else {
		(void)buf_printf(out, "note   no final counters: %s\n", c->stream ?
				 "a filtered event stream has none" : "the laws cannot be proved");
		c->incomplete = !c->stream;
	}
}

static void
check_cost(const struct check *c, struct buf *out)
{
	char bytes[UNITS_SIZE], pieces[UNITS_SIZE];

	if (c->cost_bytes == 0)
		return;
	(void)buf_printf(out, "note   capture took %" PRIu64 " ms of CPU (%" PRIu64 " of them in the kernel), "
			 "%" PRIu64 " KiB of memory, wrote %s, had at most %s waiting\n",
			 (c->cost_user_ns + c->cost_system_ns) / 1000000, c->cost_system_ns / 1000000,
			 c->cost_resident_bytes / 1024, units_count(bytes, c->cost_bytes, "byte"),
			 units_count(pieces, c->cost_waiting, "piece"));
}

static void
check_verdict(struct check *c, struct buf *out)
{
	char text[3][UNITS_SIZE];

	(void)buf_printf(out, "%s, %s, %s, %" PRIu64 " of them unfinished\n", units_count(text[0], c->blocks, "block"),
			 units_count(text[1], c->records, "record"), units_count(text[2], c->calls, "call"),
			 c->unfinished);
	if (c->damages > 0)
		(void)buf_printf(out, "bad    %s, %s\n", units_count(text[0], c->damages, "place"),
				 units_count(text[1], c->damaged_bytes, "byte"));
	if (c->truncated)
		(void)buf_puts(out, "bad    the recording ends abruptly\n");
	if (c->disorders > 0)
		(void)buf_printf(out, "bad    %s out of the order of time\n",
				 units_count(text[0], c->disorders, "call"));
	if (c->losses > 0)
		(void)buf_printf(out, "note   %s stated, %s without a trace\n",
				 units_count(text[0], c->losses, "loss"), units_count(text[1], c->lost_calls, "call"));
	check_laws(c, out);
	check_cost(c, out);
	c->broken = c->broken || c->bad_blocks > 0 || c->disorders > 0;
	c->incomplete = c->incomplete || c->damages > 0 || c->truncated || c->losses > 0;
	(void)buf_puts(out, c->broken ? "the recording contradicts itself\n"
			    : c->incomplete ? "the recording is sound as far as it goes, but incomplete\n"
					    : "the recording is whole\n");
}

int
check_recording(struct check *c, struct reader *reader, struct buf *out)
{
	struct call_decoder *const decoder = call_decoder_new();
	struct reader_item item;
	int r = decoder ? 0 : error_set(&c->err, IOTAP_ENOMEM, "out of memory");

	map_init(&c->aggregates, hash_seed(), 0);
	while (r == 0) {
		r = reader_next(reader, &item);
		if (r < 0)
			c->err = *reader_error(reader);
		else if (r == 0)
			r = check_item(c, decoder, &item, out);
	}
	if (r > 0)
		check_verdict(c, out);
	call_decoder_free(decoder);
	map_fini(&c->aggregates);
	return r < 0 ? r : 0;
}
