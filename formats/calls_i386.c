/* calls_i386.c - asserts the i386 numbers of calls.def against <asm/unistd_32.h> */
#if (defined(__x86_64__) || defined(__i386__)) && defined(__has_include) && \
	__has_include(<asm/unistd_32.h>)
/* What i386, or an older header, does not have: were it there after all, the macro would win. */
enum { __NR_accept = -1, __NR_newfstatat = -1, __NR_fchmodat2 = 452 };

#include <asm/unistd_32.h>

#define CALL(id, name, x86, arm64, i386, ...) \
	_Static_assert((i386) == __NR_##name, "i386 number of " #name);
#define REQUEST(...)
#define TWIN(...)
#define PART(...)
#define ALIAS(arch, nr, name)
#include "formats/calls.def"
_Static_assert(__NR_fcntl64 == 221 && __NR_sendfile64 == 239 && __NR_recvmmsg_time64 == 417 &&
	       __NR_oldstat == 18 && __NR_oldlstat == 84 && __NR_oldfstat == 28 &&
	       __NR_stat64 == 195 && __NR_lstat64 == 196 && __NR_fstat64 == 197 &&
	       __NR_fstatat64 == 300 && __NR_truncate64 == 193 && __NR_ftruncate64 == 194 &&
	       __NR_chown32 == 212 && __NR_lchown32 == 198 && __NR_fchown32 == 207 &&
	       __NR__llseek == 140 && __NR_utimensat_time64 == 412 &&
	       __NR_io_pgetevents_time64 == 416 &&
	       __NR_mq_timedsend_time64 == 418 && __NR_mq_timedreceive_time64 == 419,
	       "the aliases of i386");
_Static_assert(__NR_pread64 == 180 && __NR_pwrite64 == 181 && __NR_preadv == 333 &&
	       __NR_pwritev == 334 && __NR_preadv2 == 378 && __NR_pwritev2 == 379 &&
	       __NR_fallocate == 324 && __NR_sync_file_range == 314 && __NR_readahead == 225,
	       "the calls of i386 with pairs of registers");
#else
typedef int calls_i386_not_asserted;
#endif
