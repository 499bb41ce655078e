/* page.c - one HTML page of a recording: its head, what is missing, and the frame of the rest */
#include "report/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/base/escape.h"
#include "formats/base/units.h"
#include "report/page_parts.h"
#include "report/page_texts.h"

#define PROCESSES_NAMED 5
#define NS_PER_S 1000000000u

/* -- text -- */

/* What stands for a character that HTML would read as markup, or NULL. */
static const char *
entity(char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	default: return NULL;
	}
}

void
page_text(struct buf *out, const char *p, size_t n)
{
	struct buf printable = {.data = NULL};

	if (n > 0 && !escape_text(&printable, p, n))
		out->failed = true;
	for (size_t i = 0; i < printable.len; i++) {
		const char c = (char)printable.data[i];
		const char *const instead = entity(c);

		if (instead)
			(void)buf_puts(out, instead);
		else
			(void)buf_putc(out, c);
	}
	buf_free(&printable);
}

void
page_str(struct buf *out, const char *s)
{
	if (s)
		page_text(out, s, strlen(s));
}

void
page_time(struct buf *out, uint64_t unix_ns)
{
	const time_t seconds = (time_t)(unix_ns / NS_PER_S);
	char text[48] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm) > 0)
		(void)buf_printf(out, "%s.%03" PRIu64 " UTC", text, unix_ns % NS_PER_S / 1000000);
}

void
page_latency(struct buf *out, uint64_t ns)
{
	static const struct { uint64_t below, unit; const char *name; } rows[] = {
		{1000, 1, "ns"}, {1000000, 1000, "&#181;s"}, {NS_PER_S, 1000000, "ms"},
		{120ull * NS_PER_S, NS_PER_S, "s"},
	};
	const uint64_t minutes = ns / NS_PER_S / 60;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint64_t whole = ns / rows[i].unit;

		if (ns >= rows[i].below)
			continue;
		if (rows[i].unit == 1 || whole >= 100)
			(void)buf_printf(out, "%" PRIu64 " %s", whole, rows[i].name);
		else
			(void)buf_printf(out, "%" PRIu64 ".%" PRIu64 " %s", whole,
					 ns % rows[i].unit * 10 / rows[i].unit, rows[i].name);
		return;
	}
	if (minutes < 60)
		(void)buf_printf(out, "%" PRIu64 " min %" PRIu64 " s", minutes, ns / NS_PER_S % 60);
	else
		(void)buf_printf(out, "%" PRIu64 " h %" PRIu64 " min", minutes / 60, minutes % 60);
}

/* -- head -- */

static void
put_policy(struct buf *out)
{
	(void)buf_puts(out, "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'sha256-"
		PAGE_STYLE_DIGEST "'; script-src 'sha256-" PAGE_SCRIPT_DIGEST
		"'; base-uri 'none'; form-action 'none'\">\n");
}

static void
put_names(struct buf *out, const struct iotap_summary *s)
{
	const size_t shown = s->n_processes < PROCESSES_NAMED ? s->n_processes : PROCESSES_NAMED;
	const uint64_t rest = s->n_processes + s->processes_forgotten - shown;

	for (size_t i = 0; i < shown; i++) {
		if (i > 0)
			(void)buf_puts(out, ", ");
		page_text(out, s->processes[i]->name, s->processes[i]->name_len);
		(void)buf_printf(out, " %" PRIu32, s->processes[i]->pid);
	}
	if (shown == 0)
		(void)buf_puts(out, "no process");
	else if (rest > 0)
		(void)buf_printf(out, " and %" PRIu64 " more", rest);
}

static void
put_head(struct buf *out, const struct page *page)
{
	(void)buf_puts(out, PAGE_BEGIN "\n<html lang=en>\n<meta charset=utf-8>\n");
	put_policy(out);
	(void)buf_puts(out, "<meta name=viewport content=\"width=device-width\">\n<title>iotap: ");
	put_names(out, page->summary);
	(void)buf_puts(out, "</title>\n<style>");
	(void)buf_puts(out, page_style);
	(void)buf_puts(out, "</style>\n<header><h1>");
	put_names(out, page->summary);
	(void)buf_puts(out, "</h1>\n<p class=dim>");
	page_time(out, page->info->start_time_ns);
	(void)buf_puts(out, ", for ");
	page_latency(out, page->summary->duration_ns);
	(void)buf_puts(out, page->info->hostname && page->info->hostname[0] ? ", on " : "");
	page_str(out, page->info->hostname);
	(void)buf_puts(out, page->info->release && page->info->release[0] ? ", Linux " : "");
	page_str(out, page->info->release);
	(void)buf_puts(out, "; from ");
	page_str(out, page->source);
	(void)buf_puts(out, "</p>\n");
}

