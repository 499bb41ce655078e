/* json.h - JSON Lines: one object a line, integers exact, unknown values null
 *
 * The types and the order of the fields are a contract with whoever reads them: fields are only ever
 * added behind the existing ones, new things get a type of their own.
 */
#ifndef DECODE_JSON_H
#define DECODE_JSON_H

#include "formats/base/buf.h"
#include "formats/iotap.h"

/* Each appends one line. A buffer that fails is found by buf_ok. */
void json_event(struct buf *out, const struct iotap_event *);	/* "event", or "op" */
void json_start(struct buf *out, const struct iotap_info *, const struct iotap_process *const *processes,
		size_t n);
void json_notice(struct buf *out, const struct iotap_notice *);	/* all but the start */
void json_drop(struct buf *out, const struct iotap_drop *);	/* "lost_events" */

/* The summary: one line, but not a short one. full is asked, when a good deal is in out, to write it
 * away and clear out; it may be NULL. */
void json_summary(struct buf *out, const struct iotap_summary *, void (*full)(void *arg), void *arg);

/* Appends a number, or null for IOTAP_UNKNOWN. */
void json_number(struct buf *out, uint64_t v);

/* Appends [{"pid":1,"name":"a"},...]. */
/* An object of them up to and with the name, without its end; more = a comma before it. */
void json_process_head(struct buf *out, const struct iotap_process *process, bool more);

void json_processes(struct buf *out, const struct iotap_process *const *processes, size_t n);

#endif
