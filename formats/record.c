/* record.c - records to bytes and back, driven by one table of fields made from records.def */
#include "formats/record.h"

#define RECORD(id, name, text) static const struct rec_field fields_##name[] = {
#define U(record, field, text) {#field, 'U', offsetof(struct rec_##record, field)},
#define I(record, field, text) {#field, 'I', offsetof(struct rec_##record, field)},
#define B(record, field, text) {#field, 'B', offsetof(struct rec_##record, field)},
#define RECORD_END(name) };
#include "formats/records.def"
#undef RECORD
#undef U
#undef I
#undef B
#undef RECORD_END

static const struct rec_info infos[] = {
#define RECORD(id, name, text) \
	[id] = {id, sizeof(struct rec_##name), #name, fields_##name, \
		sizeof(fields_##name) / sizeof(fields_##name[0])},
#define U(record, field, text)
#define I(record, field, text)
#define B(record, field, text)
#define RECORD_END(name)
#include "formats/records.def"
};

enum { N_INFOS = sizeof(infos) / sizeof(infos[0]) };

const struct rec_info *
rec_info(uint32_t type)
{
	return type < N_INFOS && infos[type].name ? &infos[type] : NULL;
}

const struct rec_info *
rec_info_named(const char *name, size_t n)
{
	for (uint32_t type = 1; type < N_INFOS; type++) {
		const struct rec_info *const info = &infos[type];

		if (info->name && strlen(info->name) == n && memcmp(info->name, name, n) == 0)
			return info;
	}
	return NULL;
}

uint64_t
record_time(uint32_t type, const void *rec)
{
	const struct rec_info *const info = rec_info(type);
	const char *const name = type == REC_clock ? "boot_ns" : type == REC_loss ? "until_ns" :
				 "time_ns";

	for (uint32_t i = 0; info && i < info->n_fields; i++) {
		if (strcmp(info->fields[i].name, name) == 0)
			return *(const uint64_t *)((const char *)rec + info->fields[i].offset);
	}
	return 0;
}

static uint64_t
field_u64(const void *rec, const struct rec_field *field)
{
	uint64_t v;

	memcpy(&v, (const char *)rec + field->offset, sizeof(v));
	return v;
}

static struct bytes
field_bytes(const void *rec, const struct rec_field *field)
{
	struct bytes v;

	memcpy(&v, (const char *)rec + field->offset, sizeof(v));
	return v;
}

/* U and I fields are kept as the same 64 bits. */
static uint64_t
field_wire(const void *rec, const struct rec_field *field)
{
	const uint64_t v = field_u64(rec, field);

	return field->how == 'I' ? bytes_zigzag((int64_t)v) : v;
}

static size_t
varint_size(uint64_t v)
{
	uint8_t raw[BYTES_VARINT_MAX];

	return bytes_varint_at(raw, v);
}

/* The size of the body; 0 with *bad set to a field over its limit. No body has 0 bytes: every record
 * has fields. */
static size_t
body_size(const struct rec_info *info, const void *rec, const struct rec_field **bad)
{
	size_t n = 0;

	for (uint32_t i = 0; i < info->n_fields; i++) {
		const struct rec_field *const field = &info->fields[i];

		if (field->how == 'B') {
			const uint32_t len = field_bytes(rec, field).n;

			if (len > REC_BYTES_MAX) {
				*bad = field;
				return 0;
			}
			n += varint_size(len) + len;
		} else {
			n += varint_size(field_wire(rec, field));
		}
	}
	return n;
}

static void
body_put(struct buf *b, const struct rec_info *info, const void *rec)
{
	for (uint32_t i = 0; i < info->n_fields; i++) {
		const struct rec_field *const field = &info->fields[i];

		if (field->how == 'B') {
			const struct bytes v = field_bytes(rec, field);

			(void)bytes_put_sized(b, v.p, v.n);
		} else {
			(void)bytes_put_varint(b, field_wire(rec, field));
		}
	}
}

int
record_put(struct buf *b, enum rec_type type, const void *rec, struct iotap_error *err)
{
	const struct rec_info *const info = rec_info(type);
	const struct rec_field *bad = NULL;
	size_t n;

	if (!info)
		return error_set(err, IOTAP_EUSAGE, "record type %u is not known", (unsigned int)type);
	n = body_size(info, rec, &bad);
	if (bad)
		return error_set(err, IOTAP_ELIMIT, "%s record: %s has more than %d bytes", info->name,
				 bad->name, REC_BYTES_MAX);
	if (!buf_reserve(b, n + 2 * BYTES_VARINT_MAX))
		return error_set(err, IOTAP_ENOMEM, "%s record: out of memory", info->name);
	(void)bytes_put_varint(b, type);
	(void)bytes_put_varint(b, n);
	body_put(b, info, rec);
	return 0;
}

int
record_put_raw(struct buf *b, uint32_t type, const void *body, size_t n, struct iotap_error *err)
{
	if (!buf_reserve(b, n + 2 * BYTES_VARINT_MAX))
		return error_set(err, IOTAP_ENOMEM, "record %u: out of memory", type);
	(void)bytes_put_varint(b, type);
	(void)bytes_put_sized(b, body, n);
	return 0;
}

static void
field_set(void *rec, const struct rec_field *field, const void *v, size_t n)
{
	memcpy((char *)rec + field->offset, v, n);
}

static void
field_get(struct bytes_in *in, void *rec, const struct rec_field *field)
{
	if (field->how == 'B') {
		size_t n;
		const uint8_t *const p = bytes_get_sized(in, REC_BYTES_MAX, &n);
		const struct bytes v = {.p = n > 0 ? p : NULL, .n = (uint32_t)n};

		field_set(rec, field, &v, sizeof(v));
	} else {
		const uint64_t wire = bytes_get_varint(in);
		const uint64_t v = field->how == 'I' ? (uint64_t)bytes_unzigzag(wire) : wire;

		field_set(rec, field, &v, sizeof(v));
	}
}

static int
body_get(struct record *out, struct iotap_error *err)
{
	struct bytes_in in = bytes_in(out->body.p, out->body.n);

	memset(&out->u, 0, out->info->size);
	for (uint32_t i = 0; i < out->info->n_fields && bytes_left(&in) > 0; i++) {
		field_get(&in, &out->u, &out->info->fields[i]);
		if (in.bad)
			return error_set(err, IOTAP_ECORRUPT, "%s record: bad %s", out->info->name,
					 out->info->fields[i].name);
	}
	out->more = (struct bytes){.p = in.p, .n = (uint32_t)bytes_left(&in)};
	return 0;
}

int
record_next(struct bytes_in *in, struct record *out, struct iotap_error *err)
{
	const uint8_t *const from = in->p;
	uint64_t type;
	size_t n;
	const uint8_t *body;
	int r;

	if (!in->bad && bytes_left(in) == 0)
		return 1;
	type = bytes_get_varint(in);
	body = bytes_get_sized(in, UINT32_MAX, &n);
	if (in->bad || type > UINT32_MAX)
		return bytes_fail(in), error_set(err, IOTAP_ECORRUPT, "a record runs over the end of its block");
	out->type = (uint32_t)type;
	out->info = rec_info(out->type);
	out->raw = (struct bytes){.p = from, .n = (uint32_t)(in->p - from)};
	out->body = (struct bytes){.p = body, .n = (uint32_t)n};
	out->more = (struct bytes){.p = NULL, .n = 0};
	if (!out->info)
		return 0;
	if (n > REC_BODY_MAX)
		r = error_set(err, IOTAP_ECORRUPT, "%s record of %zu bytes", out->info->name, n);
	else
		r = body_get(out, err);
	if (r < 0)
		bytes_fail(in);
	return r;
}

int
record_next_known(struct bytes_in *in, struct record *out, struct iotap_error *err)
{
	int r;

	do
		r = record_next(in, out, err);
	while (r == 0 && !out->info);
	return r;
}
