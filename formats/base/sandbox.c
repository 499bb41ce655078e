/* sandbox.c - gives up what a program needs no more: system calls (seccomp), the file system (landlock)
 *
 * The filter, a program of classic BPF: is the machine ours? is the number on the list? A row with a
 * value also looks at the low half of the first argument. Interfaces: seccomp(2), landlock(7).
 */
#include "formats/base/sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(IOTAP_NO_SANDBOX)
#define SANDBOX_OFF 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define SANDBOX_OFF 1
#endif
#endif

#if defined(__x86_64__)
#define OUR_MACHINE AUDIT_ARCH_X86_64
#define NUMBERS_END 0x40000000u		/* x32 from there on: the same machine, other numbers */
#elif defined(__aarch64__)
#define OUR_MACHINE AUDIT_ARCH_AARCH64
#define NUMBERS_END 0x40000000u
#endif

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000u
#endif

bool
sandbox_is_built(void)
{
#if defined(SANDBOX_OFF) || !defined(OUR_MACHINE)
	return false;
#else
	return true;
#endif
}

#if !defined(SANDBOX_OFF) && defined(OUR_MACHINE)

enum { PROGRAM_MAX = 5 * SANDBOX_CALLS_MAX + 16 };

struct program {
	struct sock_filter code[PROGRAM_MAX];
	unsigned short n;
};

static void
put(struct program *p, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	p->code[p->n++] = (struct sock_filter){.code = code, .jt = yes, .jf = no, .k = k};
}

static void
load(struct program *p, size_t offset)
{
	put(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void
give(struct program *p, uint32_t action)
{
	put(p, BPF_RET | BPF_K, action, 0, 0);
}

/* Allows when the value loaded is k, else goes on. */
static void
allow_if(struct program *p, uint32_t k)
{
	put(p, BPF_JMP | BPF_JEQ | BPF_K, k, 0, 1);
	give(p, SECCOMP_RET_ALLOW);
}

/* The rows from at on that have the same number and a value each. How many. */
static size_t
allow_values(struct program *p, const struct sandbox_call *calls, size_t n)
{
	size_t same = 1;

	while (same < n && calls[same].number == calls[0].number)
		same++;
	put(p, BPF_JMP | BPF_JEQ | BPF_K, calls[0].number, 0, (uint8_t)(2 * same + 2));
	load(p, offsetof(struct seccomp_data, args[0]));
	for (size_t i = 0; i < same; i++)
		allow_if(p, calls[i].value);
	give(p, SECCOMP_RET_ERRNO | EPERM);
	return same;
}

static void
build(struct program *p, const struct sandbox_call *calls, size_t n)
{
	load(p, offsetof(struct seccomp_data, arch));
	put(p, BPF_JMP | BPF_JEQ | BPF_K, OUR_MACHINE, 1, 0);
	give(p, SECCOMP_RET_KILL_PROCESS);
	load(p, offsetof(struct seccomp_data, nr));
	put(p, BPF_JMP | BPF_JGE | BPF_K, NUMBERS_END, 0, 1);
	give(p, SECCOMP_RET_ERRNO | EPERM);
	for (size_t i = 0; i < n;) {
		if (calls[i].only) {
			i += allow_values(p, calls + i, n - i);
		} else {
			allow_if(p, calls[i].number);
			i++;
		}
	}
	give(p, SECCOMP_RET_ERRNO | EPERM);
}

bool
sandbox_calls(const struct sandbox_call *calls, size_t n)
{
	struct program p = {.n = 0};
	struct sock_fprog program = {.filter = p.code};

	if (n > SANDBOX_CALLS_MAX) {
		errno = EINVAL;
		return false;
	}
	build(&p, calls, n);
	program.len = p.n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return false;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

/* Every right of version 1 of the interface, which is what every kernel with landlock knows. */
#define FILE_RIGHTS ((UINT64_C(1) << 13) - 1)

struct ruleset {		/* struct landlock_ruleset_attr, its first version */
	uint64_t handled_access_fs;
};

#define PATH_BENEATH 1		/* enum landlock_rule_type */

struct path_beneath {		/* struct landlock_path_beneath_attr */
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

#ifdef SYS_landlock_create_ruleset
/* Files of a file system that nobody can mount (pipes, memory) are not governed by rules: EBADFD. */
static bool
add_places(int ruleset, const struct sandbox_place *places, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct path_beneath rule = {.allowed_access = places[i].rights, .parent_fd = places[i].fd};

		if (places[i].rights != 0 &&
		    syscall(SYS_landlock_add_rule, ruleset, PATH_BENEATH, &rule, 0) != 0 && errno != EBADFD)
			return false;
	}
	return true;
}

bool
sandbox_files_except(const struct sandbox_place *places, size_t n)
{
	const struct ruleset none = {.handled_access_fs = FILE_RIGHTS};
	const int fd = (int)syscall(SYS_landlock_create_ruleset, &none, sizeof(none), 0);
	bool ok;
	int saved;

	if (fd < 0)
		return true;
	ok = add_places(fd, places, n) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	     syscall(SYS_landlock_restrict_self, fd, 0) == 0;
	saved = errno;
	(void)close(fd);
	errno = saved;
	return ok;
}
#else
bool
sandbox_files_except(const struct sandbox_place *places, size_t n)
{
	(void)places;
	(void)n;
	return true;
}
#endif

bool
sandbox_files(void)
{
	return sandbox_files_except(NULL, 0);
}

#else

bool
sandbox_calls(const struct sandbox_call *calls, size_t n)
{
	(void)calls;
	return n <= SANDBOX_CALLS_MAX;
}

bool
sandbox_files_except(const struct sandbox_place *places, size_t n)
{
	(void)places;
	(void)n;
	return true;
}

bool
sandbox_files(void)
{
	return true;
}

#endif
