/* main.c - the program iotap-decode: recordings in, text, JSON Lines or the event stream out
 *
 * What is said is show.c's, what is concluded libiotap's; this file reads the command line, opens the
 * inputs and chooses the exit status.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/check.h"
#include "decode/moment.h"
#include "decode/rewrite_output.h"
#include "decode/redact.h"
#include "decode/rewrite.h"
#include "decode/show.h"
#include "formats/base/escape.h"
#include "formats/base/inputs.h"
#include "formats/base/io.h"
#include "formats/base/opt.h"
#include "formats/base/sandbox.h"
#include "formats/base/signals.h"
#include "formats/base/unix_time.h"
#include "formats/dump.h"
#include "formats/iotap.h"
#include "formats/reader.h"

#define DEFAULT_TOP 30

enum { EXIT_DONE = 0, EXIT_ERROR = 1, EXIT_USAGE = 2, EXIT_INCOMPLETE = 4, EXIT_FORCED = 130 };
enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_TSV, FORMAT_EVENTS };

struct decode_opts {
#define OPT OPT_FIELD
#define OPT_HEADING OPT_NO_FIELD
#include "decode/options.def"
#undef OPT
#undef OPT_HEADING
};

static const struct opt_row rows[] = {
#define OPT(...) OPT_ROW(struct decode_opts, __VA_ARGS__)
#define OPT_HEADING OPT_HEADING_ROW
#include "decode/options.def"
#undef OPT
#undef OPT_HEADING
};

static const struct opt_spec spec = {
	.program = "iotap-decode",
	.usage = "[OPTIONS] [FILE...|-]",
	.about = "Replays recordings made by iotap-capture, and event streams, as events; sums them up at\n"
		 "the end. Several are merged by time. Without FILE it reads standard input.",
	.rows = rows,
	.n_rows = sizeof(rows) / sizeof(rows[0]),
	.after = "Examples:\n"
		 "  iotap-decode trace.iotap\n"
		 "  iotap-decode -F json --from 10s --to 12s trace.iotap | jq -c 'select(.error)'\n"
		 "  iotap-decode --check trace.iotap",
};

/* What the command line comes to. */
struct job {
	const struct decode_opts *opts;
	enum format format;
	struct inputs in;
};

#define say(...) opt_say(&spec, STDERR_FILENO, __VA_ARGS__)

/* -- signals -- */

/* What a handler may look at: the file that is not whole yet, and how many interrupts are not for us. */
static struct output unfinished = OUTPUT_NONE;
static volatile sig_atomic_t interrupts_left;

/* In a pipeline the first Ctrl-C is for the program at its head: this one ends with its input. */
static void
on_signal(int number)
{
	if (number == SIGINT && interrupts_left-- > 0)
		return;
	output_remove(&unfinished);
	if (number == SIGINT)
		_exit(EXIT_FORCED);
	signals_end(number);
}

static void
take_signals(bool from_pipe)
{
	interrupts_left = from_pipe ? 1 : 0;
	signals_take(on_signal);
}

/* -- inputs -- */

static bool
open_inputs(struct job *job, const struct opt_args *args)
{
	char why[512];

	if (!inputs_open(&job->in, args, why, sizeof(why))) {
		say("%s", why);
		return false;
	}
	if (job->opts->live && job->in.fds[0] == STDIN_FILENO)
		job->in.names[0] = "the recording";
	if (job->opts->replaying)
		job->in.names[0] = job->opts->replaying;	/* what the user calls it */
	return true;
}

static bool
output_failed(int errno_value)
{
	say("standard output: %s", strerror(errno_value));
	return false;
}

/* -- the filter -- */

static uint32_t
classes_of(const struct decode_opts *opts)
{
	if (opts->files_only)
		return 1u << IOTAP_CLASS_FILE;
	return opts->net_only ? 1u << IOTAP_CLASS_NETWORK : 0;
}

