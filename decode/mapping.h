/* mapping.h - what a call that maps a file, or is about such a mapping, says besides its target */
#ifndef DECODE_MAPPING_H
#define DECODE_MAPPING_H

#include <stdbool.h>

#include "formats/calls.h"
#include "formats/iotap.h"

/* PROT_ and MAP_ bits of Linux, linux/mman.h. */
enum {
	MAPPING_READ = 1, MAPPING_WRITE = 2, MAPPING_EXEC = 4,
	MAPPING_SHARED = 1, MAPPING_PRIVATE = 2, MAPPING_SHARED_VALIDATE = 3, MAPPING_TYPE = 15,
};

/* The call makes a mapping, or is about one. */
static inline bool
mapping_is_made(uint16_t call)
{
	return call_spec(call)->effect == EFFECT_MAPS;
}

static inline bool
mapping_is_used(uint16_t call)
{
	return call_spec(call)->effect == EFFECT_MAPPED;
}

/* Of the flags of mmap: changes go to the file. */
static inline bool
mapping_is_shared(uint64_t flags)
{
	return (flags & MAPPING_TYPE) == MAPPING_SHARED || (flags & MAPPING_TYPE) == MAPPING_SHARED_VALIDATE;
}

/* "rw-" of a protection. */
static inline const char *
mapping_access(uint64_t prot)
{
	static const char *const words[] = {"---", "r--", "-w-", "rw-", "--x", "r-x", "-wx", "rwx"};

	return words[prot & (MAPPING_READ | MAPPING_WRITE | MAPPING_EXEC)];
}

/* What went through the mapping's pages of a file and was seen by nobody: it was made by a call that
 * succeeded, shared, writable. */
static inline bool
mapping_writes(uint16_t call, int64_t result, uint64_t prot, uint64_t flags)
{
	return mapping_is_made(call) && (result >= 0 || result < -4095) && (prot & MAPPING_WRITE) &&
	       mapping_is_shared(flags);
}

#endif
