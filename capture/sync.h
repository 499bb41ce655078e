/* sync.h - a thread that has the recording written to the disk, at most so often
 *
 * fdatasync(2) may take long; neither the rings nor the encoder wait for it. What it reports, the
 * failure of an earlier write among it, is an error of the output.
 */
#ifndef CAPTURE_SYNC_H
#define CAPTURE_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/error.h"

struct sync;

/* Starts the thread; stays_root as privileges_of_thread. NULL and the reason in err. */
struct sync *sync_new(uint64_t interval_ns, bool stays_root, struct iotap_error *err);

/* From here on fd, of a regular file, is meant: a duplicate of it is kept. The file before is seen to
 * once more and closed. Waits only when several of those are not done. IOTAP_EIO. */
int sync_file(struct sync *s, int fd, struct iotap_error *err);

/* How many bytes have been written to the file: with none since the last time there is nothing to do. */
void sync_wrote(struct sync *s, uint64_t bytes);

/* 0, or what went wrong: IOTAP_EIO. */
int sync_failed(struct sync *s, struct iotap_error *err);

/* Sees to the file once more and waits for that. As sync_failed. */
int sync_finish(struct sync *s, struct iotap_error *err);

/* Ends the thread. NULL is allowed. */
void sync_free(struct sync *s);

#endif
