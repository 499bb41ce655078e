/* selection.h - which system calls are recorded: the sets of --calls, and the filters
 *
 * A call of a kind that is not selected is counted by the kernel half (not_selected) and costs the process
 * little. One that a filter leaves out is known only when it is done, and counted as filtered. All have to
 * agree: the kind, the path, the latency and the failure.
 */
#ifndef CAPTURE_SELECTION_H
#define CAPTURE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/glob.h"
#include "formats/calls.h"
#include "formats/error.h"
#include "formats/kernel_record.h"

struct selection {
	bool given;			/* otherwise every call of the table */
	bool call[KR_MAX_CALLS];	/* by our id */
	uint32_t sets;			/* enum iotap_set: what was named is recorded with these only */
	struct glob paths;		/* no pattern = any target */
	uint64_t min_latency_ns;
	bool failed;			/* failures only */
};

/* Adds a set: names separated by commas, each a call or an op (calls.def) or else a class, a class in any
 * case with a % in front. IOTAP_EUSAGE names one that is none of them. */
int selection_add(struct selection *s, const char *set, struct iotap_error *err);

/* Adds what the optional sets (enum iotap_set) need: with libaio and any request of io_submit selected, the
 * calls that requests begin and end with. Without them nothing would be seen of it. IOTAP_EUSAGE when
 * requests were named, by a name that no system call has, and their set is not among sets. */
int selection_complete(struct selection *s, uint32_t sets, struct iotap_error *err);

static inline bool
selection_has(const struct selection *s, unsigned int id)
{
	return !s->given || (id < KR_MAX_CALLS && s->call[id]);
}

/* Whether the kernel half has to look at a call: one with a TWIN (calls.def) is known by its file only. */
bool selection_looks_at(const struct selection *s, unsigned int id);

#endif
