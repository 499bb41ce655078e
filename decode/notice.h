/* notice.h - records between calls as notices and drops, with the line that people read
 *
 * Messages carry neither the program's name nor a time of day: whoever prints them adds these.
 * Untrusted names in them are escaped. What is made lives until the next one.
 */
#ifndef DECODE_NOTICE_H
#define DECODE_NOTICE_H

#include <stdint.h>

#include "decode/process.h"
#include "formats/base/buf.h"
#include "formats/iotap.h"
#include "formats/record.h"

#define NOTICE_PIDS_MAX 1024

struct notices {
	struct buf message;
	struct iotap_notice notice;
	struct iotap_drop drop;
	uint32_t pids[NOTICE_PIDS_MAX];
};

void notices_fini(struct notices *);

/* The processes traced from the start ("4242 (curl), and its descendants"), or the names waited for.
 * scopes: whose processes are traced all, as words ("of user \"www\"" ...); empty = nobody's. */
const struct iotap_notice *notice_start(struct notices *, const struct processes *, uint64_t boot_ns,
					bool followed, const struct buf *names,
					const struct buf *scopes);

/* process may be NULL where nobody has told of it. */
const struct iotap_notice *notice_attached(struct notices *, const struct process *,
					   const struct rec_process *);
const struct iotap_notice *notice_exec(struct notices *, const struct process *,
				       const struct rec_exec *);
const struct iotap_notice *notice_renamed(struct notices *, const struct process *,
					  const struct rec_rename *);
const struct iotap_notice *notice_exited(struct notices *, const struct process *,
					 const struct rec_exit *);
const struct iotap_notice *notice_untraced(struct notices *, const struct rec_untraced *);
const struct iotap_notice *notice_text(struct notices *, const struct rec_notice *);
const struct iotap_notice *notice_clock_step(struct notices *, uint64_t boot_ns, int64_t step_ns);
const struct iotap_notice *notice_end(struct notices *, const struct rec_end *);

/* What a text of capture says of its pauses (capture/session_requests.c). */
enum notice_pause { NOTICE_NO_PAUSE, NOTICE_PAUSED, NOTICE_RESUMED };
enum notice_pause notice_pause(const char *text);

/* Calls or notes lost by the kernel half or by capture. */
const struct iotap_drop *notice_loss(struct notices *, const struct rec_loss *);

/* A part of the input called name that could not be used. text: of the reader. */
const struct iotap_drop *notice_damage(struct notices *, const char *name, enum iotap_drop_cause cause,
				       uint64_t offset, uint64_t bytes, const char *text);

#endif
