/* diff.h - what changed between two runs: by target and by call
 *
 * Two inputs, each a database, a recording or JSON Lines, are asked for their totals; a row is there where calls,
 * bytes or failures differ, or where the mean latency changed by a factor of two or more.
 */
#ifndef ANALYZE_DIFF_H
#define ANALYZE_DIFF_H

#include "analyze/question.h"
#include "analyze/result.h"
#include "formats/error.h"

/* Writes the rows. 0, or negative with the text in err. */
int diff_write(struct question *a, struct question *b, struct result *result, struct iotap_error *err);

#endif
