/* reader_input.h - bytes of a descriptor or of memory, a window of them at a time */
#ifndef FORMATS_READER_INPUT_H
#define FORMATS_READER_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"

struct reader_input {
	int fd;				/* -1 = memory, or the end was seen */
	struct buf buf;			/* descriptor: what was read and not yet passed */
	const uint8_t *data;		/* the window: buf's bytes, or the memory */
	size_t at, have;		/* window position, its end */
	uint64_t offset;		/* of the window position in the input */
	bool ended;			/* nothing comes after the window */
	bool sparing;			/* read no more than is asked for: most of it will be passed over */
	bool seekable;
	uint64_t left;			/* seekable: bytes after the window */
	int (*idle)(void *arg);
	void *idle_arg;
};

void reader_input_init_fd(struct reader_input *, int fd);
void reader_input_init_memory(struct reader_input *, const void *p, size_t n);
void reader_input_fini(struct reader_input *);

static inline const uint8_t *
reader_input_p(const struct reader_input *in)
{
	return in->data + in->at;
}

static inline size_t
reader_input_have(const struct reader_input *in)
{
	return in->have - in->at;
}

/* Reads until n bytes are in the window or the input ends. 0; 2 = idle said stop, nothing is lost;
 * IOTAP_EIO (errno says why), IOTAP_ENOMEM. */
int reader_input_fill(struct reader_input *, size_t n);

/* Moves on by n bytes that are in the window. */
void reader_input_pass(struct reader_input *, size_t n);

/* Moves on by n bytes without looking at them, by seeking over those that were not read yet. False,
 * and nothing is done, where that cannot be or the input has not that many. */
bool reader_input_seek(struct reader_input *, size_t n);

/* A regular file: where in it the input begins and ends, bytes. False: it is none. */
bool reader_input_extent(const struct reader_input *in, uint64_t *begin, uint64_t *end);

#endif
