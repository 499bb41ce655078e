/* record.h - the records of formats/records.def: their structs, and their bytes
 *
 * A record on the wire is: varint id, varint length of the body, body = its fields in the order of
 * records.def (U varint, I zigzag varint, B varint length and bytes). A body that ends early leaves
 * the remaining fields 0 or empty; bytes after the last known field belong to a later version and
 * are kept aside. A record of an unknown id is skipped by its length.
 *
 * Structs here are decoded forms and are never overlaid on bytes of a file.
 */
#ifndef FORMATS_RECORD_H
#define FORMATS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "formats/base/buf.h"
#include "formats/base/bytes.h"
#include "formats/error.h"

enum {
	FORMAT_MAJOR = 1,		/* a reader refuses a larger one */
	FORMAT_MINOR = 0,
	OS_LINUX = 1,
	REC_BYTES_MAX = 16384,		/* bytes of one B field */
	REC_BODY_MAX = 131072,		/* bytes of the body of a record that this version knows */
};

enum { TARGET_EVICTED = 256 };		/* flag of a target record: its name is no longer known */

/* Bytes of a record: borrowed, not NUL-terminated; p may be NULL when n is 0. */
struct bytes {
	const uint8_t *p;
	uint32_t n;
};

/* struct rec_host, rec_clock ... with uint64_t for U, int64_t for I, struct bytes for B. */
#define RECORD(id, name, text) struct rec_##name {
#define U(record, field, text) uint64_t field;
#define I(record, field, text) int64_t field;
#define B(record, field, text) struct bytes field;
#define RECORD_END(name) };
#include "formats/records.def"
#undef RECORD
#undef U
#undef I
#undef B
#undef RECORD_END

/* REC_host = 1, REC_clock = 2 ... as in the file. */
enum rec_type {
	REC_NONE = 0,
#define RECORD(id, name, text) REC_##name = id,
#define U(record, field, text)
#define I(record, field, text)
#define B(record, field, text)
#define RECORD_END(name)
#include "formats/records.def"
#undef RECORD
#undef RECORD_END
};

/* Any record: u.host, u.clock ... */
union rec_any {
#define RECORD(id, name, text) struct rec_##name name;
#define RECORD_END(name)
#include "formats/records.def"
#undef RECORD
#undef U
#undef I
#undef B
#undef RECORD_END
};

struct rec_field {
	const char *name;
	char how;			/* 'U', 'I' or 'B' */
	uint16_t offset;		/* in the struct */
};

struct rec_info {
	uint32_t type;			/* enum rec_type */
	uint32_t size;			/* of the struct */
	const char *name;
	const struct rec_field *fields;
	uint32_t n_fields;
};

/* One record as read. Bytes are borrowed from the input. */
struct record {
	uint32_t type;			/* enum rec_type, or an id that this version does not know */
	const struct rec_info *info;	/* NULL = unknown id: only raw and body are set */
	struct bytes raw;		/* all of it: id, length, body */
	struct bytes body;
	struct bytes more;		/* what follows the last known field */
	union rec_any u;
};

/* The description of a record type, or NULL; by name ("target"), or NULL. */
const struct rec_info *rec_info(uint32_t type);
const struct rec_info *rec_info_named(const char *name, size_t n);

/* The value of a record's time (time_ns; clock: boot_ns; loss: until_ns), CLOCK_BOOTTIME ns; 0 = the
 * type has none. rec points to the struct of that type. */
uint64_t record_time(uint32_t type, const void *rec);

/* Appends a record. rec points to the struct of that type. 0, IOTAP_ELIMIT for a B field longer than
 * REC_BYTES_MAX, IOTAP_ENOMEM when the buffer fails; then the buffer is as before. */
int record_put(struct buf *b, enum rec_type type, const void *rec, struct iotap_error *err);

/* Appends a record of which only the bytes are known. */
int record_put_raw(struct buf *b, uint32_t type, const void *body, size_t n,
		   struct iotap_error *err);

/* The next record of in: 0 = *out is one (of an unknown type when out->info is NULL), 1 = no more,
 * IOTAP_ECORRUPT. After an error the cursor is at its end. Every call consumes at least two bytes. */
int record_next(struct bytes_in *in, struct record *out, struct iotap_error *err);

/* The next record of a type that this version knows; the others are skipped. Same results. */
int record_next_known(struct bytes_in *in, struct record *out, struct iotap_error *err);

/* A B field from a C string (NULL = empty), or from n bytes; longer than the limit is cut. */
static inline struct bytes
rec_bytes(const void *p, size_t n)
{
	return (struct bytes){.p = p, .n = (uint32_t)(n < REC_BYTES_MAX ? n : REC_BYTES_MAX)};
}

static inline struct bytes
rec_str(const char *s)
{
	return rec_bytes(s, s ? strlen(s) : 0);
}

#endif
