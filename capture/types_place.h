/* types_place.h - given type information of the kernel, put where libbpf looks for the kernel's own
 *
 * libbpf takes what structures look like from any file (btf_custom_path), but the numbers of
 * tracepoints and kernel functions from a few fixed places only: /sys/kernel/btf/vmlinux,
 * /boot/vmlinux-RELEASE and more. Whoever has neither gives us a file; a thread with mounts of its own
 * then sees it in such a place, and nobody else does.
 */
#ifndef CAPTURE_TYPES_PLACE_H
#define CAPTURE_TYPES_PLACE_H

#include <stddef.h>

#include "formats/error.h"

/* Runs work(arg) in a thread that sees the bytes there; what it opens is the process's as ever.
 * Returns what work does; IOTAP_EPERM, IOTAP_ESYSTEM when the place cannot be made (it takes
 * CAP_SYS_ADMIN). */
int types_place_run(const void *bytes, size_t n, int (*work)(void *arg), void *arg, struct iotap_error *err);

#endif
