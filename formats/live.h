/* live.h - what an epoch restates: the processes that live and the interfaces that were told of
 *
 * Kept as encoded records, in the order they came; a process record follows exec and rename, and goes
 * with exit. Bounded; what does not fit is not restated, and counted.
 */
#ifndef FORMATS_LIVE_H
#define FORMATS_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/record.h"

struct live;

struct live *live_new(uint32_t max_processes, uint32_t max_interfaces);	/* NULL = out of memory */
void live_free(struct live *);

/* Takes in a record of type process, exec, rename, exit or interface; others are no concern. *known is
 * set when it says again, in every byte, what an epoch has already: a restated process, an interface.
 * 0 or IOTAP_ENOMEM. */
int live_record(struct live *, enum rec_type type, const void *rec, bool *known,
		struct iotap_error *err);

/* Calls each with every record to be restated, processes first; stops at a negative result, which is
 * returned. */
int live_restate(const struct live *, int (*each)(void *arg, const struct bytes *raw), void *arg);

/* Processes and interfaces over the limits. */
uint64_t live_refused(const struct live *);

#endif
