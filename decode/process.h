/* process.h - the processes of a recording: who they are, what they are called now
 *
 * Identity is pid (of the initial namespace) and start time; the name changes with exec and rename, at
 * the point of the stream where the record of it stands. Those that ended are kept for the summary, up
 * to a bound, then the oldest are forgotten and counted. The table owns its processes.
 */
#ifndef DECODE_PROCESS_H
#define DECODE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/map.h"
#include "formats/iotap.h"
#include "formats/record.h"

enum {
	PROCESS_KEPT = 8192,		/* processes kept, while enough of them have ended */
	PROCESS_ALIVE = 65536,		/* of more than these the oldest are forgotten, alive or not */
	PROCESS_MAX = 131072,		/* processes between two trims, whatever a recording says */
};

struct process {
	struct iotap_process pub;	/* first, so that a pointer to it is one to the process */
	char *strings;			/* name, exe, arg0, cwd */
	char *place;			/* cgroup, container */
	bool name_is_comm;		/* a rename changes it */
	bool told;			/* a notice or the list at the start has named it */
};

struct processes {
	struct process **all;		/* in the order they came */
	size_t n, cap;
	struct map by_pid;		/* the latest one of a pid */
	uint64_t forgotten;
	uint64_t changes;		/* grows whenever a pid means another process */
};

void processes_init(struct processes *);
void processes_fini(struct processes *);

/* Forgets the oldest of those that ended, when there are too many; the oldest of all, when that does not
 * do: the next epoch names them again. Only to be called where nobody holds a pointer to one. */
void processes_trim(struct processes *);

/* The process that pid means now; made, without a name, if nobody has told of it. NULL = out of memory
 * or over PROCESS_MAX. */
struct process *processes_get(struct processes *, uint32_t pid);

/* The process that pid means now, or NULL. */
struct process *processes_find(const struct processes *, uint32_t pid);

/* What a record says. Each gives the process concerned in *out, which may be NULL for rename (a thread
 * that is not the leader) and exit (a process nobody has told of). 0 or IOTAP_ENOMEM, IOTAP_ELIMIT. */
int processes_process(struct processes *, const struct rec_process *, struct process **out);
int processes_exec(struct processes *, const struct rec_exec *, struct process **out);
int processes_rename(struct processes *, const struct rec_rename *, struct process **out);
int processes_exit(struct processes *, const struct rec_exit *, struct process **out);

/* A number made from pid and start time: the same in every recording, never 0, fits 63 bits. */
uint64_t process_id(uint32_t pid, uint64_t start_ns);

#endif
