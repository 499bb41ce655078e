/* driver_pipeline.c - the programs joined: live tracing, and replay of a recording
 *
 *	live	 iotap-capture -o /dev/fd/N ─▶ [recorder ─▶] iotap-decode -
 *	replay	 iotap-decode FILE
 *
 * With --tui iotap-report stands where iotap-decode does.
 * The recorder is a fork of ours and there with --record only. Until the first byte comes out of
 * iotap-capture nothing is made and nothing but it runs: when it cannot trace, its one message and
 * its exit status are all there is. Signals are taken by signalfd in one place; the terminal's reach
 * iotap-capture without us, others are handed on to it.
 */
#include "report/driver_pipeline.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/monotonic.h"
#include "report/driver_output.h"
#include "report/driver_record.h"
#include "report/driver_stage.h"

/* A signal sent to the process and then to its group, as timeout(1) does, is one signal. */
#define SAME_SIGNAL_NS 100000000u

#define FORCED 130
#define INCOMPLETE 4

struct pipeline {
	const struct driver_opts *opts;
	const struct opt_args *args;
	struct driver_launch launch;
	struct driver_signals signals;
	struct driver_user user;
	struct driver_record record;
	struct driver_stage capture, recorder, decode;
	struct driver_stage *target;	/* which one is told to stop */
	struct driver_words capture_words, decode_words;
	char capture_path[PATH_MAX], decode_path[PATH_MAX];
	int raw[2];		/* iotap-capture's pipe */
	int copied[2];		/* the recorder's; -1 without one */
	int stdout_fd;		/* for iotap-decode */
	struct driver_output output;
	bool prepared;		/* the stages behind it wait */
	bool flowing;		/* iotap-capture has written something */
	bool told_end;		/* it knows that nobody reads any more */
	unsigned int stops;	/* signals that ask for the end */
	uint64_t stop_ns;
	struct iotap_error *err;
};

/* The last stage: what shows it. */
static const char *
viewer(const struct driver_opts *opts)
{
	return opts->tui ? "iotap-report" : "iotap-decode";
}

static int
fail(struct pipeline *p, const char *what)
{
	return error_errno(p->err, IOTAP_ESYSTEM, errno, "%s", what);
}

/* Signals -------------------------------------------------------------------------------------- */

static void
kill_all(struct pipeline *p)
{
	driver_stage_signal(&p->capture, SIGKILL);
	driver_stage_signal(&p->recorder, SIGKILL);
	driver_stage_signal(&p->decode, SIGKILL);
}

/* The first one asks for the end, a second one has it at once. */
static void
on_stop(struct pipeline *p, const struct signalfd_siginfo *info)
{
	const uint64_t now = monotonic_ns();

	if (p->stops == 1 && now - p->stop_ns < SAME_SIGNAL_NS)
		return;
	p->stop_ns = now;
	if (++p->stops > 1)
		kill_all(p);
	else if (info->ssi_code != SI_KERNEL)
		driver_stage_signal(p->target, (int)info->ssi_signo);
	/* It would wait for a key, though all has ended. */
	if (p->stops == 1 && p->opts->tui && p->target != &p->decode)
		driver_stage_signal(&p->decode, (int)info->ssi_signo);
}

static void
on_signals(struct pipeline *p)
{
	struct driver_stage *const stages[] = {&p->capture, &p->recorder, &p->decode};
	struct signalfd_siginfo info;

	while (driver_signals_next(&p->signals, &info)) {
		if (info.ssi_signo == SIGCHLD)
			(void)driver_stage_reap(stages, 3);
		else if (info.ssi_signo == SIGUSR2)	/* pauses and resumes: iotap-capture's */
			driver_stage_signal(&p->capture, SIGUSR2);
		else if (info.ssi_signo == SIGUSR1)	/* for a flight recorder, which iotap has none of */
			continue;
		else
			on_stop(p, &info);
	}
}

