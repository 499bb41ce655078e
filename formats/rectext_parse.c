/* rectext_parse.c - one line of text into a record, a call, a dictionary entry or a block header
 *
 * The values of a line are unpacked into scratch, where the bytes of a record stay; it gets all the room
 * it can need before the first of them, and does not move afterwards.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/calls.h"
#include "formats/names.h"
#include "formats/rectext.h"
#include "formats/rectext_field.h"

struct line_in {
	const char *p, *end;
	struct buf *scratch;
	struct iotap_error *err;
};

struct word {
	const char *p;
	size_t n;
};

static bool
word_is(const struct word *w, const char *text)
{
	return strlen(text) == w->n && memcmp(w->p, text, w->n) == 0;
}

static int
wrong(const struct line_in *in, const struct word *w, const char *what)
{
	return error_set(in->err, IOTAP_EUSAGE, "%.*s: %s", (int)(w->n < 80 ? w->n : 80), w->p, what);
}

static void
skip_blanks(struct line_in *in)
{
	while (in->p < in->end && (*in->p == ' ' || *in->p == '\t' || *in->p == '\r'))
		in->p++;
}

/* What stands before the next blank or one of stop. */
static struct word
take_until(struct line_in *in, const char *stop)
{
	const char *const from = in->p;

	while (in->p < in->end && *in->p != ' ' && *in->p != '\t' && *in->p != '\r' &&
	       !(*in->p && strchr(stop, *in->p)))
		in->p++;
	return (struct word){.p = from, .n = (size_t)(in->p - from)};
}

/* -- numbers -- */

static bool
parse_u64(const struct word *w, uint64_t *out)
{
	char text[32];
	char *end;

	if (w->n == 0 || w->n >= sizeof(text) || w->p[0] < '0' || w->p[0] > '9')
		return false;
	memcpy(text, w->p, w->n);
	text[w->n] = '\0';
	errno = 0;
	*out = strtoull(text, &end, text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10);
	return *end == '\0' && errno == 0;
}

static bool
parse_i64(const struct word *w, uint64_t *out)
{
	const bool negative = w->n > 0 && w->p[0] == '-';
	const struct word digits = {.p = w->p + negative, .n = w->n - negative};
	uint64_t v;

	if (!parse_u64(&digits, &v) || v > (uint64_t)INT64_MAX + negative)
		return false;
	*out = negative ? -v : v;
	return true;
}

static bool
parse_result(const struct word *w, uint64_t *out)
{
	const int err = w->n > 1 && w->p[0] == '-' ? name_to_errno(w->p + 1, w->n - 1) : 0;

	if (!err)
		return parse_i64(w, out);
	*out = (uint64_t)-(int64_t)err;
	return true;
}

static bool
parse_flags(const struct word *w, uint64_t *out)
{
	const char *p = w->p;
	const char *const end = w->p + w->n;

	*out = 0;
	while (p < end) {
		const char *const bar = memchr(p, '|', (size_t)(end - p));
		const struct word one = {.p = p, .n = (size_t)((bar ? bar : end) - p)};
		uint64_t bits = text_flag_named(one.p, one.n);

		if (!bits && !parse_u64(&one, &bits))
			return false;
		*out |= bits;
		p = bar ? bar + 1 : end;
	}
	return w->n > 0;
}

static bool
parse_call(const struct word *w, uint64_t *out)
{
	char name[64];

	if (w->n >= sizeof(name))
		return false;
	memcpy(name, w->p, w->n);
	name[w->n] = '\0';
	*out = call_from_name(name);
	return *out != CALL_NONE || parse_u64(w, out);
}

static bool
parse_family(const struct word *w, uint64_t *out)
{
	const int family = name_to_family(w->p, w->n);

	if (family < 0)
		return parse_u64(w, out);
	*out = (uint64_t)family;
	return true;
}

static bool
parse_number(const struct text_field *field, const struct word *w, uint64_t *out)
{
	switch (field->how) {
	case TEXT_NUMBER:
		return parse_u64(w, out);
	case TEXT_SIGNED:
		return parse_i64(w, out);
	case TEXT_NAMED:
		return text_number(field, w->p, w->n, out) || parse_u64(w, out);
	case TEXT_CALL:
		return parse_call(w, out);
	case TEXT_FAMILY:
		return parse_family(w, out);
	case TEXT_FLAGS:
		return parse_flags(w, out);
	case TEXT_RESULT:
		return parse_result(w, out);
	case TEXT_BYTES:
	case TEXT_ADDRESS:
	case TEXT_LIST:
		break;
	}
	return false;
}

/* -- bytes -- */

