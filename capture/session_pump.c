/* session_pump.c - what the rings hold goes to the encoder; counters and sums with it
 *
 * On the way capture looks at the life of processes, to know when the last one has ended.
 */
#include "capture/session_parts.h"

#include <string.h>
#include <unistd.h>

#include "capture/answers.h"
#include "capture/procfs.h"

#define CLOCK_SET_NS INT64_C(10000000)	/* less is slewing, or told by the next epoch */

void
session_counters(struct session *s, bool final, struct counters *out)
{
	uint64_t sums[KC_N];

	*out = (struct counters){0};
	if (!s->source->ops->counters)
		return;
	out->rec = (struct rec_counters){.time_ns = answers_boot_ns(), .final = final,
					 .in_flight = s->in_flight, .waiting = s->waiting,
					 .requests_in_flight = s->requests_in_flight};
	out->rec.program_misses = s->source->ops->counters(s->source, sums);
	s->incomplete = sums[KC_aggregated] > 0 || sums[KC_notes_lost] > 0 ||
			out->rec.program_misses > 0;
	for (unsigned int i = 0; i < KC_N; i++)
		out->n_values += (uint32_t)bytes_varint_at(out->values + out->n_values, sums[i]);
}

/* Processes whose end found no room in the rings: the kernel half has forgotten them. */
static void
sweep(struct session *s)
{
	uint64_t gone[64], pid, *value;
	size_t n = 0, at = 0;

	if (s->source->ops->waiting(s->source) > 0)
		return;
	while (n < sizeof(gone) / sizeof(gone[0]) && map_next(&s->live, &at, &pid, &value)) {
		if (kernel_filter_of(s->kernel, (uint32_t)pid) == KERNEL_NOT_TRACED)
			gone[n++] = pid;
	}
	while (n > 0)
		(void)map_remove(&s->live, gone[--n]);
}

/* A clock that was set is said now: what comes before the next epoch would have the old time. */
static int
watch_clock(struct session *s)
{
	struct rec_clock clock;
	uint64_t offset;
	int64_t step;

	answers_clock(&clock);
	offset = (uint64_t)clock.real_ns - clock.boot_ns;
	step = (int64_t)(offset - s->clock_offset_ns);
	if (s->clock_offset_ns != 0 && step < CLOCK_SET_NS && step > -CLOCK_SET_NS)
		return 0;
	if (s->clock_offset_ns != 0 && record_put(&s->pending, REC_clock, &clock, s->err) < 0)
		return s->err->code;
	s->clock_offset_ns = offset;
	return 0;
}

int
session_tick(struct session *s, uint64_t now_ns)
{
	uint64_t sums[KC_N];
	struct counters c;

	s->ticked_ns = now_ns;
	if (!s->source->ops->counters)
		return 0;
	if (watch_clock(s) < 0)
		return s->err->code;
	sweep(s);
	if (mapped_tick(s->mapped, s->source, &s->pending, s->err) < 0)
		return s->err->code;
	(void)s->source->ops->counters(s->source, sums);
	if (memcmp(sums, s->written_counters, sizeof(sums)) == 0)
		return 0;
	memcpy(s->written_counters, sums, sizeof(sums));
	session_counters(s, false, &c);
	(void)counters_seal(&c);
	if (record_put(&s->pending, REC_counters, &c.rec, s->err) < 0)
		return s->err->code;
	return aggregates_tick(s->aggregates, s->source, sums, now_ns, false, &s->pending, s->err);
}

/* What notes mean to capture itself: who is still traced. */

static struct name_bytes
text_bytes(const uint8_t *p, size_t n)
{
	return (struct name_bytes){(const char *)p, n};
}

/* Names of a process in an exec or rename note; the lengths were not checked by anybody else. */
static unsigned int
note_match(const struct kr_note *note, const char *const *names, size_t n)
{
	const struct kr_life *const l = &note->life;
	const uint8_t *const text = note_text(note);
	const bool exec = note->type == KR_EXEC &&
			  (uint32_t)l->text_len + l->arg0_len <= note->text_total;

	return names_match(names, n,
			   text_bytes((const uint8_t *)l->comm, strnlen(l->comm, sizeof(l->comm))),
			   text_bytes(text, exec ? l->text_len : 0),
			   text_bytes(text + (exec ? l->text_len : 0), exec ? l->arg0_len : 0));
}

/* A process that took a name which --exclude has: the kernel half has left it out already. */
static bool
has_excluded_name(const struct session *s, const struct kr_note *note)
{
	const struct targets *const t = s->options->targets;

	if (note->type == KR_RENAME && note->life.tid != note->life.tgid)
		return false;
	return note_match(note, t->excluded_names, t->n_excluded_names) != 0;
}

