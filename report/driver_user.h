/* driver_user.h - the user behind sudo, whom everything but the tracing belongs to */
#ifndef REPORT_DRIVER_USER_H
#define REPORT_DRIVER_USER_H

#include <stdbool.h>
#include <sys/types.h>

#include "formats/error.h"

struct driver_user {
	bool other;		/* another user than we run as: root under sudo */
	uid_t uid;
	gid_t gid;
	gid_t root_gid;		/* ours, while borrowed */
	gid_t *root_groups;	/* owned; likewise */
	int n_root_groups;
};

/* SUDO_UID and SUDO_GID when we are root and they name somebody else. IOTAP_EUSAGE when only part of
 * them makes sense: better no start than the wrong owner. */
int driver_user_find(struct driver_user *user, struct iotap_error *err);

/* Whether the kernel would allow us to trace at all: CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN. */
bool driver_user_may_trace(void);

/* Becomes the user for good, groups included, and can gain nothing any more. For a child. */
int driver_user_become(const struct driver_user *user, struct iotap_error *err);

/* Opens files as the user would, until driver_user_return. Nothing happens where other is false. */
int driver_user_borrow(struct driver_user *user, struct iotap_error *err);
int driver_user_return(struct driver_user *user, struct iotap_error *err);

#endif
