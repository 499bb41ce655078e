/* iotap.h - reading recordings and event streams: the public interface of libiotap
 *
 * Two ways to read. The pull cursor hands out column arrays, a block of calls at a time, for those
 * who need millions a second. The consume interface, built on it, calls handlers with one event,
 * notice or drop at a time.
 *
 * Contract. The handle is opaque and independent of every other. The library neither prints, nor
 * exits, nor starts threads, nor looks at the clock, /proc or the network: what it says depends on
 * the bytes it read and the options alone. Everything handed out is const and valid until the
 * handler returns, or until the next call on the handle. What is not known is IOTAP_UNKNOWN or a
 * NULL, never 0. Names are bytes with a length and may hold anything but are also NUL-terminated;
 * escape them before they reach a terminal (the ..._text members are ready to print).
 * Structures grow at their end.
 */
#ifndef IOTAP_H
#define IOTAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IOTAP_API __attribute__((visibility("default")))
#define IOTAP_UNKNOWN UINT64_MAX

typedef struct iotap iotap_t;

/* What iotap_errno gives, and what functions that fail return. Pinned. */
#ifndef IOTAP_ERROR_CODES
#define IOTAP_ERROR_CODES
enum iotap_error_code {
	IOTAP_ENOMEM = -1,		/* out of memory */
	IOTAP_EIO = -2,			/* input or output failed */
	IOTAP_ECORRUPT = -3,		/* damaged data */
	IOTAP_ENOTREC = -4,		/* not an iotap recording or event stream */
	IOTAP_EVERSION = -5,		/* made by a newer version of iotap */
	IOTAP_ETRUNC = -6,		/* ends abruptly */
	IOTAP_EUSAGE = -7,		/* wrong use */
	IOTAP_EPERM = -8,		/* not permitted */
	IOTAP_ENOTFOUND = -9,		/* not found */
	IOTAP_EUNSUPPORTED = -10,	/* not supported here */
	IOTAP_EABORT = -11,		/* stopped by a handler */
	IOTAP_ESQL = -12,		/* database error */
	IOTAP_ELIMIT = -13,		/* over a limit */
	IOTAP_EEXIST = -14,		/* exists already */
	IOTAP_EBUSY = -15,		/* in use */
	IOTAP_EPIPE = -16,		/* the reader has gone */
	IOTAP_EKERNEL = -17,		/* the kernel refused */
	IOTAP_ESYSTEM = -18		/* a system call failed */
};
#endif

enum iotap_kind {		/* what a target is; pinned */
	IOTAP_KIND_UNKNOWN = 0, IOTAP_KIND_FILE = 1, IOTAP_KIND_SOCKET = 2, IOTAP_KIND_PIPE = 3,
	IOTAP_KIND_ANON = 4, IOTAP_KIND_MEMFD = 5
};
enum iotap_dir { IOTAP_DIR_NONE = 0, IOTAP_DIR_READ = 1, IOTAP_DIR_WRITE = 2 };	/* pinned */
enum iotap_class {		/* which sums an event goes to */
	IOTAP_CLASS_FILE = 0, IOTAP_CLASS_NETWORK = 1, IOTAP_CLASS_OTHER = 2
};
enum iotap_resolved {		/* how the target was learned */
	IOTAP_RESOLVED_NONE = 0, IOTAP_RESOLVED_TRACED = 1, IOTAP_RESOLVED_SNAPSHOT = 2,
	IOTAP_RESOLVED_LAZY = 3
};
enum iotap_evidence {
	IOTAP_EVIDENCE_NONE = 0, IOTAP_EVIDENCE_KERNEL = 1, IOTAP_EVIDENCE_PROC = 2,
	IOTAP_EVIDENCE_USER = 3
};

