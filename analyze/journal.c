/* journal.c - what lies beside a database and SQLite would obey */
#include "analyze/journal.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t journal_magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

/* The name that SQLite gives it: links of the database's own name are followed first. */
static bool
journal_name(char *out, size_t size, const char *path, const char *suffix)
{
	char whole[PATH_MAX];

	return realpath(path, whole) && snprintf(out, size, "%s%s", whole, suffix) < (int)size;
}

bool
journal_path(char *out, size_t size, const char *path)
{
	return journal_name(out, size, path, "-journal");
}

int
journal_refuse(const char *path, struct iotap_error *err)
{
	char name[PATH_MAX + 16];
	uint8_t end[sizeof(journal_magic)];
	struct stat st;
	bool names_a_file;
	int fd;

	if (!journal_name(name, sizeof(name), path, "-journal"))
		return 0;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	names_a_file = fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof(end) &&
		       pread(fd, end, sizeof(end), st.st_size - (off_t)sizeof(end)) == (ssize_t)sizeof(end) &&
		       memcmp(end, journal_magic, sizeof(end)) == 0;
	(void)close(fd);
	if (!names_a_file)
		return 0;
	return error_set(err, IOTAP_ECORRUPT, "%s-journal: names a file to be deleted, which no journal of "
			 "iotap does; do not open this database with that file beside it", path);
}

bool
journal_is_idle_wal(const char *path)
{
	char name[PATH_MAX + 16];
	uint8_t version[2];
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool wal = fd >= 0 && pread(fd, version, sizeof(version), 18) == (ssize_t)sizeof(version) &&
			 version[0] == 2 && version[1] == 2;
	struct stat st;

	if (fd >= 0)
		(void)close(fd);
	return wal && journal_name(name, sizeof(name), path, "-wal") && (stat(name, &st) < 0 || st.st_size == 0);
}
