/* array.c - arrays that grow */
#include "formats/base/array.h"

#include <stdint.h>
#include <stdlib.h>

void *
array_room(void *p, size_t n, size_t *cap, size_t element_bytes, size_t least)
{
	const size_t more = *cap > 0 ? 2 * *cap : least;
	void *grown;

	if (n < *cap)
		return p;
	grown = more > SIZE_MAX / element_bytes ? NULL : realloc(p, more * element_bytes);
	if (grown)
		*cap = more;
	return grown;
}
