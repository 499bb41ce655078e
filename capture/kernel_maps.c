/* kernel_maps.c - the large maps of the kernel half, made beside everything else that a start does
 *
 * Most of a map's making is the kernel clearing memory: 30 ms for the default buffer, while this thread
 * reads what types the kernel has. libbpf would make the maps one after the other, after the types; here
 * a thread of its own makes those that are large, and libbpf is given them. The filter among them, which
 * it would also fill, with 4 MiB of zeroes.
 */
#include "capture/kernel_parts.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

static void
map_make(struct map_made *m)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = bpf_map__map_flags(m->map));

	m->fd = bpf_map_create(bpf_map__type(m->map), m->name, bpf_map__key_size(m->map),
			       bpf_map__value_size(m->map), bpf_map__max_entries(m->map), &options);
	m->error = m->fd < 0 ? -errno : 0;
}

static void *
make_all(void *arg)
{
	struct maps_made *const all = arg;

	for (size_t i = 0; i < MAPS_MADE; i++)
		map_make(&all->map[i]);
	return NULL;
}

int
kernel_maps_begin(struct maps_made *all, struct kernel *k, struct iotap_error *err)
{
	sigset_t every, before;
	int error;

	*all = (struct maps_made){.map = {
		{.map = k->skel->maps.calls, .name = "calls"},
		{.map = k->skel->maps.seen, .name = "seen"},
		{.map = k->skel->maps.bss, .name = "iotap_filter"},
		{.map = k->skel->maps.notes, .name = "notes"},
		{.map = k->skel->maps.claims, .name = "claims"},
		{.map = k->skel->maps.aggregate, .name = "aggregate"},
	}};
	(void)sigfillset(&every);
	(void)pthread_sigmask(SIG_SETMASK, &every, &before);
	error = pthread_create(&all->thread, NULL, make_all, all);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error == 0 ? 0 : error_errno(err, IOTAP_ESYSTEM, error, "cannot start a thread");
}

int
kernel_maps_end(struct maps_made *all)
{
	int r = 0;

	(void)pthread_join(all->thread, NULL);
	for (size_t i = 0; i < MAPS_MADE; i++) {
		struct map_made *const m = &all->map[i];

		if (r == 0)
			r = m->error;
		if (r == 0)
			r = bpf_map__reuse_fd(m->map, m->fd);
		if (m->fd >= 0)
			(void)close(m->fd);
	}
	return r;
}