/* Flags of a call. Those that say whether another member is known are left to that member. Pinned. */
enum iotap_flag {
	IOTAP_F_BEFORE = 1u << 0,	/* began before tracing: duration unknown */
	IOTAP_F_RESTARTED = 1u << 1,	/* one or more restarts by the kernel joined into this call */
	IOTAP_F_INTERRUPTED = 1u << 2,	/* ended with a restart code and was not restarted: EINTR */
	IOTAP_F_COMPAT = 1u << 3,	/* 32-bit call */
	IOTAP_F_RACED = 1u << 4,	/* the descriptor meant another file before the call had ended */
	IOTAP_F_UNDEFINED = 1u << 5,	/* no room for the target's name; device and inode are known */
	IOTAP_F_UNFINISHED = 1u << 9,	/* in flight when tracing stopped: result means nothing */
	IOTAP_F_APPEND = 1u << 13,	/* O_APPEND: offset is where the write ended up */
	IOTAP_F_PHANTOM = 1u << 14,	/* returned without having been made: moved nothing */
	IOTAP_F_CLOSED = 1u << 15,	/* the call closed its descriptor */
	IOTAP_F_MESSAGE_BYTES = 1u << 16,	/* bytes were summed over the messages */
	IOTAP_F_UNTIMED = 1u << 17	/* duration unknown: not measured, or a silent end */
};

struct iotap_target {
	uint64_t id;			/* of the recording; with bit 62: made from device and inode, undefined there */
	enum iotap_kind kind;
	enum iotap_resolved resolved;
	enum iotap_evidence evidence;
	enum iotap_class klass;
	int confirmed;			/* the name is the kernel's own */
	uint32_t flags;			/* KT_..., see iotap-recording(5) */
	uint32_t dev_major, dev_minor, mode;
	uint64_t ino;
	uint16_t family, sock_type, protocol;
	uint16_t local_port, remote_port;
	uint8_t local_len, remote_len;	/* 0 none, 4, 16 */
	uint8_t local[16], remote[16];	/* network order */
	uint32_t netns, ifindex, peer_pid;
	const char *proto;		/* tcp udp icmp raw unix route system netlink packet other; NULL = no socket */
	const char *path;		/* path, unix path, name of an anonymous inode; NULL = not known */
	size_t path_len;
	const char *claimed;		/* what user memory said, if kept; else NULL */
	size_t claimed_len;
	const char *peer;		/* peer's unix path or NULL */
	size_t peer_len;
	const char *device;		/* interface name, "?" = cannot be told, NULL = goes over none */
	const char *text;		/* for people, escaped: "/etc/hosts", "tcp 1.2.3.4:5 -> 6.7.8.9:80", "<pipe>" */
	size_t text_len;
	const char *key;		/* which row of the summary it belongs to: bytes, not escaped */
	size_t key_len;
	const char *json;		/* the target object of JSON Lines, ready */
	size_t json_len;
};

struct iotap_process {
	uint32_t pid;
	uint64_t start_ns;		/* boot clock; with pid, the identity */
	uint64_t id;			/* stable number made from both; never 0 */
	uint32_t parent;		/* 0 = not known */
	uint32_t uid, how;
	const char *name;		/* as shown; comm, or the base name the target was named by */
	size_t name_len;
	const char *exe, *arg0, *cwd;
	size_t exe_len, arg0_len, cwd_len;
	uint64_t first_ns, last_ns;	/* boot clock: attached, exited (IOTAP_UNKNOWN = still there) */
	int exited;
	uint32_t exit_status;		/* as wait(2) */
	uint32_t gid;			/* UINT32_MAX = not known, as uid */
	uint32_t pid_ns, mnt_ns, net_ns;	/* inode numbers of its namespaces, 0 = not known */
	uint32_t pid_in_ns;		/* its pid there, 0 = not known */
	const char *cgroup, *container;	/* path; id that the path names; "" = none, or not known */
	size_t cgroup_len, container_len;
	/* Where they were recorded (--argv): all arguments in a row, each ended by a NUL, the first one among
	 * them; the last lacks it when the row was cut. NULL = arg0 is what is known. */
	const char *arguments;
	size_t arguments_len;
};