static int
hex_digit(char c)
{
	const char *const digits = "0123456789abcdef";
	const char *const at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c | 0x20 : c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* The character after a backslash: -1 = there is no such escape. */
static int
parse_escape(struct line_in *in)
{
	const char c = in->p < in->end ? *in->p++ : '\0';
	int high, low;

	if (c == 'n')
		return '\n';
	if (c == 't')
		return '\t';
	if (c == '"' || c == '\\')
		return c;
	if (c != 'x' || in->end - in->p < 2)
		return -1;
	high = hex_digit(in->p[0]);
	low = hex_digit(in->p[1]);
	in->p += 2;
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static bool
parse_quoted(struct line_in *in)
{
	in->p++;
	while (in->p < in->end && *in->p != '"') {
		int c = (unsigned char)*in->p++;

		if (c == '\\')
			c = parse_escape(in);
		if (c < 0 || !bytes_put_u8(in->scratch, (uint8_t)c))
			return false;
	}
	return in->p < in->end && *in->p++ == '"';
}

static bool
parse_list(struct line_in *in)
{
	in->p++;
	while (in->p < in->end && *in->p != ']') {
		const struct word one = take_until(in, ",]");
		uint64_t v;

		if (!parse_u64(&one, &v) || !bytes_put_varint(in->scratch, v))
			return false;
		if (in->p < in->end && *in->p == ',')
			in->p++;
	}
	return in->p < in->end && *in->p++ == ']';
}

static bool
parse_address(struct line_in *in)
{
	const struct word w = take_until(in, "");
	char text[64];
	uint8_t raw[16];
	size_t n = 0;

	if (w.n >= sizeof(text))
		return false;
	memcpy(text, w.p, w.n);
	text[w.n] = '\0';
	if (inet_pton(AF_INET, text, raw) == 1)
		n = 4;
	else if (inet_pton(AF_INET6, text, raw) == 1)
		n = 16;
	return n > 0 && buf_put(in->scratch, raw, n);
}

static bool
parse_bytes(struct line_in *in, enum text_how how, struct bytes *out)
{
	const size_t at = in->scratch->len;
	const char first = in->p < in->end ? *in->p : '\0';
	bool ok = false;

	if (first == '"')
		ok = parse_quoted(in);
	else if (how == TEXT_LIST && first == '[')
		ok = parse_list(in);
	else if (how == TEXT_ADDRESS)
		ok = parse_address(in);
	out->p = in->scratch->data + at;
	out->n = (uint32_t)(in->scratch->len - at);
	return ok && out->n <= UINT32_MAX;
}

/* -- fields -- */

/* The next "name=": 0, 1 = the line ends, IOTAP_EUSAGE. */
static int
next_name(struct line_in *in, struct word *name)
{
	skip_blanks(in);
	if (in->p == in->end || *in->p == '#')
		return 1;
	*name = take_until(in, "=");
	if (in->p == in->end || *in->p != '=')
		return wrong(in, name, "no = follows");
	in->p++;
	return 0;
}

static int
take_number(struct line_in *in, const struct text_field *field, const struct word *name, uint64_t *v)
{
	const struct word value = take_until(in, "");

	return parse_number(field, &value, v) ? 0 : wrong(in, name, "bad value");
}

static int
take_field(struct line_in *in, const struct text_field *field, const struct word *name, void *base)
{
	uint64_t v;
	struct bytes bytes;
	int r;

	if (text_is_bytes(field->how)) {
		if (!parse_bytes(in, field->how, &bytes))
			return wrong(in, name, "bad value");
		memcpy((char *)base + field->offset, &bytes, sizeof(bytes));
		return 0;
	}
	r = take_number(in, field, name, &v);
	if (r == 0 && !text_field_set(field, base, v))
		return wrong(in, name, "does not fit");
	return r;
}

/* -- lines -- */

static int
parse_record(struct line_in *in, const struct rec_info *info, struct rectext_line *out)
{
	struct word name;
	int r;

	out->what = RECTEXT_RECORD;
	out->type = info->type;
	while ((r = next_name(in, &name)) == 0) {
		uint32_t i = 0;

		while (i < info->n_fields && !word_is(&name, info->fields[i].name))
			i++;
		if (i < info->n_fields) {
			const struct text_field field = text_field_of_record(info, &info->fields[i]);

			r = take_field(in, &field, &name, &out->u);
		} else if (word_is(&name, "more")) {
			r = parse_bytes(in, TEXT_BYTES, &out->more) ? 0 : wrong(in, &name, "bad value");
		} else {
			r = wrong(in, &name, "no such field");
		}
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

static int
parse_unknown(struct line_in *in, struct rectext_line *out)
{
	static const struct text_field type = {.record = "record", .name = "type", .how = TEXT_NUMBER,
					       .offset = offsetof(struct rectext_line, type), .size = 4};
	static const struct text_field body = {.record = "record", .name = "body", .how = TEXT_BYTES,
					       .offset = offsetof(struct rectext_line, more),
					       .size = sizeof(struct bytes)};
	struct word name;
	int r;

	out->what = RECTEXT_RECORD;
	while ((r = next_name(in, &name)) == 0) {
		if (word_is(&name, "type"))
			r = take_field(in, &type, &name, out);
		else if (word_is(&name, "body"))
			r = take_field(in, &body, &name, out);
		else
			r = wrong(in, &name, "no such field");
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

static const struct text_field *
find_field(const struct text_field *fields, size_t n, const struct word *name)
{
	for (size_t i = 0; i < n; i++) {
		if (word_is(name, fields[i].name))
			return &fields[i];
	}
	return NULL;
}

static int
parse_call_line(struct line_in *in, struct rectext_line *out)
{
	static const struct text_field entry = {.record = "call", .name = "entry", .how = TEXT_NUMBER};
	uint32_t implied = 0;
	struct word name;
	int r;

	out->what = RECTEXT_CALL;
	out->call.fd = out->call.fd2 = -1;
	while ((r = next_name(in, &name)) == 0) {
		const struct text_field *const field = find_field(text_call_fields, text_n_call_fields, &name);
		const bool second = word_is(&name, "entry2");
		uint64_t v = 0;

		if (field) {
			r = take_field(in, field, &name, &out->call);
			implied |= field->flag;
		} else if (second || word_is(&name, "entry")) {
			r = take_number(in, &entry, &name, &v);
			if (r == 0 && v > UINT32_MAX)
				r = wrong(in, &name, "does not fit");
			*(second ? &out->entry2 : &out->entry) = (uint32_t)v;
			implied |= second ? KF_SECOND : 0;
		} else {
			r = wrong(in, &name, "no such field");
		}
		if (r < 0)
			return r;
	}
	out->call.flags |= implied;
	return r < 0 ? r : 0;
}

static int
parse_entry_line(struct line_in *in, struct rectext_line *out)
{
	struct word name;
	int r;

	out->what = RECTEXT_ENTRY;
	while ((r = next_name(in, &name)) == 0) {
		const struct text_field *const field = find_field(text_entry_fields, text_n_entry_fields, &name);

		r = field ? take_field(in, field, &name, &out->target) : wrong(in, &name, "no such field");
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

#define BLOCK_FIELD(name, member, bit) \
	{"block", name, TEXT_NUMBER, offsetof(struct block_head, member), \
	 sizeof(((struct block_head *)NULL)->member), bit}

/* flag: that the field was given */
static const struct text_field block_fields[] = {
	BLOCK_FIELD("seq", sequence, RECTEXT_HAS_SEQUENCE),
	BLOCK_FIELD("session", session, RECTEXT_HAS_SESSION),
	BLOCK_FIELD("epoch", epoch, RECTEXT_HAS_EPOCH),
	BLOCK_FIELD("first", first_ns, RECTEXT_HAS_FIRST),
	BLOCK_FIELD("last", last_ns, RECTEXT_HAS_LAST),
	BLOCK_FIELD("flags", flags, RECTEXT_HAS_FLAGS),
};

static int
parse_codec(struct line_in *in, const struct word *name, struct block_head *head)
{
	const struct word value = take_until(in, "");

	if (word_is(&value, "zstd"))
		head->codec = CODEC_ZSTD;
	else if (!word_is(&value, "none"))
		return wrong(in, name, "neither none nor zstd");
	return 0;
}

static int
parse_block_line(struct line_in *in, struct rectext_line *out)
{
	struct word name;
	int r;

	out->what = RECTEXT_BLOCK;
	skip_blanks(in);
	name = take_until(in, "");
	out->head.type = (uint8_t)block_type_named(name.p, name.n);
	if (!out->head.type)
		return wrong(in, &name, "no such type of block");
	while ((r = next_name(in, &name)) == 0) {
		const struct text_field *const field =
			find_field(block_fields, sizeof(block_fields) / sizeof(block_fields[0]), &name);

		if (field) {
			r = take_field(in, field, &name, &out->head);
			out->given |= field->flag;
		} else {
			r = word_is(&name, "codec") ? parse_codec(in, &name, &out->head) :
			    wrong(in, &name, "no such field");
		}
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

int
rectext_parse(const char *line, size_t n, struct buf *scratch, struct rectext_line *out,
	      struct iotap_error *err)
{
	struct line_in in = {.p = line, .end = line + n, .scratch = scratch, .err = err};
	const struct rec_info *info;
	struct word first;

	memset(out, 0, sizeof(*out));
	buf_clear(scratch);
	/* "::" is two characters and sixteen bytes: nothing grows more. */
	if (!buf_reserve(scratch, 8 * n + 16))
		return error_set(err, IOTAP_ENOMEM, "a line of %zu bytes: out of memory", n);
	skip_blanks(&in);
	if (in.p == in.end || *in.p == '#')
		return 0;
	first = take_until(&in, "");
	info = rec_info_named(first.p, first.n);
	if (info)
		return parse_record(&in, info, out);
	if (word_is(&first, "call"))
		return parse_call_line(&in, out);
	if (word_is(&first, "entry"))
		return parse_entry_line(&in, out);
	if (word_is(&first, "block"))
		return parse_block_line(&in, out);
	if (word_is(&first, "record"))
		return parse_unknown(&in, out);
	return wrong(&in, &first, "neither block, call, entry nor a record");
}
