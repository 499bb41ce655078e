/* session.c - the life of a capture: start, pump, stop
 *
 * Start: look at everything that can be wrong before anything is touched (privileges, targets, output,
 * command), load, attach, mark, write the header, trace, give the privileges back. Pump: every few
 * milliseconds what the rings hold goes to the encoder; every second counters and sums. Stop: no new
 * calls, drain, unfinished calls, drain, counters, sums, end.
 */
#include "capture/session.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/aggregates.h"
#include "capture/answers.h"
#include "capture/attach.h"
#include "capture/command.h"
#include "capture/encoder.h"
#include "capture/kernel.h"
#include "capture/output.h"
#include "capture/privileges.h"
#include "capture/source.h"
#include "formats/base/hash.h"
#include "formats/base/map.h"

enum end_reason {		/* end.reason in formats/records.def */
	RUNNING = 0,
	END_SIGNAL = 1, END_DURATION = 2, END_EXITED = 3, END_OUTPUT = 4, END_ERROR = 5, END_INPUT = 6,
};

enum {
	PAUSE_BUSY_MS = 5,
	PAUSE_PIPE_MS = 20,
	PAUSE_FILE_MS = 50,
	FAST_CALLS_PER_MS = 5000,	/* nobody makes calls faster than this */
	FULL_PERCENT = 25,		/* no pause when a ring holds more */
	HOST_ARGUMENTS = 1, HOST_FOLLOWS = 2,	/* host.flags */
};

#define TICK_NS UINT64_C(1000000000)
#define STUCK_NS UINT64_C(1000000000)

struct session {
	const struct session_options *options;
	struct iotap_error *err;
	struct owner owner;
	struct output output;
	struct command command;
	struct kernel *kernel;		/* NULL with a text */
	struct source *source;
	struct encoder *encoder;
	struct aggregates *aggregates;
	struct exclusion *exclusion;	/* attach's */
	struct attach_options attach_options;
	struct attach attach;
	struct buf pending;		/* records for the next batch */
	struct map live;		/* processes that are traced */
	bool had_live;			/* there was one */
	uint64_t n_taken;		/* calls and notes of the last pump */
	uint64_t until_ns;		/* as of the last round */
	uint64_t began_ns, ticked_ns;
	uint64_t in_flight, waiting;	/* found unfinished */
	uint64_t written_counters[KC_N];
	int pause_ms;
	bool source_ended;
	bool stopping;			/* batches are waited for */
	bool encoder_runs;
};

/* Counters. */

