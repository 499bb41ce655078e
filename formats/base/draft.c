/* draft.c - a file that appears under its name whole or not at all
 *
 * Why a temporary name: opened under its own name, an earlier file would be gone before the new one has
 * begun. Why rename and not truncate: who reads the old one keeps it whole. O_EXCL with O_NOFOLLOW makes
 * sure that what is opened is new and ours, whoever else may write to the folder. The exchange (renameat2)
 * lets us look at what was replaced before it is removed: had somebody put another file there since the
 * check, it goes back.
 */
#include "formats/base/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "formats/base/hash.h"

enum { TRIES = 8, FOLDER_MAX = 4096 };

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE 2
#endif

bool
draft_folder(struct draft *d, const char *path)
{
	char folder[FOLDER_MAX];
	const char *const slash = strrchr(path, '/');
	const size_t len = slash ? (size_t)(slash - path) : 0;

	*d = (struct draft)DRAFT_NONE;
	d->name = slash ? slash + 1 : path;
	if (len >= sizeof(folder) || d->name[0] == '\0') {
		errno = len >= sizeof(folder) ? ENAMETOOLONG : slash ? EISDIR : ENOENT;
		return false;
	}
	memcpy(folder, path, len);
	folder[len] = '\0';
	d->dir = open(!slash ? "." : len == 0 ? "/" : folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return d->dir >= 0;
}

int
draft_open(struct draft *d)
{
	for (int i = 0; i < TRIES; i++) {
		int fd;

		(void)snprintf(d->temporary, sizeof(d->temporary), ".iotap-%016llx",
			       (unsigned long long)hash_seed());
		fd = openat(d->dir, d->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			break;
	}
	d->temporary[0] = '\0';
	return -1;
}

static bool
rename_with(const struct draft *d, unsigned int flags)
{
	return syscall(SYS_renameat2, d->dir, d->temporary, d->dir, d->name, flags) == 0;
}

/* After the exchange the old file has the temporary name; is it the one that was checked? */
static bool
is_the_old_one(const struct draft *d, const struct stat *old)
{
	struct stat st;

	return fstatat(d->dir, d->temporary, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == old->st_dev &&
	       st.st_ino == old->st_ino;
}

/* Another one's file has the temporary name: it gets its own back, also where ours has been taken away
 * since. If it does not, the temporary name is no more ours to remove. */
static void
give_back(struct draft *d)
{
	if (rename_with(d, RENAME_EXCHANGE))
		return;
	(void)rename_with(d, RENAME_NOREPLACE);
	d->temporary[0] = '\0';
}

static bool
replace_old(struct draft *d, const struct stat *old)
{
	if (!rename_with(d, RENAME_EXCHANGE))	/* a file system without it, or the old one has gone */
		return renameat(d->dir, d->temporary, d->dir, d->name) == 0;
	if (!is_the_old_one(d, old)) {
		give_back(d);
		errno = ESTALE;
		return false;
	}
	(void)unlinkat(d->dir, d->temporary, 0);
	return true;
}

static bool
take_free_name(const struct draft *d)
{
	if (rename_with(d, RENAME_NOREPLACE))
		return true;
	if (errno == EEXIST || linkat(d->dir, d->temporary, d->dir, d->name, 0) != 0)
		return false;
	(void)unlinkat(d->dir, d->temporary, 0);
	return true;
}

bool
draft_publish(struct draft *d, const struct stat *old)
{
	if (!(old ? replace_old(d, old) : take_free_name(d)))
		return false;
	d->temporary[0] = '\0';
	return true;
}

void
draft_remove(const struct draft *d)
{
	if (d->temporary[0] != '\0')
		(void)unlinkat(d->dir, d->temporary, 0);
}

void
draft_fini(struct draft *d)
{
	draft_remove(d);
	if (d->dir >= 0)
		(void)close(d->dir);
	*d = (struct draft)DRAFT_NONE;
}
