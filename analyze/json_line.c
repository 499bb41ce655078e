/* json_line.c - one line of JSON Lines, taken apart into the members that are asked for: RFC 8259
 *
 * Whole numbers stay exact, strings come without their escapes, objects and lists as the text they are.
 * Members come in the same order in nearly every line, so the one that followed last time is looked at
 * first. Of two members with one name the first one counts.
 */
#include "analyze/json_line.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/buf.h"
#include "formats/iotap.h"

enum { JSON_DEPTH = 200 };		/* of objects and lists in each other */

enum json_kind { JSON_IS_NOTHING, JSON_IS_INTEGER, JSON_IS_REAL, JSON_IS_TEXT, JSON_IS_NESTED };

struct json_value {
	uint64_t of_line;		/* older ones are of another line */
	enum json_kind kind;
	int64_t number;
	const char *p;
	size_t n;
};

struct json_line {
	uint64_t number;
	struct json_value values[JSON_FIELDS];
	int after[JSON_FIELDS + 1];	/* which member came behind this one, and first, the last time */
	struct buf strings;		/* of the line, each with a NUL; has room for all from the start */
};

struct reading {
	const char *p, *end;
	struct buf *strings;		/* NULL: nobody wants them */
};

static const struct {
	const char *name;
	size_t n;
} fields[] = {
#define FIELD(name, path) {(path) + 2, sizeof(path) - 3},
#include "analyze/json_fields.def"
#undef FIELD
};

struct json_line *
json_line_new(struct iotap_error *err)
{
	struct json_line *const line = calloc(1, sizeof(*line));

	if (!line)
		(void)error_set(err, IOTAP_ENOMEM, "out of memory");
	return line;
}

void
json_line_free(struct json_line *line)
{
	if (line)
		buf_free(&line->strings);
	free(line);
}

/* -- reading -- */

static void
pass_blanks(struct reading *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'))
		r->p++;
}

static bool
pass(struct reading *r, char c)
{
	pass_blanks(r);
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

/* As UTF-8; cp is no surrogate and within Unicode. */
static void
put_code_point(struct buf *out, uint32_t cp)
{
	if (cp < 0x80) {
		(void)buf_putc(out, (char)cp);
		return;
	}
	if (cp < 0x800) {
		(void)buf_putc(out, (char)(0xc0 | cp >> 6));
	} else if (cp < 0x10000) {
		(void)buf_putc(out, (char)(0xe0 | cp >> 12));
		(void)buf_putc(out, (char)(0x80 | (cp >> 6 & 0x3f)));
	} else {
		(void)buf_putc(out, (char)(0xf0 | cp >> 18));
		(void)buf_putc(out, (char)(0x80 | (cp >> 12 & 0x3f)));
		(void)buf_putc(out, (char)(0x80 | (cp >> 6 & 0x3f)));
	}
	(void)buf_putc(out, (char)(0x80 | (cp & 0x3f)));
}

/* Four hexadecimal digits. */
static bool
read_unit(struct reading *r, uint32_t *unit)
{
	*unit = 0;
	for (int i = 0; i < 4; i++, r->p++) {
		const char *const digits = "0123456789abcdef";
		const char *const at = r->p < r->end && *r->p != '\0' ? strchr(digits, *r->p | 0x20) : NULL;

		if (!at)
			return false;
		*unit = *unit << 4 | (uint32_t)(at - digits);
	}
	return true;
}

/* Behind "\u"; two of them may be one character. */
static bool
read_code_point(struct reading *r)
{
	uint32_t cp, low;

	if (!read_unit(r, &cp))
		return false;
	if (cp >= 0xd800 && cp < 0xdc00 && r->end - r->p >= 6 && r->p[0] == '\\' && r->p[1] == 'u') {
		r->p += 2;
		if (!read_unit(r, &low))
			return false;
		cp = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
	} else if (cp >= 0xd800 && cp < 0xe000) {
		cp = 0xfffd;
	}
	if (r->strings)
		put_code_point(r->strings, cp);
	return true;
}

static bool
read_escape(struct reading *r)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (r->p == r->end || *r->p == '\0')
		return false;
	if (*r->p == 'u') {
		r->p++;
		return read_code_point(r);
	}
	at = strchr(from, *r->p++);
	if (at && r->strings)
		(void)buf_putc(r->strings, to[at - from]);
	return at != NULL;
}

