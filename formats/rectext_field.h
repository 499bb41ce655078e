/* rectext_field.h - which fields a line has, and how each is written: shared by both directions */
#ifndef FORMATS_RECTEXT_FIELD_H
#define FORMATS_RECTEXT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/record.h"

enum text_how {
	TEXT_NUMBER,			/* unsigned, decimal or 0x */
	TEXT_SIGNED,
	TEXT_NAMED,			/* a number that may have a name, rectext.def */
	TEXT_CALL, TEXT_FAMILY,
	TEXT_FLAGS,			/* of a call: names joined by | */
	TEXT_RESULT,			/* signed, or -ENOENT */
	TEXT_BYTES,			/* in quotes */
	TEXT_ADDRESS, TEXT_LIST,	/* bytes with a form of their own */
};

/* A field of a struct in memory: a number of 1, 2, 4 or 8 bytes, or a struct bytes. */
struct text_field {
	const char *record, *name;
	enum text_how how;
	uint16_t offset, size;
	uint32_t flag;			/* call lines: KF_... that goes with the field, 0 = none */
};

/* How a field of a record type is written. */
struct text_field text_field_of_record(const struct rec_info *, const struct rec_field *);

/* The fields of call, entry and block lines. */
extern const struct text_field text_call_fields[], text_entry_fields[];
extern const size_t text_n_call_fields, text_n_entry_fields;

/* Names of TEXT_NAMED, and back; NULL, false = none. */
const char *text_name(const struct text_field *, uint64_t number);
bool text_number(const struct text_field *, const char *name, size_t n, uint64_t *number);

/* Flags of calls by name; NULL, 0 = none. */
const char *text_flag_name(uint32_t bit);
uint32_t text_flag_named(const char *name, size_t n);

/* The number in a field, sign-extended where it is signed; and setting it: false if it does not fit. */
uint64_t text_field_get(const struct text_field *, const void *base);
bool text_field_set(const struct text_field *, void *base, uint64_t v);

static inline bool
text_is_signed(enum text_how how)
{
	return how == TEXT_SIGNED || how == TEXT_RESULT;
}

static inline bool
text_is_bytes(enum text_how how)
{
	return how == TEXT_BYTES || how == TEXT_ADDRESS || how == TEXT_LIST;
}

#endif
