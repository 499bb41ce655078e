/* rectext_put.c - records, calls and block headers as lines of text */
#include <arpa/inet.h>
#include <string.h>

#include "formats/base/escape.h"
#include "formats/base/utf8.h"
#include "formats/calls.h"
#include "formats/names.h"
#include "formats/rectext.h"
#include "formats/rectext_field.h"

/* -- values -- */

static void
put_u64(struct buf *out, uint64_t v)
{
	(void)buf_printf(out, "%llu", (unsigned long long)v);
}

static void
put_i64(struct buf *out, uint64_t v)
{
	(void)buf_printf(out, "%lld", (long long)v);
}

/* In quotes, reversible. Characters that are harmless on a terminal stand as they are. */
static void
put_quoted(struct buf *out, const struct bytes *v)
{
	(void)buf_putc(out, '"');
	for (uint32_t i = 0; i < v->n;) {
		const uint8_t c = v->p[i];
		uint32_t cp;
		const size_t len = utf8_decode(v->p + i, v->n - i, &cp);

		if (c == '"' || c == '\\')
			(void)buf_printf(out, "\\%c", c);
		else if (c == '\n')
			(void)buf_puts(out, "\\n");
		else if (c == '\t')
			(void)buf_puts(out, "\\t");
		else if (len == 0 || escape_is_control(cp))
			(void)buf_printf(out, "\\x%02x", c);
		else
			(void)buf_put(out, v->p + i, len);
		i += len == 0 || escape_is_control(cp) ? 1 : (uint32_t)len;
	}
	(void)buf_putc(out, '"');
}

static bool
put_address(struct buf *out, const struct bytes *v)
{
	char text[INET6_ADDRSTRLEN];

	if (v->n != 4 && v->n != 16)
		return false;
	(void)buf_puts(out, inet_ntop(v->n == 4 ? AF_INET : AF_INET6, v->p, text, sizeof(text)));
	return true;
}

/* Only if the text would give the same bytes back: every varint as short as it can be. */
static bool
put_list(struct buf *out, const struct bytes *v)
{
	const size_t before = out->len;
	struct bytes_in in = bytes_in(v->p, v->n);
	size_t n = 0;

	while (bytes_left(&in) > 0 && !in.bad) {
		const uint64_t value = bytes_get_varint(&in);
		uint8_t again[BYTES_VARINT_MAX];

		n += bytes_varint_at(again, value);
		(void)buf_putc(out, out->len == before ? '[' : ',');
		put_u64(out, value);
	}
	if (in.bad || n != v->n) {
		out->len = before;
		return false;
	}
	(void)buf_putc(out, ']');
	return true;
}

static void
put_bytes(struct buf *out, enum text_how how, const struct bytes *v)
{
	if (how == TEXT_ADDRESS && put_address(out, v))
		return;
	if (how == TEXT_LIST && put_list(out, v))
		return;
	put_quoted(out, v);
}

static void
put_flags(struct buf *out, uint32_t flags)
{
	const size_t before = out->len;
	uint32_t unknown = 0;

	for (int i = 0; i < 32; i++) {
		const uint32_t bit = flags & 1u << i;
		const char *const name = bit ? text_flag_name(bit) : NULL;

		if (name)
			(void)buf_printf(out, "%s%s", out->len > before ? "|" : "", name);
		else
			unknown |= bit;
	}
	if (unknown || out->len == before)
		(void)buf_printf(out, "%s0x%x", out->len > before ? "|" : "", unknown);
}

static const char *
number_name(const struct text_field *field, uint64_t v)
{
	if (field->how == TEXT_NAMED)
		return text_name(field, v);
	if (field->how == TEXT_CALL)
		return v <= UINT32_MAX ? call_tag((unsigned int)v) : NULL;
	return field->how == TEXT_FAMILY ? name_family(v) : NULL;
}

static void
put_number(struct buf *out, const struct text_field *field, uint64_t v)
{
	const char *const name = number_name(field, v);

	(void)buf_printf(out, " %s=", field->name);
	if (name)
		(void)buf_puts(out, name);
	else if (field->how == TEXT_FLAGS)
		put_flags(out, (uint32_t)v);
	else if (text_is_signed(field->how))
		put_i64(out, v);
	else
		put_u64(out, v);
}