/* A time of the command line on the boot clock of the recording; fallback when it is not given. */
static bool
boot_time(const char *option, const char *text, const struct iotap_info *info, uint64_t fallback,
	  uint64_t *boot_ns)
{
	char shown[64];
	uint64_t unix_ns;

	*boot_ns = fallback;
	if (!text)
		return true;
	if (!moment_parse(text, info->start_time_ns, &unix_ns)) {
		say("--%s: '%s' is no time: give 14:13:20, @1700000000 or 10s", option,
		    escape_str(shown, sizeof(shown), text));
		return false;
	}
	*boot_ns = unix_time_less(unix_ns, info->start_time_ns - info->start_boot_ns);
	if (*boot_ns == 0)
		*boot_ns = 1;		/* before the machine was there; 0 would be no limit */
	return true;
}

static bool
make_filter(const struct decode_opts *opts, const struct iotap_info *info, struct iotap_filter *f)
{
	*f = (struct iotap_filter){
		.pid = (uint32_t)opts->pid.value,
		.classes = classes_of(opts),
		.interfaces = opts->interface.items,
		.n_interfaces = opts->interface.n,
	};
	if (!boot_time("from", opts->from, info, 0, &f->from_ns) ||
	    !boot_time("to", opts->to, info, UINT64_MAX, &f->to_ns))
		return false;
	if (f->from_ns > f->to_ns)
		say("--to lies before --from: no call can be in between");
	return f->from_ns <= f->to_ns;
}

/* -- events as text or JSON Lines -- */

static int
show_status(const struct show *s, int result)
{
	if (s->closed)
		return EXIT_DONE;	/* whoever reads has enough */
	if (s->failed) {
		(void)output_failed(s->errno_value);
		return EXIT_ERROR;
	}
	if (result < 0) {
		say("%s", iotap_errmsg(s->iotap));
		return EXIT_ERROR;
	}
	if (s->explain && !s->explained) {
		say("--explain: no call %" PRIu64 " is in the recording, or a filter leaves it out", s->explain_number);
		return EXIT_ERROR;
	}
	return s->incomplete && !s->explain ? EXIT_INCOMPLETE : EXIT_DONE;
}

/* Tables of events have nothing but events. */
static bool
wants_summary(const struct show *s, const struct decode_opts *opts)
{
	return !opts->no_summary && !s->csv && !s->tsv && !s->explain;
}

static void
show_end(struct show *s, const struct decode_opts *opts)
{
	const uint64_t top = opts->top.given ? opts->top.value : DEFAULT_TOP;
	const unsigned int show = (opts->files_only ? IOTAP_SHOW_FILES : 0u) |
				  (opts->net_only ? IOTAP_SHOW_NETWORK : 0u) |
				  (opts->all_ops ? IOTAP_SHOW_OPS : 0u);

	if (wants_summary(s, opts) && !s->closed && !s->failed &&
	    !show_summary(s, top > UINT32_MAX ? 0 : (unsigned int)top, show)) {
		s->failed = true;
		s->errno_value = ENOMEM;
	}
	(void)show_flush(s);
}

/* An interface that is misspelt looks like one over which nothing went. 0, or no memory. */
static int
note_interfaces(const struct show *s, const struct decode_opts *opts)
{
	struct iotap_summary sum = {.size = sizeof(sum)};
	char shown[64];
	int r;

	if (opts->interface.n == 0 || !wants_summary(s, opts))
		return 0;
	r = iotap_get_summary(s->iotap, &sum);
	if (r < 0)
		return r;
	for (size_t i = 0; i < opts->interface.n; i++) {
		const char *const name = opts->interface.items[i];
		size_t k = 0;

		while (k < sum.n_interfaces && (!sum.interfaces[k].interface ||
						strcmp(sum.interfaces[k].interface, name) != 0))
			k++;
		if (k == sum.n_interfaces)
			say("note: --interface: nothing went over '%s'", escape_str(shown, sizeof(shown), name));
	}
	return 0;
}

