/* sql_texts.h - the files of analyze/sql, made part of the program by analyze/embed.awk */
#ifndef ANALYZE_SQL_TEXTS_H
#define ANALYZE_SQL_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

struct sql_text {
	const char *name;	/* file name without "report-" and ".sql"; NULL ends the list */
	bool is_report;
	const char *title;	/* of a report, else NULL */
	const char *text;
};

extern const struct sql_text sql_texts[];

#endif
