/* aggregate.bpf.h - what becomes of a call when the ring is full: it is summed, never dropped
 *
 * Three levels, each tried when the one before has no room for one more key: by (process, target,
 * call), by (process, call), by call. Sums are cumulative and never reset.
 */
#ifndef BPF_AGGREGATE_H
#define BPF_AGGREGATE_H

#include "bpf/ring.bpf.h"

/* One call as the sums need it. */
struct aggregate_part {
	struct kr_aggregate_key key;
	__u64 bytes, messages, latency_ns, now_ns;
	__u64 failed;
};

static __always_inline void
aggregate_add(struct kr_aggregate *sum, const struct aggregate_part *part)
{
	__sync_fetch_and_add(&sum->calls, 1);
	__sync_fetch_and_add(&sum->bytes, part->bytes);
	__sync_fetch_and_add(&sum->errors, part->failed);
	__sync_fetch_and_add(&sum->latency_ns, part->latency_ns);
	__sync_fetch_and_add(&sum->messages, part->messages);
	if (!sum->first_ns)
		sum->first_ns = part->now_ns;
	sum->last_ns = part->now_ns;
}

/* Adds to the entry of the key, making it when there is room; 0, or -1 without room. */
static __always_inline int
aggregate_in(void *map, const struct aggregate_part *part)
{
	struct kr_aggregate *sum = bpf_map_lookup_elem(map, &part->key);

	if (!sum) {
		const struct kr_aggregate none = { .first_ns = part->now_ns };

		bpf_map_update_elem(map, &part->key, &none, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(map, &part->key);
	}
	if (!sum)
		return -1;
	aggregate_add(sum, part);
	return 0;
}

/* Sums one call; cpu and part are never NULL, which the verifier wants to be told. */
static __noinline int
aggregate_call_in(struct kr_cpu *cpu, struct aggregate_part *part)
{
	struct kr_aggregate *sum;
	__u32 call;

	if (!cpu || !part)
		return 0;
	call = part->key.call;
	count(cpu, KC_aggregated);
	if (aggregate_in(&aggregate, part) == 0)
		return 0;
	count(cpu, KC_aggregated_no_key);
	part->key.id = 0;
	if (aggregate_in(&aggregate_process, part) == 0)
		return 0;
	count(cpu, KC_aggregated_no_process);
	sum = bpf_map_lookup_elem(&aggregate_call, &call);
	if (sum)
		aggregate_add(sum, part);
	return 0;
}

/* Sums one call for the row of its source too. Only where both targets are known: otherwise nobody
 * could tell whose bytes these are. */
static __noinline int
aggregate_source(struct aggregate_part *part, __u64 source)
{
	if (!part || !part->key.id || !source)
		return 0;
	part->key.id = source;
	part->key.source = 1;
	return aggregate_in(&aggregate, part);
}

#endif