static void
show_begin(struct show *s, const struct job *job)
{
	s->json = job->format == FORMAT_JSON;
	s->csv = job->format == FORMAT_CSV;
	s->tsv = job->format == FORMAT_TSV;
	s->explain = job->opts->explain.given;
	s->explain_number = job->opts->explain.value;
	s->quiet = job->opts->quiet > 0;
	s->lives_untold = job->opts->quiet > 1;
	s->all_ops = job->opts->all_ops;
	s->live = job->opts->live || (!job->opts->replaying && job->in.from_pipe);
	s->replaying = job->opts->replaying;
	if (!s->replaying && !s->live)
		s->replaying = job->in.names[0];
}

/* Without totals nothing is needed of what comes before the calls asked for. */
static int
set_window(const struct show *s, const struct decode_opts *opts, const struct iotap_filter *filter)
{
	const struct iotap_window all = {sizeof(all), INT64_MIN, INT64_MAX, 0, UINT64_MAX};

	return filter->from_ns > 0 && !s->explain && !wants_summary(s, opts) ? iotap_set_window(s->iotap, &all) : 0;
}

static int
run_show(struct job *job)
{
	struct show s = {.quiet = false};
	struct iotap_filter filter;
	struct iotap_info info;
	const size_t n = job->in.n;
	char text[512];
	int r = 0;
	int status;

	s.iotap = iotap_open_many(job->in.fds, job->in.names, job->in.n, NULL, text, sizeof(text));
	job->in.n = 0;	/* the handle has taken them */
	if (!s.iotap) {
		say("%s", text);
		return EXIT_ERROR;
	}
	show_begin(&s, job);
	iotap_get_info(s.iotap, &info);
	if (!make_filter(job->opts, &info, &filter)) {
		iotap_close(s.iotap);
		return EXIT_USAGE;
	}
	r = iotap_set_filter(s.iotap, &filter);
	if (r == 0 && wants_summary(&s, job->opts))
		r = iotap_keep_summary(s.iotap, 0);
	if (r == 0 && n == 1)
		r = set_window(&s, job->opts, &filter);
	if (r == 0)
		r = iotap_consume(s.iotap, &show_handlers, &s);
	show_end(&s, job->opts);
	if (r == 0 && !s.closed)
		r = note_interfaces(&s, job->opts);
	status = show_status(&s, r);
	iotap_close(s.iotap);
	show_fini(&s);
	return status;
}

/* -- the other forms -- */

static int
dump_reader(struct reader *reader, struct dump *dump)
{
	struct iotap_error err = {.code = 0};
	struct reader_item item;
	struct buf out = {.data = NULL};
	bool incomplete = false;
	int r;

	while ((r = reader_next(reader, &item)) == 0 && dump_item(dump, &item, &out, &err) == 0) {
		incomplete = incomplete || (item.what != READER_BLOCK && item.what != READER_PASSED);
		if (!io_write_all(STDOUT_FILENO, out.data, out.len)) {
			buf_free(&out);
			if (errno == EPIPE)
				return EXIT_DONE;
			(void)output_failed(errno);
			return EXIT_ERROR;
		}
		buf_clear(&out);
	}
	buf_free(&out);
	if (r < 0)
		say("%s", reader_error(reader)->text);
	else if (r == 0)
		say("%s", err.text);
	return r != 1 ? EXIT_ERROR : incomplete ? EXIT_INCOMPLETE : EXIT_DONE;
}

static int
dump_input(struct job *job, size_t i)
{
	struct reader *const reader = reader_new_fd(job->in.fds[i], job->in.names[i]);
	struct dump *const dump = dump_new(true);
	int status = EXIT_ERROR;

	if (reader && dump)
		status = dump_reader(reader, dump);
	else
		say("out of memory");
	reader_free(reader);
	dump_free(dump);
	return status;
}

/* Of several inputs each proof says whose it is. */
static void
check_title(const char *name)
{
	struct buf line = {.data = NULL};

	(void)escape_text(&line, name, strlen(name));
	(void)buf_puts(&line, ":\n");
	if (buf_ok(&line))
		(void)io_write_all(STDOUT_FILENO, line.data, line.len);
	buf_free(&line);
}