/* Descriptors ------------------------------------------------------------------------------------ */

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Where iotap-decode prints: a COMMAND owns standard output. */
static int
open_output(struct pipeline *p)
{
	const char *const path = p->opts->output;
	int status;

	if (!path || strcmp(path, "-") == 0) {
		p->stdout_fd = p->args->command && !path ? STDERR_FILENO : STDOUT_FILENO;
		return 0;
	}
	status = driver_output_open(&p->output, path, p->opts->force, p->err);
	p->stdout_fd = p->output.fd;
	return status;
}

/* With the rights of the user. */
static int
open_files(struct pipeline *p)
{
	struct iotap_error ignored = {.code = 0};
	int status;

	status = driver_user_borrow(&p->user, p->err);
	if (status == 0)
		status = open_output(p);
	if (status == 0 && p->opts->record)
		status = driver_record_open(&p->record, p->opts->record, p->opts->force, p->err);
	if (driver_user_return(&p->user, status < 0 ? &ignored : p->err) < 0 && status == 0)
		status = p->err->code;
	return status;
}

/* Argument vectors -------------------------------------------------------------------------------- */

/* iotap-report shows it on the whole terminal. */
static bool
tui_words(struct pipeline *p)
{
	const struct driver_opts *const o = p->opts;
	struct driver_words *const w = &p->decode_words;

	return driver_words_add(w, "%s", p->decode_path) && driver_words_add(w, "--tui") &&
	       (!o->quiet || driver_words_add(w, "--quiet")) &&
	       (!o->files_only || driver_words_add(w, "--files-only")) &&
	       (!o->net_only || driver_words_add(w, "--net-only")) &&
	       (!o->top.given || driver_words_add(w, "--top=%" PRIu64, o->top.value)) &&
	       driver_words_add(w, "--") && driver_words_add(w, "%s", o->replay ? o->replay : "-");
}

static bool
decode_words(struct pipeline *p)
{
	struct driver_words *const w = &p->decode_words;
	const char *const format = p->opts->json ? "json" : p->opts->format ? p->opts->format : "text";
	const char *const replayed = p->opts->replay;
	const char *const input = replayed ? replayed : "-";
	const bool like_option = input[0] == '-' && input[1] != '\0';

	if (p->opts->tui)
		return tui_words(p);
	return driver_words_add(w, "%s", p->decode_path) &&
	       driver_words_add(w, "--format=%s", format) &&
	       driver_options_words(p->opts, TAKER_DECODE, w) &&
	       (replayed ? driver_words_add(w, "--replaying=%s", strcmp(replayed, "-") == 0 ? "standard input"
												: replayed)
			 : driver_words_add(w, "--live")) &&
	       driver_words_add(w, "%s%s", like_option ? "./" : "", input);
}

static bool
capture_words(struct pipeline *p)
{
	struct driver_words *const w = &p->capture_words;
	bool ok = driver_words_add(w, "%s", p->capture_path) &&
		  driver_words_add(w, "--output=/dev/fd/%d", p->raw[1]) &&
		  driver_options_words(p->opts, TAKER_CAPTURE, w);

	for (size_t i = 0; i < p->args->n_operands; i++)
		ok = ok && driver_words_add(w, "%s", p->args->operands[i]);
	ok = ok && (!p->args->command || driver_words_add(w, "--"));
	for (int i = 0; i < p->args->n_command; i++)
		ok = ok && driver_words_add(w, "%s", p->args->command[i]);
	return ok;
}

/* Stages ------------------------------------------------------------------------------------------ */

/* The recorder: a fork of ours, never coming back. */
static void
record_and_exit(struct pipeline *p)
{
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)signal(SIGINT, SIG_IGN);
	p->record.fd = DRIVER_GATE_FD + 1;
	if (p->record.draft.dir >= 0)
		p->record.draft.dir = DRIVER_GATE_FD + 2;
	_exit(driver_record_copy(&p->record, STDIN_FILENO, STDOUT_FILENO, p->launch.say, p->err) < 0);
}

