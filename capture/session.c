/* session.c - the life of a capture: start, pump, stop
 *
 * session_start.c, session_pump.c and session_stop.c say what belongs to each; here is what leads from
 * one to the next. Every few milliseconds the rings are emptied, every second counters and sums read.
 */
#include "capture/session.h"

#include <poll.h>
#include <unistd.h>

#include "capture/answers.h"
#include "capture/session_parts.h"
#include "formats/base/hash.h"

enum {
	PAUSE_ENCODER_MS = 1,		/* it is the encoder that needs the CPU */
	PAUSE_BUSY_MS = 5,
	PAUSE_PIPE_MS = 20,
	PAUSE_FILE_MS = 30,		/* what begins in it is lost with a kill: 50 ms, encoding and all */
	FULL_PERCENT = 25,		/* no pause when a ring holds more */
};
enum { INCOMPLETE = 4 };		/* exit status: some calls are there as sums, or without names */

#define TICK_NS UINT64_C(1000000000)
#define EVICTED_BYTES_MAX (8u << 20)	/* beyond that everything is defined again */

/* A pass begins at most once a second, and is done in parts: it must not keep the rings waiting. */
static int
forget_evicted(struct session *s, uint64_t now_ns)
{
	int r;

	if (!encoder_evicted(s->encoder, &s->evicted)) {
		s->evicted_all = true;
		buf_clear(&s->evicted);
	}
	if (!s->source->ops->forget ||
	    (!s->forgetting && ((s->evicted.len == 0 && !s->evicted_all) ||
				now_ns - s->forgot_ns < TICK_NS)))
		return 0;
	s->forgot_ns = now_ns;
	r = s->source->ops->forget(s->source, &s->evicted, &s->evicted_all, s->err);
	s->forgetting = r == 1;
	return r < 0 ? r : 0;
}

/* How long nothing needs to be looked at: short while there is something, longer and longer else, but
 * never so long that a ring could fill meanwhile. */
static int
pause_next(struct session *s)
{
	const int most = s->output.pipe ? PAUSE_PIPE_MS : PAUSE_FILE_MS;
	const int fill = s->source->ops->fill_ms ? (int)s->source->ops->fill_ms(s->source) : most;

	if (s->no_room)
		return PAUSE_ENCODER_MS;
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

/* Nobody is left, and nobody is waited for: a user or a cgroup always may have another process. */
static bool
everybody_has_ended(const struct session *s)
{
	if (!s->kernel)
		return false;
	if (scope_given(s->options->scope))
		return s->command.ended;
	return s->live.n == 0 && (s->had_live || !s->options->targets->wait);
}

static enum end_reason
reason_to_stop(struct session *s, uint64_t now_ns)
{
	if (s->options->signals->stops > 0)
		return END_SIGNAL;
	if (output_reader_gone(&s->output))
		return END_OUTPUT;
	if (s->source_ended)
		return END_INPUT;
	if (everybody_has_ended(s))
		return END_EXITED;
	if (s->options->limited && now_ns - s->began_ns >= s->options->duration_ns)
		return END_DURATION;
	if (encoder_limit(s->encoder) != 0)
		return (enum end_reason)encoder_limit(s->encoder);
	return RUNNING;
}

/* Until there is a reason to stop. */
static int
run(struct session *s, enum end_reason *reason)
{
	for (;;) {
		const uint64_t now = answers_boot_ns();
		int r = session_pump(s);

		if (r == 0 && now - s->ticked_ns >= TICK_NS)
			r = session_tick(s, now);
		if (r == 0)
			r = forget_evicted(s, now);
		if (r == 0)
			r = session_requests(s);
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
	places_free(s->places);
	source_close(s->source);
	attach_fini(&s->attach);
	kernel_close(s->kernel);
	aggregates_free(s->aggregates);
	mapped_free(s->mapped);
	output_close(&s->output);
	outlet_fini(&s->outlet);
	buf_free(&s->pending);
	buf_free(&s->evicted);
	map_fini(&s->live);
}

/* A reader that went away is no error of ours. */
static int
result_of(struct session *s, int r, int *status)
{
	if (r == IOTAP_EPIPE && s->encoder_runs)
		r = 0;
	if (r == 0)
		*status = s->command.ended ? command_exit_status(&s->command)
					   : s->incomplete ? INCOMPLETE : 0;
	else if (*status == 0)
		*status = 1;
	return r;
}

int
session_output_failed(struct session *s)
{
	const char *const file = s->outlet.series.path ? s->outlet.series.path : s->options->output;

	if (s->outlet.flight)
		return s->err->code;	/* says which file itself */
	return error_prefix(s->err, "%s", file ? file : "standard output");
}

/* Of the output, or of ours: then at least the recording can say so. */
static void
after_failure(struct session *s)
{
	if (encoder_failed(s->encoder, NULL) == 0) {
		session_fail(s);
	} else {
		session_salvage(s);
		(void)session_output_failed(s);
	}
}

int
session_run(const struct session_options *options, int *status, struct iotap_error *err)
{
	struct session s = {.options = options, .err = err, .output = {.fd = -1, .draft = DRAFT_NONE},
			    .outlet = {.fd = -1, .series = {.dir = -1}}};
	enum end_reason reason = RUNNING;
	bool began;
	int r;

	*status = 0;
	privileges_owner(&s.owner);
	map_init(&s.live, hash_seed(), 0);
	buf_init(&s.evicted, EVICTED_BYTES_MAX);
	s.aggregates = aggregates_new(answers_boot_ns());
	s.mapped = mapped_new((uint64_t)sysconf(_SC_PAGESIZE));
	r = s.aggregates && s.mapped ? 0 : error_set(err, IOTAP_ENOMEM, "out of memory");
	if (r == 0)
		r = options->source ? session_start_text(&s) : session_start(&s, status);
	began = r == 0;
	if (began) {
		s.began_ns = s.ticked_ns = answers_boot_ns();
		r = run(&s, &reason);
		if (r == 0 && reason == END_EXITED)
			wait_for_command(&s);
		if (r == 0)
			r = session_stop(&s, reason);
		if (r < 0)
			after_failure(&s);
		else
			r = session_output_kept(&s);
	}
	session_fini(&s);
	if (began && r < 0 && r != IOTAP_EPIPE && s.command.pid > 0 && options->failed) {
		options->failed(err);
		err->text[0] = '\0';
	}
	if (began)
		outlast_command(&s);
	r = result_of(&s, r, status);
	command_abandon(&s.command);
	return r;
}
