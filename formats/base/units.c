/* units.c - numbers for people */
#include "formats/base/units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

char *
units_bytes(char out[UNITS_SIZE], uint64_t bytes)
{
	static const char *const names[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
	const unsigned int last = sizeof(names) / sizeof(names[0]) - 1;
	uint64_t tenths;
	unsigned int unit = 0;

	if (bytes < 1024) {
		(void)snprintf(out, UNITS_SIZE, "%" PRIu64 " B", bytes);
		return out;
	}
	for (;; unit++) {
		const unsigned int shift = 10 * (unit + 1);
		const uint64_t whole = bytes >> shift;
		const uint64_t rest = bytes & ((UINT64_C(1) << shift) - 1);

		/* rest is below 2^50, so ten times it and half a unit fit 64 bits. */
		tenths = whole * 10 + ((rest * 10 + (UINT64_C(1) << (shift - 1))) >> shift);
		if (tenths < 10240 || unit == last)
			break;
	}
	(void)snprintf(out, UNITS_SIZE, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10, tenths % 10,
		       names[unit]);
	return out;
}

char *
units_duration(char out[UNITS_SIZE], uint64_t ns)
{
	const uint64_t tenths = ns / 100000000;

	(void)snprintf(out, UNITS_SIZE, "%" PRIu64 ".%" PRIu64 " s", tenths / 10, tenths % 10);
	return out;
}

char *
units_latency(char out[UNITS_SIZE], uint64_t ns)
{
	const uint64_t us = ns / 1000;

	(void)snprintf(out, UNITS_SIZE, "%" PRIu64 ".%03" PRIu64 " ms", us / 1000, us % 1000);
	return out;
}

char *
units_count(char out[UNITS_SIZE], uint64_t n, const char *noun)
{
	const size_t len = strlen(noun);
	const char last = len > 0 ? noun[len - 1] : '\0';
	const bool y = n != 1 && last == 'y';

	(void)snprintf(out, UNITS_SIZE, "%" PRIu64 " %.*s%s", n, (int)(len - y), noun,
		       n == 1 ? "" : y ? "ies" : last == 's' ? "es" : "s");
	return out;
}
