/* privileges.c - what capture needs from the kernel, for whom it works, and giving it all back
 *
 * Needed: CAP_BPF and CAP_PERFMON to load the kernel half, CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH for
 * the answers of /proc about processes of others. CAP_SYS_ADMIN stands for the first two, as the
 * kernel has it (capabilities(7)). Checked by capget(2), since a root in a container may lack any.
 */
#include "capture/privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "formats/base/buf.h"
#include "formats/base/quantity.h"

enum { NOBODY = 65534, LAST_CAPABILITY = 63 };

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

static uint64_t
capabilities_effective(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	if (syscall(SYS_capget, &head, data) != 0)
		return 0;
	return (uint64_t)data[1].effective << 32 | data[0].effective;
}

static bool
sudo_number(const char *name, uint32_t *out)
{
	const char *const text = secure_getenv(name);
	uint64_t v;

	if (!text || !quantity_u64(text, &v) || v >= UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

void
privileges_owner(struct owner *out)
{
	uint32_t uid, gid;

	*out = (struct owner){.uid = getuid(), .gid = getgid()};
	if (getuid() == 0 && sudo_number("SUDO_UID", &uid) && sudo_number("SUDO_GID", &gid))
		*out = (struct owner){.uid = uid, .gid = gid, .by_sudo = true};
}

/* Numbers of processes are those of the first namespace in the kernel half and in a recording. Its own number
 * is the same everywhere: PROC_PID_INIT_INO of include/linux/proc_ns.h. */
static bool
in_other_namespace(void)
{
	const ino_t first = 0xeffffffc;
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != first;
}

int
privileges_check(struct iotap_error *err)
{
	static const struct {
		unsigned int bit;
		bool by_admin;
		const char *name;
	} needed[] = {
		{CAP_BPF, true, "CAP_BPF"},
		{CAP_PERFMON, true, "CAP_PERFMON"},
		{CAP_SYS_PTRACE, false, "CAP_SYS_PTRACE"},
		{CAP_DAC_READ_SEARCH, false, "CAP_DAC_READ_SEARCH"},
	};
	const uint64_t have = capabilities_effective();
	const bool admin = (have >> CAP_SYS_ADMIN & 1) != 0;
	char missing[128] = "";

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		const size_t len = strlen(missing);

		if ((have >> needed[i].bit & 1) == 0 && !(admin && needed[i].by_admin))
			(void)snprintf(missing + len, sizeof(missing) - len, "%s%s",
				       len > 0 ? ", " : "", needed[i].name);
	}
	if (missing[0] == '\0' && in_other_namespace())
		return error_set(err, IOTAP_EPERM,
				 "in a pid namespace of its own it would take other processes for "
				 "those that you name: run it outside the container");
	if (missing[0] == '\0')
		return 0;
	if (geteuid() == 0)
		return error_set(err, IOTAP_EPERM,
				 "tracing needs capabilities that this root lacks: %s; run it "
				 "outside the container, or grant them to it", missing);
	return error_set(err, IOTAP_EPERM,
			 "tracing needs root: run it with sudo (missing: %s)", missing);
}

static void
drop_bounding(void)
{
	for (int i = 0; i <= LAST_CAPABILITY; i++)
		(void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
}

void
privileges_settle(void)
{
	drop_bounding();
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Drops every capability of this thread that is not in the set. */
static bool
keep_only(uint64_t set)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	const uint32_t low = (uint32_t)set, high = (uint32_t)(set >> 32);
	const struct __user_cap_data_struct kept[2] = {{.effective = low, .permitted = low},
						       {.effective = high, .permitted = high}};

	return syscall(SYS_capset, &head, kept) == 0;
}

bool
privileges_of_thread(bool stays_root)
{
	return (geteuid() == 0 && !stays_root) || keep_only(0);
}

/* A root process: setresuid in all threads (the C library sees to that) clears their capabilities. */
static int
become(uid_t uid, gid_t gid, struct iotap_error *err)
{
	int at_parents_death = 0;	/* cleared by a change of user, prctl(2) */

	(void)prctl(PR_GET_PDEATHSIG, &at_parents_death, 0, 0, 0);
	if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0 ||
	    setresuid(uid, uid, uid) != 0)
		return error_errno(err, IOTAP_EPERM, errno, "cannot become user %u", (unsigned)uid);
	(void)prctl(PR_SET_PDEATHSIG, at_parents_death, 0, 0, 0);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return 0;
}

int
privileges_drop(const struct owner *owner, struct iotap_error *err)
{
	const uint64_t kept = owner->keeps_bpf ? UINT64_C(1) << CAP_BPF : 0;
	int r = 0;

	if (kept != 0)		/* permitted it stays through a change of user, of this thread only */
		(void)prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	if (geteuid() == 0 && !owner->stays_root)
		r = owner->uid != 0 ? become(owner->uid, owner->gid, err)
				    : become(NOBODY, NOBODY, err);
	if (!keep_only(kept))	/* it may have had CAP_SYS_ADMIN in its place */
		(void)keep_only(0);
	(void)prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
	if (r == 0 && (capabilities_effective() & ~kept) != 0)
		return error_set(err, IOTAP_EPERM, "capabilities could not be dropped");
	return r;
}
