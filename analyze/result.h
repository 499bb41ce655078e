/* result.h - the rows of a statement as a table for people, JSON Lines, CSV or TSV
 *
 * Everything that came from a file is escaped for where it goes:
 *
 *		table		json			csv			tsv
 *   NULL	empty		null			empty			\N
 *   number	digits		digits			digits			digits
 *   text	escape_text	string			quoted where needed	\t \n \r \\ escaped
 *   blob	escape_text	string with U+FFFD, and	X'hex'			X'hex'
 *				the bytes in NAME_hex
 *
 * CSV is RFC 4180, its lines end with CR LF; a text that a spreadsheet would take for a formula (it
 * begins with = + - @, tab or CR) gets an apostrophe in front. On a terminal the texts of both go through
 * escape_text too.
 */
#ifndef ANALYZE_RESULT_H
#define ANALYZE_RESULT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/error.h"

enum result_format { RESULT_TABLE, RESULT_JSON, RESULT_CSV, RESULT_TSV };

/* "table", "json", "csv", "tsv", NULL: indices are enum result_format. */
extern const char *const result_formats[];

struct result_table;

struct result {
	enum result_format format;
	int fd;
	bool terminal;			/* that is what fd is */
	struct buf out;
	struct result_table *table;	/* rows of a table until their widths are known */
	bool wrote;			/* a statement gave something before this one */
	struct iotap_error *err;
};

/* fd: where it goes. */
void result_init(struct result *r, enum result_format format, int fd, struct iotap_error *err);
void result_fini(struct result *r);

/* Steps the statement to its end and writes its rows. A statement without columns gives nothing.
 * IOTAP_EPIPE = the reader has gone. */
int result_run(struct result *r, sqlite3_stmt *stmt);

/* For the forms: writes out what is in the buffer, if it is much or all is to go. */
int result_flush(struct result *r, bool all);

/* A number as text, an exact one; into size bytes. */
void result_number(char *out, size_t size, sqlite3_stmt *stmt, int column);

/* The bytes of a text or blob. */
const void *result_bytes(sqlite3_stmt *stmt, int column, size_t *n);

#endif
