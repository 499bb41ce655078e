/* units.h - numbers for people: "14.1 MiB", "0.041 ms", "12.4 s", "2 calls"
 *
 * Every function writes into a buffer of UNITS_SIZE bytes and returns it. Nothing here depends on
 * the locale: the same number is the same text everywhere.
 */
#ifndef FORMATS_BASE_UNITS_H
#define FORMATS_BASE_UNITS_H

#include <stdint.h>

#define UNITS_SIZE 48

/* Below 1024 "N B"; else one decimal, rounded half up, KiB to PiB; what would be 1024.0 of a unit is
 * 1.0 of the next one. */
char *units_bytes(char out[UNITS_SIZE], uint64_t bytes);

/* Seconds with tenths, truncated: "12.4 s". */
char *units_duration(char out[UNITS_SIZE], uint64_t ns);

/* Milliseconds, truncated to microseconds: "0.041 ms". */
char *units_latency(char out[UNITS_SIZE], uint64_t ns);

/* "1 call", "2 calls", "2 processes", "2 entries": noun gets an s, es, or ies for its y, unless n is 1. */
char *units_count(char out[UNITS_SIZE], uint64_t n, const char *noun);

#endif
