/* starve.c - loaded before a program (LD_PRELOAD): memory, reads, writes that fail at the n-th time
 *
 * STARVE=what:n:how   what: memory, write, read, sync, rename. n: from 1; 0 = never. how: once, ever
 *                     (n and all after it), short (no failure: every read and write moves 1 to 7 bytes)
 * STARVE_ERRNO=N      what errno says then (default ENOMEM, EIO)
 * STARVE_REPORT=FILE  at exit: how often it was asked, and how many pieces of memory are not released
 *
 * Writes to standard error are left alone. Built by faults.sh, for glibc: its __libc_ functions are what
 * is behind.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static atomic_long asked, alive;
static long nth = -1;
static char what[16];
static bool ever, brief;
static int error_number;

static void
begin(void)
{
	const char *const said = getenv("STARVE"), *const number = getenv("STARVE_ERRNO");
	char how[8] = "";

	nth = 0;
	if (!said || sscanf(said, "%15[a-z]:%ld:%7s", what, &nth, how) < 2)
		nth = 0;
	ever = strcmp(how, "ever") == 0;
	brief = strcmp(how, "short") == 0;
	error_number = number ? atoi(number) : strcmp(what, "memory") == 0 ? ENOMEM : EIO;
}

static bool
fails(const char *kind)
{
	long n;

	if (nth < 0)
		begin();
	if (strcmp(kind, what) != 0)
		return false;
	n = atomic_fetch_add(&asked, 1) + 1;
	if (brief || nth == 0 || (ever ? n < nth : n != nth))
		return false;
	errno = error_number;
	return true;
}

static void *
counted(void *p)
{
	if (p)
		atomic_fetch_add(&alive, 1);
	return p;
}

void *
malloc(size_t n)
{
	return fails("memory") ? NULL : counted(__libc_malloc(n));
}

void *
calloc(size_t n, size_t size)
{
	return fails("memory") ? NULL : counted(__libc_calloc(n, size));
}

void *
realloc(void *p, size_t n)
{
	if (fails("memory"))
		return NULL;
	return p ? __libc_realloc(p, n) : counted(__libc_malloc(n));
}

void *
aligned_alloc(size_t align, size_t n)
{
	return fails("memory") ? NULL : counted(__libc_memalign(align, n));
}

int
posix_memalign(void **p, size_t align, size_t n)
{
	*p = aligned_alloc(align, n);
	return *p ? 0 : ENOMEM;
}

void
free(void *p)
{
	if (p)
		atomic_fetch_sub(&alive, 1);
	__libc_free(p);
}

/* 1 to 7 bytes, or all of them. */
static size_t
cut(size_t n)
{
	static unsigned int turn;

	return brief && n > 7 ? 1 + turn++ % 7 : n;
}

ssize_t
write(int fd, const void *p, size_t n)
{
	return fd != 2 && fails("write") ? -1 : syscall(SYS_write, fd, p, fd == 2 ? n : cut(n));
}

ssize_t
pwrite(int fd, const void *p, size_t n, off_t at)
{
	return fails("write") ? -1 : syscall(SYS_pwrite64, fd, p, cut(n), at);
}

ssize_t
pwrite64(int fd, const void *p, size_t n, off_t at)
{
	return pwrite(fd, p, n, at);
}

ssize_t
writev(int fd, const struct iovec *v, int n)
{
	return fd != 2 && fails("write") ? -1 : syscall(SYS_writev, fd, v, brief ? 1 : n);
}

ssize_t
read(int fd, void *p, size_t n)
{
	return fails("read") ? -1 : syscall(SYS_read, fd, p, cut(n));
}

ssize_t
pread(int fd, void *p, size_t n, off_t at)
{
	return fails("read") ? -1 : syscall(SYS_pread64, fd, p, cut(n), at);
}

ssize_t
pread64(int fd, void *p, size_t n, off_t at)
{
	return pread(fd, p, n, at);
}

int
fsync(int fd)
{
	return fails("sync") ? -1 : (int)syscall(SYS_fsync, fd);
}

int
fdatasync(int fd)
{
	return fails("sync") ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int
rename(const char *from, const char *to)
{
	return fails("rename") ? -1 : (int)syscall(SYS_rename, from, to);
}

/* Opened at the beginning: later the program may have given up the right to. */
static int report = -1;

__attribute__((constructor)) static void
start(void)
{
	const char *const name = getenv("STARVE_REPORT");
	const int fd = name ? open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;

	if (fd >= 0) {
		report = fcntl(fd, F_DUPFD_CLOEXEC, 200);
		close(fd);
	}
}

__attribute__((destructor)) static void
finish(void)
{
	char line[64];
	const int n = snprintf(line, sizeof(line), "%ld %ld\n", asked, alive);

	if (report >= 0)
		(void)!syscall(SYS_write, report, line, (size_t)n);
}
