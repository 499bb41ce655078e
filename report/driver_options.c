/* driver_options.c - the command line of iotap: what it says, whether it makes sense, who gets it
 *
 * The rows of driver_options.def carry one column more than other programs' do: the program that
 * takes the option. So an option that is merely handed on needs its row and nothing here.
 */
#include "report/driver_options.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct opt_row rows[] = {
#define OPT(field, letter, name, arg, help, kind, stage)                                           \
	OPT_ROW(struct driver_opts, field, letter, name, arg, help, kind)
#define OPT_HEADING OPT_HEADING_ROW
#include "report/driver_options.def"
#undef OPT
#undef OPT_HEADING
};

/* Beside rows: the column that opt.h does not know. */
static const enum driver_taker takers[] = {
#define OPT(field, letter, name, arg, help, kind, stage) TAKER_##stage,
#define OPT_HEADING(text) TAKER_OWN,
#include "report/driver_options.def"
#undef OPT
#undef OPT_HEADING
};

static const struct opt_spec spec = {
	.program = "iotap",
	.usage = "[OPTIONS] TARGET...\n"
		 "[OPTIONS] -- COMMAND [ARG...]\n"
		 "--replay FILE [OPTIONS]",
	.about = "Shows what processes do with files and network: every call with its target, bytes,\n"
		 "latency and error, and at the end a summary. A TARGET is a process ID or a name.",
	.rows = rows,
	.n_rows = sizeof(rows) / sizeof(rows[0]),
	.after = "Examples:\n"
		 "  sudo iotap --wait curl                every curl that runs or will\n"
		 "  sudo iotap -f -- make -j8             a command and all it starts; output on stderr\n"
		 "  sudo iotap -q -d 10 --record t.iotap 1234\n"
		 "  iotap --replay t.iotap --json         the same again, without root",
};

static const char *const formats[] = {"text", "json", "csv", "tsv", "events", NULL};

const struct opt_spec *
driver_options_spec(void)
{
	return &spec;
}

static const void *
row_field(const struct driver_opts *opts, const struct opt_row *row)
{
	return (const char *)opts + row->offset;
}

static bool
row_given(const struct driver_opts *opts, const struct opt_row *row)
{
	const void *const field = row_field(opts, row);

	switch (row->kind) {
	case OPT_KIND_FLAG:
		return *(const bool *)field;
	case OPT_KIND_COUNT:
		return *(const unsigned int *)field > 0;
	case OPT_KIND_STR:
		return *(const char *const *)field != NULL;
	case OPT_KIND_U64:
	case OPT_KIND_SIZE:
	case OPT_KIND_DURATION:
		return ((const struct opt_u64 *)field)->given;
	case OPT_KIND_LIST:
		return ((const struct opt_list *)field)->n > 0;
	case OPT_KIND_HEADING:
		break;
	}
	return false;
}

/* What a recording cannot be asked for any more. */
static enum opt_result
check_replay(const struct driver_opts *opts, struct opt_args *args)
{
	for (size_t i = 0; i < spec.n_rows; i++) {
		if (takers[i] == TAKER_CAPTURE && row_given(opts, &rows[i]))
			return opt_refuse(args, "--%s is for tracing and does not go with --replay",
					  rows[i].name);
	}
	if (opts->record)
		return opt_refuse(args, "--record is for tracing and does not go with --replay");
	if (args->n_operands > 0)
		return opt_refuse(args, "a TARGET ('%s') does not go with --replay",
				  args->operands[0]);
	if (args->command)
		return opt_refuse(args, "a COMMAND does not go with --replay");
	return OPT_RUN;
}

static enum opt_result
check_live(const struct driver_opts *opts, struct opt_args *args)
{
	const bool targets = args->n_operands > 0 || opts->pids.n > 0 || opts->names.n > 0;
	const bool scopes = opts->all || opts->cgroup.n > 0 || opts->uid.n > 0;

	if (args->command && args->n_command == 0)
		return opt_refuse(args, "'--' must be followed by a COMMAND");
	if (args->command && targets)
		return opt_refuse(args, "give either a TARGET or '-- COMMAND', not both");
	if (!args->command && !targets && !scopes)
		return opt_refuse(args, "nothing to trace: give a TARGET (a process ID or a name), "
					"'-- COMMAND', or --replay FILE");
	if (opts->user && !args->command)
		return opt_refuse(args, "--user is for '-- COMMAND'");
	if (opts->force && !opts->record && !opts->output)
		return opt_refuse(args, "--force is for --record and --output");
	if (opts->record && opts->output && strcmp(opts->record, opts->output) == 0)
		return opt_refuse(args, "--record and --output name the same file");
	if (opts->record && strcmp(opts->record, "-") == 0)
		return opt_refuse(args, "--record needs a file; a recording on standard output is "
					"'iotap-capture -o -'");
	return OPT_RUN;
}

