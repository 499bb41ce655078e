/* error.h - how a failure travels: a pinned negative number, and its text stored once
 *
 * A function that can fail returns 0 or a negative IOTAP_E... and, where the failure is first
 * known, stores the text: "return error_set(err, IOTAP_ECORRUPT, ...)". Callers pass the number up
 * untouched. Positive results are not errors: 1 is "no more" or "not yet". The numbers are listed
 * for users in formats/iotap.h too; a unit test compares the two lists.
 */
#ifndef FORMATS_ERROR_H
#define FORMATS_ERROR_H

#include <stdarg.h>

/* formats/iotap.h spells the same enum out under the same guard; whichever comes first counts. */
#ifndef IOTAP_ERROR_CODES
#define IOTAP_ERROR_CODES
enum iotap_error_code {
#define ERROR(name, number, text) IOTAP_##name = -(number),
#include "formats/errors.def"
#undef ERROR
};
#endif

#define IOTAP_ERROR_TEXT_SIZE 512

/* In a handle or on the caller's stack; all zeroes = no error. */
struct iotap_error {
	int code;			/* 0 or IOTAP_E... */
	char text[IOTAP_ERROR_TEXT_SIZE];	/* one line, no '\n', no program name, printable */
};

/* Stores code and text in *err (NULL = only the number is wanted) and returns code. The text is
 * made printable (formats/base/escape.h), so that untrusted names may be given to it as they
 * are. errno is left as it was. */
int error_set(struct iotap_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int error_vset(struct iotap_error *err, int code, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

/* error_set with ": " and the text of errno_value added, as perror does. */
int error_errno(struct iotap_error *err, int code, int errno_value, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Puts words in front of a stored text, "subject: text", keeping the code; returns it. For a caller
 * that knows which file it was. */
int error_prefix(struct iotap_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void error_clear(struct iotap_error *err);

/* The general meaning of a code ("damaged data"); "no error" for 0, "unknown error" for others. */
const char *error_text(int code);

/* The constant's name ("IOTAP_ECORRUPT"), or NULL. */
const char *error_name(int code);

#endif