/* -- cards, what is missing -- */

static void
put_card(struct buf *out, const char *label, const struct iotap_sum *sum)
{
	char bytes[UNITS_SIZE], calls[UNITS_SIZE];

	(void)buf_printf(out, "<div><span>%s</span><b>%s</b><span>%s</span></div>\n", label,
			 units_bytes(bytes, sum->bytes), units_count(calls, sum->calls, "call"));
}

static void
put_cards(struct buf *out, const struct page *page)
{
	const struct iotap_summary *const s = page->summary;

	(void)buf_puts(out, "<div class=cards>\n");
	if (page->files) {
		put_card(out, "read from files", &s->read[IOTAP_CLASS_FILE]);
		put_card(out, "written to files", &s->write[IOTAP_CLASS_FILE]);
	}
	if (page->network) {
		put_card(out, "received", &s->read[IOTAP_CLASS_NETWORK]);
		put_card(out, "sent", &s->write[IOTAP_CLASS_NETWORK]);
	}
	(void)buf_printf(out, "<div><span>calls that move data</span><b>%" PRIu64 "</b><span>%" PRIu64
			 " failed</span></div>\n<div><span>other calls</span><b>%" PRIu64 "</b><span>%" PRIu64
			 " failed</span></div>\n</div>\n", s->events, s->errors, s->ops, s->op_errors);
}

/* The same lines as below the text summary. */
static void
put_notes(struct buf *out, const char *notes)
{
	bool any = false;

	for (const char *line = notes; *line != '\0';) {
		const size_t blanks = strspn(line, " \n");
		const size_t n = strcspn(line + blanks, "\n");

		if (n > 0) {
			(void)buf_puts(out, any ? "<li>" : "<ul>\n<li>");
			page_text(out, line + blanks, n);
			(void)buf_puts(out, "\n");
			any = true;
		}
		line += blanks + n;
	}
	(void)buf_puts(out, any ? "</ul>\n" : "");
}

static void
put_state(struct buf *out, const struct page *page)
{
	(void)buf_printf(out, "<p class=\"state %s.</p>\n",
			 page->summary->complete ? "whole\">The recording is complete"
						 : "part\">The recording is not complete");
	put_notes(out, page->notes);
}

static bool
put_page(struct buf *out, const struct page *page)
{
	put_head(out, page);
	put_state(out, page);
	(void)buf_puts(out, "</header>\n<main>\n");
	put_cards(out, page);
	page_charts(out, page);
	page_tables(out, page);
	(void)buf_puts(out, "</main>\n<footer>Made by iotap " IOTAP_VERSION "; recorded by ");
	page_str(out, page->info->tool && page->info->tool[0] ? page->info->tool : "an unknown version");
	(void)buf_puts(out, ". Only metadata was recorded, never the data that moved.</footer>\n<script>");
	(void)buf_puts(out, page_script);
	(void)buf_puts(out, "</script>\n</html>\n");
	return buf_ok(out);
}

bool
page_write(struct buf *out, iotap_t *h, struct facts *facts, const struct page *wanted)
{
	struct iotap_summary summary = {.size = sizeof(summary)};
	struct iotap_info info = {.size = sizeof(info)};
	char *const notes = iotap_summary_text(h, 0, IOTAP_SHOW_NOTES);
	struct page page = *wanted;
	bool ok = false;

	page.summary = &summary;
	page.info = &info;
	page.facts = facts;
	page.notes = notes;
	iotap_get_info(h, &info);
	if (notes && iotap_get_summary(h, &summary) == 0) {
		facts_finish(facts);
		ok = put_page(out, &page);
	}
	free(notes);
	return ok;
}
