/* kernel_parts.h - the inside of struct kernel, for kernel.c, kernel_maps.c, kernel_object.c,
 * kernel_sets.c and kernel_read.c only */
#ifndef CAPTURE_KERNEL_PARTS_H
#define CAPTURE_KERNEL_PARTS_H

#include <pthread.h>

#include "capture/kernel.h"
#include "formats/base/buf.h"
#include "formats/calls.h"

#include "bpf/iotap.skel.h"

struct kernel {
	struct iotap_bpf *skel;
	bool old;			/* loaded is bpf/iotap_old.bpf.c */
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

enum { MAPS_MADE = 6 };

/* A map that is made before libbpf would make it; name: at most 15 characters. */
struct map_made {
	struct bpf_map *map;
	const char *name;
	int fd, error;			/* error: 0, or a negative errno and no fd */
};

struct maps_made {
	pthread_t thread;
	struct map_made map[MAPS_MADE];
};

/* Begins to make the large maps, beside the caller; their sizes are set. IOTAP_ESYSTEM. After 0
 * kernel_maps_end has to be called, before libbpf loads: it waits for them and hands them over. 0, or
 * a negative errno. */
int kernel_maps_begin(struct maps_made *all, struct kernel *k, struct iotap_error *err);
int kernel_maps_end(struct maps_made *all);

/* Numbers of calls that nobody asked for become 0. */
void kernel_select(uint16_t *table, size_t n, const struct selection *selection);

struct kernel_types;
struct bpf_object_open_opts;

/* Says in k->old which object suits the kernel. IOTAP_EUNSUPPORTED: none. */
int kernel_object_choose(struct kernel *k, const struct kernel_types *types, struct iotap_error *err);

/* Opens it; k->skel is there for kernel_close in any case. */
int kernel_object_open(struct kernel *k, const struct bpf_object_open_opts *options, struct iotap_error *err);

/* Sets, when it has been loaded, what the other one does not have. */
int kernel_object_loaded(struct kernel *k, struct iotap_error *err);

/* What of the optional sets is loaded: between open and load. IOTAP_EUNSUPPORTED when this kernel cannot
 * have one that was asked for. */
int kernel_sets(struct kernel *k, const struct kernel_options *options, const struct kernel_types *kernel,
		struct iotap_error *err);

/* Attaches what lists the requests in flight, if any set has them. */
int kernel_sets_attach(struct kernel *k, struct iotap_error *err);

#endif
