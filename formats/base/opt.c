/* opt.c - the command line of a program, from the rows of its options.def
 *
 * The rows are turned into getopt_long's two tables; val of a long option is FIRST_LONG + row, so a
 * letter and its long name end at the same row. The leading '-' of the short table makes getopt
 * hand over operands in their order instead of moving them about in argv.
 */
#include "formats/base/opt.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/escape.h"
#include "formats/base/io.h"
#include "formats/base/quantity.h"

#define FIRST_LONG 0x100	/* above every letter */
#define OPERAND 1		/* what getopt gives for one, with '-' first */

static const struct opt_row help_row = {"help", NULL, "show this text", 0, OPT_KIND_FLAG, 'h'};
static const struct opt_row version_row = {"version", NULL, "show the version", 0, OPT_KIND_FLAG,
					   'V'};

/* The program's rows and, after them, help and version. */
static const struct opt_row *
row_at(const struct opt_spec *spec, size_t i)
{
	if (i < spec->n_rows)
		return &spec->rows[i];
	return i == spec->n_rows ? &help_row : &version_row;
}

static size_t
row_count(const struct opt_spec *spec)
{
	return spec->n_rows + 2;
}

/* The first row with this letter wins, so a program may use h or V for its own. */
static size_t
row_by_letter(const struct opt_spec *spec, char letter)
{
	size_t i = 0;

	while (i < row_count(spec) && row_at(spec, i)->letter != letter)
		i++;
	return i;
}

static bool
row_has_letter(const struct opt_spec *spec, size_t i)
{
	const char letter = row_at(spec, i)->letter;

	return letter != 0 && row_by_letter(spec, letter) == i;
}

enum opt_result
opt_refuse(struct opt_args *args, const char *fmt, ...)
{
	char raw[sizeof(args->message)];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(raw, sizeof(raw), fmt, ap) < 0)
		raw[0] = '\0';
	va_end(ap);
	(void)escape_str(args->message, sizeof(args->message), raw);
	return OPT_USAGE;
}

static enum opt_result
no_memory(struct opt_args *args)
{
	args->no_memory = true;
	return opt_refuse(args, "out of memory");
}

/* getopt's tables for one run; both arrays are owned. */
struct tables {
	struct option *longs;
	char *shorts;
};

static bool
tables_init(struct tables *t, const struct opt_spec *spec)
{
	const size_t n = row_count(spec);
	char *s;
	size_t n_longs = 0;

	t->longs = calloc(n + 1, sizeof(*t->longs));
	t->shorts = calloc(n * 2 + 3, 1);
	if (!t->longs || !t->shorts)
		return false;
	s = t->shorts;
	*s++ = '-';
	*s++ = ':';	/* a missing argument is told from an unknown option */
	for (size_t i = 0; i < n; i++) {
		const struct opt_row *const row = row_at(spec, i);

		if (row->kind == OPT_KIND_HEADING)
			continue;
		t->longs[n_longs++] = (struct option){
			.name = row->name,
			.has_arg = row->arg ? required_argument : no_argument,
			.val = FIRST_LONG + (int)i,
		};
		if (row_has_letter(spec, i)) {
			*s++ = row->letter;
			if (row->arg)
				*s++ = ':';
		}
	}
	return true;
}

static void
tables_fini(struct tables *t)
{
	free(t->longs);
	free(t->shorts);
}

/* True when word is "--name" or "--name=..." of no row: getopt would take a beginning for the
 * whole. */
static bool
is_unknown_long(const struct tables *t, const char *word)
{
	size_t len;

	if (strncmp(word, "--", 2) != 0 || word[2] == '\0')
		return false;
	word += 2;
	len = strcspn(word, "=");
	for (const struct option *o = t->longs; o->name; o++) {
		if (strlen(o->name) == len && memcmp(o->name, word, len) == 0)
			return false;
	}
	return true;
}

static bool
list_add(const char ***items, size_t *n, const char *item)
{
	const char **const grown = realloc(*items, (*n + 1) * sizeof(**items));

	if (!grown)
		return false;
	grown[(*n)++] = item;
	*items = grown;
	return true;
}

static bool
number_parse(enum opt_kind kind, const char *text, struct opt_u64 *out)
{
	bool ok;

	if (kind == OPT_KIND_SIZE)
		ok = quantity_bytes(text, &out->value);
	else if (kind == OPT_KIND_DURATION)
		ok = quantity_duration_ns(text, &out->value);
	else
		ok = quantity_u64(text, &out->value);
	out->given = out->given || ok;
	return ok;
}

static const char *
number_form(enum opt_kind kind)
{
	if (kind == OPT_KIND_SIZE)
		return "a size such as 4096, 64k or 32M";
	if (kind == OPT_KIND_DURATION)
		return "a duration such as 10, 500ms or 1h30m";
	return "a number";
}

