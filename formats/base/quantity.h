/* quantity.h - numbers, sizes and durations as a user writes them
 *
 * Every function takes the whole text or none of it: no sign, no white space, nothing left over, no
 * overflow. True and the value in *out, or false and *out untouched.
 */
#ifndef FORMATS_BASE_QUANTITY_H
#define FORMATS_BASE_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/* Decimal digits. */
bool quantity_u64(const char *text, uint64_t *out);

/* Bytes: digits, then nothing, B, or one of k M G T in either case, alone or followed by B or iB.
 * All are powers of 1024. "4096", "64k", "64KiB", "32M", "1G". */
bool quantity_bytes(const char *text, uint64_t *out);

/* A duration in nanoseconds: a number of seconds, or numbers each with one of the units d h m s
 * ms us ns, every unit smaller than the one before it. Each number may have decimals. "10",
 * "0.5", "10s", "500ms", "2m", "1h30m". Parts of a nanosecond are dropped. */
bool quantity_duration_ns(const char *text, uint64_t *out);

#endif
