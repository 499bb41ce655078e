/* dimension_target.h - what dimension.c needs of dimension_target.c */
#ifndef ANALYZE_DIMENSION_TARGET_H
#define ANALYZE_DIMENSION_TARGET_H

#include "analyze/dimension.h"

int dimension_target_prepare(struct dimension *d);

/* Registers the rows that belong to no recording, and the names of recordings loaded before, so that
 * equal names share a row of totals. */
int dimension_target_begin(struct dimension *d);

#endif
