/* selected.h - what a recording is a selection of, in the words of the command line */
#ifndef DECODE_SELECTED_H
#define DECODE_SELECTED_H

#include "formats/base/buf.h"
#include "formats/record.h"

/* Appends what a request of the kinds calls, path, min_latency and failed asks for, as an escaped option
 * with a blank in front if there is something; does nothing for one of a target. */
void selected_put(struct buf *out, const struct rec_request *request);

#endif
