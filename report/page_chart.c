/* page_chart.c - the pictures of the page, as SVG
 *
 * A time line shows two directions as bars from a common axis, one up, one down, on one scale; a
 * distribution shows how many calls took how long, a bar for each power of two. What a bar stands for is
 * in its title, which a browser shows under the pointer and a reader for the blind reads out.
 */
#include <inttypes.h>

#include "formats/base/units.h"
#include "report/page_parts.h"

#define WIDTH 960.0
#define HALF 60.0		/* height of one direction */
#define BARS_HEIGHT 80.0
#define FIRST_POWER 7u		/* the first bar of a distribution: all below 256 ns */
#define LAST_POWER 34u		/* the last one: all from 17 s on */
#define N_BARS (LAST_POWER - FIRST_POWER + 1)

struct line {
	const char *title;
	enum facts_group up, down;
};

static const struct line lines[] = {
	{"Files", FACTS_FILE_READ, FACTS_FILE_WRITE},
	{"Network", FACTS_NET_READ, FACTS_NET_WRITE},
	{"Pipes and others", FACTS_REST_READ, FACTS_REST_WRITE},
};

static const char *const group_title[] = {
#define GROUP(name, title, noun) [FACTS_##name] = title,
#include "report/page_groups.def"
#undef GROUP
};

static const char *const group_noun[] = {
#define GROUP(name, title, noun) [FACTS_##name] = noun,
#include "report/page_groups.def"
#undef GROUP
};

static uint64_t
highest(const struct facts *f, const struct line *line)
{
	uint64_t most = 0;

	for (size_t i = 0; i < f->n_buckets; i++) {
		const struct facts_bucket *const b = &f->buckets[i];

		most = b->bytes[line->up] > most ? b->bytes[line->up] : most;
		most = b->bytes[line->down] > most ? b->bytes[line->down] : most;
	}
	return most;
}

/* Bytes a second, from what moved in a step. */
static char *
rate(char out[UNITS_SIZE], const struct facts *f, uint64_t bytes)
{
	return units_bytes(out, (uint64_t)((double)bytes * 1e9 / (double)f->bucket_ns));
}

static void
put_bar(struct buf *out, const char *style, double x, double y, double w, double h)
{
	(void)buf_printf(out, "<rect class=%s x=%.1f y=%.1f width=%.1f height=%.1f />", style, x, y, w, h);
}

static void
put_step(struct buf *out, const struct page *page, const struct line *line, size_t i, uint64_t most)
{
	const struct facts *const f = page->facts;
	const struct facts_bucket *const b = &f->buckets[i];
	const double step = WIDTH / (double)f->n_buckets;
	const double width = step > 2 ? step - 1 : step;
	const enum facts_group sides[] = {line->up, line->down};
	char text[UNITS_SIZE], calls[UNITS_SIZE];

	if (b->calls[line->up] + b->calls[line->down] == 0)
		return;
	(void)buf_puts(out, "<g>");
	for (size_t s = 0; s < 2; s++) {
		const double share = most > 0 ? (double)b->bytes[sides[s]] / (double)most : 0;
		const double h = share * HALF < 0.5 && b->calls[sides[s]] > 0 ? 0.5 : share * HALF;

		if (b->calls[sides[s]] > 0)
			put_bar(out, s == 0 ? "up" : "down", (double)i * step, s == 0 ? HALF - h : HALF, width, h);
	}
	(void)buf_puts(out, "<title>");
	page_latency(out, i * f->bucket_ns);
	for (size_t s = 0; s < 2; s++)
		(void)buf_printf(out, "\n%s %s, %s", group_noun[sides[s]],
				 units_bytes(text, b->bytes[sides[s]]),
				 units_count(calls, b->calls[sides[s]], "call"));
	(void)buf_puts(out, "</title></g>\n");
}

