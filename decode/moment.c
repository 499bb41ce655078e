/* moment.c - points of time as a user writes them */
#include "decode/moment.h"

#include <string.h>
#include <time.h>

#include "formats/base/quantity.h"

#define NS_PER_S UINT64_C(1000000000)
#define DAY_NS (86400 * NS_PER_S)

/* Digits up to max of them, as a number; how many there were. */
static unsigned int
digits(const char *p, unsigned int max, unsigned int *out)
{
	unsigned int n = 0;

	for (*out = 0; n < max && p[n] >= '0' && p[n] <= '9'; n++)
		*out = *out * 10 + (unsigned int)(p[n] - '0');
	return n;
}

/* ".25", or nothing, to the end of the text. */
static bool
fraction_ns(const char *p, uint64_t *ns)
{
	uint64_t unit = NS_PER_S / 10;

	*ns = 0;
	if (*p == '\0')
		return true;
	if (*p++ != '.' || *p == '\0')
		return false;
	for (; *p >= '0' && *p <= '9'; p++, unit /= 10)
		*ns += (uint64_t)(*p - '0') * unit;
	return *p == '\0';
}

static bool
moment_unix(const char *p, uint64_t *ns)
{
	uint64_t seconds = 0;
	uint64_t part;

	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9'; p++) {
		seconds = seconds * 10 + (uint64_t)(*p - '0');
		if (seconds > UINT64_MAX / NS_PER_S - 1)
			return false;
	}
	if (!fraction_ns(p, &part))
		return false;
	*ns = seconds * NS_PER_S + part;
	return true;
}

/* "HH:MM[:SS[.fraction]]" as the time since midnight by the clock on the wall. */
static bool
time_of_day(const char *p, unsigned int hms[3], uint64_t *part)
{
	const unsigned int n = digits(p, 2, &hms[0]);

	if (n == 0 || p[n] != ':' || digits(p + n + 1, 2, &hms[1]) != 2)
		return false;
	p += n + 3;
	hms[2] = 0;
	*part = 0;
	if (*p == ':') {
		if (digits(p + 1, 2, &hms[2]) != 2)
			return false;
		p += 3;
	}
	return fraction_ns(p, part) && hms[0] < 24 && hms[1] < 60 && hms[2] < 61;
}

static bool
moment_of_day(const char *text, uint64_t start_ns, uint64_t *ns)
{
	const time_t start = (time_t)(start_ns / NS_PER_S);
	unsigned int hms[3];
	uint64_t part;
	struct tm tm;
	time_t then;

	if (!time_of_day(text, hms, &part) || !localtime_r(&start, &tm))
		return false;
	tm.tm_hour = (int)hms[0];
	tm.tm_min = (int)hms[1];
	tm.tm_sec = (int)hms[2];
	tm.tm_isdst = -1;
	then = mktime(&tm);
	if (then < 0)
		return false;
	*ns = (uint64_t)then * NS_PER_S + part;
	if (*ns + 60 * NS_PER_S < start_ns)
		*ns += DAY_NS;
	return true;
}

bool
moment_parse(const char *text, uint64_t start_ns, uint64_t *unix_ns)
{
	uint64_t after;

	if (*text == '@')
		return moment_unix(text + 1, unix_ns);
	if (strchr(text, ':'))
		return moment_of_day(text, start_ns, unix_ns);
	if (!quantity_duration_ns(text + (*text == '+'), &after) || after > UINT64_MAX - start_ns)
		return false;
	*unix_ns = start_ns + after;
	return true;
}