static int
fork_recorder(struct pipeline *p)
{
	const int fds[] = {p->raw[0], p->copied[1], STDERR_FILENO, p->launch.gate[0],
			   p->record.fd, p->record.draft.dir};
	int status;

	p->recorder.name = "the recorder";
	status = driver_stage_fork(&p->recorder, &p->launch, fds, 6, p->err);
	if (status == 0)
		record_and_exit(p);
	return status < 0 ? status : 0;
}

static int
fork_decode(struct pipeline *p)
{
	const int fds[] = {p->copied[0] >= 0 ? p->copied[0] : p->raw[0], p->stdout_fd, STDERR_FILENO,
			   p->launch.gate[0]};
	int status;

	p->decode.name = viewer(p->opts);
	status = driver_stage_fork(&p->decode, &p->launch, fds, 4, p->err);
	if (status == 0) {
		(void)execv(p->decode_path, p->decode_words.v);
		_exit(127);
	}
	return status < 0 ? status : 0;
}

/* Everything behind iotap-capture: files are opened, stages wait at the gate. */
static int
prepare(struct pipeline *p)
{
	int status = open_files(p);

	p->prepared = true;
	if (status == 0 && p->record.fd >= 0) {
		status = pipe2(p->copied, O_CLOEXEC) < 0 ? fail(p, "cannot make a pipe")
							 : fork_recorder(p);
		close_fd(&p->copied[1]);
	}
	if (status == 0)
		status = fork_decode(p);
	close_fd(&p->copied[0]);
	return status;
}

/* The gate opens at the first byte: files get their names, the stages begin. */
static int
begin_flow(struct pipeline *p)
{
	const int status = p->prepared ? 0 : prepare(p);

	if (status < 0)
		return status;
	p->flowing = true;
	driver_output_begin(&p->output);
	driver_stage_open_gate(&p->launch, p->recorder.pid > 0 ? 2 : 1);
	p->record.draft.temporary[0] = '\0';	/* the recorder's business from here on */
	driver_record_fini(&p->record);
	close_fd(&p->raw[0]);
	return 0;
}

/* A stage behind iotap-capture has ended while that still runs. Without a recorder it sees its pipe
 * close; a recorder keeps that open to save the end of the trace as well. */
static void
watch_readers(struct pipeline *p)
{
	const bool unread = p->decode.ended || p->recorder.ended;

	if (unread && !p->told_end && (p->recorder.pid > 0 || !p->flowing)) {
		p->told_end = true;
		driver_stage_signal(&p->capture, SIGTERM);
	}
}

/* Until every stage has ended, or iotap-capture has without a byte. */
static int
watch(struct pipeline *p)
{
	while (p->capture.pid > 0 || (p->flowing && (p->recorder.pid > 0 || p->decode.pid > 0))) {
		struct pollfd fds[] = {{.fd = p->signals.fd, .events = POLLIN},
				       {.fd = p->raw[0], .events = POLLIN}};
		int status = 0;

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return fail(p, "cannot wait");
		if (fds[1].revents & POLLIN)
			status = begin_flow(p);
		else if (fds[1].revents != 0)
			close_fd(&p->raw[0]);
		if (status < 0)
			return status;
		if (fds[0].revents & POLLIN)
			on_signals(p);
		watch_readers(p);
	}
	return 0;
}

/* Nothing flowed: whoever waits at the gate goes home. */
static void
call_off(struct pipeline *p)
{
	struct driver_stage *const stages[] = {&p->capture, &p->recorder, &p->decode};

	driver_stage_signal(&p->capture, SIGKILL);
	close_fd(&p->launch.gate[1]);
	for (int i = 0; i < 3; i++) {
		if (stages[i]->pid > 0)
			(void)waitpid(stages[i]->pid, &stages[i]->status, 0);
		stages[i]->pid = 0;
	}
}

/* Exit status -------------------------------------------------------------------------------------- */

