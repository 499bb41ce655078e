/* call_block.h - the payload of a CALLS block: up to 16,384 calls as columns
 *
 * Columns and their encoding are formats/columns.def; the bytes are in docs/iotap-recording.5. The
 * encoder takes calls one by one, as the rings deliver them, and keeps the two dictionaries; the
 * decoder fills arrays, of the columns asked for only. A block needs no other block to be decoded.
 */
#ifndef FORMATS_CALL_BLOCK_H
#define FORMATS_CALL_BLOCK_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/block.h"
#include "formats/error.h"
#include "formats/kernel_record.h"

enum {
#ifndef IOTAP_SMALL
	CALL_BLOCK_MAX = 16384,			/* calls that a writer puts into a block */
#else						/* fuzzers fill one, and need no megabytes for it */
	CALL_BLOCK_MAX = 512,
#endif
	CALL_BLOCK_ONE_FRAME_BELOW = 256,	/* calls below which one frame holds all columns */
};

enum call_column {		/* COL_key = 1, COL_duration = 2 ... */
#define COLUMN(id, name, which, how, text) COL_##name = id,
#include "formats/columns.def"
#undef COLUMN
	COL_END
};

/* What else is in the directory of a block: the dictionaries; COL_LOW + id: low bytes of a split column. */
enum { COL_TARGETS = 100, COL_THREADS = 101, COL_LOW = 128 };

#define COL_BIT(name) (1u << COL_##name)
#define COL_ALL ((1u << COL_END) - 2)

/* An entry of the target dictionary. id 0: the call knew device and inode, but the definition found
 * no room. What is not known is 0. */
struct call_target {
	uint64_t id;
	uint64_t ino;
	uint32_t dev;			/* major << 20 | minor */
	uint32_t mode;			/* i_mode */
	uint32_t kind;			/* enum kr_target_kind */
};

struct call_thread {
	uint32_t tid, tgid;
};

/* -- writing -- */

struct call_encoder;

/* NULL = out of memory. Takes about 5 MiB. */
struct call_encoder *call_encoder_new(void);
void call_encoder_free(struct call_encoder *);

/* Adds calls, which must be in order of key_ns, and come after those already there. The number taken,
 * less than n only when the block is full (CALL_BLOCK_MAX). Of a call: key_ns, duration_ns, tid, tgid,
 * call, flags, cpu, result; fd, offset, requested, id2, fd2, args where flags say so; id, dev, ino, mode.
 * A call with id 0 and KF_IDENTITY gets a dictionary entry of its device and inode. */
uint32_t call_encoder_add(struct call_encoder *, const struct kr_call *calls, uint32_t n);

uint32_t call_encoder_count(const struct call_encoder *);

/* The target dictionary so far. Entries are added at the end; kind is guessed from the mode and may be
 * set by the caller, as may dev, ino and mode, until the block is finished. */
struct call_target *call_encoder_targets(struct call_encoder *, uint32_t *n);

/* Adds an entry before any call uses it (text source of tests); its 0-based number, or that of the one
 * that is there. IOTAP_ELIMIT when the dictionary is full. */
int call_encoder_entry(struct call_encoder *, const struct call_target *);

/* Appends the payload to out and sets type, codec, flags, sizes, count, first_ns, last_ns and
 * payload_crc of *head. The encoder is empty afterwards. 0 or IOTAP_ENOMEM. */
int call_encoder_finish(struct call_encoder *, struct codec *, enum block_codec want,
			struct block_head *head, struct buf *out, struct iotap_error *err);

/* -- reading -- */

/* Arrays of n entries; NULL for columns not asked for (some come along unasked: columns they need). */
struct call_columns {
	uint32_t n;
	uint32_t columns;		/* COL_BIT(...) of those that are there */
	const uint64_t *key;		/* time of return, CLOCK_BOOTTIME ns */
	const uint64_t *duration;	/* ns; UINT64_MAX = not known (KF_BEFORE, KF_PHANTOM, KF_UNTIMED) */
	const uint16_t *call;		/* our id, may be one without a row */
	const uint32_t *flags;		/* KF_... */
	const uint32_t *thread;		/* index into threads: always valid */
	const uint16_t *cpu;
	const int32_t *fd, *fd2;	/* -1 = none or not known */
	const uint32_t *target, *target2;	/* 0 = none, else 1 + index into targets: always valid */
	const uint64_t *requested;	/* UINT64_MAX = not known */
	const int64_t *result;		/* as the kernel returned it */
	const uint64_t *offset;		/* UINT64_MAX = not known */
	const uint64_t *arg0, *arg1;	/* UINT64_MAX = not kept */
	const struct call_thread *threads;
	uint32_t n_threads;
	const struct call_target *targets;
	uint32_t n_targets;
};

struct call_decoder;

struct call_decoder *call_decoder_new(void);	/* NULL = out of memory */
void call_decoder_free(struct call_decoder *);

/* Decodes the stored payload of a CALLS block (stored has head->stored_bytes bytes). columns: COL_BIT
 * ored. Pointers in *out live until the next call. 0, IOTAP_ECORRUPT, IOTAP_EUNSUPPORTED (codec),
 * IOTAP_ENOMEM. Dictionaries are always decoded. */
int call_decoder_block(struct call_decoder *, const struct block_head *head, const uint8_t *stored,
		       uint32_t columns, struct call_columns *out, struct iotap_error *err);

/* True when each call's time is one of a kernel, and so is the Unix time to which that offset leads
 * (base/unix_time.h). The column key must be there. */
bool call_columns_fit(const struct call_columns *, uint64_t unix_offset_ns);

/* Row i as a call to encode again: all columns must be there. commit is 0, start_ns is key - duration
 * (0 if not known), what is unknown is 0. */
void call_columns_row(const struct call_columns *, uint32_t i, struct kr_call *out);

#endif
