/* page_facts.h - what the page shows and the summary does not keep
 *
 * Filled event by event while a recording is read, in memory that does not grow with it: a time line of
 * at most FACTS_BUCKETS steps whose width doubles as needed, latencies in classes of at most 6.25 %
 * width, the slowest calls, and tables of failures and processes that refuse beyond a bound, with a
 * count. Calls of which only sums are known are in the processes' table alone.
 */
#ifndef REPORT_PAGE_FACTS_H
#define REPORT_PAGE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/base/map.h"
#include "formats/iotap.h"

enum {
	FACTS_BUCKETS = 240,
	FACTS_SLOWEST = 50,
	FACTS_FAILURES_MAX = 4096,
	FACTS_PROCESSES_MAX = 65536,
	FACTS_NAME_MAX = 512,		/* bytes of a name that are kept */
	FACTS_ARGUMENTS_MAX = 4096,	/* of the arguments of a process that are shown */
	FACTS_ARGUMENTS_KEPT = FACTS_ARGUMENTS_MAX + 4,	/* so much more tells where its last character ends */
	FACTS_ARGUMENTS_ALL = 16 << 20,	/* of those of all processes together */
	FACTS_LATENCY_CLASSES = 976,	/* 16 values, then 16 classes for each power of two to 2^64 */
};

/* What a call did, as a chart tells them apart. */
enum facts_group {
#define GROUP(name, title, noun) FACTS_##name,
#include "report/page_groups.def"
#undef GROUP
	N_FACTS_GROUPS
};

struct facts_bucket {
	uint64_t bytes[N_FACTS_GROUPS], calls[N_FACTS_GROUPS], failed;
};

struct facts_latency {
	uint64_t n, sum_ns, max_ns;
	uint64_t classes[FACTS_LATENCY_CLASSES];
};

struct facts_slow {
	uint64_t duration_ns, time_ns, number, bytes;	/* bytes: IOTAP_UNKNOWN = none */
	uint32_t pid, tid;
	int32_t err;
	uint16_t call;
	size_t name_len;
	char name[FACTS_NAME_MAX];			/* of the target, printable */
};

struct facts_failure {
	uint64_t n;
	int32_t err;
	uint16_t call;
	size_t name_len;
	char name[FACTS_NAME_MAX];			/* of the first target it failed on */
};

struct facts_process {
	uint32_t pid;
	uint64_t bytes[N_FACTS_GROUPS], calls, failed, latency_ns;
	size_t name_len, exe_len;
	char name[64], exe[FACTS_NAME_MAX];		/* bytes as they are, not escaped */
	size_t arguments_at, arguments_len;		/* in facts.arguments, as they are; 0 = not recorded */
};

struct facts {
	uint64_t begin_ns, bucket_ns;			/* boot clock; width of a step */
	size_t n_buckets;				/* used ones */
	struct facts_bucket buckets[FACTS_BUCKETS];
	struct facts_latency latency[N_FACTS_GROUPS];
	struct facts_slow slowest[FACTS_SLOWEST];	/* a heap, the fastest on top, until facts_finish */
	size_t n_slowest;
	struct map failure_at, process_at;		/* indices into: */
	struct buf failures, processes;			/* struct facts_failure, struct facts_process */
	struct buf arguments;				/* formats/base/arguments.h, one row behind the other */
	uint64_t failures_refused, processes_refused;	/* calls without a row */
	bool arguments_refused;				/* those of some process had no room */
	bool failed;					/* out of memory */
};

/* A new one, or NULL. begin_ns, where the time line begins on the recording's boot clock, is to be set
 * before the first event. */
struct facts *facts_new(void);
void facts_free(struct facts *);

/* Takes an event in. False: out of memory, then and ever after. */
bool facts_event(struct facts *, const struct iotap_event *event);

/* All events of a batch of h, which has all columns. */
bool facts_batch(struct facts *, const iotap_t *h, const struct iotap_batch *batch);

/* Takes sums in: into the processes' table, those of nobody known into a row of pid 0. */
bool facts_aggregate(struct facts *, const struct iotap_aggregate *aggregate);

/* Sorts: the slowest first, failures and processes by calls. */
void facts_finish(struct facts *);

/* The latency below which share (0 to 1) of the calls lie: the upper end of its class, but never more
 * than the longest; 0 without calls. */
uint64_t facts_quantile(const struct facts_latency *, double share);

/* Where class i begins, in ns: for 0 <= i <= FACTS_LATENCY_CLASSES. */
uint64_t facts_class_begin(size_t i);

static inline const struct facts_failure *
facts_failures(const struct facts *f, size_t *n)
{
	*n = f->failures.len / sizeof(struct facts_failure);
	return (const struct facts_failure *)(const void *)f->failures.data;
}

static inline const struct facts_process *
facts_processes(const struct facts *f, size_t *n)
{
	*n = f->processes.len / sizeof(struct facts_process);
	return (const struct facts_process *)(const void *)f->processes.data;
}

#endif
