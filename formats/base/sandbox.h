/* sandbox.h - gives up what a program needs no more: system calls by a list of those allowed (seccomp),
 * the file system (landlock)
 *
 * For the time after everything is open: bytes of strangers are read then. A call that is not on the
 * list fails with EPERM, in every thread; one of another machine's calling convention kills the process.
 * Failing rather than killing: a C library that asks for something new costs a feature, not a recording,
 * and what an intruder asks for is refused all the same.
 *
 * Nothing is done, and true returned, in a build with a sanitizer or with IOTAP_NO_SANDBOX defined
 * (coverage): those need further calls at their end. There is no switch at run time.
 */
#ifndef FORMATS_BASE_SANDBOX_H
#define FORMATS_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SANDBOX_CALLS_MAX = 64, SANDBOX_VALUES_MAX = 16 };

/* A system call that is allowed. */
struct sandbox_call {
	uint32_t number;		/* __NR_... of this machine */
	uint32_t value;			/* with only: what the first argument must be */
	bool only;			/* rows with the same number stand together */
};

/* Allows these calls and no other, in all threads, for good; no_new_privs is set on the way. False and
 * errno: ENOSYS or EINVAL where the kernel has no seccomp. */
bool sandbox_calls(const struct sandbox_call *calls, size_t n);

/* True when sandbox_calls does what it says in this build. */
bool sandbox_is_built(void);

/* What may be done with files by name: the bits of landlock(7), version 1. */
enum sandbox_right {
	SANDBOX_WRITE = 1 << 1,
	SANDBOX_READ = 1 << 2,
	SANDBOX_LIST = 1 << 3,		/* this and what follows: folders only */
	SANDBOX_REMOVE_FOLDER = 1 << 4,
	SANDBOX_REMOVE_FILE = 1 << 5,
	SANDBOX_MAKE_FILE = 1 << 8
};

/* A file, or a folder with everything below it. */
struct sandbox_place {
	int fd;				/* of it, O_PATH will do; stays the caller's */
	unsigned int rights;		/* enum sandbox_right */
};

/* No file can be opened, made, changed or removed by name from here on, in this thread and those that it
 * starts; what is open stays so. True also where the kernel has no landlock: it is a second wall. */
bool sandbox_files(void);

/* The same, but for these places. False and errno when a place cannot be named to the kernel; pipes and
 * what else has no place among the files need none, and are passed over. */
bool sandbox_files_except(const struct sandbox_place *places, size_t n);

/* Both, with the calls of reader_calls.def: for a program whose inputs and outputs are all open. No file,
 * no socket, no exec, no other process from here on. A kernel that cannot do it is no error. */
bool sandbox_reader(void);

/* The same for a program whose output is a file of the folder dir, -1 = of none: its name may be taken away
 * there (SANDBOX_REMOVE_FILE) or changed (and SANDBOX_MAKE_FILE), by unlinkat(2) and renameat(2). */
bool sandbox_reader_in(int dir, unsigned int rights);

#endif
