/* monotonic.h - time that goes on evenly, for deadlines and rates within one run of a program */
#ifndef FORMATS_BASE_MONOTONIC_H
#define FORMATS_BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in ns. */
static inline uint64_t
monotonic_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

#endif
