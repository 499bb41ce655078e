/* rectext_field.c - which fields a line has, and how each is written */
#include "formats/rectext_field.h"

#include "formats/call_block.h"
#include "formats/kernel_record.h"

static const struct text_named {
	const char *record, *field;
	uint64_t number;
	const char *name;
} nameds[] = {
#define NAMED(record, field, number, name) {#record, #field, number, #name},
#define SHOWN(record, field, how)
#define FLAG(bit, name)
#include "formats/rectext.def"
#undef NAMED
#undef SHOWN
#undef FLAG
};

static const struct text_shown {
	const char *record, *field;
	enum text_how how;
} showns[] = {
#define NAMED(record, field, number, name)
#define SHOWN(record, field, how) {#record, #field, TEXT_##how},
#define FLAG(bit, name)
#include "formats/rectext.def"
#undef NAMED
#undef SHOWN
#undef FLAG
};

static const struct text_flag {
	uint32_t bit;
	const char *name;
} flags[] = {
#define NAMED(record, field, number, name)
#define SHOWN(record, field, how)
#define FLAG(bit, name) {bit, #name},
#include "formats/rectext.def"
};

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define CALL_FIELD(name, member, how, flag) \
	{"call", name, how, offsetof(struct kr_call, member), \
	 sizeof(((struct kr_call *)NULL)->member), flag}
#define ENTRY_FIELD(member, how) \
	{"target", #member, how, offsetof(struct call_target, member), \
	 sizeof(((struct call_target *)NULL)->member), 0}

/* In the order in which they are written. dev, ino and mode are read only: entries have them. */
const struct text_field text_call_fields[] = {
	CALL_FIELD("key", key_ns, TEXT_NUMBER, 0),
	CALL_FIELD("duration", duration_ns, TEXT_NUMBER, 0),
	CALL_FIELD("call", call, TEXT_CALL, 0),
	CALL_FIELD("flags", flags, TEXT_FLAGS, 0),
	CALL_FIELD("tid", tid, TEXT_NUMBER, 0),
	CALL_FIELD("tgid", tgid, TEXT_NUMBER, 0),
	CALL_FIELD("cpu", cpu, TEXT_NUMBER, 0),
	CALL_FIELD("fd", fd, TEXT_SIGNED, KF_FD),
	CALL_FIELD("id", id, TEXT_NUMBER, 0),
	CALL_FIELD("requested", requested, TEXT_NUMBER, KF_REQUESTED),
	CALL_FIELD("result", result, TEXT_RESULT, 0),
	CALL_FIELD("offset", offset, TEXT_SIGNED, KF_OFFSET),
	CALL_FIELD("fd2", fd2, TEXT_SIGNED, KF_SECOND),
	CALL_FIELD("id2", id2, TEXT_NUMBER, KF_SECOND),
	CALL_FIELD("arg0", arg0, TEXT_NUMBER, KF_ARGS),
	CALL_FIELD("arg1", arg1, TEXT_NUMBER, KF_ARGS),
	CALL_FIELD("dev", dev, TEXT_NUMBER, KF_IDENTITY),
	CALL_FIELD("ino", ino, TEXT_NUMBER, KF_IDENTITY),
	CALL_FIELD("mode", mode, TEXT_NUMBER, KF_IDENTITY),
};
const size_t text_n_call_fields = N(text_call_fields);

const struct text_field text_entry_fields[] = {
	ENTRY_FIELD(id, TEXT_NUMBER), ENTRY_FIELD(kind, TEXT_NAMED), ENTRY_FIELD(dev, TEXT_NUMBER),
	ENTRY_FIELD(ino, TEXT_NUMBER), ENTRY_FIELD(mode, TEXT_NUMBER),
};
const size_t text_n_entry_fields = N(text_entry_fields);

struct text_field
text_field_of_record(const struct rec_info *info, const struct rec_field *field)
{
	struct text_field out = {.record = info->name, .name = field->name, .offset = field->offset,
				 .how = field->how == 'B' ? TEXT_BYTES :
					field->how == 'I' ? TEXT_SIGNED : TEXT_NAMED,
				 .size = field->how == 'B' ? sizeof(struct bytes) : sizeof(uint64_t)};

	for (size_t i = 0; i < N(showns); i++) {
		if (strcmp(showns[i].record, info->name) == 0 && strcmp(showns[i].field, field->name) == 0)
			out.how = showns[i].how;
	}
	return out;
}

static bool
is_of(const struct text_named *named, const struct text_field *field)
{
	return strcmp(named->record, field->record) == 0 && strcmp(named->field, field->name) == 0;
}

const char *
text_name(const struct text_field *field, uint64_t number)
{
	for (size_t i = 0; i < N(nameds); i++) {
		if (nameds[i].number == number && is_of(&nameds[i], field))
			return nameds[i].name;
	}
	return NULL;
}

static bool
same(const char *name, const char *p, size_t n)
{
	return strlen(name) == n && memcmp(name, p, n) == 0;
}

bool
text_number(const struct text_field *field, const char *name, size_t n, uint64_t *number)
{
	for (size_t i = 0; i < N(nameds); i++) {
		if (same(nameds[i].name, name, n) && is_of(&nameds[i], field)) {
			*number = nameds[i].number;
			return true;
		}
	}
	return false;
}

const char *
text_flag_name(uint32_t bit)
{
	for (size_t i = 0; i < N(flags); i++) {
		if (flags[i].bit == bit)
			return flags[i].name;
	}
	return NULL;
}

uint32_t
text_flag_named(const char *name, size_t n)
{
	for (size_t i = 0; i < N(flags); i++) {
		if (same(flags[i].name, name, n))
			return flags[i].bit;
	}
	return 0;
}

uint64_t
text_field_get(const struct text_field *field, const void *base)
{
	const char *const at = (const char *)base + field->offset;
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	if (field->size == 8) {
		memcpy(&u64, at, sizeof(u64));
		return u64;
	}
	if (field->size == 4) {
		memcpy(&u32, at, sizeof(u32));
		return text_is_signed(field->how) ? (uint64_t)(int64_t)(int32_t)u32 : u32;
	}
	memcpy(&u16, at, sizeof(u16));
	return u16;
}

bool
text_field_set(const struct text_field *field, void *base, uint64_t v)
{
	char *const at = (char *)base + field->offset;

	if (field->size == 8)
		memcpy(at, &v, sizeof(v));
	else if (field->size == 4)
		memcpy(at, &(uint32_t){(uint32_t)v}, sizeof(uint32_t));
	else
		memcpy(at, &(uint16_t){(uint16_t)v}, sizeof(uint16_t));
	return text_field_get(field, base) == v;
}
