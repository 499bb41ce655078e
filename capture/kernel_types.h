/* kernel_types.h - the kernel's own type information (BTF), as far as our object asks for it
 *
 * libbpf looks every structure that the kernel half reads up by going through all types of the kernel:
 * some forty times a hundred thousand. So it is given a copy, in memory, of the few that we need.
 */
#ifndef CAPTURE_KERNEL_TYPES_H
#define CAPTURE_KERNEL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/map.h"
#include "formats/error.h"

struct btf;

struct kernel_types {
	char *bytes;		/* as the kernel has them */
	size_t n;
	bool mapped;
	struct map structs;	/* hash of a name to a number: structures that ours name */
	int fd;			/* the copy */
	char path[32];		/* its name, for struct bpf_object_open_opts.btf_custom_path */
};

/* Reads what the kernel has, or, with a path, what that file has: type information as in
 * /sys/kernel/btf/vmlinux, or a program (ELF) with a section .BTF. The copy is still empty.
 * IOTAP_EUNSUPPORTED when there is none.
 * kernel_types_close in every case. */
int kernel_types_open(struct kernel_types *t, const char *path, struct iotap_error *err);

/* Whether the kernel has a function of that name that programs may call. */
bool kernel_types_function(const struct kernel_types *t, const char *name);

/* How many types the copy needs for all that `ours` names: their own and the ones inside them. 0 when
 * the kernel's are not understood: all, then. */
size_t kernel_types_needed(const void *bytes, size_t n, const struct btf *ours);

/* Fills the copy with the types that the object's own type information names. IOTAP_ESYSTEM. */
int kernel_types_copy(struct kernel_types *t, const struct btf *ours, struct iotap_error *err);

/* The number of a structure in the kernel's own, not in the copy; 0 = not known. After the copy. */
uint32_t kernel_types_struct(const struct kernel_types *t, const char *name);

void kernel_types_close(struct kernel_types *t);

#endif
