/* explain.h - how the target of one call was learned, for people
 *
 * Says where the name comes from, who vouches for it, what was compared at the call, and what else was said
 * and not believed. Everything of the recording in it is printable.
 */
#ifndef DECODE_EXPLAIN_H
#define DECODE_EXPLAIN_H

#include "formats/base/buf.h"
#include "formats/iotap.h"

/* Appends a paragraph: a line of the call, then a line for each thing that is known about its target. */
void explain_event(struct buf *out, const struct iotap_event *);

#endif
