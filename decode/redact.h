/* redact.h - records without what tells whose they are
 *
 * Names of files, processes, hosts and interfaces become pseudonyms, addresses others with the same
 * prefixes in common; arguments, options and messages are hidden. Numbers stay: totals and structure are
 * the same. What a row of redact.def does not allow does not pass.
 */
#ifndef DECODE_REDACT_H
#define DECODE_REDACT_H

#include <stdbool.h>

#include "decode/pseudonym.h"
#include "formats/base/buf.h"
#include "formats/error.h"
#include "formats/record.h"

struct redact {
	struct pseudonym_keys keys;
	struct buf scratch[8];		/* bytes of the record in work, one a field */
};

/* Keys from a file, or a random one that nobody keeps where path is "-". 0 or negative with its text. */
int redact_open(struct redact *, const char *path, struct iotap_error *err);
void redact_close(struct redact *);

/* Changes a record, the struct of that type, in place; bytes point into the redact until the next one.
 * False = out of memory. */
bool redact_record(struct redact *, enum rec_type type, void *rec);

#endif
