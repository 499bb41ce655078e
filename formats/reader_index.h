/* reader_index.h - where in a file an epoch begins, by the INDEX block before its end
 *
 * The index is a hint: a place is handed out only where the blocks that stand there say the same, and
 * only when the index has every call that the END block counted. A file without one, or with a damaged
 * or false one, has no places.
 */
#ifndef FORMATS_READER_INDEX_H
#define FORMATS_READER_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/block.h"

struct reader_file {
	int fd;				/* of a regular file; its position is not moved */
	uint64_t begin, end;		/* of the recording in it, bytes */
	uint64_t session;
};

struct reader_place {
	uint64_t offset;		/* of a whole STATE block, from the beginning of the recording */
	uint64_t sequence;		/* of that block */
	uint64_t calls;			/* in the recording before it */
};

/* The last epoch before which every call is earlier than from_ns (boot clock), if there is one behind the
 * block at offset after. False: there is none, or it cannot be told; out of memory too. */
bool reader_index_find(const struct reader_file *, struct codec *codec, uint64_t after, uint64_t from_ns,
		       struct reader_place *out);

#endif
