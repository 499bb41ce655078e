/* draft.h - a file that appears under its name whole or not at all
 *
 * It is made under a name of its own in the same folder, readable by its owner alone from its first
 * instant (0600), and gets its name when its maker says so. No link is followed: what has the name, a link
 * too, gives way or stays. Failures leave the reason in errno.
 */
#ifndef FORMATS_BASE_DRAFT_H
#define FORMATS_BASE_DRAFT_H

#include <stdbool.h>
#include <sys/stat.h>

enum { DRAFT_NAME = 32 };

struct draft {
	int dir;			/* the folder, O_PATH; -1 = none */
	const char *name;		/* in it; the caller's path */
	char temporary[DRAFT_NAME];	/* "" = no draft, or it has its name, or that one is another file's */
};

#define DRAFT_NONE {.dir = -1}

/* Opens the folder of path, which is kept by pointer. False: EISDIR when path ends with a slash. */
bool draft_folder(struct draft *, const char *path);

/* Makes the file in that folder. Its descriptor, or -1. */
int draft_open(struct draft *);

/* Gives the file its name in place of old, as lstat(2) saw it, or, old = NULL, of nothing. False: EEXIST
 * when the name has been taken meanwhile, ESTALE when it is another file's by now; the draft stays one. Where
 * that other file cannot be put back, it keeps the temporary name, and nothing removes it. */
bool draft_publish(struct draft *, const struct stat *old);

/* Removes what has no name yet. For signal handlers, too. */
void draft_remove(const struct draft *);

/* The same, and closes the folder; not the file. */
void draft_fini(struct draft *);

#endif
