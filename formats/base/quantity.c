/* quantity.c - numbers, sizes and durations as a user writes them
 *
 * Locale-free: digits are '0' to '9', the decimal sign is '.'. Each parser walks the text once and
 * stores only when the end was reached.
 */
#include "formats/base/quantity.h"

#include <stddef.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits at *p, at least one, moving *p past them. */
static bool
digits(const char **p, uint64_t *out)
{
	uint64_t v = 0;

	if (!is_digit(**p))
		return false;
	for (; is_digit(**p); (*p)++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(**p - '0'), &v))
			return false;
	}
	*out = v;
	return true;
}

bool
quantity_u64(const char *text, uint64_t *out)
{
	uint64_t v;

	if (!digits(&text, &v) || *text != '\0')
		return false;
	*out = v;
	return true;
}

bool
quantity_bytes(const char *text, uint64_t *out)
{
	static const char units[] = "kmgt";
	unsigned int shift = 0;
	uint64_t v;

	if (!digits(&text, &v))
		return false;
	for (size_t i = 0; units[i] != '\0'; i++) {
		if ((*text | 0x20) == units[i])
			shift = 10 * (unsigned int)(i + 1);
	}
	if (shift > 0) {
		text++;
		if (text[0] == 'i' && (text[1] | 0x20) == 'b')
			text++;
	}
	if ((*text | 0x20) == 'b')
		text++;
	if (*text != '\0' || (v << shift) >> shift != v)
		return false;
	*out = v << shift;
	return true;
}

struct unit {
	const char *name;
	uint64_t ns;
};

/* Largest first. A name that begins another stands after it. */
static const struct unit units[] = {
	{"d", 86400 * SECOND_NS}, {"h", 3600 * SECOND_NS}, {"ms", SECOND_NS / 1000},
	{"m", 60 * SECOND_NS},	  {"s", SECOND_NS},	   {"us", 1000},
	{"ns", 1},
};

static const struct unit *
unit_at(const char *p)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strncmp(p, units[i].name, strlen(units[i].name)) == 0)
			return &units[i];
	}
	return NULL;
}

/* The digits after a '.', as a fraction with nine digits; further ones are dropped. */
static bool
fraction(const char **p, uint64_t *billionths)
{
	uint64_t scale = SECOND_NS / 10;

	if (!is_digit(**p))
		return false;
	for (; is_digit(**p); (*p)++, scale /= 10)
		*billionths += (uint64_t)(**p - '0') * scale;
	return true;
}

/* One number and its unit: "1.5h". Without a unit it is seconds and has to be the last. */
static bool
duration_part(const char **p, uint64_t *ns, uint64_t *unit_ns)
{
	const struct unit *unit;
	uint64_t billionths = 0;
	uint64_t whole;

	if (!digits(p, &whole))
		return false;
	if (**p == '.') {
		(*p)++;
		if (!fraction(p, &billionths))
			return false;
	}
	unit = unit_at(*p);
	if (!unit && **p != '\0')
		return false;
	*p += unit ? strlen(unit->name) : 0;
	*unit_ns = unit ? unit->ns : SECOND_NS;
	if (__builtin_mul_overflow(whole, *unit_ns, ns))
		return false;
	return !__builtin_add_overflow(
		*ns, (uint64_t)((unsigned __int128)billionths * *unit_ns / SECOND_NS), ns);
}

bool
quantity_duration_ns(const char *text, uint64_t *out)
{
	const char *p = text;
	uint64_t total = 0;
	uint64_t last_unit = UINT64_MAX;

	do {
		const bool first = p == text;
		uint64_t ns;
		uint64_t unit;

		/* "1h30" is refused: minutes or seconds? */
		if (!duration_part(&p, &ns, &unit) || unit >= last_unit ||
		    (!first && is_digit(p[-1])) || __builtin_add_overflow(total, ns, &total))
			return false;
		last_unit = unit;
	} while (*p != '\0');
	*out = total;
	return true;
}