/* A process that was taken and may read our output. */
static bool
is_of_our_pipeline(const struct session *s, const struct kr_note *note)
{
	const uint32_t pid = note->life.tgid;

	return note->life.by_name != 0 && s->exclusion && s->exclusion->group != 0 &&
	       getpgid((pid_t)pid) == (pid_t)s->exclusion->group;
}

/* --argv: an exec gets all its arguments, if the process still has them. */
static int
keep_arguments(struct session *s, struct batch *b, size_t *at, const struct kr_note *note)
{
	struct buf all;
	bool ok = true;

	buf_init(&all, 0);
	if ((uint32_t)note->life.text_len + note->life.arg0_len <= note->text_total &&
	    procfs_arguments(note->life.tgid, &all) && all.len > 0)
		ok = batch_set_arg0(b, at, note, all.data, all.len);
	buf_free(&all);
	return ok ? 0 : error_set(s->err, IOTAP_ENOMEM, "out of memory");
}

static int
watch_life(struct session *s, struct batch *b, size_t *at, const struct kr_note *note)
{
	const uint32_t pid = note->life.tgid;
	bool ok = true;

	if (note->type == KR_EXIT) {
		(void)map_remove(&s->live, pid);
	} else if (note->type == KR_FORK) {
		ok = map_put(&s->live, pid, 1);
	} else if (has_excluded_name(s, note) || is_of_our_pipeline(s, note)) {
		if (is_of_our_pipeline(s, note))
			kernel_filter(s->kernel, pid, KERNEL_EXCLUDED);
		(void)map_remove(&s->live, pid);
		if (note->life.by_name != 0)
			batch_drop_note(b, note);
	} else if (note->life.by_name != 0) {
		ok = map_put(&s->live, pid, 1);
	}
	if (!ok)
		return error_set(s->err, IOTAP_ENOMEM, "out of memory");
	return note->type == KR_EXEC && s->options->all_arguments ? keep_arguments(s, b, at, note) : 0;
}

static int
watch_notes(struct session *s, struct batch *b)
{
	const struct kr_note *note;
	size_t at = 0;
	int r = 0;

	while (r == 0 && (note = batch_next_note(b, &at)) != NULL) {
		if (note->type == KR_FORK || note->type == KR_EXEC || note->type == KR_RENAME ||
		    note->type == KR_EXIT)
			r = watch_life(s, b, &at, note);
	}
	return r;
}

void
session_clock(const struct session *s, struct rec_clock *out)
{
	const struct source_header *const h = s->kernel ? NULL : source_text_header(s->source);

	if (!h || !h->has_clock) {
		answers_clock(out);
		return;
	}
	*out = h->clock;
	if (s->until_ns > out->boot_ns) {
		out->real_ns += (int64_t)(s->until_ns - out->boot_ns);
		out->tai_ns += (int64_t)(s->until_ns - out->boot_ns);
		out->boot_ns = s->until_ns;
	}
}

/* What is pending belongs before a turn: that comes with the next batch then. */
static void
begin_turn(struct session *s, struct batch *b)
{
	const enum outlet_due turn = s->until_ns > 0 && s->pending.len == 0
					     ? encoder_turn(s->encoder, &s->dump) : OUTLET_NOTHING;

	if (turn == OUTLET_NOTHING)
		return;
	session_clock(s, &b->clock);
	session_counters(s, false, &b->counters);
	b->turn = turn;
}

/* Takes one batch out of the source. enum source_result, or a negative code. */
static int
pump_batch(struct session *s, struct batch *b)
{
	int r, w;

	begin_turn(s, b);
	if (!buf_move(&b->records, &s->pending))
		return error_set(s->err, IOTAP_ENOMEM, "out of memory");
	r = s->source->ops->take(s->source, b, s->err);
	if (r < 0)
		return r;
	w = watch_notes(s, b);
	if (w < 0)
		return w;
	s->n_taken += b->n_calls + b->n_notes;
	if (b->until_ns > 0)
		s->until_ns = b->until_ns;
	if (!batch_is_empty(b) || b->turn != OUTLET_NOTHING || encoder_wants(s->encoder, b->until_ns))
		encoder_put(s->encoder, b);
	return r;
}

int
session_pump(struct session *s)
{
	int r;

	s->n_taken = 0;
	do {
		struct batch *const b = encoder_batch(s->encoder, s->stopping);

		s->no_room = !b;
		if (!b)
			return encoder_failed(s->encoder, s->err);
		r = pump_batch(s, b);
	} while (r == SOURCE_MORE);
	if (r == SOURCE_END)
		s->source_ended = true;
	return r < 0 ? r : 0;
}
