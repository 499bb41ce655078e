/* select.h - which calls a filter lets through
 *
 * Classes, interfaces and the target are properties of the target, so a block asks once per entry of
 * its dictionary. The filter owns copies of its interface names.
 */
#ifndef DECODE_SELECT_H
#define DECODE_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/iotap.h"

struct select {
	struct iotap_filter f;		/* to_ns is UINT64_MAX when there is no limit */
	char **names;			/* what f.interfaces points to */
	bool by_target;			/* target, classes or interfaces are asked for */
	uint64_t unknown_interface_calls;
};

enum select_verdict { SELECT_KEEP, SELECT_DROP, SELECT_DROP_UNKNOWN_INTERFACE };

/* from may be NULL: everything. 0 or IOTAP_ENOMEM. */
int select_init(struct select *, const struct iotap_filter *from);
void select_fini(struct select *);

enum select_verdict select_target(const struct select *, const struct iotap_target *);

/* True when time_ns (boot clock) is within the filter. */
static inline bool
select_time(const struct select *s, uint64_t time_ns)
{
	return time_ns >= s->f.from_ns && time_ns <= s->f.to_ns;
}

#endif
