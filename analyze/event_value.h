/* event_value.h - the values of one call of a batch, as the database has them
 *
 * Used by the table that is loaded and by the one that reads a recording where it is, so that both
 * say the same.
 */
#ifndef ANALYZE_EVENT_VALUE_H
#define ANALYZE_EVENT_VALUE_H

#include <sqlite3.h>
#include <stdint.h>

#include "analyze/db.h"
#include "formats/calls.h"
#include "formats/iotap.h"

/* Of the flags of a call, as iotap-recording(5) has them, pinned. */
enum event_flag {
	EVENT_INTERRUPTED = 0x4,	/* ended with a restart code: EINTR */
	EVENT_UNFINISHED = 0x200,	/* in flight at the end: no event */
	EVENT_PHANTOM = 0x4000,		/* exit without enter: never counts as bytes */
	EVENT_MESSAGE_BYTES = 0x10000,	/* the bytes of its messages were summed */
	/* They say whether another value is there: in SQL NULL says so. */
	EVENT_HIDDEN = 0x40 | 0x80 | 0x100 | 0x400 | 0x800 | 0x1000 | 0x10000,
};

static inline uint64_t
event_number(const struct iotap_batch *b, uint32_t i)
{
	return b->number ? b->number[i] : b->first_number + i;
}

static inline int
event_is_unfinished(uint32_t flags)
{
	return (flags & EVENT_UNFINISHED) != 0;
}

/* Bytes that a call moved, or IOTAP_UNKNOWN: it failed, moves none, or nobody counted them. message_bytes:
 * of a call whose result counts messages. */
static inline uint64_t
event_bytes_of(uint32_t call, uint32_t flags, int64_t result, uint64_t message_bytes)
{
	const struct call_spec *const spec = call_spec(call);

	if (spec->dir == DIR_NONE || result < 0 || (flags & EVENT_PHANTOM))
		return IOTAP_UNKNOWN;
	if (spec->ret != RET_BYTES)
		return flags & EVENT_MESSAGE_BYTES ? message_bytes : IOTAP_UNKNOWN;
	return (uint64_t)result;
}

static inline uint64_t
event_bytes(const struct iotap_batch *b, uint32_t i)
{
	return b->bytes[i];
}

static inline int64_t
event_flags(uint32_t flags)
{
	return (int64_t)(flags & ~(uint32_t)EVENT_HIDDEN);
}

/* NULL is what a context gives when nothing is set. */
static inline void
event_result(sqlite3_context *context, uint64_t v)
{
	if (v != IOTAP_UNKNOWN)
		sqlite3_result_int64(context, db_i64(v));
}

#endif
