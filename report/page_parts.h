/* page_parts.h - the parts of the page: each appends its HTML to a buffer
 *
 * Everything that came from a recording goes through page_text: printable first (formats/base/escape.h),
 * then without what HTML reads as markup, so that it can stand between tags and in a quoted attribute.
 */
#ifndef REPORT_PAGE_PARTS_H
#define REPORT_PAGE_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "report/page.h"

/* Appends n bytes of a name as text of the page. */
void page_text(struct buf *out, const char *p, size_t n);

/* The same for a C string; NULL = nothing. */
void page_str(struct buf *out, const char *s);

/* "2026-11-29 20:58:24.703 UTC" */
void page_time(struct buf *out, uint64_t unix_ns);

/* How long, for people: "41 ns", "12.3 µs", "1.25 ms", "3.2 s", "2 h 5 min". */
void page_latency(struct buf *out, uint64_t ns);

/* Time lines of bytes and failures; distributions of latencies. */
void page_charts(struct buf *out, const struct page *page);

/* Targets, processes, slowest calls, failures, other calls, interfaces. */
void page_tables(struct buf *out, const struct page *page);

#endif
