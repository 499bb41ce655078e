/* main.c - iotap-analyze: recordings into SQLite, reports and SQL over both
 *
 * Options to one of six commands; every message and the exit status are from here.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/catalog.h"
#include "analyze/reach.h"
#include "analyze/diff.h"
#include "analyze/journal.h"
#include "analyze/load_file.h"
#include "analyze/question.h"
#include "analyze/result.h"
#include "formats/base/escape.h"
#include "formats/base/io.h"
#include "formats/base/opt.h"
#include "formats/base/signals.h"
#include "formats/base/units.h"

enum { EXIT_INCOMPLETE = 4, EXIT_FORCED = 130 };

#define STATEMENT_MAX (1 << 20)		/* bytes of SQL read from standard input */

struct analyze_opts {
#define OPT OPT_FIELD
#define OPT_HEADING OPT_NO_FIELD
#include "analyze/options.def"
#undef OPT
#undef OPT_HEADING
};

static const struct opt_row rows[] = {
#define OPT(...) OPT_ROW(struct analyze_opts, __VA_ARGS__)
#define OPT_HEADING OPT_HEADING_ROW
#include "analyze/options.def"
#undef OPT
#undef OPT_HEADING
};

static const struct opt_spec spec = {
	.program = "iotap-analyze",
	.usage = "load [-o DB] INPUT...\nlist [-F FORMAT]\nreport NAME [-F FORMAT] INPUT|DB\n"
		 "sql [-F FORMAT] INPUT|DB [STATEMENT]\n"
		 "events [-F FORMAT] INPUT|DB\ndiff [-F FORMAT] INPUT|DB INPUT|DB",
	.about = "Puts recordings into SQLite, and answers named reports and SQL over databases and over recordings\n"
		 "as they are. INPUT is a recording, an event stream or JSON Lines; '-' is standard input. A\n"
		 "STATEMENT that is not given is read from standard input.",
	.rows = rows,
	.n_rows = sizeof(rows) / sizeof(rows[0]),
	.after = "Examples:\n"
		 "  iotap-analyze load -o t.db t.iotap\n"
		 "  iotap-analyze list\n"
		 "  iotap-analyze report files t.iotap\n"
		 "  iotap-analyze sql t.iotap 'SELECT call, count(*) FROM event_v GROUP BY call'",
};

/* -- signals -- */

/* What a handler may look at: the temporary file of a load, the folder of SQLite's (in within_reach), and
 * whether the first SIGINT is only for the one who writes our input. */
static struct load_file loading;
static struct reach within_reach;
static volatile sig_atomic_t interrupts_left;

static void
on_signal(int number)
{
	if (number == SIGINT && interrupts_left > 0) {
		interrupts_left--;
		return;
	}
	if (loading.temporary[0] != '\0')
		(void)unlink(loading.temporary);
	if (within_reach.scratch[0] != '\0')
		(void)rmdir(within_reach.scratch);
	if (number == SIGINT)
		_exit(EXIT_FORCED);
	signals_end(number);
}

/* A pipeline gets one Ctrl-C: the writer ends by it, we end at the end of what it wrote. */
static void
expect_input(const struct input *in)
{
	if (!in->seekable)
		interrupts_left = 1;
}

/* One thread, so no locks in SQLite; and while loading nobody asks how much memory it has. Before its
 * first use. */
