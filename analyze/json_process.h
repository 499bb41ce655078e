/* json_process.h - the processes that JSON Lines tell of
 *
 * A process is known by its pid, until another one of that pid is attached. Owns them all until the end.
 */
#ifndef ANALYZE_JSON_PROCESS_H
#define ANALYZE_JSON_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/json_line.h"
#include "formats/base/map.h"
#include "formats/iotap.h"

struct json_process;

struct json_processes {
	struct map by_pid;
	struct json_process *first;	/* the newest one */
	uint64_t n;
};

void json_processes_init(struct json_processes *);
void json_processes_fini(struct json_processes *);

/* The process of this pid, a new one if need be. NULL = out of memory. */
const struct iotap_process *json_processes_get(struct json_processes *, uint32_t pid);

/* The id of the one process of this pid; 0 = there is none, or there were several. */
uint64_t json_processes_only(const struct json_processes *, uint32_t pid);

/* Those in the list of a line of type "start"; inner parses them. False: one is no object, or out of
 * memory. */
bool json_processes_start(struct json_processes *, const struct json_line *line, struct json_line *inner);

/* What a notice says about its process. NULL = out of memory. */
const struct iotap_process *json_processes_notice(struct json_processes *, const struct json_line *line,
						  enum iotap_notice_type type, uint64_t time_ns);

#endif
