/* calls_x86_64.c - asserts the x86-64 numbers of calls.def against <asm/unistd_64.h>
 *
 * A wrong digit stops the compiler and names the call. Each architecture has its own file, because
 * the headers define the same names; where a header is not there, nothing is asserted. Other machines
 * (s390x, powerpc) have headers of this name with numbers of their own.
 */
#if defined(__x86_64__) && defined(__has_include) && __has_include(<asm/unistd_64.h>)
/* Newer than some headers, or not there: the macro wins where there is one. */
enum { __NR_fchmodat2 = 452, __NR_mmap2 = -1 };

#include <asm/unistd_64.h>

#define CALL(id, name, x86, arm64, i386, ...) \
	_Static_assert((x86) == __NR_##name, "x86-64 number of " #name);
#define REQUEST(...)
#define TWIN(...)
#define PART(...)
#define ALIAS(arch, nr, name)
#include "formats/calls.def"
#else
typedef int calls_x86_64_not_asserted;
#endif