static void
configure_sqlite(bool loads)
{
	(void)sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	if (loads)
		(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* -- messages -- */

static int
complain(const struct iotap_error *err)
{
	if (err->code == IOTAP_EPIPE)
		return 0;
	(void)fprintf(stderr, "%s: %s\n", spec.program, err->text);
	return err->code == IOTAP_EUSAGE ? 2 : 1;
}

static int
incomplete(const char *name, const char *why)
{
	char shown[512];

	(void)fprintf(stderr, "%s: %s: incomplete: ", spec.program, escape_str(shown, sizeof(shown), name));
	(void)fprintf(stderr, "%s\n", escape_str(shown, sizeof(shown), why));
	return EXIT_INCOMPLETE;
}

static void
tell_progress(uint64_t calls, void *arg)
{
	char text[UNITS_SIZE];

	(void)fprintf(stderr, "\r%s: %s loaded\r", spec.program, units_count(text, calls, "call"));
	*(bool *)arg = true;
}

/* -- load -- */

/* The length of a name without the number that rotation put behind it: ".12" of "t.iotap.12". */
static size_t
length_unnumbered(const char *name, size_t n)
{
	static const char suffix[] = ".iotap.";
	size_t at = n;

	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	if (at == n || at <= strlen(suffix) || memcmp(name + at - strlen(suffix), suffix, strlen(suffix)) != 0)
		return n;
	return at - 1;
}

/* "t.iotap" and "t.iotap.3" to "t.db", in the folder of the input. False: there is no name to go by. */
static bool
default_output(char *out, size_t size, const char *input)
{
	static const char suffix[] = ".iotap";
	size_t n = length_unnumbered(input, strlen(input));

	if (strcmp(input, "-") == 0)
		return false;
	if (n > strlen(suffix) && memcmp(input + n - strlen(suffix), suffix, strlen(suffix)) == 0)
		n -= strlen(suffix);
	return snprintf(out, size, "%.*s.db", (int)n, input) < (int)size;
}

static int
load_one(struct load_file *file, const char *name, const struct load_progress *progress,
	 struct iotap_error *err)
{
	const bool *const told = progress->arg;
	struct load_result loaded;
	struct input in;
	char shown[512];
	int r = input_open(&in, name, err);

	if (r == 0) {
		expect_input(&in);
		r = load_file_add(file, &in, progress, &loaded, err);
	}
	input_close(&in);
	if (*told)
		(void)fprintf(stderr, "\33[K");
	if (r < 0)
		return r;
	if (loaded.already)
		(void)fprintf(stderr, "%s: %s: was loaded before, nothing added\n", spec.program,
			      escape_str(shown, sizeof(shown), in.name));
	return loaded.complete ? 0 : incomplete(in.name, loaded.why);
}

/* After this the inputs are read, and nothing but them and the database can be reached. */
static int
confine_load(const struct load_file *file, const char *const *names, size_t n, struct iotap_error *err)
{
	struct reach *const c = &within_reach;
	bool ok = reach_add_names(c, file->path) && (!file->fresh || reach_add_input(c, file->temporary));

	for (size_t i = 0; ok && i < n; i++)
		ok = reach_add_input(c, names[i]);
	if (!ok || !reach_limit(c))
		return error_errno(err, IOTAP_ESYSTEM, errno, "giving up what a load does not need");
	return 0;
}

static int
load_to(const char *path, const char *const *names, size_t n, struct iotap_error *err)
{
	int status = 0;
	int r = load_file_open(&loading, path, err);
	bool told = false;
	const struct load_progress progress = {isatty(STDERR_FILENO) ? tell_progress : NULL, &told};

	if (r >= 0)
		r = confine_load(&loading, names, n, err);
	for (size_t i = 0; r >= 0 && i < n; i++) {
		r = load_one(&loading, names[i], &progress, err);
		status = r > status ? r : status;
	}
	if (r >= 0)
		r = load_file_commit(&loading, err);
	load_file_close(&loading);
	return r < 0 ? complain(err) : status;
}

static int
command_load(const struct analyze_opts *opts, const char *const *operands, size_t n, struct opt_args *args)
{
	struct iotap_error err = {.code = 0};
	char path[LOAD_FILE_TEMPORARY];

	if (n == 0 || opts->format) {
		(void)opt_refuse(args, n == 0 ? "load needs an INPUT" : "load takes no --format");
		return -1;
	}
	if (opts->output)
		return load_to(opts->output, operands, n, &err);
	if (!default_output(path, sizeof(path), operands[0])) {
		(void)opt_refuse(args, "load from standard input needs -o DB");
		return -1;
	}
	return load_to(path, operands, n, &err);
}

/* -- questions -- */

/* How an answer is wanted. */
struct asking {
	enum result_format format;
	struct guard_limits limits;
};

static int
ask(const char *name, const char *sql, const struct asking *how)
{
	struct iotap_error err = {.code = 0};
	struct question question;
	struct result result;
	int status = 0;
	int r;

	result_init(&result, how->format, STDOUT_FILENO, &err);	/* looks at the terminal */
	r = question_open(&question, name, &within_reach, &err);
	question.limits = how->limits;
	if (r == 0)
		r = question_ask(&question, sql, &result, &err);
	if (r < 0)
		status = complain(&err);
	else if (question.incomplete)
		status = incomplete(question.in.name, question.why);
	result_fini(&result);
	question_close(&question);
	return status;
}

/* The second one is opened when the first is confined already. */
static bool
reach_second(const char *name)
{
	char journal[REACH_NAME];

	return reach_add_input(&within_reach, name) &&
	       (!journal_path(journal, sizeof(journal), name) || reach_add_input(&within_reach, journal));
}

static int
diff(const char *first, const char *second, const struct asking *how)
{
	struct iotap_error err = {.code = 0};
	struct question a, b = {.in = {.fd = -1}};
	struct result result;
	int status = 0;
	int r = reach_second(second) ? 0 : error_set(&err, IOTAP_ENOMEM, "out of memory");

	result_init(&result, how->format, STDOUT_FILENO, &err);
	if (r == 0)
		r = question_open(&a, first, &within_reach, &err);
	else
		a = b;
	if (r == 0)
		r = question_open(&b, second, NULL, &err);
	a.limits = b.limits = how->limits;
	if (r == 0)
		r = diff_write(&a, &b, &result, &err);
	if (r < 0)
		status = complain(&err);
	else if (a.incomplete || b.incomplete)
		status = incomplete(a.incomplete ? a.in.name : b.in.name, a.incomplete ? a.why : b.why);
	result_fini(&result);
	question_close(&a);
	question_close(&b);
	return status;
}

static int
command_report(const char *const *operands, size_t n, const struct asking *how, struct opt_args *args)
{
	struct iotap_error err = {.code = 0};

	if (n != 2) {
		(void)opt_refuse(args, "report needs a NAME and an INPUT or DB");
		return -1;
	}
	if (!catalog_find(operands[0])) {
		(void)catalog_missing(operands[0], &err);
		return complain(&err);
	}
	return ask(operands[1], catalog_find(operands[0]), how);
}

static int
command_sql(const char *const *operands, size_t n, const struct asking *how, struct opt_args *args)
{
	struct buf sql;
	int status;

	if (n < 1 || n > 2 || (n == 1 && strcmp(operands[0], "-") == 0)) {
		(void)opt_refuse(args, n == 1 ? "input and statement cannot both be standard input"
					      : "sql needs an INPUT or DB and at most one STATEMENT");
		return -1;
	}
	if (n == 2)
		return ask(operands[0], operands[1], how);
	buf_init(&sql, STATEMENT_MAX);
	if (!io_read_rest(STDIN_FILENO, &sql) || !buf_cstr(&sql)) {
		(void)fprintf(stderr, "%s: reading the statement: %s\n", spec.program, strerror(errno));
		status = 1;
	} else {
		status = ask(operands[0], buf_cstr(&sql), how);
	}
	buf_free(&sql);
	return status;
}

static int
command_list(enum result_format format)
{
	struct iotap_error err = {.code = 0};
	struct result result;
	int r;

	result_init(&result, format, STDOUT_FILENO, &err);
	r = catalog_list(&result, &err);
	result_fini(&result);
	return r < 0 ? complain(&err) : 0;
}

/* -- the command line -- */

enum command { COMMAND_LOAD, COMMAND_LIST, COMMAND_REPORT, COMMAND_SQL, COMMAND_EVENTS, COMMAND_DIFF,
	       COMMAND_NONE = -1 };

/* False with a complaint in args: what no single command has to look at. */
static bool
command_check(const struct analyze_opts *opts, enum command command, struct opt_args *args)
{
	if (args->n_operands == 0)
		(void)opt_refuse(args, "needs a command: load, list, report, sql, events or diff");
	else if (command == COMMAND_NONE)
		(void)opt_refuse(args, "no command '%s'; there are load, list, report, sql, events and diff",
				 args->operands[0]);
	else if (args->command)
		(void)opt_refuse(args, "takes no command after '--'");
	else if (command == COMMAND_LIST && args->n_operands > 1)
		(void)opt_refuse(args, "list takes nothing more: '%s' is too much", args->operands[1]);
	else if (opts->format && opt_choice(opts->format, result_formats) < 0)
		(void)opt_refuse(args, "--format: '%s' is not table, json, csv or tsv", opts->format);
	else if ((opts->timeout.given || opts->memory.given) && (command == COMMAND_LOAD || command == COMMAND_LIST))
		(void)opt_refuse(args, "--timeout and --memory are not for load and list");
	else if (opts->timeout.given && opts->timeout.value == 0)
		(void)opt_refuse(args, "--timeout: there is nothing that takes no time");
	else if (opts->memory.given && (opts->memory.value < GUARD_HEAP_LEAST || opts->memory.value > INT64_MAX))
		(void)opt_refuse(args, "--memory: SQLite needs 4M at least");
	else if (opts->output && command != COMMAND_LOAD)
		(void)opt_refuse(args, "--output is for load");
	else
		return true;
	return false;
}

/* The exit status, or -1 with a complaint in args. */
static int
command_run(const struct analyze_opts *opts, struct opt_args *args)
{
	static const char *const names[] = {"load", "list", "report", "sql", "events", "diff", NULL};
	const enum command command = args->n_operands > 0 ? (enum command)opt_choice(args->operands[0], names)
							   : COMMAND_NONE;
	const struct iotap_error out_of_memory = {.code = IOTAP_ENOMEM, .text = "out of memory"};
	const struct asking how = {
		.format = opts->format ? (enum result_format)opt_choice(opts->format, result_formats) : RESULT_TABLE,
		.limits = {opts->timeout.value, opts->memory.value},
	};

	if (!command_check(opts, command, args))
		return -1;
	configure_sqlite(command == COMMAND_LOAD);
	if (command != COMMAND_LIST && !reach_init(&within_reach))
		return complain(&out_of_memory);
	switch (command) {
	case COMMAND_LOAD:
		return command_load(opts, args->operands + 1, args->n_operands - 1, args);
	case COMMAND_LIST:
		return command_list(how.format);
	case COMMAND_REPORT:
		return command_report(args->operands + 1, args->n_operands - 1, &how, args);
	case COMMAND_SQL:
		return command_sql(args->operands + 1, args->n_operands - 1, &how, args);
	case COMMAND_EVENTS:
		if (args->n_operands == 2)
			return ask(args->operands[1], catalog_events(), &how);
		(void)opt_refuse(args, "events needs an INPUT or DB");
		break;
	case COMMAND_DIFF:
		if (args->n_operands == 3 && strcmp(args->operands[2], "-") != 0)
			return diff(args->operands[1], args->operands[2], &how);
		(void)opt_refuse(args, args->n_operands == 3 ? "diff: only the first can be standard input"
							     : "diff needs two of INPUT or DB");
		break;
	case COMMAND_NONE:
		break;
	}
	return -1;
}

int
main(int argc, char **argv)
{
	struct analyze_opts opts = {.output = NULL};
	struct opt_args args;
	enum opt_result parsed = opt_parse(&spec, argc, argv, &opts, &args);
	int status = -1;

	signals_take(on_signal);
	if (parsed == OPT_RUN)
		status = command_run(&opts, &args);
	reach_fini(&within_reach);
	if (status < 0)
		status = opt_finish(&spec, parsed == OPT_RUN ? OPT_USAGE : parsed, &args, STDOUT_FILENO,
				    STDERR_FILENO);
	opt_fini(&spec, &opts, &args);
	return status;
}
