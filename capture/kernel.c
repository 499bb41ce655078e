/* kernel.c - loads, steers and unloads the kernel half
 *
 * libbpf prints nothing here: what it would say is either in the error it returns or, for a program
 * that the kernel refuses, in the verifier's log, whose last lines are kept for our own message.
 * Reading of iterators and maps is in kernel_read.c, which object it is in kernel_object.c.
 */
#include "capture/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "capture/kernel_parts.h"
#include "capture/kernel_types.h"
#include "capture/types_place.h"
#include "formats/calls.h"
#include "formats/sets.h"

enum { LOG_BYTES = 1 << 16, PID_SLOTS = 1 << 22, NAMES_MAX = 4096 };
enum { NAME_WANTED = 1, NAME_EXCLUDED = 2 };	/* as in bpf/settings.bpf.h */
enum { NOTE_SLOTS_PER = 16 };	/* calls: a note is four times as large, so notes add a quarter */

#define FNV_BASIS UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

static uint32_t
power_of_two_below(uint64_t n)
{
	uint32_t p = 1;

	while (p < 1u << 30 && (uint64_t)p * 2 <= n)
		p *= 2;
	return p;
}

void
kernel_ring_sizes(uint64_t buffer_bytes, uint32_t n_cpus, uint32_t *call_slots,
		  uint32_t *note_slots)
{
	const uint64_t share = buffer_bytes / (n_cpus > 0 ? n_cpus : 1);
	const uint32_t calls = power_of_two_below(share / sizeof(struct kr_call));
	const uint32_t notes = calls / NOTE_SLOTS_PER;

	*call_slots = calls < KERNEL_CALL_SLOTS_MIN ? KERNEL_CALL_SLOTS_MIN : calls;
	*note_slots = notes < KERNEL_NOTE_SLOTS_MIN ? KERNEL_NOTE_SLOTS_MIN : notes;
}

uint64_t
kernel_name_hash(const char *name, size_t n)
{
	uint64_t hash = FNV_BASIS;

	for (size_t i = 0; i < n; i++) {
		const unsigned char c = (unsigned char)name[i];

		hash = (hash ^ (c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c)) * FNV_PRIME;
	}
	return hash;
}

void
kernel_select(uint16_t *table, size_t n, const struct selection *selection)
{
	for (size_t nr = 0; selection && nr < n; nr++) {
		if (!selection_looks_at(selection, table[nr]))
			table[nr] = CALL_NONE;
	}
}

/* Names of both kinds are in one map. */
static size_t
names_count(const struct kernel_options *o)
{
	return o->n_names + o->n_excluded;
}

static void
scope_fill(struct kernel *k, const struct scope *scope)
{
	if (!scope_given(scope))
		return;
	k->skel->rodata->scope_on = true;
	k->skel->rodata->scope_all = scope->all;
	k->skel->rodata->n_scope_uids = (uint32_t)scope->n_users;
	k->skel->rodata->n_scope_cgroups = (uint32_t)scope->n_cgroups;
	for (size_t i = 0; i < scope->n_users; i++)
		k->skel->rodata->scope_uid[i] = scope->uid[i];
	for (size_t i = 0; i < scope->n_cgroups; i++) {
		k->skel->rodata->scope_cgroup[i] = scope->cgroup[i];
		k->skel->rodata->scope_hierarchy[i] = scope->hierarchy[i];
	}
}

static void
filters_fill(struct kernel *k, const struct selection *s)
{
	const struct glob *const g = &s->paths;

	k->skel->rodata->failed_only = s->failed;
	k->skel->rodata->min_latency_ns = s->min_latency_ns;
	k->skel->rodata->glob_words = glob_words(g);
	memcpy(k->skel->rodata->glob_begin, g->begin, sizeof(g->begin));
	memcpy(k->skel->rodata->glob_end, g->end, sizeof(g->end));
	memcpy(k->skel->rodata->glob_stay, g->stay, sizeof(g->stay));
	memcpy(k->skel->rodata->glob_take, g->take, sizeof(g->take));
}

