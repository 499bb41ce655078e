/* load_file.c - iotap-analyze load: inputs into a new database file, or into one that is there */
#include "analyze/load_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/db.h"
#include "analyze/guard.h"
#include "analyze/journal.h"
#include "analyze/schema.h"

#define BUSY_MS 2000

/* Only for us, and in the folder of the database, so that rename works. */
static int
make_temporary(struct load_file *f, struct iotap_error *err)
{
	int fd;

	if (snprintf(f->temporary, sizeof(f->temporary), "%s.load-XXXXXX", f->path) >= (int)sizeof(f->temporary)) {
		f->temporary[0] = '\0';
		return error_set(err, IOTAP_ELIMIT, "%s: the name is too long", f->path);
	}
	fd = mkostemp(f->temporary, O_CLOEXEC);
	if (fd < 0) {
		f->temporary[0] = '\0';
		return error_errno(err, IOTAP_EIO, errno, "%s: making it", f->path);
	}
	(void)close(fd);
	return 0;
}

/* A journal without its database is rolled back into whatever gets the name: ours. */
static int
refuse_journal(const struct load_file *f, struct iotap_error *err)
{
	static const char *const suffixes[] = {"-journal", "-wal"};
	char name[LOAD_FILE_TEMPORARY];
	struct stat st;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (snprintf(name, sizeof(name), "%s%s", f->path, suffixes[i]) < (int)sizeof(name) &&
		    lstat(name, &st) == 0)
			return error_set(err, IOTAP_EEXIST, "%s: is left of another database of this name and would be "
					 "applied to the new one; remove it, or name another place with -o", name);
	}
	return 0;
}

static int
open_fresh(struct load_file *f, struct iotap_error *err)
{
	int r = refuse_journal(f, err);

	if (r == 0)
		r = make_temporary(f, err);

	if (r < 0)
		return r;
	if (sqlite3_open_v2(f->temporary, &f->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL) != SQLITE_OK)
		return db_error(f->db, err, f->path);
	/* Nobody sees the file before it is whole: no journal to keep, no writes to wait for. */
	r = db_exec(f->db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
		    "PRAGMA locking_mode = EXCLUSIVE; BEGIN", err);
	return r == 0 ? schema_create(f->db, true, err) : r;
}

/* Writes what is there, so that the journal is open before the program gives up making files. */
static int
open_journal(struct load_file *f, struct iotap_error *err)
{
	int64_t version;
	char sql[64];
	int r = db_integer(f->db, "PRAGMA user_version", SCHEMA_VERSION, &version, err);

	(void)sqlite3_snprintf(sizeof(sql), sql, "PRAGMA user_version = %lld", (long long)version);
	return r == 0 ? db_exec(f->db, sql, err) : r;
}

static int
open_existing(struct load_file *f, struct iotap_error *err)
{
	int r = journal_refuse(f->path, err);

	if (r < 0)
		return r;
	if (sqlite3_open_v2(f->path, &f->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		return db_error(f->db, err, f->path);
	(void)sqlite3_busy_timeout(f->db, BUSY_MS);
	r = guard_existing(f->db, f->path, err);
	if (r == IOTAP_ENOTREC)
		return error_set(err, r, "%s: exists and is no database of iotap: name another place with -o, or "
				 "remove it first", f->path);
	if (r == 0)
		r = db_exec(f->db, "BEGIN IMMEDIATE", err);
	return r == 0 ? open_journal(f, err) : r;
}

int
load_file_open(struct load_file *f, const char *path, struct iotap_error *err)
{
	struct stat st;

	*f = (struct load_file){.path = path};
	if (lstat(path, &st) < 0 && errno != ENOENT)
		return error_errno(err, IOTAP_EIO, errno, "%s", path);
	f->fresh = lstat(path, &st) < 0 || (S_ISREG(st.st_mode) && st.st_size == 0);
	if (!f->fresh && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return error_set(err, IOTAP_EUSAGE, "%s: not a file; name a database with -o", path);
	return f->fresh ? open_fresh(f, err) : open_existing(f, err);
}

int
load_file_add(struct load_file *f, struct input *in, const struct load_progress *progress,
	      struct load_result *out, struct iotap_error *err)
{
	struct supply *from;
	int r = supply_open(&from, in, NULL, true, err);

	if (r == 0)
		r = db_exec(f->db, "SAVEPOINT one", err);
	if (r == 0)
		r = load_recording(f->db, from, LOAD_ALL, progress, out, err);
	if (r == 0 && out->differs)
		r = error_set(err, IOTAP_EEXIST, "%s: is in the database already, but with other calls: as it was "
			      "before its end, or a part of it; load it into a new database", in->name);
	if (r == 0 && out->already && f->fresh)
		r = error_set(err, IOTAP_EEXIST, "%s: is the same recording as another input", in->name);
	if (r == 0 && out->already)
		r = db_exec(f->db, "ROLLBACK TO one", err);
	if (r == 0)
		r = db_exec(f->db, "RELEASE one", err);
	supply_close(from);
	return r;
}

/* The bytes, then the name: a power cut leaves the whole database or none. */
static int
publish(struct load_file *f, struct iotap_error *err)
{
	char folder[LOAD_FILE_TEMPORARY];
	int fd = refuse_journal(f, err);

	if (fd < 0)
		return fd;
	fd = open(f->temporary, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fsync(fd) < 0 || close(fd) < 0 || rename(f->temporary, f->path) < 0)
		return error_errno(err, IOTAP_EIO, errno, "%s", f->path);
	f->temporary[0] = '\0';
	(void)snprintf(folder, sizeof(folder), "%s", f->path);
	fd = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		(void)fsync(fd);
		(void)close(fd);
	}
	return 0;
}

int
load_file_commit(struct load_file *f, struct iotap_error *err)
{
	const int r = db_commit(f->db, err);

	if (r < 0 || !f->fresh)
		return r;
	if (sqlite3_close(f->db) != SQLITE_OK)
		return db_error(f->db, err, f->path);
	f->db = NULL;
	return publish(f, err);
}

void
load_file_close(struct load_file *f)
{
	if (f->db)
		(void)sqlite3_close_v2(f->db);
	if (f->temporary[0] != '\0')
		(void)unlink(f->temporary);
	*f = (struct load_file){.db = NULL};
}