static void
counters_read(struct session *s, bool final, struct counters *out)
{
	uint64_t sums[KC_N];

	*out = (struct counters){0};
	if (!s->source->ops->counters)
		return;
	out->rec = (struct rec_counters){.time_ns = answers_boot_ns(), .final = final,
					 .in_flight = s->in_flight, .waiting = s->waiting};
	out->rec.program_misses = s->source->ops->counters(s->source, sums);
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

/* Counters that differ from those written last, and the sums that go with them. */
static int
tick(struct session *s, uint64_t now_ns)
{
	uint64_t sums[KC_N];
	struct counters c;

	s->ticked_ns = now_ns;
	if (!s->source->ops->counters)
		return 0;
	sweep(s);
	(void)s->source->ops->counters(s->source, sums);
	if (memcmp(sums, s->written_counters, sizeof(sums)) == 0)
		return 0;
	memcpy(s->written_counters, sums, sizeof(sums));
	counters_read(s, false, &c);
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

/* A process that took a name: --exclude may name it too, or it may read our output. */
static bool
is_excluded_late(const struct session *s, const struct kr_note *note)
{
	const struct targets *const t = s->options->targets;
	const uint32_t pid = note->life.tgid;

	if (note_match(note, t->excluded_names, t->n_excluded_names) != 0)
		return true;
	return note->life.by_name != 0 && s->exclusion && s->exclusion->group != 0 &&
	       getpgid((pid_t)pid) == (pid_t)s->exclusion->group;
}

static int
watch_life(struct session *s, struct batch *b, const struct kr_note *note)
{
	const uint32_t pid = note->life.tgid;
	bool ok = true;

	if (note->type == KR_EXIT) {
		(void)map_remove(&s->live, pid);
	} else if (note->type == KR_FORK) {
		ok = map_put(&s->live, pid, 1);
	} else if (is_excluded_late(s, note)) {
		kernel_filter(s->kernel, pid, KERNEL_EXCLUDED);
		(void)map_remove(&s->live, pid);
		if (note->life.by_name != 0)
			batch_drop_note(b, note);
	} else if (note->life.by_name != 0) {
		ok = map_put(&s->live, pid, 1);
	}
	return ok ? 0 : error_set(s->err, IOTAP_ENOMEM, "out of memory");
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
			r = watch_life(s, b, note);
	}
	return r;
}

/* Which name of a process that was taken by name is shown (translate.h). */
static unsigned int
name_from(void *arg, struct bytes comm, struct bytes exe, struct bytes arg0)
{
	const struct targets *const t = ((const struct session_options *)arg)->targets;
	const unsigned int which = names_match(t->names, t->n_names, text_bytes(comm.p, comm.n),
					       text_bytes(exe.p, exe.n),
					       text_bytes(arg0.p, arg0.n));

	return which > 0 ? which - 1 : 0;
}

/* The pump. */

/* The clocks of the recording's host: with a text that names a pair, these and the time that passed. */
static void
clock_read(const struct session *s, struct rec_clock *out)
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

static void
begin_epoch(struct session *s, struct batch *b)
{
	clock_read(s, &b->clock);
	counters_read(s, false, &b->counters);
	b->epoch = true;
}

/* Takes one batch out of the source. enum source_result, or a negative code. */
static int
pump_batch(struct session *s, struct batch *b)
{
	int r, w;

	if (s->until_ns > 0 && encoder_epoch_due(s->encoder))
		begin_epoch(s, b);
	if (!buf_put(&b->records, s->pending.data, s->pending.len))
		return error_set(s->err, IOTAP_ENOMEM, "out of memory");
	buf_clear(&s->pending);
	r = s->source->ops->take(s->source, b, s->err);
	if (r < 0)
		return r;
	w = watch_notes(s, b);
	if (w < 0)
		return w;
	s->n_taken += b->n_calls + b->n_notes;
	if (b->until_ns > 0)
		s->until_ns = b->until_ns;
	if (!batch_is_empty(b) || b->epoch || encoder_wants(s->encoder, b->until_ns))
		encoder_put(s->encoder, b);
	return r;
}

/* One round, or as much of it as there are batches for. */
static int
pump(struct session *s)
{
	int r;

	s->n_taken = 0;
	do {
		struct batch *const b = encoder_batch(s->encoder, s->stopping);

		if (!b)
			return encoder_failed(s->encoder, s->err);
		r = pump_batch(s, b);
	} while (r == SOURCE_MORE);
	if (r == SOURCE_END)
		s->source_ended = true;
	return r < 0 ? r : 0;
}

static int
pump_between(void *arg)
{
	return pump(arg);
}

static int
forget_evicted(struct session *s)
{
	struct buf ids;
	int r = 0;

	buf_init(&ids, 0);
	encoder_evicted(s->encoder, &ids);
	if (ids.len > 0 && s->source->ops->forget)
		r = s->source->ops->forget(s->source, (uint64_t *)(void *)ids.data,
					   ids.len / sizeof(uint64_t), s->err);
	buf_free(&ids);
	return r;
}

/* How long nothing needs to be looked at: short while there is something, longer and longer else, but
 * never so long that a ring could fill meanwhile. */
static int
pause_next(struct session *s)
{
	const int most = s->output.pipe ? PAUSE_PIPE_MS : PAUSE_FILE_MS;
	const int fill = s->source->ops->slots
				 ? (int)(s->source->ops->slots(s->source) / FAST_CALLS_PER_MS)
				 : most;

	if (s->source->ops->fullness && s->source->ops->fullness(s->source) >= FULL_PERCENT)
		return 0;
	s->pause_ms = s->n_taken > 0 || s->pause_ms == 0 ? PAUSE_BUSY_MS : s->pause_ms + PAUSE_BUSY_MS;
	if (s->pause_ms > most)
		s->pause_ms = most;
	if (s->pause_ms > fill)
		s->pause_ms = fill > 1 ? fill : 1;
	return s->pause_ms;
}

/* Sleeps; the output's reader going away ends it. */
static void
pause_for(const struct session *s, int ms)
{
	struct pollfd p = {.fd = s->output.pipe ? s->output.fd : -1, .events = 0};

	if (ms > 0)
		(void)poll(&p, 1, ms);
}

static enum end_reason
reason_to_stop(struct session *s, uint64_t now_ns)
{
	if (*s->options->signals > 0)
		return END_SIGNAL;
	if (output_reader_gone(&s->output))
		return END_OUTPUT;
	if (s->source_ended)
		return END_INPUT;
	if (s->kernel && s->live.n == 0 && (s->had_live || !s->options->targets->wait))
		return END_EXITED;
	if (s->options->duration_ns > 0 && now_ns - s->began_ns >= s->options->duration_ns)
		return END_DURATION;
	return RUNNING;
}

/* Until there is a reason to stop. */
static int
run(struct session *s, enum end_reason *reason)
{
	for (;;) {
		const uint64_t now = answers_boot_ns();
		int r = pump(s);

		if (r == 0 && now - s->ticked_ns >= TICK_NS)
			r = tick(s, now);
		if (r == 0)
			r = forget_evicted(s);
		if (r < 0)
			return r;
		/* A pump later its end has been seen in the rings, unless these were full. */
		if (s->command.ended)
			(void)map_remove(&s->live, (uint64_t)s->command.pid);
		(void)command_has_ended(&s->command);
		s->had_live = s->had_live || s->live.n > 0;
		*reason = reason_to_stop(s, now);
		if (*reason != RUNNING)
			return 0;
		pause_for(s, pause_next(s));
	}
}

/* Start. */

static int
start_kernel(struct session *s)
{
	const struct session_options *const o = s->options;
	const struct kernel_options k = {.buffer_bytes = o->buffer_bytes, .follow = o->follow,
					 .names = o->targets->names,
					 .n_names = o->targets->n_names};
	int r = kernel_open(&s->kernel, &k, s->err);

	if (r < 0)
		return r;
	s->source = source_bpf_new(s->kernel);
	if (!s->source)
		return error_set(s->err, IOTAP_ENOMEM, "out of memory");
	r = kernel_attach(s->kernel, s->err);
	if (r == 0)
		r = attach_mark(&s->attach, s->kernel, &s->attach_options, s->err);
	s->exclusion = &s->attach.exclusion;
	return r;
}

static int
start_encoder(struct session *s)
{
	const struct session_options *const o = s->options;
	const struct encoder_options e = {
		.writer = {.fd = s->output.fd, .pipe = s->output.pipe, .index = !s->output.pipe,
			   .codec = CODEC_ZSTD},
		.name_from = name_from, .name_arg = (void *)(uintptr_t)o,
	};
	struct answers_host host;
	struct rec_clock clock;

	s->encoder = encoder_new(&e, s->err);
	if (!s->encoder)
		return s->err->code;
	answers_host(&host);
	if (!s->kernel && source_text_header(s->source)->has_host)
		host.rec = source_text_header(s->source)->host;
	clock_read(s, &clock);
	host.rec.options = rec_str(o->options);
	host.rec.flags |= (o->all_arguments ? HOST_ARGUMENTS : 0) | (o->follow ? HOST_FOLLOWS : 0);
	s->encoder_runs = true;
	return encoder_start(s->encoder, &host.rec, &clock, o->requests, o->n_requests, NULL, s->err);
}

static uint64_t
pipe_inode(const struct session *s)
{
	const bool given = !s->options->output || strcmp(s->options->output, "-") == 0;
	struct stat st;

	return given && fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode) ? st.st_ino : 0;
}

