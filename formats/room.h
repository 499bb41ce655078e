/* room.h - room on the disk: what is set aside so that a recording can come to its end
 *
 * Before a block is written to a regular file, room for it and for the end behind it is reserved beyond
 * the end of the file (fallocate, FALLOC_FL_KEEP_SIZE). Where that fails the block is not written, and
 * what was reserved before still holds the end. Offsets are in bytes of the recording, which may begin
 * anywhere in its file.
 */
#ifndef FORMATS_ROOM_H
#define FORMATS_ROOM_H

#include <stdbool.h>
#include <stdint.h>

enum {
	ROOM_END_BYTES = 8192,		/* a loss and an END block, whatever the pages they lie across */
	ROOM_AHEAD_BYTES = 256 * 1024,	/* reserved at a time, where there is as much */
};

struct room {
	int fd;			/* -1 = no regular file: nothing is reserved, nothing taken away */
	bool reserves;		/* the file system can */
	uint64_t first;		/* where in the file the recording begins */
	uint64_t until;		/* offset in the file up to which there is room */
	uint64_t limit;		/* of the size of files (RLIMIT_FSIZE) */
};

/* A recording begins where fd stands, or at the end of a file that is appended to. fd -1 or anything but a
 * regular file: no other function does anything. */
void room_init(struct room *, int fd);

/* Sees that n bytes behind the first `at` of the recording can be written, and the end after them. 0, or
 * ENOSPC, EDQUOT or EFBIG. Where nothing can be known beforehand: 0. */
int room_make(struct room *, uint64_t at, uint64_t n);

/* Takes away what stands behind the first `at` bytes of the recording, and reserves room for its end
 * again. False when it could not be taken away: there is no recording to go on with. */
bool room_cut(struct room *, uint64_t at);

/* Gives back what is reserved beyond the end of the file. */
void room_release(struct room *);

#endif