static void
settings_fill(struct kernel *k, const struct kernel_options *options)
{
	k->skel->rodata->call_slots = k->areas.call_slots;
	k->skel->rodata->note_slots = k->areas.note_slots;
	k->skel->rodata->follow_children = options->follow;
	k->skel->rodata->no_latency = options->no_latency;
	(void)bpf_program__set_autoload(k->skel->progs.iotap_enter, !options->no_latency);
	k->skel->rodata->n_names = (uint32_t)names_count(options);
	k->skel->rodata->n_excluded = (uint32_t)options->n_excluded;
	scope_fill(k, options->scope);
	call_fill_numbers(call_host_arch(), k->skel->rodata->nr_to_call,
			  sizeof(k->skel->rodata->nr_to_call) / sizeof(uint16_t));
	call_fill_numbers(ARCH_I386, k->skel->rodata->nr_to_call_i386,
			  sizeof(k->skel->rodata->nr_to_call_i386) / sizeof(uint16_t));
	kernel_select(k->skel->rodata->nr_to_call,
		       sizeof(k->skel->rodata->nr_to_call) / sizeof(uint16_t), options->selection);
	kernel_select(k->skel->rodata->nr_to_call_i386,
		       sizeof(k->skel->rodata->nr_to_call_i386) / sizeof(uint16_t),
		       options->selection);
	for (unsigned int id = 0; id < call_id_end(); id++) {
		k->skel->rodata->spec[id] = *call_spec(id);
		k->skel->rodata->left_out[id] = options->selection && !selection_has(options->selection, id);
	}
	if (options->selection)
		filters_fill(k, options->selection);
}

static int
maps_size(struct kernel *k, const struct kernel_options *options)
{
	const struct merge_areas *const a = &k->areas;
	const uint32_t names = names_count(options) > 0 ? (uint32_t)names_count(options) : 1;
	int r = bpf_map__set_max_entries(k->skel->maps.control, a->n_cpus);

	if (r == 0)
		r = bpf_map__set_max_entries(k->skel->maps.calls, a->n_cpus * a->call_slots);
	if (r == 0)
		r = bpf_map__set_max_entries(k->skel->maps.notes, a->n_cpus * a->note_slots);
	if (r == 0)
		r = bpf_map__set_max_entries(k->skel->maps.names, names);
	if (r == 0 && k->has_mapped)
		r = bpf_map__set_max_entries(k->skel->maps.mapped, KR_MAPPED_KEYS);
	return r;
}

/* The last line of the verifier's log that says why, not how much work it was. */
static const char *
log_reason(char *log)
{
	char *last = NULL, *line, *rest = NULL;

	for (line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "processed ", 10) != 0 && line[0] != '-')
			last = line;
	}
	return last ? last : "no reason given";
}

static int
load_error(char *log, int error, struct iotap_error *err)
{
	if (error == -ENOMEM)
		return error_set(err, IOTAP_ENOMEM, "not enough memory for the buffer: a smaller "
				 "--buffer may help");
	if (error == -EPERM && log[0] == '\0')
		return error_set(err, IOTAP_EPERM, "the kernel refuses BPF programs: locked down, "
				 "or a container without CAP_BPF and CAP_PERFMON");
	if (error == -E2BIG && log[0] == '\0')
		return error_set(err, IOTAP_EUSAGE, "the kernel refuses a --buffer of that size");
	return error_errno(err, IOTAP_EKERNEL, -error, "the kernel refuses our BPF program (%s)",
			   log_reason(log));
}

static int
maps_error(char *log, int error, struct iotap_error *err)
{
	if (error == -ENOMEM || error == -E2BIG || error == -EPERM)
		return load_error(log, error, err);
	return error_errno(err, IOTAP_EKERNEL, -error, "the kernel refuses BPF maps");
}

static void *
area_map(const struct bpf_map *map, size_t bytes, int protection)
{
	void *const p = mmap(NULL, bytes, protection, MAP_SHARED, bpf_map__fd(map), 0);

	return p == MAP_FAILED ? NULL : p;
}