enum iotap_second {		/* what fd2 and target2 of an event are; pinned */
	IOTAP_SECOND_NONE = 0,
	IOTAP_SECOND_SOURCE = 1,	/* what a copy read from */
	IOTAP_SECOND_FROM = 2,		/* what the made descriptor came from: listener, original, other end */
	IOTAP_SECOND_BASE = 3,		/* directory at which the path begins */
	IOTAP_SECOND_PATH = 4,		/* second path of rename, link, symlink */
	IOTAP_SECOND_PEER = 5		/* peer of this datagram; there is no second descriptor */
};

struct iotap_event {
	size_t size;			/* sizeof(struct iotap_event) of the library */
	uint64_t number;		/* of the call in the recording, from 0 */
	uint64_t boot_ns;		/* time of return on the recording host's boot clock */
	uint64_t time_ns;		/* Unix time of the return */
	uint64_t duration_ns;		/* IOTAP_UNKNOWN: began before tracing */
	uint64_t requested;		/* bytes, or IOTAP_UNKNOWN */
	uint64_t bytes;			/* moved, or IOTAP_UNKNOWN (failed, not counted, not data movement) */
	uint64_t messages;		/* of calls that move several at once, or IOTAP_UNKNOWN */
	uint64_t offset;		/* bytes into the file, or IOTAP_UNKNOWN */
	int64_t result;			/* as the kernel returned it */
	int32_t err;			/* errno of the recorded system, 0 = success */
	const char *err_name;		/* "EAGAIN", "errno 12345", NULL = success */
	uint32_t pid, tid;
	int32_t fd, fd2;		/* -1 = none or not known */
	uint16_t call;			/* number of the call in recordings, see iotap_call_name */
	uint16_t cpu;
	uint32_t flags;			/* IOTAP_F_... */
	enum iotap_dir dir;		/* NONE: an "op", not data movement */
	enum iotap_class klass;
	const char *op, *syscall;
	uint64_t arg0, arg1;		/* kept arguments, or IOTAP_UNKNOWN */
	const struct iotap_target *target;	/* never NULL: kind UNKNOWN if there is none */
	const struct iotap_target *target2;	/* or NULL */
	const struct iotap_process *process;	/* never NULL */
	int confirmed;			/* target's name is the kernel's own, and was this call's */
	enum iotap_second second;
	int failed;			/* err is not 0, and it is no connect that goes on (EINPROGRESS) */
};

enum iotap_notice_type {
	IOTAP_NOTICE_START = 1,		/* header read: see iotap_info */
	IOTAP_NOTICE_ATTACHED = 2, IOTAP_NOTICE_EXEC = 3, IOTAP_NOTICE_RENAMED = 4,
	IOTAP_NOTICE_EXITED = 5, IOTAP_NOTICE_UNTRACED = 6, IOTAP_NOTICE_TEXT = 7,
	IOTAP_NOTICE_CLOCK_STEP = 8, IOTAP_NOTICE_END = 9
};				/* START: when the processes traced from the start are known */

struct iotap_notice {
	size_t size;
	enum iotap_notice_type type;
	uint64_t boot_ns, time_ns;
	const struct iotap_process *process;	/* or NULL */
	uint32_t pid, parent;			/* 0 = not known */
	uint32_t reason;			/* UNTRACED: 1 ended, 2 full; END: see iotap-recording(5) */
	const char *path;			/* EXEC */
	size_t path_len;
	const char *message;			/* one escaped line for people; "" = nothing to say */
	int64_t step_ns;			/* CLOCK_STEP: Unix time went on by this */
	uint32_t level;				/* TEXT: 1 information, 2 warning */
	uint32_t tid;				/* RENAMED: the thread */
	const char *name;			/* RENAMED: its name now */
	size_t name_len;
};