static int
start_command(struct session *s, int *status)
{
	const struct session_options *const o = s->options;
	const bool to_stdout = !o->output || strcmp(o->output, "-") == 0;
	const struct command_options c = {.argv = o->command, .user = o->user, .owner = &s->owner,
					  .stdout_to_stderr = to_stdout};

	int r;

	if (!o->command)
		return 0;
	r = command_start(&s->command, &c, status, s->err);
	if (r == 0)
		*status = 0;
	return r;
}

/* From a look at the options to the first traced call. */
static int
start(struct session *s, int *status)
{
	const struct session_options *const o = s->options;
	int r = output_check(o->output, o->force, &s->owner, s->err);

	if (r == 0)
		r = privileges_check(s->err);
	if (r == 0)
		r = start_command(s, status);
	if (r < 0)
		return r;
	o->watch_signals();
	privileges_settle();
	s->attach_options = (struct attach_options){
		.targets = o->targets, .follow = o->follow, .all_arguments = o->all_arguments,
		.command = (uint32_t)s->command.pid, .output_pipe = pipe_inode(s)};
	r = attach_look(&s->attach_options, s->err);
	if (r == 0)
		r = output_open(&s->output, o->output, o->force, &s->owner, s->err);
	if (r == 0)
		r = start_kernel(s);
	if (r == 0)
		r = start_encoder(s);
	if (r == 0)
		r = answers_interfaces(&s->pending, s->err);
	if (r == 0)
		r = attach_begin(&s->attach, &s->pending, &s->live, pump_between, s, s->err);
	if (r == 0)
		r = output_commit(&s->output, s->err);
	if (r == 0)
		r = privileges_drop(&s->owner, s->err);
	if (r == 0)
		command_release(&s->command);
	return r;
}

