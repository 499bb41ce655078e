/* page_texts.h - the style and the script of the page, out of page.css and page.js (report/embed.awk) */
#ifndef REPORT_PAGE_TEXTS_H
#define REPORT_PAGE_TEXTS_H

/* How a page begins: by this a page of ours is known again. */
#define PAGE_BEGIN "<!doctype html>\n<!-- a page of iotap-report -->"

/* SHA-256 of the two, in base64: the page's policy allows these and nothing else. Whoever changes
 * page.css or page.js is told the new ones by tests/lint/page.sh. */
#define PAGE_STYLE_DIGEST "Dne0GajCm4C42yRDbuLfNhofReXmwQt0AV+ZNLMpiX4="
#define PAGE_SCRIPT_DIGEST "slHv61BSDH1Bjw6R4qzWwUfahcYLgZ8GrfIpilBa+oc="

extern const char page_style[], page_script[];

#endif
