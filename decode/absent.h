/* absent.h - interfaces that a filter names and the recording does not know
 *
 * A misspelt interface leaves out everything, silently; so whoever filters is told at the start of the
 * output. Collects the names of interface records up to there. Interfaces of other namespaces may
 * appear later: that is why it is a warning, and the filter is applied all the same.
 */
#ifndef DECODE_ABSENT_H
#define DECODE_ABSENT_H

#include <stdbool.h>

#include "formats/base/buf.h"
#include "formats/record.h"

struct absent {
	struct buf names;		/* each once, each with its NUL */
};

/* Takes the name of a record; one more than fits is let go. 0 or IOTAP_ENOMEM. */
int absent_seen(struct absent *, const struct rec_interface *);

/* The warning about name, not escaped, appended to out: false where there is none to give. */
bool absent_text(const struct absent *, const char *name, struct buf *out);

void absent_fini(struct absent *);

#endif
