/* reader.h - takes a recording or event stream apart into blocks, whatever its state
 *
 * Reads a descriptor (file or pipe, any chunking, never seeking unless told that whole blocks may be
 * passed over) or memory. What cannot be used is handed out as a value: where, how many bytes, why;
 * the reading goes on at the next block that fits. Only a failing read, an input that is no recording,
 * a newer major version and a block that the reader must know are errors.
 *
 * Leaves to the cursor: what blocks mean; forgetting definitions at each STATE block.
 */
#ifndef FORMATS_READER_H
#define FORMATS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/block.h"
#include "formats/error.h"

enum reader_what {
	READER_BLOCK = 1,	/* a whole block: head, payload */
	READER_PASSED,		/* a CALLS block outside the range: head; no payload, its crc not checked,
				 * unless it is shown */
	READER_DAMAGE,		/* bytes at offset are not usable; n_blocks missing, if that is known */
	READER_TRUNCATED,	/* the input ended without an END block; bytes = those of a started block */
	READER_GAP,		/* n_blocks are missing before offset, nothing else is wrong */
	READER_REPEATED,	/* a block that was there before, or out of its order: left out */
	READER_FOREIGN,		/* blocks of another session: left out */
};

struct reader_item {
	enum reader_what what;
	uint64_t offset;		/* in the input, bytes from where reading began */
	uint64_t bytes;
	uint64_t n_blocks;		/* DAMAGE, GAP: missing blocks; UINT64_MAX = not known */
	uint64_t n_calls;		/* DAMAGE: calls of a block whose header is right */
	struct block_head head;		/* BLOCK, PASSED */
	const uint8_t *payload;		/* BLOCK: plain records; of CALLS (and unknown types) as stored.
					 * PASSED: NULL, unless it is shown */
	uint32_t payload_bytes;
	const char *text;		/* not BLOCK, PASSED: "bad checksum in a calls block" */
};

/* Further limits of what calls are wanted, inclusive. Numbers are those of calls in the recording, blocks
 * that were passed over and damaged ones included: what is passed over is not checked. */
struct reader_window {
	int64_t from_unix_ns, to_unix_ns;	/* INT64_MIN, INT64_MAX = all */
	uint64_t first_number, last_number;	/* 0, UINT64_MAX = all */
};

struct reader;

/* Over a descriptor, which stays the caller's, or over memory, which must outlive the reader. name is
 * for messages ("trace.iotap"). Nothing is read yet. NULL = out of memory. */
struct reader *reader_new_fd(int fd, const char *name);
struct reader *reader_new_memory(const void *p, size_t n, const char *name);
void reader_free(struct reader *);

/* Called right before a read that would block, and a few times a second as long as it would, never
 * otherwise: the time to flush, and to see whether anybody still wants the output. A result other than
 * 0 makes reader_next return 2 without reading. */
void reader_on_idle(struct reader *, int (*idle)(void *arg), void *arg);

/* CALLS blocks wholly outside [from_ns, to_ns] come as READER_PASSED; a file's bytes are then skipped
 * by seeking. */
void reader_set_range(struct reader *, uint64_t from_ns, uint64_t to_ns);

/* CALLS blocks wholly outside the window too. Unix time is boot time + the offset that was set last (mod
 * 2^64). */
void reader_set_window(struct reader *, const struct reader_window *);
void reader_set_unix_offset(struct reader *, uint64_t offset_ns);

/* From now on blocks that are passed over and lie before what is wanted come with their payload, checked as
 * any: for who must know what they use. */
void reader_show_passed(struct reader *, bool);

/* Goes on at the last epoch before which every call is earlier than the range, by the file's index
 * (reader_index.h); *calls = how many calls of the recording lie before it. What lies between is not
 * handed out. False, and nothing has changed: there is no such epoch ahead, or it cannot be told. */
bool reader_seek_range(struct reader *, uint64_t *calls);

/* The next item: 0 = *out is one, valid until the next call; 1 = no more; 2 = the idle function said
 * stop (the next call goes on). Errors: IOTAP_EIO, IOTAP_ENOTREC (text: what the input looks like and
 * what to do), IOTAP_EVERSION (names both versions), IOTAP_EUNSUPPORTED (a required block type),
 * IOTAP_ENOMEM; an error is final and its text is in reader_error(). TRUNCATED, if any, is last. */
int reader_next(struct reader *, struct reader_item *out);

const struct iotap_error *reader_error(const struct reader *);

/* The name it was given. */
const char *reader_name(const struct reader *);

/* The session of the recording: 0 before the first block. Offset after what was handed out so far. */
uint64_t reader_session(const struct reader *);
uint64_t reader_offset(const struct reader *);

/* True when n bytes at p can be the beginning of a recording or event stream (4 are enough). */
bool reader_is_recording(const void *p, size_t n);

/* What n bytes at the beginning of an input that is no recording look like, and the remedy, as the end
 * of a sentence: "is a SQLite database: iotap-analyze reads it ..."; NULL = nothing known. */
const char *reader_looks_like(const void *p, size_t n);

#endif
