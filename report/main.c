/* main.c - the program iotap-report: the summary of a recording or an event stream, as text or a page
 *
 * What the summary says is libiotap's; this file opens the input, shows how far the reading has come,
 * passes on what could not be read, prints and exits.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/escape.h"
#include "formats/base/inputs.h"
#include "formats/base/io.h"
#include "formats/base/opt.h"
#include "formats/base/sandbox.h"
#include "formats/base/signals.h"
#include "formats/base/units.h"
#include "formats/error.h"
#include "formats/iotap.h"
#include "report/page.h"
#include "report/page_file.h"
#include "report/progress.h"
#include "report/resolver.h"
#include "report/tui.h"

#define DEFAULT_TOP 30
#define DEFAULT_TOP_OF_PAGE 1000
#define SHOW_FILES 1u
#define SHOW_NETWORK 2u
#define MAX_DAMAGE_LINES 10

enum { EXIT_DONE = 0, EXIT_ERROR = 1, EXIT_USAGE = 2, EXIT_INCOMPLETE = 4 };

struct report_opts {
#define OPT OPT_FIELD
#define OPT_HEADING OPT_NO_FIELD
#include "report/options.def"
#undef OPT
#undef OPT_HEADING
};

static const struct opt_row rows[] = {
#define OPT(...) OPT_ROW(struct report_opts, __VA_ARGS__)
#define OPT_HEADING OPT_HEADING_ROW
#include "report/options.def"
#undef OPT
#undef OPT_HEADING
};

static const struct opt_spec spec = {
	.program = "iotap-report",
	.usage = "[OPTIONS] [INPUT...|-]",
	.about = "Sums recordings or event streams up: per file, per endpoint, in total. Those of one session\n"
		 "(rotated files) add up to one. Without INPUT it reads standard input. A database is\n"
		 "asked with iotap-analyze.",
	.rows = rows,
	.n_rows = sizeof(rows) / sizeof(rows[0]),
	.after = "Examples:\n"
		 "  iotap-report trace.iotap\n"
		 "  iotap-report --html trace.html trace.iotap\n"
		 "  iotap-decode -F events --pid 1234 trace.iotap | iotap-report --top 5",
};

/* What is going on while the input is read. */
struct reading {
	uint64_t n_damaged;
	struct tui *tui;		/* or NULL */
	struct facts *facts;		/* for the page, else NULL */
	struct resolver *resolver;	/* or NULL */
};

#define say(...) opt_say(&spec, STDERR_FILENO, __VA_ARGS__)

static int
on_drop(const struct iotap_drop *drop, void *arg)
{
	struct reading *const r = arg;

	if (drop->cause != IOTAP_DROP_DAMAGE && drop->cause != IOTAP_DROP_TRUNCATED)
		return IOTAP_NEXT;	/* the summary tells of those */
	if (++r->n_damaged > MAX_DAMAGE_LINES)
		return IOTAP_NEXT;
	say("%s", drop->message);	/* names input and offset */
	return IOTAP_NEXT;
}

/* -- signals -- */

/* What a handler may look at: the page that is not whole yet, and how many interrupts are not for us. */
static struct page_file page_file = PAGE_FILE_NONE;
static volatile sig_atomic_t interrupts_left;

/* In a pipeline the first Ctrl-C is for the program at its head: this one ends with its input. */
static void
on_signal(int number)
{
	if (number == SIGINT && interrupts_left-- > 0)
		return;
	draft_remove(&page_file.draft);
	signals_end(number);
}

static void
take_signals(bool from_pipe)
{
	interrupts_left = from_pipe ? 1 : 0;
	signals_take(on_signal);
}

/* The rows are gone through once to learn which hosts they show; the next time they have their names. */
static void
find_names(iotap_t *h, struct resolver *resolver, unsigned int top, unsigned int show)
{
	iotap_set_host_names(h, resolver_name, resolver);
	free(iotap_summary_text(h, top, show));
	resolver_wait(resolver);
}