static int
areas_map(struct kernel *k, struct iotap_error *err)
{
	struct merge_areas *const a = &k->areas;

	k->control_bytes = a->n_cpus * sizeof(struct kr_cpu);
	k->calls_bytes = (size_t)a->n_cpus * a->call_slots * sizeof(struct kr_call);
	k->notes_bytes = (size_t)a->n_cpus * a->note_slots * sizeof(struct kr_note);
	a->control = area_map(k->skel->maps.control, k->control_bytes, PROT_READ | PROT_WRITE);
	a->calls = area_map(k->skel->maps.calls, k->calls_bytes, PROT_READ);
	a->notes = area_map(k->skel->maps.notes, k->notes_bytes, PROT_READ | PROT_WRITE);
	if (!a->control || !a->calls || !a->notes)
		return error_errno(err, IOTAP_EKERNEL, errno, "cannot map the rings");
	return 0;
}

static int
names_fill(struct kernel *k, const struct kernel_options *o, struct iotap_error *err)
{
	const size_t n = names_count(o);

	/* Of a name that is both, the later entry counts. */
	for (size_t i = 0; i < n; i++) {
		const bool wanted = i < o->n_names;
		const char *const name = wanted ? o->names[i] : o->excluded[i - o->n_names];
		const uint32_t says = wanted ? NAME_WANTED : NAME_EXCLUDED;
		const uint64_t hash = kernel_name_hash(name, strlen(name));

		if (bpf_map__update_elem(k->skel->maps.names, &hash, sizeof(hash), &says,
					 sizeof(says), BPF_ANY) != 0)
			return error_errno(err, IOTAP_EKERNEL, errno, "cannot set the names");
	}
	return 0;
}

/* Whether the set mmap is loaded. Its tracepoints have had this form since 5.18. */
static int
mapped_choose(struct kernel *k, const struct kernel_types *types, const struct kernel_options *options,
	      struct iotap_error *err)
{
	static const char *const needed[] = {"btf_trace_mm_filemap_add_to_page_cache",
					     "btf_trace_writeback_dirty_folio"};
	const bool wanted = (options->sets & SET_mmap) != 0;

	for (size_t i = 0; wanted && i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (!kernel_types_function(types, needed[i]))
			return error_set(err, IOTAP_EUNSUPPORTED, "--with mmap: this kernel has no %s",
					 needed[i] + strlen("btf_trace_"));
	}
	k->has_mapped = k->skel->rodata->with_mapped = wanted;
	(void)bpf_program__set_autoload(k->skel->progs.iotap_page_in, wanted);
	(void)bpf_program__set_autoload(k->skel->progs.iotap_page_dirty, wanted);
	(void)bpf_program__set_autoload(k->skel->progs.iotap_exec_mapped, wanted);
	(void)bpf_program__set_autoload(k->skel->progs.iotap_mappings, wanted);
	return 0;
}

/* Whether the kernel half may cast, and to what. */
static void
casts_fill(struct kernel *k, const struct kernel_types *types)
{
	bool known = true;

#define CAST_TYPE(name, always) \
	k->skel->rodata->type_of_##name = kernel_types_struct(types, #name); \
	known = known && (!(always) || k->skel->rodata->type_of_##name != 0);
#include "bpf/cast_types.def"
#undef CAST_TYPE
	k->skel->rodata->have_rdonly_cast = known && kernel_types_function(types, "bpf_rdonly_cast");
}

/* All that is to be known of the kernel's types before libbpf loads. It would read them all later, for
 * where our programs go; it is made to do so now, beside the making of the maps. */
static int
types_use(struct kernel *k, struct kernel_types *types, const struct kernel_options *options,
	  struct iotap_error *err)
{
	int r = kernel_types_copy(types, bpf_object__btf(k->skel->obj), err);

	casts_fill(k, types);
	if (r == 0)
		r = kernel_sets(k, options, types, err);
	if (r == 0)
		(void)bpf_program__set_attach_target(k->skel->progs.iotap_exit, 0, "sys_exit");
	return r;
}

static int
load_with(struct kernel *k, struct kernel_types *types, const struct kernel_options *options, char *log,
	  struct iotap_error *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, open_opts, .kernel_log_buf = log,
		    .kernel_log_size = LOG_BYTES, .btf_custom_path = types->path);
	struct maps_made maps;
	int r, made;

	r = kernel_object_choose(k, types, err);
	if (r == 0)
		r = kernel_object_open(k, &open_opts, err);
	if (r < 0)
		return r;
	settings_fill(k, options);
	r = mapped_choose(k, types, options, err);
	if (r < 0)
		return r;
	r = maps_size(k, options);
	if (r != 0)
		return load_error(log, r, err);
	r = kernel_maps_begin(&maps, k, err);
	if (r < 0)
		return r;
	r = types_use(k, types, options, err);
	made = kernel_maps_end(&maps);
	if (r < 0)
		return r;
	if (made != 0)
		return maps_error(log, made, err);
	r = iotap_bpf__load(k->skel);
	if (r != 0)
		return load_error(log, r, err);
	r = kernel_object_loaded(k, err);
	if (r == 0)
		r = areas_map(k, err);
	return r == 0 ? names_fill(k, options, err) : r;
}

