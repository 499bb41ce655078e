/* unpoison_cmocka.c - what cmocka returns, told to MemorySanitizer, which has not seen that library being built
 *
 * Part of a build with SAN=memory only, whose links wrap this function.
 */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>

#include "tests/lib/unit.h"

int __real__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n, CMFixtureFunction begin,
				   CMFixtureFunction end);
int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n, CMFixtureFunction begin,
				   CMFixtureFunction end);

int
__wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n, CMFixtureFunction begin,
			       CMFixtureFunction end)
{
	int failed = __real__cmocka_run_group_tests(name, tests, n, begin, end);

	__msan_unpoison(&failed, sizeof(failed));
	return failed;
}
#endif
#endif
