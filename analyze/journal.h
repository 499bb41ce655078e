/* journal.h - what lies beside a database and SQLite would obey: its journal, its write-ahead log
 *
 * Who sends a database can send these too. The layouts are from https://www.sqlite.org/fileformat2.html
 * (The Rollback Journal; The Database Header) and, for the name at a journal's end, from readSuperJournal
 * in SQLite's pager.c.
 */
#ifndef ANALYZE_JOURNAL_H
#define ANALYZE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/error.h"

/* To be asked before SQLite may write to the database at path. A journal may name a file of a
 * transaction over several databases, which SQLite deletes once it has rolled the journal back: any file
 * of the user. iotap makes no such transactions, so that one is refused (IOTAP_ECORRUPT). */
int journal_refuse(const char *path, struct iotap_error *err);

/* True when the database was left in WAL mode with nothing in a log: it can be read without making
 * files beside it. */
bool journal_is_idle_wal(const char *path);

/* What SQLite would call the journal of the database at path, into size bytes. False: there is no database, or
 * no room. */
bool journal_path(char *out, size_t size, const char *path);

#endif
