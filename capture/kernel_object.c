/* kernel_object.c - which of the two objects of the kernel half is loaded, and the memory of its own
 *
 * Both have the same maps, programs and settings under the same names and in the same places, so that the
 * skeleton of the one stands for the other (tests/lint/objects.sh).
 */
#include "capture/kernel.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "capture/kernel_parts.h"
#include "capture/kernel_types.h"

#include "bpf/iotap_old.skel.h"

_Static_assert(sizeof(struct iotap_bpf__rodata) == sizeof(struct iotap_old_bpf__rodata) &&
	       sizeof(struct iotap_bpf__data) == sizeof(struct iotap_old_bpf__data) &&
	       sizeof(struct iotap_bpf__bss) == sizeof(struct iotap_old_bpf__bss), "places of settings");

/* Of what the first object cannot do without, bpf_loop() is the youngest (5.17). The youngest that the
 * other one needs are iterators over maps (5.9); it was tried from 5.10 on. */
int
kernel_object_choose(struct kernel *k, const struct kernel_types *types, struct iotap_error *err)
{
	k->old = !kernel_types_function(types, "bpf_loop");
	if (!k->old || kernel_types_function(types, "bpf_iter_bpf_map_elem"))
		return 0;
	return error_set(err, IOTAP_EUNSUPPORTED, "this kernel is too old: iotap needs Linux 5.10 or later "
			 "(it has no BPF iterators over maps)");
}

int
kernel_object_open(struct kernel *k, const struct bpf_object_open_opts *options, struct iotap_error *err)
{
	int r;

	k->skel = calloc(1, sizeof(*k->skel));
	if (!k->skel || iotap_bpf__create_skeleton(k->skel) != 0)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	if (k->old) {
		struct bpf_object_skeleton *const s = k->skel->skeleton;

		s->data = (void *)(uintptr_t)iotap_old_bpf__elf_bytes(&s->data_sz);
	}
	r = bpf_object__open_skeleton(k->skel->skeleton, options);
	return r == 0 ? 0 : error_errno(err, IOTAP_EKERNEL, -r, "cannot open our BPF program");
}

/* As struct ids in bpf/note.bpf.h. */
struct ids {
	uint64_t next, step;
};

int
kernel_object_loaded(struct kernel *k, struct iotap_error *err)
{
	const struct bpf_map *const map = bpf_object__find_map_by_name(k->skel->obj, "ids");
	const uint32_t n = k->areas.n_cpus, zero = 0;
	struct ids *ids;
	int r;

	if (!map)
		return 0;
	ids = calloc(n, sizeof(*ids));
	if (!ids)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	for (uint32_t cpu = 0; cpu < n; cpu++)
		ids[cpu] = (struct ids){.next = cpu + 1, .step = n};
	r = bpf_map__update_elem(map, &zero, sizeof(zero), ids, n * sizeof(*ids), BPF_ANY);
	free(ids);
	return r == 0 ? 0 : error_errno(err, IOTAP_EKERNEL, -r, "cannot set the ids");
}
