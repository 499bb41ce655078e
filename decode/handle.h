/* handle.h - what an iotap_t is: the inputs, what they share, and where reading stands */
#ifndef DECODE_HANDLE_H
#define DECODE_HANDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/cursor.h"
#include "decode/host.h"
#include "decode/notice.h"
#include "decode/process.h"
#include "decode/select.h"
#include "decode/tally.h"
#include "formats/error.h"
#include "formats/iotap.h"

struct input {
	struct cursor cursor;
	struct processes *processes;	/* own, or that of an earlier input of the same machine */
	bool owns_processes;
	bool awake;			/* asked for its next step; before, floor_ns bounds its time */
	int ready;			/* enum cursor_next */
	uint64_t time_ns;		/* Unix time of that step */
	int fd;
};

struct iotap {
	struct iotap_error err;
	struct select select;
	struct input *inputs;
	size_t n_inputs;
	struct notices notices;
	struct tally *tally;		/* NULL = not asked for */
	struct hosts hosts;		/* of the summary's text */
	bool reading;			/* the first read has been */
	struct iotap_batch batch;	/* of iotap_consume: rows not yet handed out */
	uint32_t batch_at;
	uint64_t next_number;		/* of several inputs together */
	const struct iotap_handlers *handlers;	/* during a call */
	void *arg;
	int said;			/* what a handler said last: IOTAP_NEXT, IOTAP_STOP, IOTAP_ABORT */
	const struct iotap_process **listed;	/* what iotap_get_processes gave out */
	char *errno_text;		/* of the latest event with an unknown errno */
};

#endif
