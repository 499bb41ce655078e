/* driver_options.h - the command line of iotap: what it says, whether it makes sense, who gets it */
#ifndef REPORT_DRIVER_OPTIONS_H
#define REPORT_DRIVER_OPTIONS_H

#include "formats/base/opt.h"

struct driver_opts {
#define OPT(field, letter, name, arg, help, kind, stage) OPT_FIELD(field, letter, name, arg, help, kind)
#define OPT_HEADING OPT_NO_FIELD
#include "report/driver_options.def"
#undef OPT
#undef OPT_HEADING
};

enum driver_taker {
	TAKER_OWN,
	TAKER_CAPTURE,
	TAKER_DECODE,
};

/* An argument vector that is being made: every string is owned, the array ends with NULL. */
struct driver_words {
	char **v;
	size_t n;
};

const struct opt_spec *driver_options_spec(void);

/* OPT_RUN, or OPT_USAGE with the complaint in args: options that exclude each other, nothing to
 * trace, --replay with options of a live trace. */
enum opt_result driver_options_check(const struct driver_opts *opts, struct opt_args *args);

/* Appends "--name" or "--name=value" for every option given that taker takes. False: out of memory. */
bool driver_options_words(const struct driver_opts *opts, enum driver_taker taker,
			  struct driver_words *out);

/* Appends a formatted word. False: out of memory. */
bool driver_words_add(struct driver_words *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void driver_words_fini(struct driver_words *w);

#endif
