/* dimension.h - processes, threads and targets: from those of a recording to rows of the database
 *
 * A recording names things by its own ids and restates them; here each becomes one row, once, and
 * calls get the row's id. Ids are those of the recording as long as it is the first one in its
 * database; those of a further one are moved out of the way (recording.first_target).
 *
 * The maps are bounded; when one is full it is emptied, and what is met again is found in the
 * database. Only the names that totals are kept by stay (DIMENSION_NAMES), then all further ones
 * share the row TARGET_FURTHER.
 */
#ifndef ANALYZE_DIMENSION_H
#define ANALYZE_DIMENSION_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "formats/base/map.h"
#include "formats/error.h"
#include "formats/iotap.h"

enum {				/* rows of target that belong to no recording */
	TARGET_UNKNOWN = 0,	/* the call named nothing that is known */
	TARGET_SOCKET = -1,	/* a socket, it is not known which */
	TARGET_FURTHER = -2,	/* for totals: names beyond the limit */
};

enum {
	DIMENSION_TARGETS = 1 << 20,	/* entries of a map */
	DIMENSION_THREADS = 1 << 18,
	DIMENSION_PROCESSES = 1 << 17,
	DIMENSION_DEFINITIONS = 1 << 18,
	DIMENSION_NAMES = 1 << 20,
};

/* The id that a process or target has in the first recording of a database, and over a recording that
 * is not loaded. */
static inline int64_t
dimension_process_id(const struct iotap_process *p)
{
	return (int64_t)(p->id & INT64_MAX);
}

int64_t dimension_target_id(const struct iotap_target *t);

/* A target as calls see it. */
struct dimension_target {
	int64_t id;		/* of its row */
	int64_t sums;		/* of the row that its totals go to */
	uint32_t klass;		/* enum iotap_class */
};

/* The ones met last, found without a hash. */
struct dimension_thread {
	uint64_t process;	/* id in the recording; 0 = none */
	uint32_t tid;
	int64_t id, process_row;
};

struct dimension_recent {
	uint64_t raw;		/* id in the recording + 1; 0 = none */
	struct dimension_target target;
};

enum { DIMENSION_RECENT_THREADS = 256, DIMENSION_RECENT_TARGETS = 1024 };	/* powers of two */

struct dimension {
	sqlite3 *db;
	struct iotap_error *err;	/* where failures are stored; borrowed */
	int64_t recording;
	int64_t first_target;
	sqlite3_stmt *add_process, *find_process, *update_process;
	sqlite3_stmt *drop_arguments, *add_argument;
	sqlite3_stmt *add_thread, *find_thread;
	sqlite3_stmt *add_definition, *add_target, *add_raw, *find_target, *find_raw;
	struct map processes;		/* id in the recording -> id of the row */
	struct map threads;		/* number of the process in this map << 32 | tid -> id of the row */
	struct map process_numbers;
	struct map targets;		/* id in the recording -> index into entries */
	struct map definitions;		/* hash of all that a target is -> its definition's row */
	struct map names;		/* hash of class and name -> id of the row */
	struct dimension_target *entries;
	size_t n_entries, cap_entries;
	int64_t next_definition;
	struct dimension_thread recent_threads[DIMENSION_RECENT_THREADS];
	struct dimension_recent recent_targets[DIMENSION_RECENT_TARGETS];
	uint64_t seed;
	bool has_arguments;		/* some process came with all of them */
	bool emptied;			/* targets was full and begun anew */
	int64_t next_thread;
	int64_t next_raw;		/* next id for targets whose own cannot be moved; negative */
	uint64_t further;		/* targets that share TARGET_FURTHER */
};

/* Begins a recording whose row has this id. Everything is in *d; _fini may be called after a failure. */
int dimension_init(struct dimension *d, sqlite3 *db, int64_t recording, int64_t first_target,
		   struct iotap_error *err);
void dimension_fini(struct dimension *d);

/* The row of a process, made at its first sight. */
int dimension_process(struct dimension *d, const struct iotap_process *p, int64_t *id);

/* The same, and what is known of it now is written to the row (it runs another program, has ended). */
int dimension_process_update(struct dimension *d, const struct iotap_process *p, int64_t *id);

/* The row of a thread, and that of its process. */
int dimension_thread(struct dimension *d, const struct iotap_process *p, uint32_t tid, int64_t *id,
		     int64_t *process);

/* The row of a target; *out is valid until the next call. */
int dimension_target(struct dimension *d, const struct iotap_target *t,
		     const struct dimension_target **out);

#endif
