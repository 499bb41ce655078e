/* starve.h - unit tests without memory: the n-th allocation fails
 *
 * Every unit test is linked with -Wl,--wrap of malloc, calloc, realloc, strdup and free (UNIT_WRAP in the
 * Makefile): what the code under test and the test itself ask for goes through starve.c. What shared
 * libraries allocate does not. Nothing fails unless it was asked for.
 */
#ifndef TESTS_LIB_STARVE_H
#define TESTS_LIB_STARVE_H

enum starve_how {
	STARVE_ONCE,		/* the n-th fails and no other */
	STARVE_EVER,		/* the n-th and all after it */
};

/* From now on the n-th allocation fails, from 1; 0 = none does, they are only counted. */
void starve_at(unsigned long n, enum starve_how how);

/* Nothing fails from now on, nothing is counted. How many allocations there were from starve_at to the first
 * starve_stop. */
unsigned long starve_stop(void);

/* Pieces of memory that were given and not released, since the program began. */
long starve_alive(void);

/* One run of what is tested, from nothing to nothing: it makes what it needs, releases all, and returns 0
 * when everything is as it should be (which it has compared, with starve_stop first if it must allocate),
 * or the failure. */
typedef int starve_step(void *arg);

/* Runs step with the first allocation failing, then the second ..., once each and for ever each, until it
 * asks for no more. Asserts that each run ends with 0 or with code, that at least one ended with code,
 * that the whole one ends with 0, and that no run leaves memory behind. */
void starve_each(starve_step *step, void *arg, int code);

#endif