/* Calls or bytes that are not there one by one. Delivered in stream order, filtered by nothing. */
enum iotap_drop_cause {
	IOTAP_DROP_RING = 1, IOTAP_DROP_NOTES = 2, IOTAP_DROP_QUEUE = 3, IOTAP_DROP_OUTPUT = 4,
	IOTAP_DROP_DAMAGE = 16,		/* bytes of the file could not be used */
	IOTAP_DROP_TRUNCATED = 17	/* the file ends before its end block */
};

struct iotap_drop {
	size_t size;
	enum iotap_drop_cause cause;
	uint64_t from_ns, until_ns;	/* boot clock, IOTAP_UNKNOWN = not known */
	uint64_t time_ns;		/* Unix time of from_ns */
	uint64_t count;			/* calls, or IOTAP_UNKNOWN */
	uint64_t offset, bytes;		/* DAMAGE, TRUNCATED: where in the input */
	const uint32_t *pids;
	size_t n_pids;
	const char *message;
};

/* Calls of one kind that the kernel could only sum, its buffer being full: what the sums grew by. They
 * are part of every summary; their lines are not there. Told while a summary is kept, filtered as calls
 * are. */
struct iotap_aggregate {
	size_t size;
	const struct iotap_process *process;	/* or NULL: summed by call alone */
	const struct iotap_target *target;	/* never NULL: kind UNKNOWN, or a bare socket, if not known */
	uint16_t call;
	int is_source;			/* the side that a copy read from: its call is told of apart */
	uint64_t calls, bytes, messages, errors, unsized;
	uint64_t latency_ns;		/* their sum */
	uint64_t first_time_ns, last_time_ns;	/* Unix time of the key's first and latest call */
};

enum { IOTAP_NEXT = 0, IOTAP_STOP = 1, IOTAP_ABORT = -1 };	/* what a handler returns */

struct iotap_handlers {
	size_t size;			/* sizeof(struct iotap_handlers) */
	int (*event)(const struct iotap_event *, void *arg);
	int (*notice)(const struct iotap_notice *, void *arg);
	int (*drop)(const struct iotap_drop *, void *arg);
	int (*idle)(void *arg);		/* the next read would block: flush what you hold */
	int (*aggregate)(const struct iotap_aggregate *, void *arg);	/* NEXT, or negative to end with an error */
};

struct iotap_filter {
	uint64_t from_ns, to_ns;	/* boot clock (of the first input), inclusive; 0, UINT64_MAX = all */
	uint64_t target;		/* target id, 0 = all */
	uint32_t pid;			/* 0 = all */
	uint32_t classes;		/* bit 1 << enum iotap_class each, 0 = all */
	const char *const *interfaces;	/* only network traffic over one of these; NULL = all */
	size_t n_interfaces;
};

/* Opens what fd refers to: a recording or an event stream (it looks). name is for messages only.
 * filter may be NULL. The handle takes fd and closes it. NULL on failure, with one line in errbuf
 * that names input, offset and remedy. */
IOTAP_API iotap_t *iotap_open(int fd, const char *name, const struct iotap_filter *filter,
			      char *errbuf, size_t errbuf_bytes);

/* Reads several inputs as one, merged by time (k-way). Same rules; all fds are taken. */
IOTAP_API iotap_t *iotap_open_many(const int *fds, const char *const *names, size_t n,
				   const struct iotap_filter *filter, char *errbuf,
				   size_t errbuf_bytes);

/* Another filter, before the first read: for those who need iotap_get_info to make one. What interfaces
 * points to is copied. 0 or negative. */
IOTAP_API int iotap_set_filter(iotap_t *, const struct iotap_filter *);

/* For those who want calls and nothing else of one input. Blocks of calls wholly outside are passed over,
 * rows inside a block are not looked at. Where the recording's index tells it, reading goes on at the epoch
 * of the filter's from_ns, and notices and drops before that are not told; not so with a summary. */
struct iotap_window {
	size_t size;			/* sizeof(struct iotap_window) */
	int64_t from_time_ns, to_time_ns;	/* Unix time, inclusive; INT64_MIN, INT64_MAX = all */
	uint64_t first_number, last_number;	/* of calls in the recording; 0, UINT64_MAX = all */
};

