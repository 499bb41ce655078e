/* folder.c - an empty folder for each test, which is left as empty */
#include "tests/lib/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "tests/lib/unit.h"

int
folder_enter(void **state)
{
	char folder[] = "/tmp/iotap-unit.XXXXXX";

	*state = mkdtemp(folder) ? strdup(folder) : NULL;
	return *state && chdir(*state) == 0 ? 0 : -1;
}

int
folder_leave(void **state, const char *const *names)
{
	int r;

	for (; *names; names++)
		(void)unlink(*names);
	r = chdir("/") == 0 && rmdir(*state) == 0 ? 0 : -1;	/* and so: nothing else was left there */
	free(*state);
	return r;
}

void
folder_put(const char *name, const char *text)
{
	FILE *const f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

bool
folder_holds(const char *name, const char *text)
{
	struct stat st;

	return stat(name, &st) == 0 && st.st_size == (off_t)strlen(text) &&
	       io_begins(AT_FDCWD, name, text, strlen(text));
}
