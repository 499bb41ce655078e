/* places.h - the cgroup of every traced process, and the container it names
 *
 * A child is where its parent is, so it is not asked about: forks may come by the thousand. Of every
 * other one /proc is asked when its record comes by, which is some milliseconds after it was traced.
 */
#ifndef CAPTURE_PLACES_H
#define CAPTURE_PLACES_H

#include <stdint.h>

#include "formats/record.h"

struct places;

/* NULL: out of memory. */
struct places *places_new(void);
void places_free(struct places *p);	/* NULL is allowed */

/* Fills cgroup and container of the record, which borrows them from p. */
void places_process(struct places *p, struct rec_process *process);

/* The process has ended. */
void places_exit(struct places *p, uint32_t pid);

#endif
