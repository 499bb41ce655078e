/* starve.c - unit tests without memory: the n-th allocation fails
 *
 * The linker sends malloc here as __wrap_malloc, and __real_malloc to whoever gives memory: libc or a
 * sanitizer. Tests may have threads.
 */
#include "tests/lib/starve.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "tests/lib/unit.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
void __wrap_free(void *p);

static atomic_ulong asked, nth;
static atomic_bool counting, ever;
static atomic_long alive;

static bool
fails(void)
{
	const unsigned long n = atomic_load(&counting) ? atomic_fetch_add(&asked, 1) + 1 : 0;
	const unsigned long at = atomic_load(&nth);

	if (n == 0 || at == 0 || (atomic_load(&ever) ? n < at : n != at))
		return false;
	errno = ENOMEM;
	return true;
}

static void *
given(void *p)
{
	if (p)
		atomic_fetch_add(&alive, 1);
	return p;
}

void *
__wrap_malloc(size_t n)
{
	return fails() ? NULL : given(__real_malloc(n));
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : given(__real_calloc(n, size));
}

void *
__wrap_realloc(void *p, size_t n)
{
	if (fails())
		return NULL;
	return p ? __real_realloc(p, n) : given(__real_realloc(p, n));
}

char *
__wrap_strdup(const char *s)
{
	return fails() ? NULL : given(__real_strdup(s));
}

void
__wrap_free(void *p)
{
	if (p)
		atomic_fetch_sub(&alive, 1);
	__real_free(p);
}

void
starve_at(unsigned long n, enum starve_how how)
{
	atomic_store(&asked, 0);
	atomic_store(&ever, how == STARVE_EVER);
	atomic_store(&nth, n);
	atomic_store(&counting, true);
}

unsigned long
starve_stop(void)
{
	atomic_store(&counting, false);
	return atomic_load(&asked);
}

long
starve_alive(void)
{
	return atomic_load(&alive);
}

/* The results that were not 0. */
static unsigned long
starve_how(starve_step *step, void *arg, int code, enum starve_how how)
{
	unsigned long failed = 0;

	for (unsigned long n = 1;; n++) {
		const long before = starve_alive();
		int r;
		bool whole;

		starve_at(n, how);
		r = step(arg);
		whole = starve_stop() < n;
		assert_int_equal(starve_alive(), before);
		if (whole) {
			assert_int_equal(r, 0);
			return failed;
		}
		if (r != 0)
			assert_int_equal(r, code);
		failed += r != 0;
	}
}

void
starve_each(starve_step *step, void *arg, int code)
{
	const unsigned long once = starve_how(step, arg, code, STARVE_ONCE);
	const unsigned long for_ever = starve_how(step, arg, code, STARVE_EVER);

	assert_true(once > 0);
	assert_true(for_ever >= once);
}
