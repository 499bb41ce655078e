/* reach.c - what is left to iotap-analyze before it reads a byte of a stranger's
 *
 * SQLite makes and removes temporary files whenever it sorts much. They get a folder of their own, so
 * that no right to anybody else's file is needed; removing it at the end takes the right to remove empty
 * folders from the one around it.
 */
#include "analyze/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Machines that came later do without these. */
#ifndef __NR_poll
#define __NR_poll __NR_ppoll
#endif
#ifndef __NR_access
#define __NR_access __NR_faccessat
#endif
#ifndef __NR_readlink
#define __NR_readlink __NR_readlinkat
#endif
#ifndef __NR_unlink
#define __NR_unlink __NR_unlinkat
#endif
#ifndef __NR_rmdir
#define __NR_rmdir __NR_unlinkat
#endif
#ifndef __NR_rename
#define __NR_rename __NR_renameat
#endif
#ifndef __NR_faccessat2
#define __NR_faccessat2 439
#endif

static const struct sandbox_call allowed[] = {
#define CALL(name) {.number = __NR_##name},
#include "formats/base/reader_calls.def"
#include "analyze/analyze_calls.def"
#undef CALL
};
_Static_assert(sizeof(allowed) / sizeof(allowed[0]) <= SANDBOX_CALLS_MAX, "a filter takes no more");

static const char *
temporary_folder(void)
{
	static const char *const names[] = {"SQLITE_TMPDIR", "TMPDIR"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *const folder = getenv(names[i]);

		if (folder && folder[0] != '\0' && access(folder, W_OK | X_OK) == 0)
			return folder;
	}
	return access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp";
}

bool
reach_init(struct reach *c)
{
	uint8_t byte;

	*c = (struct reach){.n = 0};
	sqlite3_randomness(sizeof(byte), &byte);	/* its seed is in a file */
	if (snprintf(c->scratch, sizeof(c->scratch), "%s/iotap-XXXXXX", temporary_folder()) >=
		    (int)sizeof(c->scratch) ||
	    !mkdtemp(c->scratch)) {
		c->scratch[0] = '\0';
		return true;
	}
	sqlite3_temp_directory = sqlite3_mprintf("%s", c->scratch);
	return sqlite3_temp_directory != NULL;
}

static bool
add(struct reach *c, int fd, unsigned int rights)
{
	struct sandbox_place *grown;

	if (fd < 0)
		return true;
	grown = c->n < REACH_PLACES ? realloc(c->places, (c->n + 1) * sizeof(*grown)) : NULL;
	if (!grown) {
		(void)close(fd);
		errno = ENOMEM;
		return false;
	}
	grown[c->n++] = (struct sandbox_place){.fd = fd, .rights = rights};
	c->places = grown;
	return true;
}

bool
reach_add_input(struct reach *c, const char *path)
{
	return add(c, open(path, O_PATH | O_CLOEXEC), SANDBOX_READ);
}

bool
reach_add_descriptor(struct reach *c, int fd)
{
	return add(c, fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), SANDBOX_READ);
}

/* The folder of a name, as dirname(3) has it. */
static int
folder_of(const char *path)
{
	char name[REACH_NAME];

	if (snprintf(name, sizeof(name), "%s", path) >= (int)sizeof(name))
		return -1;
	return open(dirname(name), O_PATH | O_DIRECTORY | O_CLOEXEC);
}

bool
reach_add_names(struct reach *c, const char *path)
{
	char whole[REACH_NAME];

	return add(c, folder_of(path), SANDBOX_MAKE_FILE | SANDBOX_REMOVE_FILE | SANDBOX_LIST) &&
	       (!realpath(path, whole) ||		/* behind a link: its journal is there */
		add(c, folder_of(whole), SANDBOX_MAKE_FILE | SANDBOX_REMOVE_FILE | SANDBOX_LIST));
}

static bool
add_scratch(struct reach *c)
{
	if (c->scratch[0] == '\0')
		return true;
	return add(c, open(c->scratch, O_PATH | O_DIRECTORY | O_CLOEXEC),
		   SANDBOX_READ | SANDBOX_WRITE | SANDBOX_MAKE_FILE | SANDBOX_REMOVE_FILE) &&
	       add(c, folder_of(c->scratch), SANDBOX_REMOVE_FOLDER);
}

/* The rules hold the files by themselves. */
static void
release(struct reach *c)
{
	for (size_t i = 0; i < c->n; i++)
		(void)close(c->places[i].fd);
	free(c->places);
	c->places = NULL;
	c->n = 0;
}

bool
reach_limit(struct reach *c)
{
	bool ok;

	if (!c)
		return true;
	tzset();	/* the rules of the time zone are in a file, and SQL may ask for local time */
	ok = add_scratch(c) && sandbox_files_except(c->places, c->n) &&
	     (sandbox_calls(allowed, sizeof(allowed) / sizeof(allowed[0])) || errno == ENOSYS || errno == EINVAL);
	release(c);
	return ok;
}

void
reach_fini(struct reach *c)
{
	release(c);
	if (c->scratch[0] != '\0')
		(void)rmdir(c->scratch);
	c->scratch[0] = '\0';
}
