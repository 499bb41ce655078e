/* cursor_aggregate.c - what the kernel could only sum, added to the tally and told of */
#include "decode/cursor.h"
#include "decode/tally_parts.h"
#include "decode/target.h"
#include "formats/calls.h"

static int
aggregate_tell(struct cursor *c, const struct record *rec, const struct tally_place *place,
	       const struct tally_amount *grew)
{
	const bool source = rec->type == REC_aggregate_source;
	const struct rec_aggregate *const whole = &rec->u.aggregate;
	const struct rec_aggregate_source *const half = &rec->u.aggregate_source;
	const unsigned int call = (unsigned int)(source ? half->call : whole->call);
	const struct iotap_aggregate told = {
		.size = sizeof(told),
		.process = place->process,
		.target = place->target	? place->target
			  : call_spec(call)->on == ON_SOCK ? place->socket : place->unknown,
		.call = (uint16_t)call,
		.is_source = source,
		.calls = grew->calls, .bytes = grew->bytes, .messages = grew->messages,
		.errors = grew->errors, .unsized = grew->unsized, .latency_ns = grew->latency_ns,
		.first_time_ns = cursor_unix(c, source ? half->first_ns : whole->first_ns),
		.last_time_ns = cursor_unix(c, source ? half->last_ns : whole->last_ns),
	};

	return c->on_aggregate(c->on_aggregate_arg, &told);
}

/* Sums are cumulative. What the state at the beginning of a file restates (a rotated file, a flight
 * recorder's) is where counting starts, not part of it; a key that is first told of later has been told
 * of in no file before, whenever its calls were. */
int
cursor_aggregate(struct cursor *c, const struct record *rec, bool in_state)
{
	const bool source = rec->type == REC_aggregate_source;
	const uint64_t id = source ? rec->u.aggregate_source.id : rec->u.aggregate.id;
	const struct process *const process =
		processes_find(c->processes, (uint32_t)(source ? rec->u.aggregate_source.pid : rec->u.aggregate.pid));
	struct tally_place place = {
		.unknown = &c->epoch.unknown->pub,
		.socket = &c->epoch.socket->pub,
		.process = process ? &process->pub : NULL,
		.select = c->select,
		.baseline = in_state,
		.sets = c->sets,
	};
	struct tally_amount grew = {.calls = 0};
	struct target *target = NULL;
	int r = id != 0 ? epoch_find(&c->epoch, id, &target) : 0;

	if (r < 0 || !c->tally)
		return r;
	place.target = target ? &target->pub : NULL;
	r = source ? tally_aggregate_source(c->tally, &rec->u.aggregate_source, &place, &grew)
		   : tally_aggregate(c->tally, &rec->u.aggregate, &place, &grew);
	return r < 0 || grew.calls == 0 ? r : aggregate_tell(c, rec, &place, &grew);
}
