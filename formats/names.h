/* names.h - names of numbers of the recorded system, which need not be this one
 *
 * Linux on x86-64 and arm64 share these (asm-generic). The kernel's own codes that a tracer sees at a
 * call's exit (ERESTARTSYS ...) are among them.
 */
#ifndef FORMATS_NAMES_H
#define FORMATS_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* "ENOENT" for 2; NULL for 0, negative and unknown ones. A number with two names gives the usual one
 * (EAGAIN, EDEADLK, EOPNOTSUPP). */
const char *name_errno(int64_t err);

/* The same, or "errno N" written into buf (at least 24 bytes), which is returned then. */
const char *name_errno_or(int64_t err, char *buf, size_t bytes);

/* The number of such a name, 0 = none. */
int name_to_errno(const char *name, size_t n);

/* "unix", "inet", "inet6", "netlink", "packet" ... of an AF_ number, NULL = unknown; and back, -1. */
const char *name_family(uint64_t family);
int name_to_family(const char *name, size_t n);

#endif