/* -- lines -- */

void
rectext_put_block(struct buf *out, const struct block_head *head, uint64_t session_before)
{
	const char *const name = block_type_name(head->type);

	(void)buf_puts(out, "block ");
	if (name)
		(void)buf_puts(out, name);
	else
		(void)buf_printf(out, "type=%u", head->type);
	if (head->session != session_before)
		(void)buf_printf(out, " session=%llu", (unsigned long long)head->session);
	(void)buf_printf(out, " seq=%llu epoch=%u", (unsigned long long)head->sequence, head->epoch);
	if (head->codec == CODEC_ZSTD)
		(void)buf_puts(out, " codec=zstd");
	if (head->flags & ~(uint32_t)BLOCK_ONE_FRAME)
		(void)buf_printf(out, " flags=%u", head->flags);
	if (head->type != BLOCK_CALLS)
		(void)buf_printf(out, " first=%llu last=%llu", (unsigned long long)head->first_ns,
				 (unsigned long long)head->last_ns);
	(void)buf_putc(out, '\n');
}

static void
put_field(struct buf *out, const struct text_field *field, const void *base)
{
	if (text_is_bytes(field->how)) {
		struct bytes v;

		memcpy(&v, (const char *)base + field->offset, sizeof(v));
		if (v.n > 0) {
			(void)buf_printf(out, " %s=", field->name);
			put_bytes(out, field->how, &v);
		}
	} else {
		const uint64_t v = text_field_get(field, base);

		if (v != 0)
			put_number(out, field, v);
	}
}

void
rectext_put_record(struct buf *out, const struct record *rec)
{
	if (!rec->info) {
		(void)buf_printf(out, "record type=%u body=", rec->type);
		put_quoted(out, &rec->body);
		(void)buf_putc(out, '\n');
		return;
	}
	(void)buf_puts(out, rec->info->name);
	for (uint32_t i = 0; i < rec->info->n_fields; i++) {
		const struct text_field field = text_field_of_record(rec->info, &rec->info->fields[i]);

		put_field(out, &field, &rec->u);
	}
	if (rec->more.n > 0) {
		(void)buf_puts(out, " more=");
		put_quoted(out, &rec->more);
	}
	(void)buf_putc(out, '\n');
}

void
rectext_put_entry(struct buf *out, const struct call_target *target)
{
	(void)buf_puts(out, "entry");
	for (size_t i = 0; i < text_n_entry_fields; i++)
		put_field(out, &text_entry_fields[i], target);
	(void)buf_putc(out, '\n');
}

/* The target of a call by id; one without, and one whose id another entry has too, by its number. */
static void
put_target(struct buf *out, const struct call_columns *c, uint32_t entry, const char *by_id,
	   const char *by_number)
{
	if (entry == 0)
		return;
	if (c->targets[entry - 1].id != 0)
		(void)buf_printf(out, " %s=%llu", by_id, (unsigned long long)c->targets[entry - 1].id);
	else
		(void)buf_printf(out, " %s=%u", by_number, entry);
}

void
rectext_put_call(struct buf *out, const struct call_columns *c, uint32_t i)
{
	struct kr_call call;

	call_columns_row(c, i, &call);
	(void)buf_puts(out, "call");
	for (size_t k = 0; k < text_n_call_fields; k++) {
		const struct text_field *const field = &text_call_fields[k];

		if (field->flag == KF_IDENTITY)
			continue;
		if (field->offset == offsetof(struct kr_call, id))
			put_target(out, c, c->target[i], "id", "entry");
		else if (field->offset == offsetof(struct kr_call, id2))
			put_target(out, c, c->target2[i], "id2", "entry2");
		else if (field->flag && (call.flags & field->flag))
			put_number(out, field, text_field_get(field, &call));
		else if (!field->flag)
			put_field(out, field, &call);
	}
	(void)buf_putc(out, '\n');
}
