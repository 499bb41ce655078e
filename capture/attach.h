/* attach.h - from what the user named to processes whose calls are recorded
 *
 * The order is the kernel half's (head of bpf/iotap.bpf.c): programs first, then who is meant, then
 * descendants until a pass adds none, then their open descriptors, then tracing.
 */
#ifndef CAPTURE_ATTACH_H
#define CAPTURE_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/exclusion.h"
#include "capture/kernel.h"
#include "capture/scope.h"
#include "capture/targets.h"
#include "formats/base/buf.h"
#include "formats/base/map.h"

struct attach_options {
	const struct targets *targets;
	const struct scope *scope;
	bool follow;			/* descendants too */
	bool all_arguments;
	uint32_t command;		/* pid, 0 = none */
	const char *command_name;	/* its argv[0] */
	uint64_t output_pipe;		/* inode, 0 = the output is no pipe */
};

struct attach {
	struct kernel *kernel;
	const struct attach_options *options;
	struct exclusion exclusion;
	struct map wanted;		/* pid -> how | name_from << 8 */
	uint32_t hidden, n_hidden;	/* processes that are meant and that no pass showed: the first one */
	struct buf tasks;		/* struct kr_task_seen of the last pass */
	struct buf *records;		/* attach_begin's */
	uint64_t n_nameless;		/* mappings that no name was made for */
	struct buf open_fds;		/* records kept until their definitions are written */
	kernel_between *pump;
	void *pump_arg;
	struct iotap_error *err;
};

/* Everything that can be wrong with the targets before the kernel is touched: 0, or as
 * targets_choose. */
int attach_look(const struct attach_options *options, struct iotap_error *err);

/* Marks every process that is meant; the programs are attached already. IOTAP_ENOTFOUND when none is
 * left and none is waited for. attach_fini in any case. */
int attach_mark(struct attach *a, struct kernel *k, const struct attach_options *options,
		struct iotap_error *err);

/* Appends process and open_fd records of all marked processes to records, and starts their tracing:
 * their pids go into live. pump is called between reads, and may take what is in records. */
int attach_begin(struct attach *a, struct buf *records, struct map *live, kernel_between *pump,
		 void *arg, struct iotap_error *err);

void attach_fini(struct attach *a);

#endif
