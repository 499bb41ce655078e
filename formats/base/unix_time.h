/* unix_time.h - from the boot clock of a recording to Unix time and back
 *
 * The kernel counts both in 63 bits of nanoseconds (ktime_t), which end in the year 2262. A recording can
 * say more: clocks and calls that do not fit are refused by who reads them, and any other time that does
 * not is held at the end that it passes. So no time wraps, and all readers say the same.
 *
 * An offset is Unix time less boot time, as a number with a sign in 64 bits (struct iotap_batch has it).
 */
#ifndef FORMATS_BASE_UNIX_TIME_H
#define FORMATS_BASE_UNIX_TIME_H

#include <stdbool.h>
#include <stdint.h>

#define UNIX_TIME_MAX ((uint64_t)INT64_MAX)

/* The offset of two clocks that were read together. False: no kernel says that. */
static inline bool
unix_time_offset(uint64_t boot_ns, int64_t real_ns, uint64_t *offset)
{
	if (boot_ns > UNIX_TIME_MAX || real_ns < 0)
		return false;
	*offset = (uint64_t)real_ns - boot_ns;
	return true;
}

/* a - b, of two offsets; or the nearest number that has a negative. */
static inline int64_t
unix_time_step(uint64_t a, uint64_t b)
{
	int64_t step;

	if (__builtin_sub_overflow((int64_t)a, (int64_t)b, &step))
		return (int64_t)a < 0 ? -INT64_MAX : INT64_MAX;
	return step == INT64_MIN ? -INT64_MAX : step;
}

/* A time moved by an offset: from 0 to UNIX_TIME_MAX, whatever it was. */
static inline uint64_t
unix_time_add(uint64_t ns, uint64_t offset)
{
	const int64_t from = ns > UNIX_TIME_MAX ? INT64_MAX : (int64_t)ns;
	int64_t sum;

	if (__builtin_add_overflow(from, (int64_t)offset, &sum))
		return UNIX_TIME_MAX;
	return sum < 0 ? 0 : (uint64_t)sum;
}

/* A time moved back by an offset, likewise. */
static inline uint64_t
unix_time_less(uint64_t ns, uint64_t offset)
{
	return unix_time_add(ns, (uint64_t)unix_time_step(0, offset));
}

/* True when boot times from lowest to highest are times of a kernel, and so are their Unix times: then
 * they may be added without looking. */
static inline bool
unix_time_fits(uint64_t lowest, uint64_t highest, uint64_t offset)
{
	return highest <= UNIX_TIME_MAX && lowest <= highest &&
	       ((int64_t)offset < 0 ? lowest >= 0 - offset : highest <= UNIX_TIME_MAX - offset);
}

#endif
