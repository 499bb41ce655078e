/* kernel_read.c - what the kernel half is asked for: iterators, counters, sums, definitions
 *
 * Maps are read many entries a call (BPF_MAP_LOOKUP_BATCH, Linux 5.6). An entry that is added or
 * changed meanwhile may or may not be in the answer; sums are cumulative, so the next reading has it.
 */
#include "capture/kernel.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "capture/kernel_parts.h"
#include "capture/thread.h"

enum {
	ITERATOR_BYTES = 1 << 16,
	SEEN_STEP = 4096,		/* entries of the map seen a call */
};

/* Reads an iterator to its end. A read may end inside a record, which then waits in front of the next
 * one. Iterators may answer a read by EAGAIN when they had nothing to say for long. */
static int
iterate(struct bpf_link *link, size_t size, kernel_each *each, kernel_between *between, void *arg,
	struct iotap_error *err)
{
	const int fd = bpf_iter_create(bpf_link__fd(link));
	uint8_t *const bytes = malloc(ITERATOR_BYTES);
	size_t have = 0;
	int r = 0;

	if (fd < 0 || !bytes)
		r = error_errno(err, IOTAP_EKERNEL, errno, "cannot run an iterator");
	while (r == 0) {
		const ssize_t got = read(fd, bytes + have, ITERATOR_BYTES - have);
		size_t at = 0;

		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got < 0)
			r = error_errno(err, IOTAP_EKERNEL, errno, "an iterator failed");
		if (got <= 0)
			break;
		have += (size_t)got;
		for (; r == 0 && have - at >= size; at += size)
			r = each(arg, bytes + at);
		memmove(bytes, bytes + at, have - at);
		have -= at;
		if (r == 0 && between)
			r = between(arg);
	}
	free(bytes);
	if (fd >= 0)
		(void)close(fd);
	return r;
}

int
kernel_tasks(struct kernel *k, kernel_each *each, void *arg, struct iotap_error *err)
{
	return iterate(k->skel->links.iotap_tasks, sizeof(struct kr_task_seen), each, NULL, arg, err);
}

int
kernel_open_files(struct kernel *k, kernel_each *each, kernel_between *between, void *arg,
		  struct iotap_error *err)
{
	return iterate(k->skel->links.iotap_files, sizeof(struct kr_open_fd), each, between, arg,
		       err);
}

int
kernel_mappings(struct kernel *k, kernel_each *each, kernel_between *between, void *arg,
		struct iotap_error *err)
{
	if (!k->has_mapped)
		return 0;
	return iterate(k->skel->links.iotap_mappings, sizeof(struct kr_open_fd), each, between, arg, err);
}

int
kernel_unfinished(struct kernel *k, kernel_each *each, void *arg, struct iotap_error *err)
{
	const int r = iterate(k->skel->links.iotap_undone, sizeof(struct kr_unfinished), each, NULL,
			      arg, err);

	if (r != 0 || !k->skel->links.iotap_requests)
		return r;
	return iterate(k->skel->links.iotap_requests, sizeof(struct kr_unfinished), each, NULL, arg,
		       err);
}

/* In a thread without capabilities; its answer: an errno. */
static void *
ask_unprivileged(void *arg)
{
	const struct kernel *const k = arg;
	struct bpf_map_info info = {0};
	uint32_t bytes = sizeof(info);

	return bpf_obj_get_info_by_fd(bpf_map__fd(k->skel->maps.seen), &info, &bytes) == 0
		       ? NULL : (void *)(intptr_t)errno;
}

bool
kernel_bpf_is_privileged(const struct kernel *k)
{
	const struct thread_options options = {.name = "iotap-asks", .stays_root = true};
	struct iotap_error err = {0};
	void *answer = NULL;
	pthread_t thread;

	return thread_start(&thread, &options, ask_unprivileged, (void *)(uintptr_t)k, &err) == 0 &&
	       pthread_join(thread, &answer) == 0 && (intptr_t)answer == EPERM;
}

