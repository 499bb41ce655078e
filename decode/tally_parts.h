/* tally_parts.h - what the files of the tally share: tally.c, tally_aggregate.c, tally_summary.c */
#ifndef DECODE_TALLY_PARTS_H
#define DECODE_TALLY_PARTS_H

#include "decode/tally.h"
#include "formats/base/map.h"
#include "formats/calls.h"
#include "formats/kernel_record.h"

enum {
	N_CLASSES = 3,
	INTERFACES_MAX = 256,		/* names; what comes later counts as unknown */
	CONNECTIONS_MAX = 131072,
	AGGREGATES_MAX = 131072,
	CHUNK_BYTES = 256 * 1024,
	LINUX_EBADF = 9,		/* there was no such descriptor */
};

struct tally_interface {
	char name[32];			/* "" = none */
	struct iotap_sum read, write;
};

struct tally_aggregate {
	uint64_t level, pid, call, id;	/* the key */
	uint64_t calls, bytes, errors, latency_ns, messages;	/* the latest values */
};

/* Memory of the rows' targets: apart from that of the epochs, which comes and goes. */
struct tally_chunk {
	struct tally_chunk *next;
	size_t used, size;
	_Alignas(8) char bytes[];
};

enum tally_spot {
#define BLIND(name, member, noun, text, said) SPOT_##name,
#include "decode/blind_spots.def"
#undef BLIND
	SPOT_N
};

struct tally {
	uint64_t seed;
	struct tally_chunk *chunks;	/* the first one has room */
	struct iotap_row *rows;		/* in the order they came; the last N_CLASSES slots are the rest's */
	size_t n_rows, cap_rows, max_rows;
	struct map by_key;		/* hash of class and key -> row */
	struct map connections;		/* hashes of row and local end */
	struct iotap_row rest[N_CLASSES];	/* of the rows refused; target NULL = none refused */
	struct target *rest_target[N_CLASSES];
	struct iotap_op_row ops[KR_MAX_CALLS];
	struct tally_interface interfaces[INTERFACES_MAX];
	size_t n_interfaces;
	struct map by_aggregate;
	struct tally_aggregate *aggregates;
	size_t n_aggregates, cap_aggregates;
	struct map by_mapped;		/* tally_mapped.c */
	struct tally_mapped *mapped;
	size_t n_mapped, cap_mapped;
	struct iotap_mapped_row *sorted_mapped;
	struct tally_shared *shared;	/* tally_shared.c */
	size_t n_shared;
	struct iotap_shared_row *sorted_shared;
	struct map by_blind;		/* tally_blind.c: id of a process -> its row */
	struct tally_blind *blind, *sorted_blind;
	struct iotap_blind_row *blind_rows;
	size_t n_blind, cap_blind;
	uint64_t phantom_seen;
	uint64_t counters_before[KC_N], counters[KC_N];	/* of the kernel: at the beginning, and the latest */
	uint64_t misses_before, misses;
	uint64_t paused_from_ns;	/* 0 = not paused now */
	struct iotap_summary sums;	/* the plain counts, kept in place */
	/* What the latest summary points to. */
	struct iotap_row *sorted;
	struct iotap_op_row *sorted_ops;
	struct iotap_interface_row *sorted_interfaces;
	struct iotap_grouped_row *grouped;	/* tally_servers.c */
	size_t n_grouped;
	struct iotap_row *server_rows;
	struct target **server_targets;		/* what they are about */
	size_t n_servers;
};

/* What one call, or the sum of several, adds. */
struct tally_amount {
	enum call_dir dir;
	uint64_t calls, bytes, errors, messages, unsized;
	uint64_t latency_ns, latency_max_ns;
};

/* Adds to the totals, and to the target's row and interface. 0 or IOTAP_ENOMEM. */
int tally_moved(struct tally *, const struct iotap_target *, const struct tally_amount *);

/* Adds to the target's row alone, as read: the other side of a copy. 0 or IOTAP_ENOMEM. */
int tally_source(struct tally *, const struct iotap_target *source, struct tally_amount a);

/* Adds to the sums of a call that moves no data. */
void tally_op(struct tally *, unsigned int call, const struct tally_amount *);

void tally_sum_add(struct iotap_sum *, const struct tally_amount *);

/* tally_servers.c: sets the grouped rows of a summary that has its rows, false = out of memory; gives
 * everything back. */
bool tally_servers(struct tally *, struct iotap_summary *out);
void tally_servers_fini(struct tally *);

/* As the rows of a summary are sorted. */
void tally_sort_grouped(struct iotap_grouped_row *, size_t n);

/* tally_mapped.c: sets the rows of a summary, false = out of memory; gives everything back. */
bool tally_mapped_rows(struct tally *, struct iotap_summary *out);
void tally_mapped_fini(struct tally *);

/* tally_blind.c: n calls of the process (NULL = not known) were such a blind spot. 0 or IOTAP_ENOMEM. */
int tally_spot(struct tally *, enum tally_spot, const struct iotap_process *, uint64_t n);
bool tally_blind_rows(struct tally *, struct iotap_summary *out);
void tally_blind_fini(struct tally *);

/* Whether a target is a socket whose interface nobody knows. */
static inline bool
tally_over_unknown(const struct iotap_target *target)
{
	return target->klass == IOTAP_CLASS_NETWORK && target->device && target->device[0] == '?' &&
	       target->device[1] == '\0';
}

/* tally_unseen.c: takes notice of row i of a batch, and of a sum of calls, where they moved no data. sets:
 * those that the input was recorded with. 0 or IOTAP_ENOMEM. */
int tally_unseen(struct tally *, const struct iotap_batch *, uint32_t i, uint32_t sets);
int tally_unseen_sum(struct tally *, unsigned int call, const struct tally_amount *, const struct tally_place *);

/* tally_shared.c: takes notice of row i of a batch, where it is a call that moved no data; the rest as
 * above. */
int tally_shared(struct tally *, const struct iotap_batch *, uint32_t i);
bool tally_shared_rows(struct tally *, struct iotap_summary *out);
void tally_shared_fini(struct tally *);

/* The sums of an interface; "" = none. number: its place, from 1. */
struct tally_interface *tally_interface_named(struct tally *, const char *name, uint16_t *number);

#endif
