/* sandbox_reader.c - what is left to a program once the recordings that it reads are open */
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>

#include "formats/base/sandbox.h"

/* Machines that came later do without these. */
#ifndef __NR_poll
#define __NR_poll __NR_ppoll
#endif
#ifndef __NR_renameat
#define __NR_renameat __NR_renameat2
#endif

static const struct sandbox_call allowed[] = {
#define CALL(name) {.number = __NR_##name},
#include "formats/base/name_calls.def"
#include "formats/base/reader_calls.def"
#undef CALL
};

#define N_ALLOWED (sizeof(allowed) / sizeof(allowed[0]))

enum {
	N_NAMES = 0
#define CALL(name) + 1
#include "formats/base/name_calls.def"
#undef CALL
};
_Static_assert(N_ALLOWED <= SANDBOX_CALLS_MAX, "a filter takes no more");

bool
sandbox_reader_in(int dir, unsigned int rights)
{
	const struct sandbox_place folder = {.fd = dir, .rights = rights};
	const size_t skipped = dir < 0 ? N_NAMES : 0;

	tzset();	/* the rules of the time zone are in a file */
	return sandbox_files_except(&folder, dir < 0 ? 0 : 1) &&
	       (sandbox_calls(allowed + skipped, N_ALLOWED - skipped) || errno == ENOSYS || errno == EINVAL);
}

bool
sandbox_reader(void)
{
	return sandbox_reader_in(-1, 0);
}
