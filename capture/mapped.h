/* mapped.h - the sums of the set mmap as records: those that have changed */
#ifndef CAPTURE_MAPPED_H
#define CAPTURE_MAPPED_H

#include <stdint.h>

#include "capture/source.h"
#include "formats/base/buf.h"
#include "formats/error.h"

struct mapped;

/* NULL: out of memory. */
struct mapped *mapped_new(uint64_t page_bytes);
void mapped_free(struct mapped *m);

/* Appends every sum that is not what it was the last time. */
int mapped_tick(struct mapped *m, struct source *s, struct buf *records, struct iotap_error *err);

#endif