/* Before the first read, behind iotap_set_filter. 0 or negative. */
IOTAP_API int iotap_set_window(iotap_t *, const struct iotap_window *);

/* Calls the handlers until the input ends or a handler says STOP (0) or ABORT (negative).
 * A NULL handler is not interested. Negative on error: see iotap_errno, iotap_errmsg. Damage and
 * truncation are drops, not errors. */
IOTAP_API int iotap_consume(iotap_t *, const struct iotap_handlers *, void *arg);

IOTAP_API int iotap_errno(const iotap_t *);
IOTAP_API const char *iotap_errmsg(const iotap_t *);
IOTAP_API void iotap_close(iotap_t *);

/* The pull cursor. One batch is at most one block of calls; arrays not asked for are NULL. */
enum iotap_column {
	IOTAP_COL_TIME = 1u << 0, IOTAP_COL_DURATION = 1u << 1, IOTAP_COL_CALL = 1u << 2,
	IOTAP_COL_FLAGS = 1u << 3, IOTAP_COL_THREAD = 1u << 4, IOTAP_COL_CPU = 1u << 5,
	IOTAP_COL_FD = 1u << 6, IOTAP_COL_TARGET = 1u << 7, IOTAP_COL_REQUESTED = 1u << 8,
	IOTAP_COL_RESULT = 1u << 9, IOTAP_COL_OFFSET = 1u << 10, IOTAP_COL_SECOND = 1u << 11,
	IOTAP_COL_ARGS = 1u << 12, IOTAP_COL_BYTES = 1u << 13, IOTAP_COL_ALL = (1u << 14) - 1
};

struct iotap_batch {
	size_t size;
	uint32_t n;			/* calls, at least one; those still in flight at the end have
					 * IOTAP_F_UNFINISHED and are no events */
	uint64_t first_number;		/* number of the first one in the recording */
	uint64_t first_ns, last_ns;	/* boot clock */
	uint64_t unix_offset_ns;	/* add to a boot time of these for Unix time (mod 2^64: the sum, as the
					 * time, is never over INT64_MAX) */
	const uint64_t *time_ns;	/* boot clock */
	const uint64_t *duration_ns;
	const uint16_t *call;
	const uint32_t *flags;
	const uint32_t *tid, *pid;
	const struct iotap_process *const *process;
	const uint16_t *cpu;
	const int32_t *fd, *fd2;
	const struct iotap_target *const *target;	/* entries are never NULL */
	const struct iotap_target *const *target2;	/* entries may be NULL */
	const uint64_t *requested;
	const int64_t *result;
	const uint64_t *offset;
	const uint64_t *arg0, *arg1;
	const uint64_t *number;		/* of each call, when a filter left some out; NULL = in a row from
					 * first_number */
	const uint64_t *bytes;		/* as in struct iotap_event; so are requested, offset and duration_ns */
};

/* 1 = a batch, 0 = end of input, negative = error. Notices and drops that lie before the batch are
 * delivered to handlers (event and idle are not called), which may be NULL. filter of the handle
 * applies by block (time) and by row (pid, target, time). */
IOTAP_API int iotap_next_batch(iotap_t *, uint32_t columns, const struct iotap_handlers *,
			       void *arg, struct iotap_batch *out);

/* Row i of a batch as an event. columns must have been IOTAP_COL_ALL. */
IOTAP_API void iotap_batch_event(const iotap_t *, const struct iotap_batch *, uint32_t i,
				 struct iotap_event *out);

/* What the header says. Pointers live as long as the handle. */
struct iotap_info {
	size_t size;
	uint32_t format_major, format_minor, os, arch, cpus, flags;
	int is_stream;
	uint64_t session;
	uint64_t start_boot_ns, start_time_ns;
	const char *tool, *hostname, *release, *options;
};
IOTAP_API void iotap_get_info(const iotap_t *, struct iotap_info *out);

