/* answers.h - what the host says about itself and its processes, as records */
#ifndef CAPTURE_ANSWERS_H
#define CAPTURE_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/utsname.h>

#include "formats/base/buf.h"
#include "formats/error.h"
#include "formats/kernel_record.h"
#include "formats/record.h"

/* CLOCK_BOOTTIME, in nanoseconds. */
uint64_t answers_boot_ns(void);

/* The three clocks, read together: of several tries the one that took least. */
void answers_clock(struct rec_clock *out);

/* Facts of the host; rec borrows from the rest. */
struct answers_host {
	struct rec_host rec;
	struct utsname names;
	char boot_id[40];
};

/* Fills all but what the caller knows: flags and options. */
void answers_host(struct answers_host *out);

/* How tracing of a process began: process.how in formats/records.def. */
enum answers_how { HOW_PID = 1, HOW_NAME = 2, HOW_COMMAND = 3, HOW_DESCENDANT = 4,
		   HOW_SCOPE = 7 };

/* Appends the process record of a process that runs now: what the kernel half saw of it, and its
 * executable, argv[0] and working directory from /proc as far as they can be read. For a COMMAND that
 * waits for its exec, becomes is its argv[0] (else NULL) and stands for what it still is. */
int answers_process(const struct kr_task_seen *task, enum answers_how how, unsigned int name_from,
		    bool all_arguments, const char *becomes, struct buf *records,
		    struct iotap_error *err);

/* Appends a record for every address of every network interface of our namespace, one without address
 * for an interface that has none. */
int answers_interfaces(struct buf *records, struct iotap_error *err);

#endif
