/* catalog.h - the named reports: the files report-NAME.sql of analyze/sql */
#ifndef ANALYZE_CATALOG_H
#define ANALYZE_CATALOG_H

#include "analyze/result.h"
#include "formats/error.h"

/* The statement of a report; NULL = there is none of that name. */
const char *catalog_find(const char *name);

/* Writes names and titles. */
int catalog_list(struct result *result, struct iotap_error *err);

/* Fails with a text that names those there are. */
int catalog_missing(const char *name, struct iotap_error *err);

/* The statement of the command events: every call. */
const char *catalog_events(void);

#endif
