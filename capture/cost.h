/* cost.h - what capture itself takes of the machine */
#ifndef CAPTURE_COST_H
#define CAPTURE_COST_H

#include <stdint.h>

#include "formats/record.h"

/* CPU time of all threads and memory, so far, of this process (getrusage(2)); the rest is the caller's. */
void cost_read(struct rec_cost *out);

#endif
