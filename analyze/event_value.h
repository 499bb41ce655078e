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
#include "formats/iotap.h"

/* Flags that SQL shows. Others say whether another value is there: NULL says so. */
#define EVENT_FLAGS \
	((uint32_t)(IOTAP_F_BEFORE | IOTAP_F_RESTARTED | IOTAP_F_INTERRUPTED | IOTAP_F_COMPAT | IOTAP_F_RACED | \
		    IOTAP_F_UNDEFINED | IOTAP_F_UNFINISHED | IOTAP_F_APPEND | IOTAP_F_PHANTOM | IOTAP_F_CLOSED | \
		    IOTAP_F_UNTIMED))

static inline uint64_t
event_number(const struct iotap_batch *b, uint32_t i)
{
	return b->number ? b->number[i] : b->first_number + i;
}

static inline int
event_is_unfinished(uint32_t flags)
{
	return (flags & IOTAP_F_UNFINISHED) != 0;
}

static inline int64_t
event_flags(uint32_t flags)
{
	return (int64_t)(flags & EVENT_FLAGS);
}

/* NULL is what a context gives when nothing is set. */
static inline void
event_result(sqlite3_context *context, uint64_t v)
{
	if (v != IOTAP_UNKNOWN)
		sqlite3_result_int64(context, db_i64(v));
}

#endif