static int
start_text(struct session *s)
{
	const struct session_options *const o = s->options;
	int r = output_check(o->output, o->force, &s->owner, s->err);

	if (r < 0)
		return r;
	o->watch_signals();
	s->source = source_text_open(o->source, s->err);
	if (!s->source)
		return s->err->code;
	r = output_open(&s->output, o->output, o->force, &s->owner, s->err);
	if (r == 0)
		r = start_encoder(s);
	return r == 0 ? output_commit(&s->output, s->err) : r;
}

/* Stop. */

/* Takes what lies in the rings, until nothing does. */
static int
drain(struct session *s)
{
	const uint64_t from = answers_boot_ns();
	int r;

	do {
		r = pump(s);
		if (r == 0 && s->n_taken == 0)
			pause_for(s, 1);
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
	else
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
		.interrupts = (uint64_t)*s->options->signals,
	};

	clock_read(s, &clock);
	end.time_ns = clock.boot_ns;
	if (said)
		end = *said;
	counters_read(s, true, &counters);
	return encoder_end(s->encoder, &clock, &counters, &end, s->err);
}

static int
stop(struct session *s, enum end_reason reason)
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

/* Waits for the end of a command whose process has ended as far as the kernel half saw. */
static void
wait_for_command(struct session *s)
{
	const uint64_t from = answers_boot_ns();

	while (s->command.pid > 0 && !command_has_ended(&s->command) &&
	       answers_boot_ns() - from < TICK_NS)
		(void)poll(NULL, 0, 1);
}

/* A COMMAND goes on when tracing stops before it ends, and its status is still to be ours. Nothing is
 * held meanwhile, so whoever reads has seen the end. A second signal does not wait. */
static void
outlast_command(struct session *s)
{
	while (s->command.pid > 0 && !command_has_ended(&s->command))
		(void)poll(NULL, 0, 10);
}

static void
session_fini(struct session *s)
{
	encoder_free(s->encoder);
	source_close(s->source);
	attach_fini(&s->attach);
	kernel_close(s->kernel);
	aggregates_free(s->aggregates);
	output_close(&s->output);
	buf_free(&s->pending);
	map_fini(&s->live);
}

/* A reader that went away is no error of ours. */
static int
result_of(struct session *s, int r, int *status)
{
	if (r == IOTAP_EPIPE && s->encoder_runs)
		r = 0;
	if (r == 0)
		*status = s->command.ended ? command_exit_status(&s->command) : 0;
	else if (*status == 0)
		*status = 1;
	return r;
}

int
session_run(const struct session_options *options, int *status, struct iotap_error *err)
{
	struct session s = {.options = options, .err = err, .output = {.fd = -1, .dir = -1}};
	enum end_reason reason = RUNNING;
	bool began;
	int r;

	*status = 0;
	privileges_owner(&s.owner);
	map_init(&s.live, hash_seed(), 0);
	s.aggregates = aggregates_new(answers_boot_ns());
	r = s.aggregates ? 0 : error_set(err, IOTAP_ENOMEM, "out of memory");
	if (r == 0)
		r = options->source ? start_text(&s) : start(&s, status);
	began = r == 0;
	if (began) {
		s.began_ns = s.ticked_ns = answers_boot_ns();
		r = run(&s, &reason);
		if (r == 0 && reason == END_EXITED)
			wait_for_command(&s);
		if (r == 0)
			r = stop(&s, reason);
	}
	session_fini(&s);
	if (began && (r == 0 || r == IOTAP_EPIPE))
		outlast_command(&s);
	r = result_of(&s, r, status);
	command_abandon(&s.command);
	return r;
}
