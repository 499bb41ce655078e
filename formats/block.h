/* block.h - a recording is a row of blocks: their header, their limits, their payload
 *
 *  0 magic "IoTB"            4 type u8        5 codec u8       6 flags u16
 *  8 sequence u64           16 session u64   24 stored_bytes u32   28 plain_bytes u32
 * 32 first_ns u64           40 last_ns u64   48 count u32      52 epoch u32
 * 56 crc32 of the stored payload u32         60 crc32 of bytes 0 to 59 u32
 *
 * Little-endian; crc32 is zlib's. Nothing of a header is believed before its own crc32 and the
 * limits below hold. docs/iotap-recording.5 has every rule.
 */
#ifndef FORMATS_BLOCK_H
#define FORMATS_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/base/recording.h"
#include "formats/error.h"

#define BLOCK_MAGIC RECORDING_MAGIC

enum {
	BLOCK_HEAD_BYTES = 64,
	BLOCK_PLAIN_MAX = 4 * 1024 * 1024,
	BLOCK_STORED_MAX = BLOCK_PLAIN_MAX + 64 * 1024,
	BLOCK_COUNT_MAX = 65536,	/* records or calls */
	BLOCK_WINDOW_LOG_MAX = 23,	/* of a zstd frame */
};

enum block_type {		/* in the file: never renumber */
	BLOCK_HEADER = 1,	/* records host, clock, request; never compressed */
	BLOCK_STATE = 2,	/* begins an epoch: clock, counters, live processes, interfaces */
	BLOCK_RECORDS = 3,
	BLOCK_CALLS = 4,	/* call_block.h */
	BLOCK_PROGRESS = 5,
	BLOCK_END = 6,
	BLOCK_INDEX = 7,
	BLOCK_TYPE_END
};

enum block_codec { CODEC_NONE = 0, CODEC_ZSTD = 1 };	/* in the file */

enum block_flag {
	BLOCK_REQUIRED = 1u << 0,	/* a reader that does not know the type must refuse the recording */
	BLOCK_ONE_FRAME = 1u << 1,	/* CALLS: one frame holds all columns */
};

struct block_head {
	uint8_t type;			/* enum block_type, or one of a later version */
	uint8_t codec;			/* enum block_codec */
	uint16_t flags;			/* BLOCK_... */
	uint64_t sequence;		/* from 0, one more each block */
	uint64_t session;		/* random, the same in all blocks of a recording */
	uint32_t stored_bytes;
	uint32_t plain_bytes;
	uint64_t first_ns, last_ns;	/* CLOCK_BOOTTIME; 0 = no time */
	uint32_t count;			/* records or calls */
	uint32_t epoch;			/* from 1; 0 = before the first */
	uint32_t payload_crc;
};

/* "header", "state" ...; NULL for unknown types. */
const char *block_type_name(uint32_t type);

/* The type of such a name, 0 = none. */
uint32_t block_type_named(const char *name, size_t n);

/* Writes a header, its own crc32 included. payload_crc must be set. */
void block_head_put(uint8_t out[BLOCK_HEAD_BYTES], const struct block_head *head);

/* Reads one: magic, crc32 and limits must hold. 0 or IOTAP_ECORRUPT (text: what is wrong with it). */
int block_head_get(const uint8_t in[BLOCK_HEAD_BYTES], struct block_head *out,
		   struct iotap_error *err);

/* crc32 as the headers have it. */
uint32_t block_crc(const void *p, size_t n);

/* Compressing and uncompressing contexts, reused from block to block. One per thread. */
struct codec;

/* level: of zstd, 1 is what the budgets were measured with. NULL = out of memory. */
struct codec *codec_new(int level);
void codec_free(struct codec *);

/* Appends n bytes to out, as one zstd frame with a content checksum where that is smaller and want is
 * CODEC_ZSTD, else as they are. The codec used (enum block_codec), or IOTAP_ENOMEM. */
int codec_pack(struct codec *, enum block_codec want, const void *p, size_t n, struct buf *out,
	       struct iotap_error *err);

/* Uncompresses n stored bytes into exactly plain bytes at out. A frame must have its checksum and a
 * window within BLOCK_WINDOW_LOG_MAX. 0, IOTAP_ECORRUPT, or IOTAP_EUNSUPPORTED for other codecs. The
 * caller has checked plain against its limit. */
int codec_unpack(struct codec *, uint32_t codec, const void *p, size_t n, void *out, size_t plain,
		 struct iotap_error *err);

/* The payload of a block of records: the plain bytes, in *plain; they are those of stored, or scratch's.
 * Not for CALLS. Same results as codec_unpack. */
int block_plain(struct codec *, const struct block_head *head, const uint8_t *stored,
		struct buf *scratch, const uint8_t **plain, struct iotap_error *err);

/* Appends a whole block of records (header and payload) to out: sets codec (want, or none where that is
 * not larger), sizes and crc in *head; the other members are the caller's. */
int block_put(struct codec *, enum block_codec want, struct block_head *head, const void *plain,
	      size_t n, struct buf *out, struct iotap_error *err);

#endif
