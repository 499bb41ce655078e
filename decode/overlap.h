/* overlap.h - two inputs of one recording that have calls in common */
#ifndef DECODE_OVERLAP_H
#define DECODE_OVERLAP_H

/* 1 = the first call of one of the two is in the other, too: the same recording, its event stream, what was
 * salvaged of it, or a part. 0 = they have nothing in common, or it cannot be told. IOTAP_ENOMEM. Both are
 * files at their beginnings, and are there again afterwards; of the calls no block is read but those of the
 * time of these two. */
int overlap_find(int a_fd, int b_fd);

#endif