/* What a thread is given that loads: see types_place.h. */
struct loading {
	struct kernel *kernel;
	struct kernel_types types;
	const struct kernel_options *options;
	char *log;
	struct iotap_error *err;
};

static int
load_there(void *arg)
{
	struct loading *const l = arg;

	return load_with(l->kernel, &l->types, l->options, l->log, l->err);
}

static int
load(struct kernel *k, const struct kernel_options *options, char *log, struct iotap_error *err)
{
	struct loading l = {.kernel = k, .options = options, .log = log, .err = err};
	int r = kernel_types_open(&l.types, options->btf, err);

	if (r == 0 && options->btf)
		r = types_place_run(l.types.bytes, l.types.n, load_there, &l, err);
	else if (r == 0)
		r = load_there(&l);
	if (r == IOTAP_EKERNEL && options->btf && log[0] == '\0')
		r = error_set(err, IOTAP_EUNSUPPORTED, "the kernel refuses our BPF program: --btf is another "
			      "kernel's, or this one was built without CONFIG_DEBUG_INFO_BTF");
	kernel_types_close(&l.types);
	return r;
}

int
kernel_open(struct kernel **out, const struct kernel_options *options, struct iotap_error *err)
{
	struct kernel *const k = calloc(1, sizeof(*k));
	char *const log = calloc(1, LOG_BYTES);
	const int n_cpus = libbpf_num_possible_cpus();
	int r;

	*out = NULL;
	(void)libbpf_set_print(NULL);
	if (!k || !log) {
		r = error_set(err, IOTAP_ENOMEM, "out of memory");
	} else if (n_cpus <= 0 || options->n_names + options->n_excluded > NAMES_MAX) {
		r = error_set(err, n_cpus <= 0 ? IOTAP_ESYSTEM : IOTAP_ELIMIT,
			      n_cpus <= 0 ? "cannot tell how many CPUs there are"
					  : "too many names");
	} else {
		k->areas.n_cpus = (uint32_t)n_cpus;
		kernel_ring_sizes(options->buffer_bytes, k->areas.n_cpus, &k->areas.call_slots,
				  &k->areas.note_slots);
		r = load(k, options, log, err);
	}
	free(log);
	if (r < 0)
		kernel_close(k);
	else
		*out = k;
	return r;
}

void
kernel_close(struct kernel *k)
{
	if (!k)
		return;
	if (k->areas.control)
		(void)munmap(k->areas.control, k->control_bytes);
	if (k->areas.calls)
		(void)munmap((void *)(uintptr_t)k->areas.calls, k->calls_bytes);
	if (k->areas.notes)
		(void)munmap(k->areas.notes, k->notes_bytes);
	iotap_bpf__destroy(k->skel);
	buf_free(&k->forgotten);
	free(k->keys);
	free(k->sums);
	free(k->mapped_keys);
	free(k->mapped);
	free(k);
}

static int
attach_one(struct bpf_link **link, struct bpf_program *program, bool iterator,
	   struct iotap_error *err)
{
	*link = iterator ? bpf_program__attach_iter(program, NULL) : bpf_program__attach(program);
	if (*link)
		return 0;
	return error_errno(err, IOTAP_EKERNEL, errno, "cannot attach %s",
			   bpf_program__name(program));
}