/* The processes known so far, in the order they came; valid until the next call on the handle. The
 * number of them is returned; *out is NULL when there was no memory. At IOTAP_NOTICE_START: those traced
 * from the start. */
IOTAP_API size_t iotap_get_processes(iotap_t *, const struct iotap_process *const **out);

/* Names of the traced system. errno_name writes "errno N" for unknown ones into buf and returns it. */
IOTAP_API const char *iotap_call_name(uint16_t call);		/* NULL = unknown id */
IOTAP_API const char *iotap_call_op(uint16_t call);
IOTAP_API enum iotap_dir iotap_call_dir(uint16_t call);
IOTAP_API int iotap_call_failed(uint16_t call, uint32_t flags, int64_t result);
IOTAP_API const char *iotap_errno_name(int32_t err, char *buf, size_t bytes);

/* The running tally: what a summary shows. Kept while reading if asked for before the first read. */
struct iotap_sum { uint64_t bytes, calls; };
struct iotap_row {
	const struct iotap_target *target;	/* first one of the row's key; json is NULL */
	enum iotap_class klass;
	struct iotap_sum read, write;
	uint64_t errors, messages, unsized_calls, connections, ops;
	uint64_t latency_ns, latency_max_ns;
};
/* Whether it stands in the table of a class: data was moved, or that was tried. */
static inline int
iotap_row_shows(const struct iotap_row *row, enum iotap_class klass)
{
	return row->klass == klass && (row->read.calls > 0 || row->write.calls > 0);
}
/* A row as people want it: where so many peers came to one port, a server's, theirs are one, whose target is
 * the server's end. */
enum { IOTAP_SERVER_PEERS = 8 };
struct iotap_grouped_row {
	const struct iotap_row *row;
	uint64_t peers;			/* addresses that came; 0 = it is one of rows */
};
/* With the set mmap: bytes of a file's pages that one process brought into the page cache and made dirty; by
 * page faults, that is, through mappings, and by calls. No part of any other sum. */
