/* iotap_old.bpf.c - the kernel half for kernels before 5.17: the same sources, asked for otherwise
 *
 * What is other about it is in old.bpf.h. Maps, programs and settings have the names and places of
 * those of iotap.bpf.c, so that user space needs to know only what it loads.
 */
#define OLD_KERNEL

#include "bpf/iotap.bpf.c"
