/* rows.h - for the workloads that make each call of formats/calls.def with success and with failure
 *
 * They state nothing: strace is the witness of what came back. WORKS and FAILS only complain where a
 * kernel or file system does otherwise than meant, so that a row that is then missing has its reason.
 */
#ifndef TESTS_LIVE_WORK_ROWS_H
#define TESTS_LIVE_WORK_ROWS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long
row_judge(const char *name, long result, int should_work)
{
	const int err = errno;

	if ((result >= 0) != should_work)
		fprintf(stderr, "%s: %s\n", name, result >= 0 ? "works" : strerror(err));
	errno = err;
	return result;
}

#define WORKS(name, ...) row_judge(#name, syscall(SYS_##name, ##__VA_ARGS__), 1)
#define FAILS(name, ...) row_judge(#name, syscall(SYS_##name, ##__VA_ARGS__), 0)

static inline void
row_need(int fine, const char *what)
{
	if (!fine) {
		perror(what);
		exit(1);
	}
}

#endif
