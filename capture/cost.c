/* cost.c - what capture itself takes of the machine */
#include "capture/cost.h"

#include <sys/resource.h>

static uint64_t
nanoseconds(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_usec * 1000;
}

void
cost_read(struct rec_cost *out)
{
	struct rusage usage = {0};

	(void)getrusage(RUSAGE_SELF, &usage);
	*out = (struct rec_cost){
		.user_ns = nanoseconds(&usage.ru_utime), .system_ns = nanoseconds(&usage.ru_stime),
		.resident_bytes = (uint64_t)usage.ru_maxrss * 1024,
	};
}