void
kernel_counters(const struct kernel *k, uint64_t sums[KC_N])
{
	memset(sums, 0, KC_N * sizeof(*sums));
	for (uint32_t cpu = 0; cpu < k->areas.n_cpus; cpu++) {
		for (unsigned int i = 0; i < KC_N; i++)
			sums[i] += __atomic_load_n(&k->areas.control[cpu].counter[i],
						   __ATOMIC_RELAXED);
	}
}

uint64_t
kernel_misses(const struct kernel *k)
{
	struct bpf_program *program;
	uint64_t sum = 0;

	bpf_object__for_each_program(program, k->skel->obj) {
		struct bpf_prog_info info = {0};
		uint32_t bytes = sizeof(info);

		if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes) == 0)
			sum += info.recursion_misses;
	}
	return sum;
}

/* All entries of a map of sums at once: both maps are smaller than the room. */
static int
read_sums(struct kernel *k, const struct bpf_map *map, unsigned int level, kernel_each_sum *each,
	  void *arg, struct iotap_error *err)
{
	uint64_t cookie = 0;
	uint32_t n = KR_AGGREGATE_KEYS;
	int r = 0;

	if (!k->keys)
		k->keys = calloc(KR_AGGREGATE_KEYS, sizeof(*k->keys));
	if (!k->sums)
		k->sums = calloc(KR_AGGREGATE_KEYS, sizeof(*k->sums));
	if (!k->keys || !k->sums)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	if (bpf_map_lookup_batch(bpf_map__fd(map), NULL, &cookie, k->keys, k->sums, &n, NULL) != 0 &&
	    errno != ENOENT)
		return error_errno(err, IOTAP_EKERNEL, errno, "cannot read the kernel's sums");
	for (uint32_t i = 0; i < n && r == 0; i++)
		r = each(arg, level, &k->keys[i], &k->sums[i]);
	return r;
}

static void
sum_add(struct kr_aggregate *to, const struct kr_aggregate *one)
{
	if (one->calls == 0)
		return;
	if (to->calls == 0 || one->first_ns < to->first_ns)
		to->first_ns = one->first_ns;
	if (one->last_ns > to->last_ns)
		to->last_ns = one->last_ns;
	to->calls += one->calls;
	to->bytes += one->bytes;
	to->errors += one->errors;
	to->latency_ns += one->latency_ns;
	to->messages += one->messages;
}

/* The last level: an array by call, one value a CPU. */
static int
read_call_sums(struct kernel *k, kernel_each_sum *each, void *arg, struct iotap_error *err)
{
	const size_t bytes = k->areas.n_cpus * sizeof(struct kr_aggregate);
	struct kr_aggregate *const values = malloc(bytes);
	int r = values ? 0 : error_set(err, IOTAP_ENOMEM, "out of memory");

	for (uint32_t call = 0; r == 0 && call < KR_MAX_CALLS; call++) {
		const struct kr_aggregate_key key = {.call = (kr_u16)call};
		struct kr_aggregate sum = {0};

		if (bpf_map__lookup_elem(k->skel->maps.aggregate_call, &call, sizeof(call), values,
					 bytes, 0) != 0) {
			r = error_errno(err, IOTAP_EKERNEL, errno, "cannot read the kernel's sums");
			break;
		}
		for (uint32_t cpu = 0; cpu < k->areas.n_cpus; cpu++)
			sum_add(&sum, &values[cpu]);
		if (sum.calls > 0)
			r = each(arg, 3, &key, &sum);
	}
	free(values);
	return r;
}

int
kernel_aggregates(struct kernel *k, kernel_each_sum *each, void *arg, struct iotap_error *err)
{
	uint64_t counters[KC_N];
	int r;

	kernel_counters(k, counters);
	if (counters[KC_aggregated] == 0)
		return 0;
	r = read_sums(k, k->skel->maps.aggregate, 1, each, arg, err);
	if (r == 0 && counters[KC_aggregated_no_key] > 0)
		r = read_sums(k, k->skel->maps.aggregate_process, 2, each, arg, err);
	if (r == 0 && counters[KC_aggregated_no_process] > 0)
		r = read_call_sums(k, each, arg, err);
	return r;
}

