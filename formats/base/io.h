/* io.h - reads and writes of files and pipes that finish what they start
 *
 * Interrupted calls (EINTR) go on, partial ones continue. Failures leave the reason in errno; none
 * of these functions prints. A descriptor in non-blocking mode is waited for with poll(2).
 */
#ifndef FORMATS_BASE_IO_H
#define FORMATS_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "formats/base/buf.h"

/* Reads until n bytes are there or the input ends. The number read, less than n only at the end of
 * the input; -1 and errno on failure (bytes read before it are lost). */
ssize_t io_read_full(int fd, void *p, size_t n);

/* One read of at most n bytes: what a pipe has now, at least one byte. 0 = end, -1 = errno. */
ssize_t io_read_some(int fd, void *p, size_t n);

/* io_read_full of a file from offset on; its position is not moved. */
ssize_t io_read_at(int fd, uint64_t offset, void *p, size_t n);

/* Writes all n bytes, or false and errno. */
bool io_write_all(int fd, const void *p, size_t n);

/* Appends all that is left in fd to b. False and errno on failure: ENOBUFS when the content
 * would be longer than the limit of b (what was read up to there stays in b). */
bool io_read_rest(int fd, struct buf *b);

/* io_read_rest of the file at path, which may be one of /proc's (size unknown). */
bool io_read_file(const char *path, struct buf *b);

/* True when a read would not block now: bytes or the end are there. timeout_ms as poll(2): 0
 * asks, -1 waits. False after the time, and on a failure, which the read itself will report. A
 * signal ends the waiting early with false. */
bool io_readable(int fd, int timeout_ms);

/* Opens what a result is to be written to: a new file for the owner's eyes alone (0600), no link followed.
 * Does not wait. -1 and errno on failure: EEXIST when anything is there. Or then the pipe or device that is
 * there, once a pipe has its reader: EEXIST when it is a regular file or a link. */
int io_create(const char *path);
int io_open_existing(const char *path);

/* True when the file of that name in the folder dir (AT_FDCWD: this one) begins with these n bytes, at most
 * IO_BEGINS_MAX. No link is followed, nothing waited for. */
enum { IO_BEGINS_MAX = 64 };
bool io_begins(int dir, const char *name, const void *bytes, size_t n);

/* True when fd is a regular file that still has a name in some folder. False where that cannot be told. */
bool io_is_named(int fd);

/* True when nobody will ever read what is written to fd: the other end of a pipe or socket is closed. */
bool io_reader_gone(int fd);

#endif
