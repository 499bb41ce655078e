/* trigger.h - rules that say when the flight recorder is to write down what it has
 *
 *	errno=ENOSPC	a call failed so (formats/errnos.def, or a number)
 *	latency>100ms	a call took longer
 *	path=GLOB	a call was about a file whose path matches (fnmatch(3); * matches / too)
 */
#ifndef CAPTURE_TRIGGER_H
#define CAPTURE_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/map.h"
#include "formats/error.h"
#include "formats/kernel_record.h"
#include "formats/record.h"

enum trigger_kind { TRIGGER_ERRNO, TRIGGER_LATENCY, TRIGGER_PATH };

struct trigger_rule {
	enum trigger_kind kind;
	uint64_t value;			/* ERRNO: positive; LATENCY: ns */
	const char *text;		/* as given; borrowed */
	const char *pattern;		/* PATH */
};

/* The rule that a text means, or false. */
bool trigger_parse(const char *text, struct trigger_rule *out);

struct trigger {
	const struct trigger_rule *rules;	/* borrowed */
	size_t n_rules;
	bool wants_paths;
	struct map matching;			/* ids of targets whose path matches a rule: to the rule */
};

void trigger_init(struct trigger *t, const struct trigger_rule *rules, size_t n);
void trigger_fini(struct trigger *t);

/* Takes notice of a definition. */
void trigger_target(struct trigger *t, const struct rec_target *target);

/* The first rule that one of the calls meets, or NULL. */
const struct trigger_rule *trigger_calls(struct trigger *t, const struct kr_call *calls, size_t n);

#endif
