/* error.c - how a failure travels: a pinned negative number, and its text stored once */
#include "formats/error.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "formats/base/escape.h"

struct error_row {
	int code;
	const char *name;
	const char *text;
};

static const struct error_row rows[] = {
#define ERROR(name, number, text) {-(number), "IOTAP_" #name, text},
#include "formats/errors.def"
#undef ERROR
};

/* Adds text at the end of *err's, cut at a whole character. */
static void
error_append(struct iotap_error *err, const char *text)
{
	const size_t used = strlen(err->text);

	(void)escape_str(err->text + used, sizeof(err->text) - used, text);
}

static const struct error_row *
error_row(int code)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].code == code)
			return &rows[i];
	}
	return NULL;
}

int
error_vset(struct iotap_error *err, int code, const char *fmt, va_list ap)
{
	const int saved = errno;
	char raw[IOTAP_ERROR_TEXT_SIZE];

	if (err) {
		if (vsnprintf(raw, sizeof(raw), fmt, ap) < 0)
			raw[0] = '\0';
		err->code = code;
		(void)escape_str(err->text, sizeof(err->text), raw);
	}
	errno = saved;
	return code;
}

int
error_set(struct iotap_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)error_vset(err, code, fmt, ap);
	va_end(ap);
	return code;
}

int
error_errno(struct iotap_error *err, int code, int errno_value, const char *fmt, ...)
{
	const int saved = errno;
	char why[96];
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	(void)error_vset(err, code, fmt, ap);
	va_end(ap);
	error_append(err, ": ");
	error_append(err, strerror_r(errno_value, why, sizeof(why)));
	errno = saved;
	return code;
}

int
error_prefix(struct iotap_error *err, const char *fmt, ...)
{
	struct iotap_error before;
	va_list ap;

	if (!err)
		return 0;
	before = *err;
	va_start(ap, fmt);
	(void)error_vset(err, before.code, fmt, ap);
	va_end(ap);
	error_append(err, ": ");
	error_append(err, before.text);
	return before.code;
}

void
error_clear(struct iotap_error *err)
{
	*err = (struct iotap_error){.code = 0};
}

const char *
error_text(int code)
{
	const struct error_row *const row = error_row(code);

	if (code == 0)
		return "no error";
	return row ? row->text : "unknown error";
}

const char *
error_name(int code)
{
	const struct error_row *const row = error_row(code);

	return row ? row->name : NULL;
}
