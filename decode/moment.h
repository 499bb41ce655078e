/* moment.h - points of time as a user writes them: --from and --to */
#ifndef DECODE_MOMENT_H
#define DECODE_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Understands
 *	@1700000000.25	Unix time in seconds
 *	14:13:20.5	a time of day in the viewer's zone (seconds and their parts may be left out): of the
 *			day the recording began, or of the next one when that would be before its beginning
 *			by more than a minute
 *	10s, +1m30s	so long after the beginning
 * start_ns: Unix time of the beginning. False when it is none of these. */
bool moment_parse(const char *text, uint64_t start_ns, uint64_t *unix_ns);

#endif