static int
print_summary(iotap_t *h, struct resolver *resolver, const struct report_opts *opts)
{
	const unsigned int show = opts->files_only ? SHOW_FILES
				  : opts->net_only ? SHOW_NETWORK
						   : SHOW_FILES | SHOW_NETWORK;
	const uint64_t wanted = opts->top.given ? opts->top.value : DEFAULT_TOP;
	const unsigned int top = wanted > UINT32_MAX ? 0 : (unsigned int)wanted;
	int status = EXIT_DONE;
	char *text;

	if (resolver)
		find_names(h, resolver, top, show);
	text = iotap_summary_text(h, top, show);
	if (!text) {
		say("out of memory");
		return EXIT_ERROR;
	}
	if (!io_write_all(STDOUT_FILENO, text, strlen(text)) && errno != EPIPE) {
		say("standard output: %s", strerror(errno));
		status = EXIT_ERROR;
	}
	free(text);
	return status;
}

static int
print_page(iotap_t *h, struct reading *r, const char *source, const struct report_opts *opts)
{
	const struct page page = {
		.source = source,
		.top = opts->top.given ? opts->top.value : DEFAULT_TOP_OF_PAGE,
		.files = !opts->net_only, .network = !opts->files_only,
	};
	struct buf text = {.data = NULL};
	struct iotap_error err = {0};
	const bool ok = page_write(&text, h, r->facts, &page);

	if (!ok)
		say("out of memory");
	else if (page_file_write(&page_file, &text, &err) < 0)
		say("%s", err.text);
	buf_free(&text);
	return ok && err.code == 0 ? EXIT_DONE : EXIT_ERROR;
}

static int
on_aggregate(const struct iotap_aggregate *aggregate, void *arg)
{
	const struct reading *const r = arg;

	return !r->facts || facts_aggregate(r->facts, aggregate) ? IOTAP_NEXT : IOTAP_ENOMEM;
}

static int
on_notice(const struct iotap_notice *notice, void *arg)
{
	const struct reading *const r = arg;

	if (r->facts && notice->type == IOTAP_NOTICE_START && r->facts->begin_ns == 0)
		r->facts->begin_ns = notice->boot_ns;
	return IOTAP_NEXT;
}

/* Reads everything; the library adds up. */
static int
read_all(iotap_t *h, struct reading *r, struct progress *progress)
{
	const struct iotap_handlers handlers = {.size = sizeof(handlers), .notice = on_notice,
						.drop = on_drop, .aggregate = on_aggregate};
	const uint32_t columns = r->facts ? IOTAP_COL_ALL : 0;
	struct iotap_batch batch = {.size = sizeof(batch)};
	uint64_t calls = 0;
	int got;

	while ((got = iotap_next_batch(h, columns, &handlers, r, &batch)) > 0) {
		if (r->facts && !facts_batch(r->facts, h, &batch))
			return IOTAP_ENOMEM;
		calls += batch.n;
		progress_update(progress, calls);
	}
	return got;
}

static int
report(iotap_t *h, struct reading *reading, struct progress *progress, const char *source,
       const struct report_opts *opts)
{
	struct iotap_summary summary = {.size = sizeof(summary)};
	char text[UNITS_SIZE];
	int got, status;

	if (iotap_keep_summary(h, 0) < 0) {
		say("%s", iotap_errmsg(h));
		return EXIT_ERROR;
	}
	got = reading->tui ? tui_run(reading->tui, h) : read_all(h, reading, progress);
	progress_end(progress);
	tui_end(reading->tui);
	if (reading->n_damaged > MAX_DAMAGE_LINES)
		say("and %s like these",
		    units_count(text, reading->n_damaged - MAX_DAMAGE_LINES, "more place"));
	if (got < 0)
		say("%s", got == IOTAP_ENOMEM ? "out of memory" : iotap_errmsg(h));
	if (got < 0 && iotap_get_summary(h, &summary) == 0 && summary.events + summary.ops == 0)
		return EXIT_ERROR;	/* nothing to show */
	if (got == IOTAP_ENOMEM && reading->facts)
		return EXIT_ERROR;	/* an earlier page is better than half of one */
	status = reading->facts ? print_page(h, reading, source, opts) : print_summary(h, reading->resolver, opts);
	if (status == EXIT_DONE && got < 0)
		return EXIT_ERROR;
	if (status == EXIT_DONE && iotap_get_summary(h, &summary) == 0 && !summary.complete)
		return EXIT_INCOMPLETE;
	return status;
}

