/* text.h - events as lines for people */
#ifndef DECODE_TEXT_H
#define DECODE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/iotap.h"

/* Lines go into out, in front of the first one the headings. Times of day are in the viewer's zone,
 * which localtime_r(3) knows; it is asked once a second of the recording. All zeroes = begin. */
struct text {
	struct buf out;
	bool begun;		/* the headings are there */
	bool second_known;
	uint64_t second;	/* of the Unix time in clock */
	char clock[12];		/* "14:13:20", or "??:??:??" */
};

void text_event(struct text *, const struct iotap_event *);

/* "14:13:20.004541" for a Unix time; out has TEXT_TIME_SIZE bytes. */
#define TEXT_TIME_SIZE 24
const char *text_time(struct text *, uint64_t unix_ns, char out[TEXT_TIME_SIZE]);

#endif
