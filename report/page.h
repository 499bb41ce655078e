/* page.h - one HTML page of a recording: charts and tables, complete in itself
 *
 * The page needs no network and no other file, and asks for none: its policy (CSP) forbids everything but
 * the style and the script that it brings, named by their digests (page_digests.def). Without the script
 * it shows the same; with it, tables can be sorted and searched. The data is text and nothing but text.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/iotap.h"
#include "report/page_facts.h"

struct page {
	const char *source;		/* the input's name as the user gave it */
	uint64_t top;			/* rows for each table, 0 = all */
	bool files, network;		/* what is shown */

	/* page_write fills these in. */
	const struct iotap_summary *summary;
	const struct iotap_info *info;
	const struct facts *facts;
	const char *notes;		/* what is missing or uncertain, a line each */
};

/* Appends the page of what h has read, its summary kept, and facts gathered from it, which this finishes.
 * False: out of memory. */
bool page_write(struct buf *out, iotap_t *h, struct facts *facts, const struct page *wanted);

#endif