/* Behind the quote, to behind the other. */
static bool
read_string(struct reading *r)
{
	for (;;) {
		const char *const from = r->p;

		while (r->p < r->end && *r->p != '"' && *r->p != '\\' && (unsigned char)*r->p >= 0x20)
			r->p++;
		if (r->strings)
			(void)buf_put(r->strings, from, (size_t)(r->p - from));
		if (r->p == r->end || (unsigned char)*r->p < 0x20)
			return false;
		if (*r->p++ == '"')
			return true;
		if (!read_escape(r))
			return false;
	}
}

static size_t
pass_digits(struct reading *r)
{
	const char *const from = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	return (size_t)(r->p - from);
}

/* What is too large for 64 bits is no whole number. */
static bool
whole_number(const char *p, const char *end, int64_t *out)
{
	const bool negative = *p == '-';
	int64_t v = 0;

	for (p += negative ? 1 : 0; p < end; p++) {
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, *p - '0', &v))
			return false;
	}
	if (!negative && v == INT64_MIN)
		return false;
	*out = negative ? v : -v;
	return true;
}

static bool
read_number(struct reading *r, struct json_value *v)
{
	const char *const from = r->p;
	size_t n;

	r->p += *r->p == '-' ? 1 : 0;
	v->kind = JSON_IS_REAL;
	n = pass_digits(r);
	if (n == 0 || (n > 1 && r->p[-(ptrdiff_t)n] == '0'))
		return false;
	if (r->p == r->end || !memchr(".eE", *r->p, 3)) {
		if (whole_number(from, r->p, &v->number))
			v->kind = JSON_IS_INTEGER;
		return true;
	}
	if (*r->p == '.') {
		r->p++;
		if (pass_digits(r) == 0)
			return false;
	}
	if (r->p < r->end && (*r->p == 'e' || *r->p == 'E')) {
		r->p++;
		r->p += r->p < r->end && (*r->p == '+' || *r->p == '-') ? 1 : 0;
		return pass_digits(r) > 0;
	}
	return true;
}

static bool
read_word(struct reading *r, struct json_value *v)
{
	static const struct {
		const char *word;
		enum json_kind kind;
		int64_t number;
	} words[] = {{"null", JSON_IS_NOTHING, 0}, {"true", JSON_IS_INTEGER, 1}, {"false", JSON_IS_INTEGER, 0}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const size_t n = strlen(words[i].word);

		if ((size_t)(r->end - r->p) >= n && memcmp(r->p, words[i].word, n) == 0) {
			v->kind = words[i].kind;
			v->number = words[i].number;
			r->p += n;
			return true;
		}
	}
	return false;
}

static bool read_value(struct reading *r, struct json_value *v, unsigned int depth);

/* Behind the bracket that opened it: members or elements, to behind the one that closes it. */
static bool
read_nested(struct reading *r, char closing, unsigned int depth)
{
	struct json_value v;

	if (depth == 0)
		return false;
	if (pass(r, closing))
		return true;
	do {
		if (closing == '}' && (!pass(r, '"') || !read_string(r) || !pass(r, ':')))
			return false;
		if (!read_value(r, &v, depth - 1))
			return false;
	} while (pass(r, ','));
	return pass(r, closing);
}

static bool
read_value(struct reading *r, struct json_value *v, unsigned int depth)
{
	struct buf *const strings = r->strings;
	bool ok;

	pass_blanks(r);
	if (r->p == r->end)
		return false;
	v->p = r->p;
	if (*r->p == '"') {
		const size_t at = strings ? strings->len : 0;

		r->p++;
		v->kind = JSON_IS_TEXT;
		ok = read_string(r);
		v->n = strings ? strings->len - at : 0;
		if (strings && buf_putc(strings, '\0'))
			v->p = (const char *)strings->data + at;
	} else if (*r->p == '{' || *r->p == '[') {
		const char closing = *r->p++ == '{' ? '}' : ']';

		v->kind = JSON_IS_NESTED;
		r->strings = NULL;
		ok = read_nested(r, closing, depth);
		r->strings = strings;
		v->n = (size_t)(r->p - v->p);
	} else if (*r->p == '-' || (*r->p >= '0' && *r->p <= '9')) {
		ok = read_number(r, v);
	} else {
		ok = read_word(r, v);
	}
	return ok;
}

/* -- a line -- */

static bool
is_field(int field, const char *name, size_t n)
{
	return fields[field].n == n && memcmp(fields[field].name, name, n) == 0;
}

