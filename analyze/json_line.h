/* json_line.h - one line of JSON Lines, taken apart: integers stay exact
 *
 * The same for the objects in it (a target), which come as text again.
 */
#ifndef ANALYZE_JSON_LINE_H
#define ANALYZE_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/error.h"

enum json_field {
#define FIELD(name, path) JSON_##name,
#include "analyze/json_fields.def"
#undef FIELD
	JSON_FIELDS
};

struct json_line;

/* A parser; it holds one line at a time. NULL and the text in err on failure. */
struct json_line *json_line_new(struct iotap_error *err);
void json_line_free(struct json_line *);

/* Takes a line apart; what it gives out lives until the next call. False: not an object of JSON. */
bool json_line_parse(struct json_line *, const char *p, size_t n);

/* A number; IOTAP_UNKNOWN when it is missing, null, negative or no number. */
uint64_t json_line_u64(const struct json_line *, enum json_field);
int64_t json_line_i64(const struct json_line *, enum json_field, int64_t absent);

/* A string, or the text of an object or list; NULL when it is missing or null. */
const char *json_line_text(const struct json_line *, enum json_field, size_t *n);

/* The next object or list in a list, from *at on (0 at first), which goes on. False: there is none. */
bool json_line_item(const char *list, size_t n, size_t *at, const char **item, size_t *item_n);

/* A name, or its bytes where the line has them in hex_field; into size bytes, with a NUL, cut if need be.
 * False: it is not there. */
bool json_line_name(const struct json_line *, enum json_field, enum json_field hex_field, char *out, size_t size,
		    size_t *len);

bool json_line_is(const struct json_line *, enum json_field, const char *text);

#endif