static int
check_input(struct job *job, size_t i)
{
	struct reader *const reader = reader_new_fd(job->in.fds[i], job->in.names[i]);
	struct check check = {.incomplete = false};
	struct buf out = {.data = NULL};
	int r = reader ? check_recording(&check, reader, &out) : -1;
	int status;

	if (!reader || !buf_ok(&out))
		say("out of memory");
	else if (r < 0)
		say("%s", check.err.text);
	else if (job->in.n > 1)
		check_title(job->in.names[i]);
	if (!io_write_all(STDOUT_FILENO, out.data, out.len) && errno != EPIPE) {
		(void)output_failed(errno);
		r = -1;
	}
	status = r < 0 || !buf_ok(&out) || check.broken ? EXIT_ERROR
		 : check.incomplete ? EXIT_INCOMPLETE : EXIT_DONE;
	buf_free(&out);
	reader_free(reader);
	return status;
}

/* Whoever reads an event stream is told by it; of a recording only its readers are, later. */
static void
say_incomplete(const struct job *job, size_t i)
{
	char shown[1024];

	if (job->opts->redact || job->opts->salvage)
		say("%s is incomplete, and so is what was written of it: see iotap-decode --check",
		    escape_str(shown, sizeof(shown), job->in.names[i]));
}

/* Writes the input anew, to where the rewrite says. */
static int
rewrite_input(struct job *job, size_t i, struct rewrite *rewrite)
{
	struct reader *const reader = reader_new_fd(job->in.fds[i], job->in.names[i]);
	struct iotap_filter filter;
	struct iotap_info info;
	int r, status = EXIT_ERROR;

	if (!reader) {
		say("out of memory");
		return EXIT_ERROR;
	}
	r = rewrite_open(rewrite, reader, &info);
	if (r == 0 && !make_filter(job->opts, &info, &filter)) {
		status = EXIT_USAGE;
	} else {
		if (r == 0)
			r = rewrite_run(rewrite, &filter);
		if (r < 0 && r != IOTAP_EPIPE)
			say("%s", rewrite->err.text);
		status = r == IOTAP_EPIPE ? EXIT_DONE : r < 0 ? EXIT_ERROR
			 : rewrite->incomplete ? EXIT_INCOMPLETE : EXIT_DONE;
		if (status == EXIT_INCOMPLETE)
			say_incomplete(job, i);
	}
	rewrite_close(rewrite);
	reader_free(reader);
	return status;
}

/* What a rewriting needs by name: opened before the recording is read. */
struct rewriting {
	struct redact redact;
	struct rewrite rewrite;
};

/* The event stream; or, without names or damage, a recording. The exit status. */
static int
rewriting_open(struct rewriting *w, const struct decode_opts *opts)
{
	struct iotap_error err = {.code = 0};

	w->rewrite = (struct rewrite){.recording = opts->redact || opts->salvage, .salvage = opts->salvage,
				      .redact = opts->redact ? &w->redact : NULL};
	if ((!opts->redact || redact_open(&w->redact, opts->redact, &err) == 0) &&
	    output_open(&unfinished, opts->output, &err) == 0) {
		w->rewrite.out_fd = unfinished.fd;
		w->rewrite.pipe = inputs_is_pipe(unfinished.fd);
		return EXIT_DONE;
	}
	say("%s", err.text);
	return err.code == IOTAP_EUSAGE ? EXIT_USAGE : EXIT_ERROR;
}

static int
rewriting_close(struct rewriting *w, int status)
{
	struct iotap_error err = {.code = 0};

	if (output_close(&unfinished, status == EXIT_DONE || status == EXIT_INCOMPLETE, &err) < 0) {
		say("%s", err.text);
		status = EXIT_ERROR;
	}
	if (w->rewrite.redact)
		redact_close(&w->redact);
	return status;
}