/* What the end of a stage adds to ours: 0, 1, 2, 4 or 130. Says how it was killed. */
static int
stage_verdict(const struct pipeline *p, const struct driver_stage *s)
{
	const int status = driver_stage_status(s);

	if (!s->ended)
		return 0;
	if (WIFSIGNALED(s->status) && WTERMSIG(s->status) == SIGPIPE)
		return 0;
	if (WIFSIGNALED(s->status)) {
		if (p->stops > 0)
			return FORCED;
		(void)error_set(p->err, IOTAP_ESYSTEM, "%s was ended by signal %d (%s)", s->name,
				WTERMSIG(s->status), strsignal(WTERMSIG(s->status)));
		p->launch.say(p->err);
		return 1;
	}
	return status == INCOMPLETE && !p->opts->strict ? 0 : status;
}

static int
verdict(const struct pipeline *p)
{
	const bool command = p->args->command && WIFEXITED(p->capture.status);
	const int first = command ? driver_stage_status(&p->capture)
				  : stage_verdict(p, &p->capture);
	const int recorder = stage_verdict(p, &p->recorder);
	const int decode = stage_verdict(p, &p->decode);

	if (p->stops > 1)
		return FORCED;
	if (first != 0)
		return first;
	if (recorder != 0)
		return 1;
	return decode;
}

/* ------------------------------------------------------------------------------------------------- */

static int
live(struct pipeline *p)
{
	int status = driver_stage_find("iotap-capture", p->capture_path, p->err);

	if (status < 0)
		return status;
	if (pipe2(p->raw, O_CLOEXEC) < 0 || pipe2(p->launch.gate, O_CLOEXEC) < 0)
		return fail(p, "cannot make a pipe");
	if (!decode_words(p) || !capture_words(p))
		return error_set(p->err, IOTAP_ENOMEM, "out of memory");
	if (driver_user_may_trace())	/* else iotap-capture is going to say so, and nothing is made */
		status = prepare(p);
	p->capture.name = "iotap-capture";
	p->target = &p->capture;
	if (status == 0)
		status = driver_stage_start(&p->capture, &p->launch, p->capture_words.v, p->raw[1],
					    STDOUT_FILENO, false, p->err);
	close_fd(&p->raw[1]);
	return status < 0 ? status : watch(p);
}

static int
replay(struct pipeline *p)
{
	int status = open_files(p);

	if (status < 0)
		return status;
	if (!decode_words(p))
		return error_set(p->err, IOTAP_ENOMEM, "out of memory");
	p->flowing = true;
	driver_output_begin(&p->output);
	p->decode.name = viewer(p->opts);
	p->target = &p->decode;
	status = driver_stage_start(&p->decode, &p->launch, p->decode_words.v, -1, p->stdout_fd, true,
				    p->err);
	return status < 0 ? status : watch(p);
}

static void
fini(struct pipeline *p)
{
	int *const fds[] = {&p->raw[0], &p->raw[1], &p->copied[0], &p->copied[1],
			    &p->signals.fd, &p->launch.gate[0], &p->launch.gate[1]};

	if (!p->flowing)
		call_off(p);
	driver_record_fini(&p->record);
	driver_output_fini(&p->output);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		close_fd(fds[i]);
	driver_words_fini(&p->capture_words);
	driver_words_fini(&p->decode_words);
}

int
driver_pipeline_run(const struct driver_opts *opts, const struct opt_args *args,
		    void (*say)(const struct iotap_error *))
{
	struct iotap_error err = {.code = 0};
	struct pipeline p = {.opts = opts, .args = args, .err = &err,
			     .raw = {-1, -1}, .copied = {-1, -1}, .output = {.fd = -1}, .signals = {.fd = -1},
			     .record = {.fd = -1, .draft = DRAFT_NONE}, .capture = {.name = ""},
			     .recorder = {.name = ""}, .decode = {.name = ""}};
	int status;

	p.launch = (struct driver_launch){.signals = &p.signals, .user = &p.user, .say = say,
					  .gate = {-1, -1}};
	status = driver_user_find(&p.user, &err);
	if (status == 0)
		status = driver_stage_find(viewer(opts), p.decode_path, &err);
	if (status == 0)
		status = driver_signals_take(&p.signals, &err);
	if (status == 0)
		status = opts->replay ? replay(&p) : live(&p);
	fini(&p);
	if (status < 0) {
		say(&err);
		return 1;
	}
	return verdict(&p);
}
