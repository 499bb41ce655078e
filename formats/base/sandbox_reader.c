/* sandbox_reader.c - what is left to a program once the recordings that it reads are open */
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>

#include "formats/base/sandbox.h"

/* Machines that came later do without it. */
#ifndef __NR_poll
#define __NR_poll __NR_ppoll
#endif

static const struct sandbox_call allowed[] = {
#define CALL(name) {.number = __NR_##name},
#include "formats/base/reader_calls.def"
#undef CALL
};

bool
sandbox_reader(void)
{
	tzset();	/* the rules of the time zone are in a file */
	return sandbox_files() && (sandbox_calls(allowed, sizeof(allowed) / sizeof(allowed[0])) ||
				   errno == ENOSYS || errno == EINVAL);
}
