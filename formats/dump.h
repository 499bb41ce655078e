/* dump.h - every block and record of a recording as text (iotap-decode --dump)
 *
 * The syntax is rectext.h's, so that rectext_assemble makes the recording again; offsets and sizes,
 * damage and loss are comments.
 */
#ifndef FORMATS_DUMP_H
#define FORMATS_DUMP_H

#include <stdbool.h>

#include "formats/base/buf.h"
#include "formats/error.h"
#include "formats/reader.h"

struct dump;

struct dump *dump_new(bool comments);	/* NULL = out of memory */
void dump_free(struct dump *);

/* Appends the text of an item to out. A payload that cannot be decoded becomes a comment. 0, or
 * IOTAP_ENOMEM. */
int dump_item(struct dump *, const struct reader_item *, struct buf *out, struct iotap_error *err);

/* Appends the text of all that the reader still has. */
int dump_all(struct reader *, bool comments, struct buf *out, struct iotap_error *err);

#endif