/* Stores one option with its argument (NULL = takes none). */
static enum opt_result
row_apply(const struct opt_row *row, const char *text, void *opts, struct opt_args *args)
{
	char *const field = (char *)opts + row->offset;
	struct opt_list *const list = (struct opt_list *)(void *)field;

	if ((row->kind == OPT_KIND_STR || row->kind == OPT_KIND_LIST) && text[0] == '\0')
		return opt_refuse(args, "--%s: its argument is empty", row->name);
	switch (row->kind) {
	case OPT_KIND_FLAG:
		*(bool *)(void *)field = true;
		break;
	case OPT_KIND_COUNT:
		++*(unsigned int *)(void *)field;
		break;
	case OPT_KIND_STR:
		*(const char **)(void *)field = text;
		break;
	case OPT_KIND_LIST:
		if (!list_add(&list->items, &list->n, text))
			return no_memory(args);
		break;
	case OPT_KIND_U64:
	case OPT_KIND_SIZE:
	case OPT_KIND_DURATION:
		if (!number_parse(row->kind, text, (struct opt_u64 *)(void *)field))
			return opt_refuse(args, "--%s: '%s' is not %s", row->name, text,
					  number_form(row->kind));
		break;
	case OPT_KIND_HEADING:
		break;
	}
	return OPT_RUN;
}

/* What getopt's '?' and ':' mean; word is the argument it was looking at. */
static enum opt_result
refuse_option(const struct opt_spec *spec, int got, const char *word, struct opt_args *args)
{
	if (got == ':')
		return optopt >= FIRST_LONG
			       ? opt_refuse(args, "option '--%s' needs an argument",
					    row_at(spec, (size_t)(optopt - FIRST_LONG))->name)
			       : opt_refuse(args, "option '-%c' needs an argument", optopt);
	if (optopt >= FIRST_LONG)
		return opt_refuse(args, "option '--%s' takes no argument",
				  row_at(spec, (size_t)(optopt - FIRST_LONG))->name);
	if (strncmp(word, "--", 2) == 0)
		return opt_refuse(args, "unknown option '%.*s'", (int)strcspn(word, "="), word);
	return opt_refuse(args, "unknown option '-%c'", optopt);
}

/* Takes one option or operand that getopt found. */
static enum opt_result
take(const struct opt_spec *spec, int got, const char *word, void *opts, struct opt_args *args)
{
	const struct opt_row *row;

	if (got == OPERAND)
		return list_add(&args->operands, &args->n_operands, optarg)
			       ? OPT_RUN
			       : no_memory(args);
	if (got == '?' || got == ':')
		return refuse_option(spec, got, word, args);
	row = row_at(spec, got >= FIRST_LONG ? (size_t)(got - FIRST_LONG)
					     : row_by_letter(spec, (char)got));
	if (row == &help_row)
		return OPT_HELP;
	if (row == &version_row)
		return OPT_VERSION;
	return row_apply(row, optarg, opts, args);
}

static enum opt_result
parse_words(const struct opt_spec *spec, const struct tables *t, int argc, char **argv, void *opts,
	    struct opt_args *args)
{
	enum opt_result result = OPT_RUN;
	int before = 1;

	opterr = 0;
	optind = 0;	/* begin anew, whoever used getopt before */
	while (result == OPT_RUN) {
		const char *const word = before < argc ? argv[before] : "";
		int got;

		optopt = 0;
		if (is_unknown_long(t, word))
			return refuse_option(spec, '?', word, args);
		got = getopt_long(argc, argv, t->shorts, t->longs, NULL);
		if (got == -1)
			break;
		result = take(spec, got, word, opts, args);
		before = optind;
	}
	if (result == OPT_RUN && optind == before + 1) {	/* "--" was stepped over */
		args->command = argv + optind;
		args->n_command = argc - optind;
	}
	return result;
}

enum opt_result
opt_parse(const struct opt_spec *spec, int argc, char **argv, void *opts, struct opt_args *args)
{
	struct tables t;
	enum opt_result result;

	*args = (struct opt_args){.n_operands = 0};
	result = tables_init(&t, spec) ? parse_words(spec, &t, argc, argv, opts, args)
				       : no_memory(args);
	tables_fini(&t);
	return result;
}

void
opt_fini(const struct opt_spec *spec, void *opts, struct opt_args *args)
{
	for (size_t i = 0; i < spec->n_rows; i++) {
		struct opt_list *list;

		if (spec->rows[i].kind != OPT_KIND_LIST)
			continue;
		list = (struct opt_list *)(void *)((char *)opts + spec->rows[i].offset);
		free(list->items);
		*list = (struct opt_list){.n = 0};
	}
	free(args->operands);
	args->operands = NULL;
	args->n_operands = 0;
}

int
opt_choice(const char *text, const char *const *names)
{
	for (int i = 0; names[i]; i++) {
		if (strcmp(text, names[i]) == 0)
			return i;
	}
	return -1;
}
