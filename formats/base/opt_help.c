/* opt_help.c - the texts a program answers a command line with: help, version, complaint
 *
 * Help is laid out in HELP_WIDTH columns: the option's names, then at HELP_COLUMN its text, wrapped
 * at spaces. All of it is our own ASCII.
 */
#include "formats/base/opt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/base/io.h"

#define HELP_WIDTH 100
#define HELP_COLUMN 28

#ifndef IOTAP_VERSION
#error "the makefile passes IOTAP_VERSION"
#endif

/* Appends text wrapped at spaces, from column HELP_COLUMN; column is where the line stands now. */
static void
wrap(struct buf *out, const char *text, size_t column)
{
	while (*text != '\0') {
		const size_t len = strcspn(text, " ");

		if (column > HELP_COLUMN && column + 1 + len > HELP_WIDTH) {
			(void)buf_putc(out, '\n');
			column = 0;
		}
		if (column < HELP_COLUMN) {
			(void)buf_printf(out, "%*s", (int)(HELP_COLUMN - column), "");
			column = HELP_COLUMN;
		} else if (column > HELP_COLUMN) {
			(void)buf_putc(out, ' ');
			column++;
		}
		(void)buf_put(out, text, len);
		column += len;
		text += len;
		text += strspn(text, " ");
	}
	(void)buf_putc(out, '\n');
}

static void
help_row(struct buf *out, const struct opt_row *row, bool with_letter)
{
	const size_t from = out->len;
	size_t width;

	if (with_letter)
		(void)buf_printf(out, "  -%c, --%s", row->letter, row->name);
	else
		(void)buf_printf(out, "      --%s", row->name);
	if (row->arg)
		(void)buf_printf(out, " %s", row->arg);
	width = out->len - from;
	if (width + 2 > HELP_COLUMN) {
		(void)buf_putc(out, '\n');
		width = 0;
	}
	wrap(out, row->help ? row->help : "", width);
}

/* Every line of the usage with "Usage: " or its width in spaces, and the program's name. */
static void
help_usage(const struct opt_spec *spec, struct buf *out)
{
	const char *line = spec->usage ? spec->usage : "[OPTIONS]";
	const char *lead = "Usage: ";

	for (;;) {
		const size_t len = strcspn(line, "\n");

		(void)buf_printf(out, "%s%s %.*s\n", lead, spec->program, (int)len, line);
		if (line[len] == '\0')
			break;
		line += len + 1;
		lead = "       ";
	}
}

static bool
letter_is_free(const struct opt_spec *spec, char letter)
{
	for (size_t i = 0; i < spec->n_rows; i++) {
		if (spec->rows[i].letter == letter)
			return false;
	}
	return true;
}

bool
opt_help(const struct opt_spec *spec, struct buf *out)
{
	static const struct opt_row own[] = {
		{"help", NULL, "show this text", 0, OPT_KIND_FLAG, 'h'},
		{"version", NULL, "show the version", 0, OPT_KIND_FLAG, 'V'},
	};
	bool headed = false;

	help_usage(spec, out);
	if (spec->about)
		(void)buf_printf(out, "\n%s\n", spec->about);
	for (size_t i = 0; i < spec->n_rows; i++) {
		const struct opt_row *const row = &spec->rows[i];

		if (row->kind == OPT_KIND_HEADING)
			(void)buf_printf(out, "\n%s:\n", row->name);
		else if (i == 0)
			(void)buf_puts(out, "\nOptions:\n");
		headed = headed || (row->kind == OPT_KIND_HEADING && i > 0);
		if (row->kind != OPT_KIND_HEADING)
			help_row(out, row, row->letter != 0);
	}
	(void)buf_puts(out, spec->n_rows == 0 ? "\nOptions:\n" : headed ? "\n" : "");
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		help_row(out, &own[i], letter_is_free(spec, own[i].letter));
	if (spec->after)
		(void)buf_printf(out, "\n%s\n", spec->after);
	return buf_ok(out);
}

bool
opt_version(const struct opt_spec *spec, struct buf *out)
{
	return buf_printf(out, "%s %s\n", spec->program, IOTAP_VERSION);
}

/* Needs no memory, of which there may be none. */
static int
finish_usage(const struct opt_spec *spec, const struct opt_args *args, int err_fd)
{
	char text[sizeof(args->message) + 128];
	int n;

	if (args->no_memory)
		n = snprintf(text, sizeof(text), "%s: %s\n", spec->program, args->message);
	else
		n = snprintf(text, sizeof(text), "%s: %s\nTry '%s --help'.\n", spec->program, args->message,
			     spec->program);
	if (n > 0)
		(void)io_write_all(err_fd, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
	return args->no_memory ? 1 : 2;
}

void
opt_say(const struct opt_spec *spec, int fd, const char *fmt, ...)
{
	char line[1024];
	size_t n;
	va_list ap;

	(void)snprintf(line, sizeof(line) / 2, "%s: ", spec->program);
	n = strlen(line);
	va_start(ap, fmt);
	(void)vsnprintf(line + n, sizeof(line) - 1 - n, fmt, ap);
	va_end(ap);
	n = strlen(line);
	line[n++] = '\n';
	(void)io_write_all(fd, line, n);
}

/* The status of an answer that could not be written; whoever went away needs no word about it. */
static int
finish_unwritten(const struct opt_spec *spec, int code, int err_fd)
{
	if (code != EPIPE)
		opt_say(spec, err_fd, "standard output: %s", strerror(code));
	return 1;
}

int
opt_finish(const struct opt_spec *spec, enum opt_result result, const struct opt_args *args,
	   int out_fd, int err_fd)
{
	struct buf text;
	bool ok;
	int code;

	if (result == OPT_RUN)
		return 0;
	if (result == OPT_USAGE)
		return finish_usage(spec, args, err_fd);
	buf_init(&text, 0);
	if (result == OPT_HELP)
		(void)opt_help(spec, &text);
	else
		(void)opt_version(spec, &text);
	ok = buf_ok(&text) && io_write_all(out_fd, text.data, text.len);
	code = buf_ok(&text) ? errno : ENOMEM;
	buf_free(&text);
	return ok ? 0 : finish_unwritten(spec, code, err_fd);
}
