/* writer.h - puts a recording together: when a block closes, what an epoch must repeat
 *
 * Used by capture (through its encoder thread: one thread at a time) and by decode for the event
 * stream. Takes records and calls in order of their time, writes whole blocks only, each in one
 * write, so that a killed process leaves a recording that decodes up to its last block.
 *
 * Keeps definitions as opaque bytes, least recently used first to go, and live processes and
 * interfaces, and repeats them where an epoch needs them. Never asks for the time.
 *
 *   writer_new, writer_header, writer_epoch,
 *   { writer_record | writer_calls | writer_tick | writer_epoch when writer_epoch_due }, writer_end
 */
#ifndef FORMATS_WRITER_H
#define FORMATS_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/block.h"
#include "formats/call_block.h"
#include "formats/error.h"
#include "formats/record.h"

enum {
	WRITER_DEFINITIONS = 65536,			/* definitions kept at most */
	WRITER_DEFINITION_BYTES = 16 * 1024 * 1024,	/* and their bytes */
	WRITER_PROCESSES = 65536,			/* live processes restated at most */
	WRITER_INTERFACES = 1024,
	WRITER_INDEX_ENTRIES = 65536,
	WRITER_EPOCH_BYTES = 64 * 1024 * 1024,
	WRITER_FULL_CALLS = 1024,			/* closes after 25 ms from here on */
	/* A reader has the records of a block before its calls, and counts the use of a definition once a block.
	 * So that it need not keep many more definitions than we do, a block of calls closes when so many records
	 * were put since its first call, or so many definitions are used by it; looked at every few calls. */
	WRITER_AHEAD_RECORDS = 8192,
	WRITER_AHEAD_BYTES = 1024 * 1024,
	WRITER_BLOCK_TARGETS = 16384,
	WRITER_BLOCK_TARGET_BYTES = 2 * 1024 * 1024,
	WRITER_STEP_CALLS = 128,
};

#define WRITER_EPOCH_NS    UINT64_C(60000000000)
#define WRITER_FAST_NS     UINT64_C(25000000)
#define WRITER_SLOW_NS     UINT64_C(250000000)
#define WRITER_PROGRESS_NS UINT64_C(1000000000)

struct writer_options {
	int fd;				/* where blocks go; stays the caller's */
	bool pipe;			/* somebody reads along: blocks close after 25 ms */
	bool stream;			/* an event stream: host.stream is set to 1 */
	bool index;			/* write an INDEX block before END */
	bool keeps_room;		/* of a disk for the end of the recording: formats/room.h */
	enum block_codec codec;
	int level;			/* of zstd; 0 = 1 */
	uint64_t session;		/* 0 = a random one */
	/* Instead of fd, if not NULL: gets whole blocks. 0 or a negative code with the text set. */
	int (*sink)(void *arg, const struct block_head *head, const void *block, size_t n,
		    struct iotap_error *err);
	void *sink_arg;
	/* A definition was dropped from the table: the kernel half must define id anew at its next use. */
	void (*evicted)(void *arg, uint64_t id);
	void *evicted_arg;
	uint32_t max_definitions;	/* 0 = WRITER_DEFINITIONS; for tests */
	uint32_t max_definition_bytes;	/* 0 = WRITER_DEFINITION_BYTES */
};

struct writer_totals {
	uint64_t calls;			/* written, pending ones not counted */
	uint64_t records;		/* given to writer_record */
	uint64_t blocks, bytes;		/* written to this output */
	uint64_t definitions;		/* target records written, repeated ones included */
	uint64_t repeated;		/* of these, written again for a later epoch */
	uint64_t evicted;		/* definitions dropped from the table */
	uint64_t epochs;
	uint64_t pending_calls;		/* accepted, not yet written */
};

struct writer;

/* NULL on failure (IOTAP_ENOMEM). Nothing is written. */
struct writer *writer_new(const struct writer_options *, struct iotap_error *err);
void writer_free(struct writer *);	/* does not flush: writer_end does */

/* The HEADER block, first of all. format_major, format_minor, stream, and part where series is not 0, are
 * set here. The records are kept for writer_reopen. */
int writer_header(struct writer *, const struct rec_host *host, const struct rec_clock *clock,
		  const struct rec_request *requests, size_t n_requests);

/* Flushes and begins an epoch: STATE block of clock, counters (NULL = none yet), live processes
 * (restated = 1) and interfaces; then the latest sums (aggregates) are pending. */
int writer_epoch(struct writer *, const struct rec_clock *clock, const struct rec_counters *counters);

/* True when 64 MiB or 60 s have passed since the epoch began: read clock and counters, then call
 * writer_epoch. now_ns as for writer_tick. */
bool writer_epoch_due(const struct writer *, uint64_t now_ns);

/* Takes a record; rec points to the struct of that type and is copied. Definitions (target) enter the
 * table; process, exec, rename and exit change what is restated; ids used by open_fd and aggregate are
 * defined in this epoch, if need be. A restated process, an interface or an aggregate that this epoch has
 * already, the same in every byte, is left out. */
int writer_record(struct writer *, enum rec_type type, const void *rec);

/* Takes a record of a type that this version does not know. */
int writer_record_raw(struct writer *, const struct bytes *raw);

/* Takes calls in order of key_ns. Blocks are written whenever 16,384 are there. */
int writer_calls(struct writer *, const struct kr_call *calls, uint32_t n);

/* Closes what is due. now_ns: CLOCK_BOOTTIME up to which everything has been handed over: never goes
 * back. Pending data are written after 25 ms (a pipe, or 1,024 calls), else 250 ms; after a second
 * without a block, or after records alone into a pipe, a PROGRESS block says that everything up to now_ns
 * is there. */
int writer_tick(struct writer *, uint64_t now_ns);

/* How many ns after the last tick's now_ns the next thing is due; UINT64_MAX before the first tick. */
uint64_t writer_next_due_ns(const struct writer *);

/* Writes what is pending: RECORDS, then CALLS. */
int writer_flush(struct writer *);

/* A PROGRESS block of that time, at once (event streams); flushes first. */
int writer_progress(struct writer *, uint64_t time_ns);

/* Flushes, writes INDEX (if asked for) and END: clock and counters (either NULL = left out), and end,
 * whose calls and blocks are filled in here. */
int writer_end(struct writer *, const struct rec_clock *clock, const struct rec_counters *counters,
	       const struct rec_end *end);

/* After writer_end: the next file of a rotation, on fd (with a sink, fd is -1). Writes the HEADER block
 * again with clock, then the first STATE; a new session; tables are kept, totals of calls and records
 * go on, blocks and bytes begin anew. */
int writer_reopen(struct writer *, int fd, const struct rec_clock *clock,
		  const struct rec_counters *counters);

/* After IOTAP_EIO: takes away what was written of the last block, and forgets what is pending and the
 * index, so that a loss and the end may be tried where there was no room for more. False: it cannot be
 * taken away (a pipe, a sink, no keeps_room). */
bool writer_give_up(struct writer *);

/* After writer_give_up, when not even the end finds room: takes away the newest whole block, whose calls
 * are counted as written no longer; then writer_give_up again. False: there is none of this epoch that
 * could go, or that is still known (the last BLOCK_TAIL ones are). */
bool writer_take_back(struct writer *);

/* All functions above return 0 or a negative code and keep the text here; after IOTAP_EIO or
 * IOTAP_EPIPE (the reader has gone) every later call returns the same. */
const struct iotap_error *writer_error(const struct writer *);

void writer_get_totals(const struct writer *, struct writer_totals *out);
uint64_t writer_session(const struct writer *);

#endif
