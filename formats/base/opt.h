/* opt.h - the command line of a program, from the rows of its options.def
 *
 * A row says everything about an option once; the options struct, the parser, --help, the manual
 * page and the completions come from it:
 *
 *	OPT_HEADING("Which events")
 *	OPT(files_only, 0,   "files-only", NULL,   "report file I/O only", FLAG)
 *	OPT(duration,  'd',  "duration",   "TIME", "stop after this long (10, 10s, 2m)", DURATION)
 *
 * kind		type of the field	what the argument must be
 * FLAG		bool			no argument; true once given
 * COUNT	unsigned int		no argument; how often it was given
 * STR		const char *		anything; the last one wins; NULL = not given
 * U64		struct opt_u64		decimal digits
 * SIZE		struct opt_u64		quantity_bytes
 * DURATION	struct opt_u64		quantity_duration_ns, in nanoseconds
 * LIST		struct opt_list		anything; all of them, in their order
 *
 * A program makes its struct and its table so (NULL or 0 fill what a row leaves out):
 *
 *	struct x_opts {
 *	#define OPT OPT_FIELD
 *	#define OPT_HEADING OPT_NO_FIELD
 *	#include "x/options.def"
 *	#undef OPT
 *	#undef OPT_HEADING
 *	};
 *	static const struct opt_row rows[] = {
 *	#define OPT(...) OPT_ROW(struct x_opts, __VA_ARGS__)
 *	#define OPT_HEADING OPT_HEADING_ROW
 *	#include "x/options.def"
 *	#undef OPT
 *	#undef OPT_HEADING
 *	};
 *
 * --help (-h where no row takes the letter) and --version (-V likewise) are added to every program.
 * Options and operands mix; "--" ends the options, and what follows it is the command, apart from
 * the operands. Long options must be written in full: a script that abbreviates breaks on the day a
 * new option shares the letters. "--name=value" and "--name value", "-n5" and "-n 5" are the same.
 */
#ifndef FORMATS_BASE_OPT_H
#define FORMATS_BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"

enum opt_kind {
	OPT_KIND_FLAG,
	OPT_KIND_COUNT,
	OPT_KIND_STR,
	OPT_KIND_U64,
	OPT_KIND_SIZE,
	OPT_KIND_DURATION,
	OPT_KIND_LIST,
	OPT_KIND_HEADING,	/* not an option: a title in --help */
};

struct opt_u64 {
	uint64_t value;
	bool given;
};

struct opt_list {
	const char **items;	/* owned; the strings are argv's */
	size_t n;
};

struct opt_row {
	const char *name;	/* long name; of a heading, its text */
	const char *arg;	/* name of the argument for --help; NULL = takes none */
	const char *help;
	size_t offset;		/* of the field in the options struct */
	enum opt_kind kind;
	char letter;		/* short name or 0 */
};

#define OPT_TYPE_FLAG bool
#define OPT_TYPE_COUNT unsigned int
#define OPT_TYPE_STR const char *
#define OPT_TYPE_U64 struct opt_u64
#define OPT_TYPE_SIZE struct opt_u64
#define OPT_TYPE_DURATION struct opt_u64
#define OPT_TYPE_LIST struct opt_list

#define OPT_FIELD(field, letter, name, arg, help, kind) OPT_TYPE_##kind field;
#define OPT_NO_FIELD(text)
#define OPT_ROW(type, field, letter, name, arg, help, kind)                                        \
	{name, arg, help, offsetof(type, field), OPT_KIND_##kind, letter},
#define OPT_HEADING_ROW(text) {text, NULL, NULL, 0, OPT_KIND_HEADING, 0},

/* What does not change: one static const per program (or per subcommand). */
struct opt_spec {
	const char *program;	/* "iotap-decode" */
	const char *usage;	/* what follows the name; lines split by '\n' get the name each */
	const char *about;	/* a sentence or two under the usage; may have '\n' */
	const struct opt_row *rows;
	size_t n_rows;
	const char *after;	/* text under the options, e.g. examples; NULL = none */
};

enum opt_result {
	OPT_RUN,	/* go on */
	OPT_HELP,	/* --help was asked for */
	OPT_VERSION,	/* --version was asked for */
	OPT_USAGE,	/* the command line is wrong: message says why */
};

/* What a command line held besides options. */
struct opt_args {
	const char **operands;	/* owned; NULL when there are none */
	size_t n_operands;
	char **command;		/* what follows "--", ended by NULL as argv is; NULL without "--" */
	int n_command;
	bool no_memory;		/* OPT_USAGE is not the user's fault */
	char message[256];	/* for OPT_USAGE: one printable line without program name or '\n' */
};

/* Parses argv (argv[0] is not looked at) into the struct at opts, which the caller has filled
 * with zeroes or its defaults, and into *args, which is set anew. Both are to be released
 * whatever the result. Out of memory is OPT_USAGE with that message. Uses getopt_long's globals:
 * not for threads. */
enum opt_result opt_parse(const struct opt_spec *spec, int argc, char **argv, void *opts,
			  struct opt_args *args);

/* Releases the lists in the struct at opts, and args. */
void opt_fini(const struct opt_spec *spec, void *opts, struct opt_args *args);

/* Makes the result OPT_USAGE with a message of the caller's own, for what rows cannot say ("needs a
 * target"). Untrusted text in it is escaped. Returns OPT_USAGE. */
enum opt_result opt_refuse(struct opt_args *args, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends the text of --help, or of --version ("iotap-decode 0.1.0\n"). */
bool opt_help(const struct opt_spec *spec, struct buf *out);
bool opt_version(const struct opt_spec *spec, struct buf *out);

/* For main.c: writes what a result other than OPT_RUN calls for - help and version to out_fd,
 * the complaint and "Try 'iotap-x --help'." to err_fd - and gives the exit status: 0, or 2 for
 * OPT_USAGE, or 1 when the help could not be written or there was no memory. */
int opt_finish(const struct opt_spec *spec, enum opt_result result, const struct opt_args *args,
	       int out_fd, int err_fd);

/* For main.c: writes "PROGRAM: text" as one line to fd, cut at some 1,000 bytes; needs no memory, of which
 * there may be none. */
void opt_say(const struct opt_spec *spec, int fd, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The index of text in names (ended by NULL), or -1: for the values of an option such as
 * --format. */
int opt_choice(const char *text, const char *const *names);

#endif
