/* sql_texts.h - the SQL files of analyze/sql, carried inside the program
 *
 * The array is made at build time by analyze/embed.awk, in the order of the files' names.
 */
#ifndef ANALYZE_SQL_TEXTS_H
#define ANALYZE_SQL_TEXTS_H

struct sql_text {
	const char *name;	/* of the file, without folder and ".sql"; NULL ends the array */
	const char *text;
};

extern const struct sql_text sql_texts[];

#endif
