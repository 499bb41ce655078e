/* amount.h - what a call moved: from its result, what was asked for, and its flags
 *
 * The one place that knows. A call that failed, that never entered, that was still in flight, or whose
 * bytes nobody has counted moved an unknown number.
 */
#ifndef DECODE_AMOUNT_H
#define DECODE_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/calls.h"
#include "formats/iotap.h"
#include "formats/kernel_record.h"

#define AMOUNT_LAST_ERRNO 4095	/* of Linux, whatever this host is */

static inline bool
amount_failed(uint32_t flags, int64_t result)
{
	return (flags & KF_INTERRUPTED) || (result < 0 && result >= -AMOUNT_LAST_ERRNO);
}

/* Bytes, or IOTAP_UNKNOWN. */
static inline uint64_t
amount_bytes(const struct call_spec *spec, uint32_t flags, int64_t result, uint64_t requested)
{
	if (spec->dir == DIR_NONE || result < 0 || (flags & (KF_INTERRUPTED | KF_PHANTOM | KF_UNFINISHED)))
		return IOTAP_UNKNOWN;
	if (spec->ret == RET_BYTES)
		return (uint64_t)result;
	if (spec->ret == RET_SIZE)	/* all or nothing */
		return result == 0 ? requested : IOTAP_UNKNOWN;
	return flags & KF_MESSAGE_BYTES ? requested : IOTAP_UNKNOWN;
}

/* Messages, or IOTAP_UNKNOWN. */
static inline uint64_t
amount_messages(const struct call_spec *spec, uint32_t flags, int64_t result)
{
	if (spec->ret != RET_MESSAGES || result < 0 || (flags & (KF_INTERRUPTED | KF_PHANTOM | KF_UNFINISHED)))
		return IOTAP_UNKNOWN;
	return (uint64_t)result;
}

#endif
