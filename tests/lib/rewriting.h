/* rewriting.h - a recording written anew, as often as wished: for tests in which memory ends somewhere */
#ifndef TESTS_LIB_REWRITING_H
#define TESTS_LIB_REWRITING_H

#include <stdbool.h>

#include "formats/base/buf.h"
#include "formats/iotap.h"

struct rewriting {
	struct buf recording;
	struct iotap_filter filter;
	bool salvage, hides;		/* as a recording: what is whole of it; without names */
	int fd;				/* a file, begun anew each time */
};

/* One step of starve_each(): 0, or a negative code, whose text says so when memory was out. */
int rewriting_step(void *rewriting);

#endif
