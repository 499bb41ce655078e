/* driver_user.c - the user behind sudo, whom everything but the tracing belongs to
 *
 * A recording is read and rendered by a parser that meets hostile bytes: it must not do so as root.
 * And files the user asked for are made with the user's rights, so that no path of theirs can have
 * root write where they could not.
 */
#include "report/driver_user.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "formats/base/quantity.h"

static bool
id_parse(const char *text, uint64_t *out)
{
	return text && quantity_u64(text, out) && *out < (uint64_t)(uid_t)-1;
}

int
driver_user_find(struct driver_user *user, struct iotap_error *err)
{
	const char *const uid_text = getenv("SUDO_UID");
	const char *const gid_text = getenv("SUDO_GID");
	uint64_t uid, gid;

	*user = (struct driver_user){.uid = geteuid(), .gid = getegid()};
	if (geteuid() != 0 || (!uid_text && !gid_text))
		return 0;
	if (!id_parse(uid_text, &uid) || !id_parse(gid_text, &gid))
		return error_set(err, IOTAP_EUSAGE, "SUDO_UID and SUDO_GID do not name a user; unset "
						    "both to run as root");
	user->other = uid != 0;
	if (user->other) {
		user->uid = (uid_t)uid;
		user->gid = (gid_t)gid;
	}
	return 0;
}

bool
driver_user_may_trace(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct have[_LINUX_CAPABILITY_U32S_3] = {{0}};	/* valgrind knows of the first alone */
	const uint32_t bpf = CAP_TO_MASK(CAP_BPF) | CAP_TO_MASK(CAP_PERFMON);

	if (syscall(SYS_capget, &head, have) < 0)
		return geteuid() == 0;
	return (have[0].effective & CAP_TO_MASK(CAP_SYS_ADMIN)) != 0 ||
	       (have[1].effective & bpf) == bpf;
}

/* The groups of the user; one who is in no list has only their own. */
static int
take_groups(const struct driver_user *user, struct iotap_error *err)
{
	const struct passwd *const entry = getpwuid(user->uid);

	if (entry ? initgroups(entry->pw_name, user->gid) < 0 : setgroups(1, &user->gid) < 0)
		return error_errno(err, IOTAP_ESYSTEM, errno, "cannot take the groups of user %u",
				   (unsigned int)user->uid);
	return 0;
}

int
driver_user_become(const struct driver_user *user, struct iotap_error *err)
{
	if (user->other) {
		const int r = take_groups(user, err);

		if (r < 0)
			return r;
		if (setresgid(user->gid, user->gid, user->gid) < 0 ||
		    setresuid(user->uid, user->uid, user->uid) < 0)
			return error_errno(err, IOTAP_ESYSTEM, errno, "cannot become user %u",
					   (unsigned int)user->uid);
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return error_errno(err, IOTAP_ESYSTEM, errno, "cannot give up gaining privileges");
	return 0;
}

static int
save_groups(struct driver_user *user, struct iotap_error *err)
{
	user->root_gid = getegid();
	user->n_root_groups = getgroups(0, NULL);
	if (user->n_root_groups < 0)
		return error_errno(err, IOTAP_ESYSTEM, errno, "cannot read the groups");
	user->root_groups = calloc((size_t)user->n_root_groups + 1, sizeof(*user->root_groups));
	if (!user->root_groups)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	user->n_root_groups = getgroups(user->n_root_groups, user->root_groups);
	if (user->n_root_groups < 0)
		return error_errno(err, IOTAP_ESYSTEM, errno, "cannot read the groups");
	return 0;
}

int
driver_user_borrow(struct driver_user *user, struct iotap_error *err)
{
	int r;

	if (!user->other)
		return 0;
	r = save_groups(user, err);
	if (r == 0)
		r = take_groups(user, err);
	if (r == 0 && (setegid(user->gid) < 0 || seteuid(user->uid) < 0))
		r = error_errno(err, IOTAP_ESYSTEM, errno, "cannot act as user %u",
				(unsigned int)user->uid);
	return r;
}

int
driver_user_return(struct driver_user *user, struct iotap_error *err)
{
	int r = 0;

	if (!user->other)
		return 0;
	if (seteuid(0) < 0 || setegid(user->root_gid) < 0 ||
	    setgroups((size_t)user->n_root_groups, user->root_groups) < 0)
		r = error_errno(err, IOTAP_ESYSTEM, errno, "cannot act as root again");
	free(user->root_groups);
	user->root_groups = NULL;
	return r;
}