struct iotap_mapped_row {
	uint32_t pid;
	int named;			/* target is known by more than device and inode */
	const char *name;		/* of the process, "" = not known */
	const struct iotap_target *target;	/* json is NULL */
	uint64_t in_by_faults, in_by_calls, dirty_by_faults, dirty_by_calls;
};
/* Of the ledger of blind spots: calls of one process behind which there was more than was seen. */
struct iotap_blind_row {
	uint32_t pid;
	uint64_t process;		/* id of its struct iotap_process */
	const char *name;		/* of the process */
	const char *spot;		/* as in "blind_spots" of JSON Lines */
	const char *said;		/* for people, behind "3 calls" */
	uint64_t calls;
};
struct iotap_shared_row { uint32_t pid; const char *name; uint64_t mappings; };
struct iotap_op_row { uint16_t call; uint64_t calls, errors, latency_ns; };
struct iotap_interface_row { const char *interface; struct iotap_sum read, write; };	/* NULL name = none */
struct iotap_summary {
	size_t size;
	uint64_t duration_ns;
	struct iotap_sum read[3], write[3];	/* by enum iotap_class; aggregates included */
	uint64_t events, errors, ops, op_errors;
	uint64_t aggregated_calls;		/* of events and ops: known only as sums */
	uint64_t aggregated_unknown_target;	/* of these, whose target is not known */
	uint64_t lost_calls, n_drops, damaged_bytes;
	uint64_t unfinished, before, phantom, compat, undefined;
	uint64_t untraced_ended, untraced_full;
	uint64_t rows_refused;			/* targets beyond the bound: summed in one row */
	int truncated, complete;		/* complete: end block seen, nothing lost or damaged */
	const struct iotap_row *rows;		/* sorted by bytes, calls, key */
	size_t n_rows;
	const struct iotap_op_row *op_rows;
	size_t n_op_rows;
	const struct iotap_interface_row *interfaces;
	size_t n_interfaces;
	const struct iotap_process *const *processes;
	size_t n_processes;
	uint32_t end_reason;
	uint32_t command_pid, command_status;	/* 0 = no command; as wait(2) */
	uint64_t unknown_interface_calls;	/* left out by filter.interfaces for going over one nobody knows */
	uint64_t processes_forgotten;		/* ended long ago: not among processes */
	uint64_t aggregated_unplaced;		/* left out: the filter cannot tell whether they belong */
	/* What is known not to have been seen; with phantom, compat, undefined and aggregated_unknown_target
	 * the ledger of blind spots. Those of the kernel's counters are of the recording as a whole. */
	uint64_t unresolved_calls;		/* on descriptors of which nothing is known */
	uint64_t over_unknown_interface;
	uint64_t unknown_numbers;		/* calls by numbers outside the table: not recorded */
	uint64_t lost_names;			/* definitions and process events without room */
	uint64_t program_misses;		/* runs of the tracing programs that the kernel skipped */
	uint64_t other_calls;			/* of kinds that are not recorded */
	uint64_t paused_ns;			/* nothing was recorded for so long */
	/* A recording may have been made of some calls only: the options that said of which, escaped; NULL =
	 * of all. Of several inputs, the first one that is a selection. */
	const char *selection;
	const struct iotap_mapped_row *mapped;	/* sorted by what faults did */
	size_t n_mapped;
	/* Without the set mmap: who mapped files shared and writable. What was written so is not known. */
	const struct iotap_shared_row *shared_mappings;
	size_t n_shared_mappings;
	uint64_t shared_further;		/* mappings of processes beyond these */
	uint64_t mapped_no_room_pages;		/* of processes beyond what the kernel half keeps */
	uint64_t filtered_calls;		/* left out by path, latency or for not having failed */
	uint64_t filtered_claimed;		/* of these, by path, for being about a path that is only claimed */
	/* Calls behind which there was more, in inputs recorded without the set of that name: part of the
	 * ledger of blind spots. Of mmap those that mapped files shared and writable. */
	uint64_t io_uring_calls, libaio_calls, mmap_calls;
	int no_latency;				/* every latency_ns here is 0, for none was recorded */
	const struct iotap_blind_row *blind;	/* process by process; those with most first */
	size_t n_blind;
	uint64_t blind_further;			/* calls of processes beyond these, or not known */
	uint64_t not_followed;			/* children of traced processes, left alone without -f */
	const struct iotap_grouped_row *grouped;	/* the rows for people, sorted as they are */
	size_t n_grouped;
	/* Messages of sendmmsg and recvmmsg, ranges of FIDEDUPERANGE, beyond those of a call that have a line
	 * of their own; the call has their sum. */
	uint64_t parts_left_out;
};
IOTAP_API int iotap_keep_summary(iotap_t *, size_t max_rows);	/* 0 = default 65,536 */
IOTAP_API int iotap_get_summary(iotap_t *, struct iotap_summary *out);

/* The text summary of the man page, as one malloc'ed string the caller frees; NULL = out of memory.
 * top: rows per table, 0 = all. show: 1 files, 2 network; 0 or both = other descriptors, too; and 8 = the
 * calls that moved no data, too. 16: nothing but what is missing or uncertain, a line each. */
enum { IOTAP_SHOW_FILES = 1, IOTAP_SHOW_NETWORK = 2, IOTAP_SHOW_OPS = 8, IOTAP_SHOW_NOTES = 16 };
IOTAP_API char *iotap_summary_text(iotap_t *, unsigned int top, unsigned int show);

/* Writes the name of the host at an address ("1.2.3.4", "::1") with its NUL; 0 = it has none, else 1. */
enum { IOTAP_HOST_NAME_SIZE = 256 };
typedef int iotap_host_name(void *arg, const char *address, char name[IOTAP_HOST_NAME_SIZE]);

/* Who is asked for the remote host of each network row that iotap_summary_text shows; NULL = nobody. */
IOTAP_API void iotap_set_host_names(iotap_t *, iotap_host_name *, void *arg);

#ifdef __cplusplus
}
#endif
#endif