/* Which member a name is; JSON_FIELDS = none that is asked for. */
static int
field_of(struct json_line *line, int before, const char *name, size_t n)
{
	const int guess = line->after[before];

	if (guess < JSON_FIELDS && is_field(guess, name, n))
		return guess;
	for (int i = 0; i < JSON_FIELDS; i++) {
		if (is_field(i, name, n)) {
			line->after[before] = i;
			return i;
		}
	}
	return JSON_FIELDS;
}

static bool
read_member(struct json_line *line, struct reading *r, int *before)
{
	struct buf *const strings = r->strings;
	struct json_value ignored;
	struct json_value *v = &ignored;
	const char *name;
	size_t n;
	int field;

	if (!pass(r, '"'))
		return false;
	name = r->p;
	r->strings = NULL;
	if (!read_string(r))
		return false;
	n = (size_t)(r->p - name) - 1;
	field = field_of(line, *before, name, n);
	if (field < JSON_FIELDS) {
		*before = field;
		if (line->values[field].of_line != line->number) {
			v = &line->values[field];
			r->strings = strings;
		}
	}
	if (!pass(r, ':') || !read_value(r, v, JSON_DEPTH))
		return false;
	v->of_line = line->number;
	r->strings = strings;
	return true;
}

bool
json_line_parse(struct json_line *line, const char *p, size_t n)
{
	struct reading r = {.p = p, .end = p + n, .strings = &line->strings};
	int before = JSON_FIELDS;

	line->number++;
	buf_clear(&line->strings);
	if (!buf_reserve(&line->strings, n + 1) || !pass(&r, '{'))	/* no string is longer than its quotes */
		return false;
	if (!pass(&r, '}')) {
		do {
			if (!read_member(line, &r, &before))
				return false;
		} while (pass(&r, ','));
		if (!pass(&r, '}'))
			return false;
	}
	pass_blanks(&r);
	return r.p == r.end && buf_ok(&line->strings);
}

bool
json_line_item(const char *list, size_t n, size_t *at, const char **item, size_t *item_n)
{
	struct reading r = {.p = list + *at, .end = list + n};
	struct json_value v = {.n = 0};

	if (!pass(&r, *at == 0 ? '[' : ',') || !read_value(&r, &v, JSON_DEPTH) || v.kind != JSON_IS_NESTED)
		return false;
	*at = (size_t)(r.p - list);
	*item = v.p;
	*item_n = v.n;
	return true;
}

/* -- its members -- */

static const struct json_value *
value_of(const struct json_line *line, enum json_field field, enum json_kind kind)
{
	const struct json_value *const v = &line->values[field];

	return v->of_line == line->number && v->kind == kind ? v : NULL;
}

uint64_t
json_line_u64(const struct json_line *line, enum json_field field)
{
	const struct json_value *const v = value_of(line, field, JSON_IS_INTEGER);

	return v && v->number >= 0 ? (uint64_t)v->number : IOTAP_UNKNOWN;
}

int64_t
json_line_i64(const struct json_line *line, enum json_field field, int64_t absent)
{
	const struct json_value *const v = value_of(line, field, JSON_IS_INTEGER);

	return v ? v->number : absent;
}

const char *
json_line_text(const struct json_line *line, enum json_field field, size_t *n)
{
	const struct json_value *v = value_of(line, field, JSON_IS_TEXT);

	if (!v)
		v = value_of(line, field, JSON_IS_NESTED);
	*n = v ? v->n : 0;
	return v ? v->p : NULL;
}

bool
json_line_is(const struct json_line *line, enum json_field field, const char *text)
{
	size_t n;
	const char *const value = json_line_text(line, field, &n);

	return value && n == strlen(text) && memcmp(value, text, n) == 0;
}

bool
json_line_name(const struct json_line *line, enum json_field field, enum json_field hex_field, char *out, size_t size,
	  size_t *len)
{
	size_t n;
	const char *const hex = json_line_text(line, hex_field, &n);
	const char *text = hex ? hex : json_line_text(line, field, &n);

	if (!text)
		return false;
	*len = 0;
	for (size_t i = 0; i < n && *len < size - 1; i += hex ? 2 : 1) {
		const char pair[] = {text[i], hex && i + 1 < n ? text[i + 1] : '\0', '\0'};

		out[(*len)++] = hex ? (char)strtoul(pair, NULL, 16) : text[i];
	}
	out[*len] = '\0';
	return true;
}
