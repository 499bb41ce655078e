/* glob.c - patterns of paths as the automaton that the kernel half runs
 *
 * A pattern takes a place for each byte it wants, and one to end at. A star is no place: it lets the
 * automaton stay where it is, whatever comes.
 */
#include "capture/glob.h"

#include <string.h>

static void
set_bit(uint64_t *words, uint32_t place)
{
	words[place / 64] |= UINT64_C(1) << place % 64;
}

static void
take_byte(struct glob *g, uint32_t place, unsigned char c)
{
	set_bit(&g->take[c * KR_GLOB_WORDS], place);
}

/* [...] at p, behind the bracket. What follows it, or NULL: it makes no sense. */
static const char *
add_set(struct glob *g, uint32_t place, const char *p)
{
	const bool others = *p == '!' || *p == '^';
	bool has[256] = {false};
	bool first = true;

	for (p += others; first || *p != ']'; first = false) {
		unsigned char from, to;

		if (*p == '[' && (p[1] == ':' || p[1] == '.' || p[1] == '='))
			return NULL;
		p += *p == '\\';
		if (*p == '\0')
			return NULL;
		from = to = (unsigned char)*p++;
		if (*p == '-' && p[1] != ']' && p[1] != '\0') {
			p += p[1] == '\\' ? 2 : 1;
			if (*p == '\0')
				return NULL;
			to = (unsigned char)*p++;
		}
		for (unsigned int c = from; c <= to; c++)
			has[c] = true;
	}
	for (unsigned int c = 0; c < 256; c++) {
		if (has[c] != others)
			take_byte(g, place, (unsigned char)c);
	}
	return p + 1;
}

/* What the pattern wants next, at place. What follows it, or NULL. */
static const char *
add_one(struct glob *g, uint32_t place, const char *p)
{
	if (*p == '[')
		return add_set(g, place, p + 1);
	if (*p == '?') {
		for (unsigned int c = 0; c < 256; c++)
			take_byte(g, place, (unsigned char)c);
		return p + 1;
	}
	p += *p == '\\';
	if (*p == '\0')
		return NULL;
	take_byte(g, place, (unsigned char)*p);
	return p + 1;
}

int
glob_add(struct glob *g, const char *pattern, struct iotap_error *err)
{
	uint32_t place = g->n_places;

	if (pattern[0] == '\0' || !strchr("/*?[\\", pattern[0]))
		return error_set(err, IOTAP_EUSAGE, "--path: \"%.80s\" is for no path: one begins with / "
				 "(or * for any beginning)", pattern);
	for (const char *p = pattern; *p != '\0';) {
		if (*p == '*') {
			if (place < GLOB_PLACES)
				set_bit(g->stay, place);
			p++;
			continue;
		}
		if (place + 1 >= GLOB_PLACES)
			return error_set(err, IOTAP_EUSAGE, "--path: more than %d bytes in all patterns",
					 GLOB_PLACES);
		p = add_one(g, place++, p);
		if (!p)
			return error_set(err, IOTAP_EUSAGE, "--path: \"%.80s\" ends in the middle of [ or "
					 "\\, or has a [:class:]", pattern);
	}
	if (place >= GLOB_PLACES)
		return error_set(err, IOTAP_EUSAGE, "--path: more than %d bytes in all patterns", GLOB_PLACES);
	set_bit(g->begin, g->n_places);
	set_bit(g->end, place);
	g->n_places = place + 1;
	return 0;
}

uint32_t
glob_words(const struct glob *g)
{
	return (g->n_places + 63) / 64;
}

bool
glob_matches(const struct glob *g, const char *path, size_t n)
{
	uint64_t at[KR_GLOB_WORDS], reached = 0;

	memcpy(at, g->begin, sizeof(at));
	for (size_t i = 0; i < n; i++) {
		const uint64_t *const take = &g->take[(unsigned char)path[i] * KR_GLOB_WORDS];
		uint64_t carry = 0;

		for (size_t w = 0; w < KR_GLOB_WORDS; w++) {
			const uint64_t took = at[w] & take[w];

			at[w] = took << 1 | carry | (at[w] & g->stay[w]);
			carry = took >> 63;
		}
	}
	for (size_t w = 0; w < KR_GLOB_WORDS; w++)
		reached |= at[w] & g->end[w];
	return reached != 0;
}