int
kernel_attach(struct kernel *k, struct iotap_error *err)
{
	struct iotap_bpf *const s = k->skel;
	const struct {
		struct bpf_link **link;
		struct bpf_program *program;
		bool iterator;
	} all[] = {
		{&s->links.iotap_tasks, s->progs.iotap_tasks, true},
		{&s->links.iotap_files, s->progs.iotap_files, true},
		{&s->links.iotap_mappings, s->progs.iotap_mappings, true},
		{&s->links.iotap_undone, s->progs.iotap_undone, true},
		{&s->links.iotap_procexit, s->progs.iotap_procexit, false},
		{&s->links.iotap_newtask, s->progs.iotap_newtask, false},
		{&s->links.iotap_exec, s->progs.iotap_exec, false},
		{&s->links.iotap_exec_mapped, s->progs.iotap_exec_mapped, false},
		{&s->links.iotap_rename, s->progs.iotap_rename, false},
		{&s->links.iotap_complete, s->progs.iotap_complete, false},
		{&s->links.iotap_complete_7, s->progs.iotap_complete_7, false},
		{&s->links.iotap_refused, s->progs.iotap_refused, false},
		{&s->links.iotap_submit, s->progs.iotap_submit, false},
		{&s->links.iotap_submit_sqe, s->progs.iotap_submit_sqe, false},
		{&s->links.iotap_exit, s->progs.iotap_exit, false},
		{&s->links.iotap_enter, s->progs.iotap_enter, false},
		{&s->links.iotap_page_in, s->progs.iotap_page_in, false},
		{&s->links.iotap_page_dirty, s->progs.iotap_page_dirty, false},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const int r = bpf_program__autoload(all[i].program)
				      ? attach_one(all[i].link, all[i].program, all[i].iterator, err) : 0;

		if (r < 0)
			return r;
	}
	return bpf_program__autoload(s->progs.iotap_requests) ? kernel_sets_attach(k, err) : 0;
}

static unsigned char *
filter_byte(const struct kernel *k, uint32_t pid)
{
	return &k->skel->bss->filter[pid & (PID_SLOTS - 1)];
}

void
kernel_filter(struct kernel *k, uint32_t pid, enum kernel_filter value)
{
	__atomic_store_n(filter_byte(k, pid), (unsigned char)value, __ATOMIC_SEQ_CST);
}

enum kernel_filter
kernel_filter_of(const struct kernel *k, uint32_t pid)
{
	return (enum kernel_filter)__atomic_load_n(filter_byte(k, pid), __ATOMIC_SEQ_CST);
}

void
kernel_exclude_group(struct kernel *k, uint32_t group)
{
	__atomic_store_n(&k->skel->data->excluded_group, group, __ATOMIC_SEQ_CST);
}

bool
kernel_start_tracing(struct kernel *k, uint32_t pid)
{
	unsigned char marking = KERNEL_MARKING;

	return __atomic_compare_exchange_n(filter_byte(k, pid), &marking, KERNEL_TRACED, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

void
kernel_pause(struct kernel *k, bool paused)
{
	uint32_t *const pauses = &k->skel->data->pauses;

	if (((*pauses & 1) != 0) != paused)
		__atomic_fetch_add(pauses, 1, __ATOMIC_SEQ_CST);
}

static void
detach(struct bpf_link **link)
{
	(void)bpf_link__destroy(*link);
	*link = NULL;
}

void
kernel_stop_calls(struct kernel *k)
{
	memset(k->skel->bss->filter, KERNEL_NOT_TRACED, PID_SLOTS);
	detach(&k->skel->links.iotap_enter);
	detach(&k->skel->links.iotap_exit);
	detach(&k->skel->links.iotap_submit);
	detach(&k->skel->links.iotap_submit_sqe);
	detach(&k->skel->links.iotap_refused);
	detach(&k->skel->links.iotap_complete);
	detach(&k->skel->links.iotap_complete_7);
	detach(&k->skel->links.iotap_newtask);
	detach(&k->skel->links.iotap_exec);
	detach(&k->skel->links.iotap_exec_mapped);
	detach(&k->skel->links.iotap_rename);
	detach(&k->skel->links.iotap_page_in);
	detach(&k->skel->links.iotap_page_dirty);
}

void
kernel_stop(struct kernel *k)
{
	detach(&k->skel->links.iotap_procexit);
}

const struct merge_areas *
kernel_areas(const struct kernel *k)
{
	return &k->areas;
}
