/* command_line.h - the words of the user as struct session_options */
#ifndef CAPTURE_COMMAND_LINE_H
#define CAPTURE_COMMAND_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/scope.h"
#include "capture/selection.h"
#include "capture/session.h"
#include "capture/targets.h"
#include "formats/base/opt.h"

struct capture_opts {
#define OPT OPT_FIELD
#define OPT_HEADING OPT_NO_FIELD
#include "capture/options.def"
#undef OPT
#undef OPT_HEADING
};

/* Owns what session points to. */
struct command_line {
	struct capture_opts opts;
	struct opt_args args;
	struct targets targets;
	struct selection selection;
	uint32_t sets;			/* enum iotap_set */
	struct scope scope;
	struct rec_request *requests;
	size_t n_requests;
	struct buf numbers;		/* texts of pids */
	struct buf words;		/* the command line, joined */
	uint64_t buffer_bytes;
	struct trigger_rule *rules;
	struct session_options session;	/* all but signals */
};

extern const struct opt_spec command_line_spec;

/* OPT_RUN and c->session filled, or what opt_finish is to say. command_line_fini in any case. */
enum opt_result command_line_parse(struct command_line *c, int argc, char **argv);
void command_line_fini(struct command_line *c);

#endif
