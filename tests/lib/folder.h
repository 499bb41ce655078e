/* folder.h - an empty folder for each test, which is left as empty: for what files appear and go */
#ifndef TESTS_LIB_FOLDER_H
#define TESTS_LIB_FOLDER_H

#include <stdbool.h>

/* For a test's set-up and tear-down: into a new folder of /tmp, whose name *state holds; and out of it, which
 * fails when more is in it than these names (ended by NULL). */
int folder_enter(void **state);
int folder_leave(void **state, const char *const *names);

/* A file with that text, in place of what it had; whether one has that text and nothing else. */
void folder_put(const char *name, const char *text);
bool folder_holds(const char *name, const char *text);

#endif
