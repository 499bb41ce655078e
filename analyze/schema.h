/* schema.h - the tables and views of an iotap database: making them, and telling ours from others */
#ifndef ANALYZE_SCHEMA_H
#define ANALYZE_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>

#include "formats/error.h"

enum {
	SCHEMA_APPLICATION_ID = 0x496f5441,	/* "IoTA", in the header of the file: file(1) shows it */
	SCHEMA_VERSION = 3,			/* user_version */
};

/* Makes all tables in an empty database and fills call and errno. With views, also the ones that
 * other programs (the sqlite3 shell) read. */
int schema_create(sqlite3 *db, bool views, struct iotap_error *err);

/* The same tables, of this connection only. */
int schema_create_temp(sqlite3 *db, struct iotap_error *err);

/* Refuses a database that is not ours, or of a newer version, with the remedy in the text. name is
 * for the message. */
int schema_check(sqlite3 *db, const char *name, struct iotap_error *err);

/* Refuses what our databases never hold (virtual tables, a view or trigger where a table is due). */
int schema_check_tables(sqlite3 *db, const char *name, struct iotap_error *err);

/* Makes the views in this connection only, from the program's own text. with_event: also the view
 * event over event_row; a recording has a virtual table of that name instead. */
int schema_temp_views(sqlite3 *db, bool with_event, struct iotap_error *err);

#endif
