/* calls_arm64.c - asserts the arm64 numbers of calls.def against <asm-generic/unistd.h>, whose numbers
 * arm64 uses: so on every 64-bit host */
#if defined(__has_include) && __has_include(<asm-generic/unistd.h>) && defined(__LP64__)
/* What arm64 does not have: were one of them there after all, the header's macro would win. */
enum {
	__NR_open = -1, __NR_creat = -1, __NR_dup2 = -1, __NR_pipe = -1, __NR_getdents = -1,
	__NR_eventfd = -1, __NR_epoll_create = -1, __NR_inotify_init = -1, __NR_signalfd = -1,
	__NR_rename = -1, __NR_unlink = -1, __NR_rmdir = -1, __NR_mkdir = -1, __NR_link = -1,
	__NR_symlink = -1, __NR_readlink = -1, __NR_mknod = -1, __NR_stat = -1, __NR_lstat = -1,
	__NR_access = -1, __NR_chmod = -1, __NR_chown = -1, __NR_lchown = -1, __NR_utime = -1,
	__NR_utimes = -1, __NR_futimesat = -1, __NR_mmap2 = -1,
	__NR_fchmodat2 = 452,		/* newer than some headers */
};

/* As arch/arm64/include/uapi/asm/unistd.h has them. */
#define __ARCH_WANT_RENAMEAT
#define __ARCH_WANT_NEW_STAT
#define __ARCH_WANT_MEMFD_SECRET

#include <asm-generic/unistd.h>

#define CALL(id, name, x86, arm64, i386, ...) \
	_Static_assert((arm64) == __NR_##name, "arm64 number of " #name);
#define REQUEST(...)
#define TWIN(...)
#define PART(...)
#define ALIAS(arch, nr, name)
#include "formats/calls.def"
#else
typedef int calls_arm64_not_asserted;
#endif
