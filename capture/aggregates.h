/* aggregates.h - the kernel's sums of calls that found no room, and what was lost when */
#ifndef CAPTURE_AGGREGATES_H
#define CAPTURE_AGGREGATES_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/source.h"
#include "formats/base/buf.h"
#include "formats/error.h"

struct aggregates;

/* NULL: out of memory. */
struct aggregates *aggregates_new(uint64_t now_ns);
void aggregates_free(struct aggregates *a);

/* Compares the counters with those of the last time. When calls were summed since then, appends every sum
 * that changed and a loss record with the processes concerned; when notes found no room, a loss record.
 * now_ns is the time of the
 * counters. final: the programs are detached, the sums are read once more in any case. */
int aggregates_tick(struct aggregates *a, struct source *s, const uint64_t counters[KC_N],
		    uint64_t now_ns, bool final, struct buf *records, struct iotap_error *err);

#endif
