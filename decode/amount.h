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

#define AMOUNT_LAST_ERRNO 4095		/* of Linux, whatever this host is */
#define AMOUNT_EINPROGRESS 115		/* likewise */
#define AMOUNT_AT_ONCE 0x7ffff000u	/* bytes: MAX_RW_COUNT of Linux, on the smallest pages */

/* A connect that goes on in the background has not failed, for all its errno. */
static inline bool
amount_failed(const struct call_spec *spec, uint32_t flags, int64_t result)
{
	if (spec->effect == EFFECT_CONNECTS && result == -AMOUNT_EINPROGRESS)
		return false;
	return (flags & KF_INTERRUPTED) || (result < 0 && result >= -AMOUNT_LAST_ERRNO);
}

/* Whether the number that the file has as asked for may be none: amount_requested says. */
static inline bool
amount_is_odd(uint32_t flags, uint64_t requested)
{
	return (flags & KF_MESSAGE_BYTES) || (requested > AMOUNT_AT_ONCE && requested != IOTAP_UNKNOWN);
}

/* Bytes asked for, or IOTAP_UNKNOWN. Messages have the bytes that moved in its place. A copy inside the
 * kernel takes no memory of who asks for it: more than is moved at once means all that there is, and is
 * no number of bytes. */
static inline uint64_t
amount_requested(unsigned int call, uint32_t flags, uint64_t requested)
{
	if (!amount_is_odd(flags, requested))
		return requested;
	return flags & KF_MESSAGE_BYTES || call_second(call) == SECOND_SOURCE ? IOTAP_UNKNOWN : requested;
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
