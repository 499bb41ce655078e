/* calls_i386.c - asserts the i386 numbers of calls.def against <asm/unistd_32.h> */
#if defined(__has_include) && __has_include(<asm/unistd_32.h>)
/* What i386 does not have: were one of them there after all, the header's macro would win. */
enum { __NR_accept = -1 };

#include <asm/unistd_32.h>

#define CALL(id, name, x86, arm64, i386, ...) \
	_Static_assert((i386) == __NR_##name, "i386 number of " #name);
#define ALIAS(arch, nr, name)
#include "formats/calls.def"
_Static_assert(__NR_fcntl64 == 221 && __NR_sendfile64 == 239 && __NR_recvmmsg_time64 == 417,
	       "the aliases of i386");
#else
typedef int calls_i386_not_asserted;
#endif
