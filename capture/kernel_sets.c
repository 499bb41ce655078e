/* kernel_sets.c - the optional sets of the kernel half: which programs are loaded, on which kernel
 *
 * A set that nobody asked for costs nothing: its programs are not loaded, its maps have one entry.
 */
#include "capture/kernel.h"

#include <errno.h>
#include <stdio.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "capture/kernel_parts.h"
#include "capture/kernel_types.h"
#include "formats/sets.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The parameters of a tracepoint's programs, its own first one left out; 0 = there is no such one. */
static unsigned int
tracepoint_parameters(const struct btf *types, const char *name)
{
	char full[64];
	const struct btf_type *t;
	int id;

	if (!types)
		return 0;
	(void)snprintf(full, sizeof(full), "btf_trace_%s", name);
	id = btf__find_by_name_kind(types, full, BTF_KIND_TYPEDEF);
	t = id > 0 ? btf__type_by_id(types, (uint32_t)id) : NULL;
	t = t ? btf__type_by_id(types, t->type) : NULL;
	t = t && btf_is_ptr(t) ? btf__type_by_id(types, t->type) : NULL;
	return t && btf_is_func_proto(t) && btf_vlen(t) > 0 ? btf_vlen(t) - 1u : 0;
}

/* Which of the programs of io_uring fit this kernel. Their arguments have changed: at 6.3 the name of
 * the first, with 6.16 how a result is handed over. */
static int
choose_uring(struct kernel *k, const struct kernel_types *kernel, struct iotap_error *err)
{
	struct btf *const types = btf__new(kernel->bytes, (uint32_t)kernel->n);
	const unsigned int by_req = tracepoint_parameters(types, "io_uring_submit_req");
	const unsigned int by_sqe = tracepoint_parameters(types, "io_uring_submit_sqe");
	const unsigned int refused = tracepoint_parameters(types, "io_uring_req_failed");
	const unsigned int complete = tracepoint_parameters(types, "io_uring_complete");

	btf__free(types);
	if (k->old || by_req + by_sqe == 0 || (complete != 3 && complete < 5))
		return error_set(err, IOTAP_EUNSUPPORTED, "--with io_uring: this kernel's events of io_uring "
				 "are not those of 6.1 to 6.18");
	(void)bpf_program__set_autoload(k->skel->progs.iotap_submit, by_req > 0);
	(void)bpf_program__set_autoload(k->skel->progs.iotap_submit_sqe, by_req == 0);
	(void)bpf_program__set_autoload(k->skel->progs.iotap_refused, refused == 3);
	(void)bpf_program__set_autoload(k->skel->progs.iotap_complete, complete == 3);
	(void)bpf_program__set_autoload(k->skel->progs.iotap_complete_7, complete >= 5);
	return 0;
}

int
kernel_sets(struct kernel *k, const struct kernel_options *o, const struct kernel_types *kernel,
	    struct iotap_error *err)
{
	const bool requests = (o->sets & (SET_io_uring | SET_libaio)) != 0;
	struct bpf_program *const uring[] = {
		k->skel->progs.iotap_submit, k->skel->progs.iotap_submit_sqe, k->skel->progs.iotap_refused,
		k->skel->progs.iotap_complete, k->skel->progs.iotap_complete_7,
	};

	k->skel->rodata->sets = o->sets;
	call_fill_uring(k->skel->rodata->uring_to_call, COUNT_OF(k->skel->rodata->uring_to_call));
	call_fill_aio(k->skel->rodata->aio_to_call, COUNT_OF(k->skel->rodata->aio_to_call));
	kernel_select(k->skel->rodata->uring_to_call, COUNT_OF(k->skel->rodata->uring_to_call),
		       o->selection);
	kernel_select(k->skel->rodata->aio_to_call, COUNT_OF(k->skel->rodata->aio_to_call),
		       o->selection);
	(void)bpf_program__set_autoload(k->skel->progs.iotap_requests, requests);
	for (size_t i = 0; i < COUNT_OF(uring); i++)
		(void)bpf_program__set_autoload(uring[i], false);
	if (!requests) {
		(void)bpf_map__set_max_entries(k->skel->maps.requests, 1);
		(void)bpf_map__set_max_entries(k->skel->maps.shots, 1);
	}
	return (o->sets & SET_io_uring) ? choose_uring(k, kernel, err) : 0;
}

int
kernel_sets_attach(struct kernel *k, struct iotap_error *err)
{
	struct iotap_bpf *const s = k->skel;
	union bpf_iter_link_info info = {.map.map_fd = (uint32_t)bpf_map__fd(s->maps.requests)};
	LIBBPF_OPTS(bpf_iter_attach_opts, options, .link_info = &info, .link_info_len = sizeof(info));

	s->links.iotap_requests = bpf_program__attach_iter(s->progs.iotap_requests, &options);
	if (s->links.iotap_requests)
		return 0;
	return error_errno(err, IOTAP_EKERNEL, errno, "cannot attach %s",
			   bpf_program__name(s->progs.iotap_requests));
}