/* Before anything is read: whoever cannot write the page is told at once. */
static bool
open_page(struct reading *r, const struct report_opts *opts)
{
	struct iotap_error err = {0};

	if (!opts->html)
		return true;
	if (page_file_open(&page_file, opts->html, &err) == 0)
		r->facts = facts_new();
	if (!r->facts)
		say("%s", err.code != 0 ? err.text : "out of memory");
	return r->facts;
}

static bool
open_tui(struct reading *r, const struct inputs *in, const struct report_opts *opts)
{
	struct iotap_error err = {0};

	if (!opts->tui)
		return true;
	r->tui = tui_begin(in->fds[0], opts->quiet, &err);
	if (!r->tui)
		say("%s", err.text);
	return r->tui;
}

/* Before the sandbox, which allows no sockets: a process of its own asks. */
static bool
open_resolver(struct reading *r, const struct report_opts *opts)
{
	if (!opts->resolve)
		return true;
	r->resolver = resolver_begin();
	if (!r->resolver)
		say("cannot start looking up names: %s", strerror(errno));
	return r->resolver;
}

/* The terminal is given back before anything is said on it. */
static void
refused(struct reading *r, const char *why)
{
	tui_end(r->tui);
	r->tui = NULL;
	say("%s", why);
}

static int
run_inputs(struct inputs *in, struct reading *reading, const struct report_opts *opts)
{
	const struct iotap_filter filter = {
		.to_ns = UINT64_MAX,
		.classes = opts->files_only ? 1u << IOTAP_CLASS_FILE
			   : opts->net_only ? 1u << IOTAP_CLASS_NETWORK
					    : 0,
	};
	const char *const source = in->names[0];
	struct progress progress;
	char text[512];
	iotap_t *h;
	int status;

	progress_begin(&progress, in->n == 1 ? in->fds[0] : -1, reading->tui ? -1 : STDERR_FILENO);
	/* Whoever wrote the recording gets nothing more than an output by it. */
	if (!(reading->tui ? tui_confine()
	      : sandbox_reader_in(page_file.draft.dir, SANDBOX_REMOVE_FILE | SANDBOX_MAKE_FILE)))
		say("note: cannot give up system calls: %s", strerror(errno));
	h = iotap_open_many(in->fds, in->names, in->n, &filter, text, sizeof(text));
	in->n = 0;	/* the handle has taken them */
	if (!h)
		refused(reading, text);
	status = h ? report(h, reading, &progress, source, opts) : EXIT_ERROR;
	iotap_close(h);
	return status;
}

static int
run(const struct report_opts *opts, const struct opt_args *args)
{
	struct inputs in = {.n = 0};
	struct reading reading = {.n_damaged = 0};
	char why[512];
	int status = EXIT_ERROR;

	if (!inputs_open(&in, args, why, sizeof(why))) {
		say("%s", why);
		inputs_close(&in);
		return EXIT_ERROR;
	}
	take_signals(in.from_pipe);
	if (open_page(&reading, opts) && open_resolver(&reading, opts) && open_tui(&reading, &in, opts))
		status = run_inputs(&in, &reading, opts);
	facts_free(reading.facts);
	resolver_end(reading.resolver);
	page_file_fini(&page_file);
	inputs_close(&in);
	return status;
}

/* What the rows cannot say. */
static enum opt_result
check(const struct report_opts *opts, struct opt_args *args)
{
	if (opts->files_only && opts->net_only)
		return opt_refuse(args, "--files-only and --net-only exclude each other");
	if (opts->tui && opts->html)
		return opt_refuse(args, "--tui and --html exclude each other");
	if (opts->resolve && opts->html)
		return opt_refuse(args, "--resolve is for text: a page shows addresses as they are");
	if (opts->quiet && !opts->tui)
		return opt_refuse(args, "--quiet is for --tui");
	if (args->n_operands + (size_t)args->n_command == 0 && isatty(STDIN_FILENO))
		return opt_refuse(args, "no INPUT: give a recording, or pipe one in");
	return OPT_RUN;
}

int
main(int argc, char **argv)
{
	struct report_opts opts = {.files_only = false};
	struct opt_args args;
	enum opt_result result = opt_parse(&spec, argc, argv, &opts, &args);
	int status;

	if (result == OPT_RUN)
		result = check(&opts, &args);
	status = result == OPT_RUN ? run(&opts, &args)
				   : opt_finish(&spec, result, &args, STDOUT_FILENO, STDERR_FILENO);
	opt_fini(&spec, &opts, &args);
	return status;
}
