/* array.h - arrays that grow */
#ifndef FORMATS_BASE_ARRAY_H
#define FORMATS_BASE_ARRAY_H

#include <stddef.h>

/* Room for element n of p, which has *cap of element_bytes each: p, or what it was moved to, with twice as
 * many (at the first time least) and *cap set. NULL: out of memory, p stays what it is. */
void *array_room(void *p, size_t n, size_t *cap, size_t element_bytes, size_t least);

#endif