/* Whoever wrote the recording gets nothing more than an output by it. */
static void
confine(void)
{
	if (!sandbox_reader_in(unfinished.place.dir, SANDBOX_REMOVE_FILE))
		say("note: cannot give up system calls: %s", strerror(errno));
}

static int
run_rewrite(struct job *job)
{
	struct rewriting w;
	int status = rewriting_open(&w, job->opts);

	if (status == EXIT_DONE) {
		confine();
		status = rewrite_input(job, 0, &w.rewrite);
	}
	return rewriting_close(&w, status);
}

static int
run_each(struct job *job)
{
	int worst = EXIT_DONE;

	for (size_t i = 0; i < job->in.n; i++) {
		const int status = job->opts->check ? check_input(job, i) : dump_input(job, i);

		if (worst == EXIT_DONE || status == EXIT_ERROR)
			worst = status != EXIT_DONE ? status : worst;
	}
	return worst;
}

/* True when the output is binary. */
static bool
is_rewrite(const struct job *job)
{
	return job->format == FORMAT_EVENTS || job->opts->redact || job->opts->salvage;
}

static int
run(struct job *job, const struct opt_args *args)
{
	int status = EXIT_ERROR;

	if (open_inputs(job, args)) {
		take_signals(job->in.from_pipe);
		if (is_rewrite(job)) {
			status = run_rewrite(job);
		} else {
			confine();
			status = job->opts->check || job->opts->dump ? run_each(job) : run_show(job);
		}
	}
	inputs_close(&job->in);
	return status;
}

static const char *
rewrite_option(const struct decode_opts *opts)
{
	return opts->redact ? "--redact" : opts->salvage ? "--salvage" : "-F events";
}

/* What the rows cannot say. */
static enum opt_result
check_options(struct job *job, const struct decode_opts *opts, struct opt_args *args)
{
	static const char *const formats[] = {"text", "json", "csv", "tsv", "events", NULL};
	const int format = opts->format ? opt_choice(opts->format, formats) : FORMAT_TEXT;
	const size_t n = args->n_operands + (size_t)args->n_command;

	if (format < 0)
		return opt_refuse(args, "--format: '%s' is none of text, json, csv, tsv, events", opts->format);
	job->format = (enum format)format;
	if (opts->files_only && (opts->net_only || opts->interface.n > 0))
		return opt_refuse(args, "--files-only excludes --net-only and --interface");
	if (opts->check && opts->dump)
		return opt_refuse(args, "--check and --dump exclude each other");
	if (opts->pid.given && (opts->pid.value == 0 || opts->pid.value > UINT32_MAX))
		return opt_refuse(args, "--pid: no such process ID");
	if (n == 0 && isatty(STDIN_FILENO))
		return opt_refuse(args, "no FILE: give a recording, or pipe one in");
	if (opts->check || opts->dump)
		return opts->output ? opt_refuse(args, "--output is for recordings and event streams") : OPT_RUN;
	if (format != FORMAT_TEXT && (opts->redact || opts->salvage))
		return opt_refuse(args, "--redact and --salvage write a recording: without --format");
	if (!is_rewrite(job))
		return opts->output ? opt_refuse(args, "--output is for recordings and event streams") : OPT_RUN;
	if (n > 1)
		return opt_refuse(args, "%s takes one FILE at a time", rewrite_option(opts));
	if (!opts->output && isatty(STDOUT_FILENO))
		return opt_refuse(args, "%s is not for a terminal: give --output FILE", rewrite_option(opts));
	return OPT_RUN;
}

int
main(int argc, char **argv)
{
	struct decode_opts opts = {.quiet = 0};
	struct job job = {.opts = &opts};
	struct opt_args args;
	enum opt_result result = opt_parse(&spec, argc, argv, &opts, &args);
	int status;

	if (result == OPT_RUN)
		result = check_options(&job, &opts, &args);
	status = result == OPT_RUN ? run(&job, &args)
				   : opt_finish(&spec, result, &args, STDOUT_FILENO, STDERR_FILENO);
	opt_fini(&spec, &opts, &args);
	return status;
}