/* The screen shows what it shows. */
static enum opt_result
check_tui(const struct driver_opts *opts, struct opt_args *args)
{
	if (args->command)
		return opt_refuse(args, "--tui and '-- COMMAND' exclude each other: both want the terminal; give "
					"the command's name as TARGET, with --wait, and start it elsewhere");
	if (opts->json || opts->format)
		return opt_refuse(args, "--tui and --format exclude each other");
	if (opts->output)
		return opt_refuse(args, "--tui and --output exclude each other");
	if (opts->interface.n > 0 || opts->all_ops)
		return opt_refuse(args, "--tui does not go with --interface and --all-ops");
	return OPT_RUN;
}

enum opt_result
driver_options_check(const struct driver_opts *opts, struct opt_args *args)
{
	if (opts->files_only && opts->net_only)
		return opt_refuse(args, "--files-only and --net-only exclude each other");
	if (opts->files_only && opts->interface.n > 0)
		return opt_refuse(args, "--files-only and --interface exclude each other");
	if (opts->format && opt_choice(opts->format, formats) < 0)
		return opt_refuse(args, "--format: '%s' is none of text, json, csv, tsv, events",
				  opts->format);
	if (opts->json && opts->format && strcmp(opts->format, "json") != 0)
		return opt_refuse(args, "--json and --format %s exclude each other", opts->format);
	if (opts->tui && check_tui(opts, args) != OPT_RUN)
		return OPT_USAGE;
	return opts->replay ? check_replay(opts, args) : check_live(opts, args);
}

bool
driver_words_add(struct driver_words *w, const char *fmt, ...)
{
	char **const grown = realloc(w->v, (w->n + 2) * sizeof(*w->v));
	va_list ap;
	int len;

	if (!grown)
		return false;
	w->v = grown;
	va_start(ap, fmt);
	len = vasprintf(&w->v[w->n], fmt, ap);
	va_end(ap);
	if (len < 0) {
		w->v[w->n] = NULL;
		return false;
	}
	w->v[++w->n] = NULL;
	return true;
}

void
driver_words_fini(struct driver_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	*w = (struct driver_words){.n = 0};
}

/* One option that was given, as the program that takes it wants it spelled. */
static bool
add_row(const struct driver_opts *opts, const struct opt_row *row, struct driver_words *out)
{
	const void *const field = row_field(opts, row);
	const struct opt_list *const list = field;
	const struct opt_u64 *const number = field;
	bool ok = true;

	switch (row->kind) {
	case OPT_KIND_FLAG:
		return driver_words_add(out, "--%s", row->name);
	case OPT_KIND_COUNT:
		for (unsigned int i = 0; i < *(const unsigned int *)field && i < 9; i++)
			ok = ok && driver_words_add(out, "--%s", row->name);
		return ok;
	case OPT_KIND_STR:
		return driver_words_add(out, "--%s=%s", row->name, *(const char *const *)field);
	case OPT_KIND_U64:
	case OPT_KIND_SIZE:
		return driver_words_add(out, "--%s=%" PRIu64, row->name, number->value);
	case OPT_KIND_DURATION:
		return driver_words_add(out, "--%s=%" PRIu64 "ns", row->name, number->value);
	case OPT_KIND_LIST:
		for (size_t i = 0; i < list->n; i++)
			ok = ok && driver_words_add(out, "--%s=%s", row->name, list->items[i]);
		return ok;
	case OPT_KIND_HEADING:
		break;
	}
	return true;
}

bool
driver_options_words(const struct driver_opts *opts, enum driver_taker taker,
		     struct driver_words *out)
{
	bool ok = true;

	for (size_t i = 0; ok && i < spec.n_rows; i++) {
		if (takers[i] == taker && row_given(opts, &rows[i]))
			ok = add_row(opts, &rows[i], out);
	}
	return ok;
}
