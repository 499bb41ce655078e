/* scratch.h - one named file for what must be opened by its name, as databases must (SQLite follows links)
 *
 * It lies in /dev/shm, or in $TMPDIR or /tmp, and goes when the process ends.
 */
#ifndef TESTS_LIB_SCRATCH_H
#define TESTS_LIB_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Puts n bytes in place of what the file had. Its name, the same one each time; NULL: it could not be made. */
const char *scratch_put(const void *p, size_t n);

/* Whether the file still holds exactly these bytes. */
bool scratch_is(const void *p, size_t n);

#endif
