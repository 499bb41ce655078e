/* json_target.h - the target objects of JSON Lines as targets
 *
 * A target is what its text says: equal texts, with the same evidence, are one target. Its number is
 * given in the order of appearance. Bounded: json_targets_trim forgets what was read so far.
 */
#ifndef ANALYZE_JSON_TARGET_H
#define ANALYZE_JSON_TARGET_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/json_line.h"
#include "formats/base/map.h"
#include "formats/iotap.h"

struct json_target;

struct json_targets {
	struct map by_text;		/* hash of text and evidence -> target */
	struct json_target *all;
	uint64_t next_id;
	uint64_t seed;
	struct json_line *object;	/* parser of the objects */
};

int json_targets_init(struct json_targets *, struct iotap_error *err);
void json_targets_fini(struct json_targets *);

/* When there are many, forgets them; nothing given out before may be used any more. */
void json_targets_trim(struct json_targets *);

/* The target of an object in a line (NULL = unknown); interface, resolved and evidence are of the line.
 * NULL = out of memory. */
const struct iotap_target *json_targets_get(struct json_targets *, const struct json_line *line,
					    const char *object, size_t n);

#endif