static void
put_line(struct buf *out, const struct page *page, const struct line *line)
{
	const struct facts *const f = page->facts;
	const uint64_t most = highest(f, line);
	char text[UNITS_SIZE];

	if (f->latency[line->up].n + f->latency[line->down].n == 0 && most == 0)
		return;
	(void)buf_printf(out, "<figure><figcaption><b>%s</b> <span class=up>&#9650; %s</span> "
			 "<span class=down>&#9660; %s</span>, at most %s/s, a bar each ", line->title,
			 group_noun[line->up], group_noun[line->down], rate(text, f, most));
	page_latency(out, f->bucket_ns);
	(void)buf_printf(out, "</figcaption>\n<svg viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=none role=img>\n",
			 WIDTH, 2 * HALF);
	for (size_t i = 0; i < f->n_buckets; i++)
		put_step(out, page, line, i, most);
	(void)buf_printf(out, "<line class=axis x1=0 x2=%.0f y1=%.0f y2=%.0f /></svg>\n<p class=axis><span>0",
			 WIDTH, HALF, HALF);
	for (unsigned int quarter = 1; quarter <= 4; quarter++) {
		(void)buf_puts(out, "</span><span>");
		page_latency(out, f->n_buckets * f->bucket_ns / 4 * quarter);
	}
	(void)buf_puts(out, "</span></p></figure>\n");
}

/* -- latencies -- */

static size_t
bar_of(uint64_t ns)
{
	const unsigned int power = ns == 0 ? 0 : 63u - (unsigned int)__builtin_clzll(ns);

	return power <= FIRST_POWER ? 0 : power >= LAST_POWER ? N_BARS - 1 : power - FIRST_POWER;
}

static void
put_bars(struct buf *out, const struct facts_latency *l)
{
	uint64_t bars[N_BARS] = {0};
	uint64_t most = 1;
	const double step = WIDTH / 2 / N_BARS;
	char text[UNITS_SIZE];

	for (size_t i = 0; i < FACTS_LATENCY_CLASSES; i++)
		bars[bar_of(facts_class_begin(i))] += l->classes[i];
	for (size_t i = 0; i < N_BARS; i++)
		most = bars[i] > most ? bars[i] : most;
	for (size_t i = 0; i < N_BARS; i++) {
		const double h = (double)bars[i] * BARS_HEIGHT / (double)most;

		if (bars[i] == 0)
			continue;
		(void)buf_puts(out, "<g>");
		put_bar(out, "count", (double)i * step, BARS_HEIGHT - (h < 1 ? 1 : h), step - 1, h < 1 ? 1 : h);
		(void)buf_printf(out, "<title>%s of ", units_count(text, bars[i], "call"));
		page_latency(out, i == 0 ? 0 : UINT64_C(1) << (FIRST_POWER + i));
		(void)buf_puts(out, i == N_BARS - 1 ? " and more" : " to ");
		if (i < N_BARS - 1)
			page_latency(out, UINT64_C(1) << (FIRST_POWER + i + 1));
		(void)buf_puts(out, "</title></g>\n");
	}
}

static void
put_distribution(struct buf *out, const struct page *page, size_t group)
{
	static const struct { const char *title; double share; } marks[] = {
		{"half", 0.5}, {"90 %", 0.9}, {"99 %", 0.99}, {"99.9 %", 0.999},
	};
	const struct facts_latency *const l = &page->facts->latency[group];
	char text[UNITS_SIZE];

	if (l->n == 0)
		return;
	(void)buf_printf(out, "<figure><figcaption><b>%s</b> %s</figcaption>\n"
			 "<svg viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=none role=img>\n", group_title[group],
			 units_count(text, l->n, "call"), WIDTH / 2, BARS_HEIGHT);
	put_bars(out, l);
	(void)buf_puts(out, "</svg>\n<p class=axis><span>256 ns</span><span>33 &#181;s</span><span>4 ms</span>"
			    "<span>0.5 s</span><span>17 s</span></p>\n<p>");
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		(void)buf_printf(out, "%s &#8804; ", marks[i].title);
		page_latency(out, facts_quantile(l, marks[i].share));
		(void)buf_puts(out, ", ");
	}
	(void)buf_puts(out, "longest ");
	page_latency(out, l->max_ns);
	(void)buf_puts(out, "</p></figure>\n");
}

void
page_charts(struct buf *out, const struct page *page)
{
	(void)buf_puts(out, "<section><h2>Over time</h2>\n");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		put_line(out, page, &lines[i]);
	if (page->summary->aggregated_calls > 0)
		(void)buf_puts(out, "<p class=note>Calls that are known only as sums are in the tables and totals, "
				    "not in these pictures.</p>\n");
	(void)buf_puts(out, "</section>\n<section><h2>How long calls took</h2>\n<div class=small>\n");
	if (page->summary->no_latency)
		(void)buf_puts(out, "<p class=note>Latency not recorded (--no-latency).</p>\n");
	for (size_t group = 0; group < N_FACTS_GROUPS; group++)
		put_distribution(out, page, group);
	(void)buf_puts(out, "</div></section>\n");
}
