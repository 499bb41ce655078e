/* confine.c - the last step of giving privileges back: only the calls of allowed.def are left */
#include "capture/confine.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "formats/base/sandbox.h"

/* Machines that came later do without these. */
#ifndef __NR_poll
#define __NR_poll __NR_ppoll
#endif

static const struct sandbox_call allowed[] = {
#define CALL(name) {.number = __NR_##name},
#define CALL_WITH(name, what) {.number = __NR_##name, .value = (what), .only = true},
#include "capture/allowed.def"
#undef CALL
#undef CALL_WITH
};

int
confine(struct iotap_error *err)
{
	if (sandbox_calls(allowed, sizeof(allowed) / sizeof(allowed[0])) || errno == ENOSYS ||
	    errno == EINVAL)
		return 0;
	return error_errno(err, IOTAP_EPERM, errno, "cannot give up system calls");
}
