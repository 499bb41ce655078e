/* flight.h - the flight recorder: the latest blocks of a recording, kept in memory
 *
 * A sink of the writer (formats/writer.h). It holds the header and whole epochs, newest last; when
 * there are more bytes than asked for, the oldest epoch goes. What is left is a recording at any time.
 * One thread.
 */
#ifndef CAPTURE_FLIGHT_H
#define CAPTURE_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/block.h"
#include "formats/error.h"

enum { FLIGHT_EPOCHS = 8 };	/* an epoch should be no more than this part of the memory */

struct flight;

/* NULL: out of memory. max_bytes counts blocks as they stand, and what is needed to keep them. */
struct flight *flight_new(uint64_t max_bytes);
void flight_free(struct flight *f);

/* Takes a block: a block_sink, arg is the struct flight. A header begins anew. */
int flight_sink(void *arg, const struct block_head *head, const void *block, size_t n,
		struct iotap_error *err);

/* True when the memory would be used better if an epoch began now. */
bool flight_wants_epoch(const struct flight *f);

/* Drops the oldest epoch, unless it is the only one. */
bool flight_shorten(struct flight *f);

uint64_t flight_bytes(const struct flight *f);

/* Writes what is held to fd, numbered as a recording of its own; the last block taken must have been the
 * end block, in which calls and blocks are set to what is there. Can be done once: a header must come
 * next. IOTAP_EIO, IOTAP_ENOMEM, IOTAP_EUSAGE (nothing taken since). */
int flight_write(struct flight *f, int fd, struct iotap_error *err);

#endif
