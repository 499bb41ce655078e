/* kernel_parts.h - the inside of struct kernel, for kernel.c, kernel_sets.c and kernel_read.c only */
#ifndef CAPTURE_KERNEL_PARTS_H
#define CAPTURE_KERNEL_PARTS_H

#include "capture/kernel.h"
#include "formats/base/buf.h"
#include "formats/calls.h"

#include "bpf/iotap.skel.h"

struct kernel {
	struct iotap_bpf *skel;
	struct merge_areas areas;
	size_t control_bytes, calls_bytes, notes_bytes;
	struct kr_aggregate_key *keys;	/* room for one reading of the sums; made when first needed */
	struct kr_aggregate *sums;
	bool has_mapped;		/* the set mmap is on */
	struct kr_mapped_key *mapped_keys;	/* room for one reading of its sums, likewise */
	struct kr_mapped *mapped;
	struct buf forgotten;		/* uint64_t, sorted: a pass over the map seen is under way */
	bool forgetting, forget_all;	/* such a pass; of everything */
	uint64_t forget_at;		/* the kernel's cookie of where it is */
	bool forget_first;
};

/* Numbers of calls that nobody asked for become 0. */
void kernel_select(uint16_t *table, size_t n, const struct selection *selection);

/* What of the optional sets is loaded: between open and load. IOTAP_EUNSUPPORTED when this kernel cannot
 * have one that was asked for. */
struct kernel_types;
int kernel_sets(struct kernel *k, const struct kernel_options *options, const struct kernel_types *kernel,
		struct iotap_error *err);

/* Attaches what lists the requests in flight, if any set has them. */
int kernel_sets_attach(struct kernel *k, struct iotap_error *err);

#endif
