/* kernel.h - the kernel half as user space sees it: the only part that knows libbpf
 *
 * Loads bpf/iotap.bpf.c, sets who is traced, runs its iterators, reads its counters and sums. The order
 * in which all this has to happen is session.c's and attach.c's; the head of bpf/iotap.bpf.c says why.
 */
#ifndef CAPTURE_KERNEL_H
#define CAPTURE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/merge.h"
#include "capture/scope.h"
#include "capture/selection.h"
#include "formats/base/buf.h"
#include "formats/error.h"
#include "formats/kernel_record.h"

enum kernel_filter {		/* as in bpf/settings.bpf.h */
	KERNEL_NOT_TRACED = 0,
	KERNEL_TRACED = 1,
	KERNEL_EXCLUDED = 2,
	KERNEL_MARKING = 3,
	KERNEL_NAMED = 4,	/* it has an excluded name, until its next exec */
};

enum {
	KERNEL_CALL_SLOTS_MIN = 1024,	/* per CPU, whatever the buffer: 128 KiB */
	KERNEL_NOTE_SLOTS_MIN = 256,	/* per CPU: 128 KiB */
};

struct kernel_options {
	uint64_t buffer_bytes;		/* of the rings for calls together */
	bool follow;			/* children of traced processes are traced */
	bool no_latency;		/* calls are looked at when they end only, KF_UNTIMED */
	const char *const *names;	/* processes that take one of these are traced */
	size_t n_names;
	const char *const *excluded;	/* with names or a scope: who takes one of these never is */
	size_t n_excluded;
	const struct scope *scope;	/* NULL = none */
	const struct selection *selection;	/* calls that are recorded, NULL = all */
	uint32_t sets;			/* optional ones, enum iotap_set */
	const char *btf;		/* file of the kernel's type information, NULL = its own */
};

struct kernel;

/* Slots per CPU, powers of two: calls get a CPU's share of the buffer, rounded down, notes a quarter of
 * that in addition. */
void kernel_ring_sizes(uint64_t buffer_bytes, uint32_t n_cpus, uint32_t *call_slots,
		       uint32_t *note_slots);

/* What the kernel half knows a name by: FNV-1a of its bytes, A to Z as a to z. */
uint64_t kernel_name_hash(const char *name, size_t n);

/* Loads the programs and maps their memory; nothing runs yet. IOTAP_EUNSUPPORTED, IOTAP_EKERNEL,
 * IOTAP_EPERM, IOTAP_ENOMEM. */
int kernel_open(struct kernel **out, const struct kernel_options *options, struct iotap_error *err);

/* Detaches what is attached and gives everything back. NULL is allowed. */
void kernel_close(struct kernel *k);

/* The tracepoint programs run from here on. */
int kernel_attach(struct kernel *k, struct iotap_error *err);

/* The filter byte of a process. */
void kernel_filter(struct kernel *k, uint32_t pid, enum kernel_filter value);
enum kernel_filter kernel_filter_of(const struct kernel *k, uint32_t pid);

/* Processes of this group are never wanted for their scope. */
void kernel_exclude_group(struct kernel *k, uint32_t group);

/* From marking to traced; false when the process ended meanwhile. */
bool kernel_start_tracing(struct kernel *k, uint32_t pid);

/* While it is paused no calls are looked at; the life of processes is followed all the same. */
void kernel_pause(struct kernel *k, bool paused);

/* Clears the filter and detaches the programs on calls; then the one on exits. */
void kernel_stop_calls(struct kernel *k);
void kernel_stop(struct kernel *k);

/* Each runs an iterator and hands every record to each, which returns 0 or a negative code that ends
 * it. between, if not NULL, is called after every read of some records, with the same meaning. */
typedef int kernel_each(void *arg, const void *record);
typedef int kernel_between(void *arg);
int kernel_tasks(struct kernel *k, kernel_each *each, void *arg, struct iotap_error *err);
int kernel_open_files(struct kernel *k, kernel_each *each, kernel_between *between, void *arg,
		      struct iotap_error *err);
/* Files that are mapped, with the set mmap: struct kr_open_fd, fd -1, id 0 = it gets no name. */
int kernel_mappings(struct kernel *k, kernel_each *each, kernel_between *between, void *arg,
		    struct iotap_error *err);
int kernel_unfinished(struct kernel *k, kernel_each *each, void *arg, struct iotap_error *err);

/* Whether the kernel lets only who has CAP_BPF read maps and run iterators that are open already, as it does
 * before 5.19 where unprivileged BPF is disabled. */
bool kernel_bpf_is_privileged(const struct kernel *k);

/* Sums over all CPUs. */
void kernel_counters(const struct kernel *k, uint64_t sums[KC_N]);

/* Runs of our programs that the kernel skipped, by its own count. */
uint64_t kernel_misses(const struct kernel *k);

/* Every entry of the sums of level 1 to 3 (struct rec_aggregate's meaning). each as above. */
typedef int kernel_each_sum(void *arg, unsigned int level, const struct kr_aggregate_key *key,
			    const struct kr_aggregate *sum);
int kernel_aggregates(struct kernel *k, kernel_each_sum *each, void *arg, struct iotap_error *err);

/* Every entry of the sums of the set mmap, none without it; pages as pages. each as above. */
typedef int kernel_each_mapped(void *arg, const struct kr_mapped_key *key, const struct kr_mapped *sums);
int kernel_mapped(struct kernel *k, kernel_each_mapped *each, void *arg, struct iotap_error *err);

/* Makes the kernel half define targets anew at their next use: a part of a pass over what it has seen.
 * ids holds uint64_t; a pass that begins takes all of them and leaves it empty; with *all it forgets
 * every target and makes *all false. 1: the pass goes on with the next call, ids and all are as they
 * were. */
int kernel_forget(struct kernel *k, struct buf *ids, bool *all, struct iotap_error *err);

/* The rings; they live as long as the kernel does. */
const struct merge_areas *kernel_areas(const struct kernel *k);

#endif
