/* procfs.h - what /proc says, from its texts
 *
 * The parsers (procfs.c) are pure: bytes in, values out, whatever the bytes are. A process chooses its
 * comm, its arguments and the names of its files, and may end between two reads. The readers
 * (procfs_read.c) fetch a text and hand it to a parser. Sources of the layouts: proc(5).
 */
#ifndef CAPTURE_PROCFS_H
#define CAPTURE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"

enum {
	PROCFS_COMM_MAX = 63,		/* kernel workers have long names here, processes 15 bytes */
	PROCFS_ARG0_MAX = 4096,
	PROCFS_LINK_MAX = 4096,
};

/* /proc/PID/stat */
struct procfs_stat {
	uint32_t pid, parent, group, session;
	char state;			/* 'Z', 'X', 'R' ... */
	uint32_t flags;			/* PF_... */
	uint64_t start_ticks;		/* clock ticks after boot: 10 ms on Linux */
	char comm[PROCFS_COMM_MAX + 1];
};

/* False: not such a line. comm ends at the last ')', since it may hold one itself. */
bool procfs_parse_stat(const void *text, size_t n, struct procfs_stat *out);

/* True when such a process runs no more: a zombie, dead, or exiting (PF_EXITING). Of a process whose
 * leader has ended but which has threads left, only the leader's stat says so. */
bool procfs_is_ending(const struct procfs_stat *stat);

/* Bytes of argv[0] in /proc/PID/cmdline: up to the first NUL. 0: empty, or no NUL within
 * PROCFS_ARG0_MAX bytes. */
size_t procfs_arg0_len(const void *text, size_t n);

/* /proc/PID/status */
struct procfs_status {
	uint32_t tgid;
	uint32_t uid;			/* real */
	uint32_t pid_in_ns;		/* last of NSpid; tgid when there is no such line */
	uint32_t threads;
};

bool procfs_parse_status(const void *text, size_t n, struct procfs_status *out);

/* The number in a link such as "pipe:[123]" or "net:[123]": kind is "pipe". */
bool procfs_parse_inode(const char *link, size_t n, const char *kind, uint64_t *inode);

/* Length without the mark " (deleted)" that the kernel adds to names of unlinked files. */
size_t procfs_name_len(const char *link, size_t n);

/* Where the file name begins: behind the last '/'. */
size_t procfs_base(const char *path, size_t n);

/* Readers. False: there is no such process (any more), or it may not be read. */
bool procfs_stat(uint32_t pid, struct procfs_stat *out);
bool procfs_status(uint32_t pid, struct procfs_status *out);

/* Appends the text of a link of the process ("exe", "cwd"), as the kernel gives it. */
bool procfs_link(uint32_t pid, const char *name, struct buf *out);

/* Appends argv[0]; true with nothing appended when there is none. */
bool procfs_arg0(uint32_t pid, struct buf *out);

/* Appends all arguments as they are, each ended by a NUL. */
bool procfs_arguments(uint32_t pid, struct buf *out);

/* Appends the whole text of /proc/PID/cgroup, as far as it is of a sane size. */
bool procfs_cgroup(uint32_t pid, struct buf *out);

/* Inode number of a namespace ("net", "mnt", "pid"); 0 = not known. */
uint64_t procfs_namespace(uint32_t pid, const char *name);

/* All processes, as uint32_t in out, in no order. False: /proc cannot be read. */
bool procfs_list(struct buf *out);

/* Calls each with the number and the target text of every descriptor of the process that can be read.
 * readable: it was opened for reading. Stops when each returns false. */
void procfs_each_fd(uint32_t pid,
		    bool (*each)(void *arg, int fd, bool readable, const char *text, size_t n),
		    void *arg);

#endif