int
kernel_mapped(struct kernel *k, kernel_each_mapped *each, void *arg, struct iotap_error *err)
{
	uint64_t cookie = 0;
	uint32_t n = KR_MAPPED_KEYS;
	int r = 0;

	if (!k->has_mapped)
		return 0;
	if (!k->mapped_keys)
		k->mapped_keys = calloc(KR_MAPPED_KEYS, sizeof(*k->mapped_keys));
	if (!k->mapped)
		k->mapped = calloc(KR_MAPPED_KEYS, sizeof(*k->mapped));
	if (!k->mapped_keys || !k->mapped)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	if (bpf_map_lookup_batch(bpf_map__fd(k->skel->maps.mapped), NULL, &cookie, k->mapped_keys,
				 k->mapped, &n, NULL) != 0 && errno != ENOENT)
		return error_errno(err, IOTAP_EKERNEL, errno, "cannot read the sums of mapped files");
	for (uint32_t i = 0; i < n && r == 0; i++)
		r = each(arg, &k->mapped_keys[i], &k->mapped[i]);
	return r;
}

static int
compare_ids(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Deletes those of n entries whose definition's id, its first word, is to be forgotten. */
static void
forget_entries(const struct kernel *k, int fd, const uint64_t *files, const uint8_t *values,
	       size_t value_bytes, uint32_t n)
{
	const uint64_t *const ids = (const uint64_t *)(const void *)k->forgotten.data;
	const size_t n_ids = k->forgotten.len / sizeof(*ids);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t id;

		memcpy(&id, values + i * value_bytes, sizeof(id));
		if (k->forget_all || bsearch(&id, ids, n_ids, sizeof(*ids), compare_ids))
			(void)bpf_map_delete_elem(fd, &files[i]);
	}
}

/* Takes over what is to be forgotten in this pass. */
static void
forget_begin(struct kernel *k, struct buf *ids, bool *all)
{
	k->forgetting = true;
	k->forget_all = *all;
	*all = false;
	buf_free(&k->forgotten);
	k->forgotten = *ids;
	buf_init(ids, ids->limit);
	if (k->forgotten.len > 0)
		qsort(k->forgotten.data, k->forgotten.len / sizeof(uint64_t), sizeof(uint64_t),
		      compare_ids);
	k->forget_at = 0;
	k->forget_first = true;
}

static int
forget_step(struct kernel *k, uint64_t *files, uint8_t *values, struct iotap_error *err)
{
	const int fd = bpf_map__fd(k->skel->maps.seen);
	const size_t value_bytes = bpf_map__value_size(k->skel->maps.seen);
	uint32_t n = SEEN_STEP;
	const int failed = bpf_map_lookup_batch(fd, k->forget_first ? NULL : &k->forget_at,
						&k->forget_at, files, values, &n, NULL);

	if (failed != 0 && errno != ENOENT)
		return error_errno(err, IOTAP_EKERNEL, errno, "cannot read the definitions");
	forget_entries(k, fd, files, values, value_bytes, n);
	k->forget_first = false;
	if (failed == 0)
		return 1;
	buf_free(&k->forgotten);
	k->forgetting = false;
	__atomic_fetch_add(&k->skel->data->seen_gen, 1, __ATOMIC_SEQ_CST);
	return 0;
}

int
kernel_forget(struct kernel *k, struct buf *ids, bool *all, struct iotap_error *err)
{
	uint64_t *files;
	uint8_t *values;
	int r;

	if (!k->forgetting) {
		if (ids->len == 0 && !*all)
			return 0;
		forget_begin(k, ids, all);
	}
	files = malloc(SEEN_STEP * sizeof(*files));
	values = malloc(SEEN_STEP * bpf_map__value_size(k->skel->maps.seen));
	r = files && values ? forget_step(k, files, values, err)
			    : error_set(err, IOTAP_ENOMEM, "out of memory");
	free(values);
	free(files);
	return r;
}
