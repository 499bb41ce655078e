/* session_stop.c - from the last traced call to the end block
 *
 * No new calls, drain, the calls that have not ended, drain what was recorded meanwhile, sums and
 * counters: then both laws of the counters hold (formats/kernel_record.h).
 */
#include "capture/session_parts.h"

#include <poll.h>
#include <string.h>

#include "capture/answers.h"

enum { NOTICE_WARNING = 2 };	/* notice.level */
#define STUCK_NS UINT64_C(1000000000)	/* a record that is not done by then never will be */

/* Takes what lies in the rings, until nothing does. */
static int
drain(struct session *s)
{
	const uint64_t from = answers_boot_ns();
	int r;

	do {
		r = session_pump(s);
		if (r == 0 && s->n_taken == 0)
			(void)poll(NULL, 0, 1);
	} while (r == 0 && s->source->ops->fullness &&
		 (s->n_taken > 0 || (s->source->ops->waiting(s->source) > 0 &&
				     answers_boot_ns() - from < STUCK_NS)));
	return r;
}

/* A batch for calls that did not come from a ring. */
struct unfinished {
	struct session *session;
	struct batch *batch;
};

static int
take_unfinished(void *arg, const void *record)
{
	struct unfinished *const u = arg;
	struct session *const s = u->session;
	struct kr_unfinished f;

	memcpy(&f, record, sizeof(f));
	if ((f.call.flags & KF_INTERRUPTED) != 0)
		s->waiting++;
	else if (f.call.commit != 0)
		s->requests_in_flight++;
	else if ((f.call.flags & (KF_BEFORE | KF_UNTIMED)) == 0)	/* those are in no counter */
		s->in_flight++;
	if (f.call.call == 0)
		return 0;
	if (u->batch && u->batch->n_calls == BATCH_CALLS) {
		encoder_put(s->encoder, u->batch);
		u->batch = NULL;
	}
	if (!u->batch)
		u->batch = encoder_batch(s->encoder, true);
	if (!u->batch)
		return encoder_failed(s->encoder, s->err);
	u->batch->calls[u->batch->n_calls++] = f.call;
	return 0;
}

static int
write_unfinished(struct session *s)
{
	struct unfinished u = {.session = s};
	int r;

	if (!s->source->ops->unfinished)
		return 0;
	r = s->source->ops->unfinished(s->source, take_unfinished, &u, s->err);
	if (r == 0 && u.batch && u.batch->n_calls > 0)
		encoder_put(s->encoder, u.batch);
	return r;
}

static int
last_sums(struct session *s)
{
	uint64_t sums[KC_N];

	if (!s->source->ops->counters)
		return 0;
	if (mapped_tick(s->mapped, s->source, &s->pending, s->err) < 0)
		return s->err->code;
	(void)s->source->ops->counters(s->source, sums);
	return aggregates_tick(s->aggregates, s->source, sums, answers_boot_ns(), true, &s->pending,
			       s->err);
}

static int
write_end(struct session *s, enum end_reason reason)
{
	const struct rec_end *const said = s->kernel ? NULL : source_text_end(s->source);
	struct counters counters;
	struct rec_clock clock;
	struct rec_end end = {
		.reason = reason,
		.command_pid = (uint64_t)s->command.pid,
		.command_status = s->command.ended ? (uint32_t)s->command.status : 0,
		.interrupts = (uint64_t)s->options->signals->stops,
	};

	session_clock(s, &clock);
	end.time_ns = clock.boot_ns;
	if (said)
		end = *said;
	session_counters(s, true, &counters);
	return encoder_end(s->encoder, &clock, &counters, &end, s->err);
}

int
session_stop(struct session *s, enum end_reason reason)
{
	int r;

	s->stopping = true;
	if (s->source->ops->stop)
		s->source->ops->stop(s->source);
	r = drain(s);
	if (r == 0)
		r = write_unfinished(s);
	if (r == 0)
		r = last_sums(s);
	if (r == 0)
		r = drain(s);
	return r == 0 ? write_end(s, reason) : r;
}

void
session_fail(struct session *s)
{
	const struct iotap_error first = *s->err;
	const struct rec_notice notice = {.time_ns = answers_boot_ns(), .level = NOTICE_WARNING,
					  .text = rec_str(first.text)};
	struct batch *b;

	if (s->source->ops->stop)
		s->source->ops->stop(s->source);
	b = encoder_batch(s->encoder, true);
	if (b && record_put(&b->records, REC_notice, &notice, NULL) == 0) {
		encoder_put(s->encoder, b);
		(void)write_end(s, END_ERROR);
	}
	*s->err = first;
}

void
session_salvage(struct session *s)
{
	const struct iotap_error first = *s->err;
	uint64_t sums[KC_N] = {0};
	struct counters counters;
	struct rec_clock clock;
	struct rec_end end = {.reason = END_ERROR,
			      .interrupts = (uint64_t)s->options->signals->stops};

	if (s->source->ops->stop)
		s->source->ops->stop(s->source);
	session_clock(s, &clock);
	session_counters(s, false, &counters);
	if (s->source->ops->counters)
		(void)s->source->ops->counters(s->source, sums);
	end.time_ns = clock.boot_ns;
	encoder_salvage(s->encoder, &clock, &counters, sums[KC_recorded], &end);
	*s->err = first;
}
