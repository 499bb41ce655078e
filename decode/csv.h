/* csv.h - events as CSV (RFC 4180) or TSV, a line each, in front of them one of names
 *
 * The columns are those of the SQL view event_v, which has the same rows, and behind them the interface,
 * the second target, and how the target was learned. Names are as people see them, so that no line breaks
 * and no terminal obeys; JSON Lines and SQL have the bytes. What is not known is empty in CSV, \N in TSV.
 * A field that a spreadsheet would take for a formula, one that begins with = + - @ and is no number, gets
 * a ' in front in CSV. In TSV a backslash is doubled.
 */
#ifndef DECODE_CSV_H
#define DECODE_CSV_H

#include <stdbool.h>

#include "formats/base/buf.h"
#include "formats/iotap.h"

void csv_names(struct buf *out, bool tsv);
void csv_event(struct buf *out, bool tsv, const struct iotap_event *);

#endif
