/* privileges.h - what capture needs from the kernel, for whom it works, and giving it all back */
#ifndef CAPTURE_PRIVILEGES_H
#define CAPTURE_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

#include "formats/error.h"

/* Who is behind this process. */
struct owner {
	uid_t uid;
	gid_t gid;
	bool by_sudo;		/* from SUDO_UID and SUDO_GID, which only a root process believes */
	bool stays_root;	/* stays user 0, with no capability: its files can only be made so */
	bool keeps_bpf;		/* CAP_BPF stays with the thread that drops the rest: kernel_bpf_is_privileged */
};

void privileges_owner(struct owner *out);

/* 0, or IOTAP_EPERM and one line that says what is missing and what to do, or that this is not the first pid
 * namespace. Touches nothing. */
int privileges_check(struct iotap_error *err);

/* Before anything of value is in memory: no core dumps and no ptrace by the user, no new privileges
 * and no further capabilities by any exec of ours. Before any thread is started, and after the COMMAND
 * was forked, which must keep its own. */
void privileges_settle(void);

/* When everything that needs them is open: becomes the owner, or "nobody" when that is root and need not
 * stay so, and drops every capability of all threads of a root process, of the calling thread of one
 * that is not or stays root. With keeps_bpf the calling thread keeps CAP_BPF. */
int privileges_drop(const struct owner *owner, struct iotap_error *err);

/* For a further thread, at its start: drops every capability of its own. Not in a root process that
 * becomes another user, where privileges_drop does it for all threads at once and fails when one has
 * gone ahead. False: the kernel refused. */
bool privileges_of_thread(bool stays_root);

#endif
