/* targets.h - which processes the user means
 *
 * Pure: a table of processes in, process numbers out. The table comes from /proc (processes_read) or
 * from a test.
 */
#ifndef CAPTURE_TARGETS_H
#define CAPTURE_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/error.h"

/* Bytes in the table's text. */
struct span {
	uint32_t at, n;
};

struct process {
	uint32_t pid, parent, group;
	bool ending;		/* zombie or exiting */
	bool kernel;		/* a kernel thread: never matched by name */
	struct span comm;
	struct span exe;	/* base name of the executable; empty = not known */
	struct span arg0;	/* base name of argv[0] */
};

struct processes {
	struct process *rows;
	size_t n, cap;
	struct buf text;
};

/* Reads /proc; with names what takes three times as long: executable and argv[0] too, not comm alone.
 * IOTAP_ESYSTEM, IOTAP_ENOMEM. processes_free in any case. */
int processes_read(struct processes *p, bool names, struct iotap_error *err);
void processes_free(struct processes *p);

/* Adds a row with these names, whose base names are taken here; for tests and processes_read. False: out
 * of memory. */
bool processes_add(struct processes *p, const struct process *row, const char *comm,
		   const char *exe, size_t exe_len, const char *arg0, size_t arg0_len);

/* NULL = none. */
const struct process *processes_find(const struct processes *p, uint32_t pid);

/* What the command line says. The strings are the caller's. */
struct targets {
	uint32_t *pids;
	size_t n_pids;
	const char **names;
	size_t n_names;
	uint32_t *excluded_pids;
	size_t n_excluded_pids;
	const char **excluded_names;
	size_t n_excluded_names;
	bool wait;		/* a name that nobody has yet is fine */
};

/* Adds a TARGET: digits are a pid unless numeric_names, and 0 is no pid. Adding the same one twice is
 * adding it once. IOTAP_EUSAGE for an empty one, IOTAP_ENOMEM. */
int targets_add(struct targets *t, const char *text, bool numeric_names, struct iotap_error *err);
int targets_add_pid(struct targets *t, const char *text, struct iotap_error *err);
int targets_add_name(struct targets *t, const char *text, struct iotap_error *err);
int targets_exclude(struct targets *t, const char *text, struct iotap_error *err);
void targets_free(struct targets *t);

/* Which name of a process is among names, ASCII case ignored: 1 comm, 2 executable, 3 argv[0]; 0 none. The
 * last two are reduced to what follows their last '/'. */
struct name_bytes {
	const char *p;
	size_t n;
};
unsigned int names_match(const char *const *names, size_t n_names, struct name_bytes comm,
			 struct name_bytes exe, struct name_bytes arg0);

/* A process that is to be traced. */
struct chosen {
	uint32_t pid;
	bool by_name;
	unsigned int name_from;	/* process.name_from: 0 comm, 1 executable, 2 argv[0] */
};

/* Appends a struct chosen for every process the targets name to out: pids first, then by name those
 * for which skip (may be NULL) says false. IOTAP_ENOTFOUND with the reason: no such process, a thread, or
 * no process of that name, with similar names. self is never chosen. */
typedef bool targets_skip(void *arg, uint32_t pid);
int targets_choose(const struct targets *t, const struct processes *p, uint32_t self,
		   targets_skip *skip, void *arg, struct buf *out, struct iotap_error *err);

/* True when --exclude has this number. */
bool targets_excludes_pid(const struct targets *t, uint32_t pid);

/* True when --exclude names it, by number or name. */
bool targets_excludes(const struct targets *t, const struct processes *p,
		      const struct process *row);

/* Appends the pids of pid's ancestors to out, nearest first; ends at a cycle. */
void processes_ancestors(const struct processes *p, uint32_t pid, struct buf *out);

#endif
