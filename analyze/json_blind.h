/* json_blind.h - what the summary of JSON Lines says was not seen, process by process
 *
 * It has pids and no more: of one that two processes had, nobody knows which is meant.
 */
#ifndef ANALYZE_JSON_BLIND_H
#define ANALYZE_JSON_BLIND_H

#include <stddef.h>

#include "analyze/json_line.h"
#include "analyze/json_process.h"
#include "formats/iotap.h"

struct json_blind {
	struct iotap_blind_row *rows;	/* in the order of the line; name and said are "" */
	size_t n, cap;
};

/* Takes the rows of a summary's line in place of earlier ones; inner parses its objects. A line without has
 * none. 0, IOTAP_ECORRUPT = one is no object, or IOTAP_ENOMEM; without a text. */
int json_blind_take(struct json_blind *, const struct json_line *line, struct json_line *inner,
		     const struct json_processes *);

void json_blind_fini(struct json_blind *);

#endif
