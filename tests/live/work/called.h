/* called.h - calls stated one by one, each with the record it must become: lines of calls_more.c's kind */
#ifndef TESTS_LIVE_WORK_CALLED_H
#define TESTS_LIVE_WORK_CALLED_H

#include "tests/live/work/say.h"

/* Makes a call and states it; what is known of it besides is a format and its values. */
#define CALLED(say, name, expression, ...) \
	({ \
		long called_result; \
		errno = 0; \
		called_result = (long)(expression); \
		if (called_result == -1 && errno) \
			called_result = -errno; \
		state_call(say, name, called_result, __VA_ARGS__); \
		called_result; \
	})
#define RAW(say, name, ...) RAW_(say, name, __VA_ARGS__)
#define RAW_(say, name, args, ...) CALLED(say, #name, syscall(SYS_##name ARGS args), __VA_ARGS__)
#define ARGS(...) , ##__VA_ARGS__

__attribute__((format(printf, 4, 5))) static inline void
state_call(struct say *say, const char *name, long result, const char *format, ...)
{
	char more[2 * PATH_MAX];
	va_list list;

	va_start(list, format);
	vsnprintf(more, sizeof(more), format, list);
	va_end(list);
	say_line(say, "call %s tid=%d result=%ld %s", name, say_tid(), result, more);
}

#endif
