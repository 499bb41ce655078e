/* privileges_test.c - capture/privileges.h: what is missing is said, what was given back stays away
 *
 * Everything that changes the process is done in a child, whose exit status says which step failed.
 */
#include "capture/privileges.h"

#include <linux/capability.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/unit.h"

/* Runs a function in a child; it gives 0 or the number of what went wrong. */
static void
in_child(int (*step)(void))
{
	const pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(step());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int
has_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	(void)syscall(SYS_capget, &head, data);
	return (data[0].effective | data[1].effective | data[0].permitted | data[1].permitted) != 0;
}

static int
owner_of_sudo(void)
{
	struct owner o;

	(void)unsetenv("SUDO_UID");
	(void)unsetenv("SUDO_GID");
	privileges_owner(&o);
	if (o.by_sudo || o.uid != getuid() || o.gid != getgid())
		return 1;
	(void)setenv("SUDO_UID", "1234", 1);
	privileges_owner(&o);
	if (o.by_sudo)
		return 2; /* both or none */
	(void)setenv("SUDO_GID", "56", 1);
	privileges_owner(&o);
	if (getuid() != 0)
		return o.by_sudo ? 3 : 0; /* only root believes them */
	return o.by_sudo && o.uid == 1234 && o.gid == 56 ? 0 : 4;
}

/* -1 as a uid means "leave it": it must not be taken for one. */
static int
owner_of_nonsense(void)
{
	static const char *const texts[] = {"",		  "x",	 "-1", "4294967295",
					    "4294967296", "12x", " 1", "99999999999999999999"};
	struct owner o;

	(void)setenv("SUDO_GID", "56", 1);
	for (int i = 0; i < (int)(sizeof(texts) / sizeof(texts[0])); i++) {
		(void)setenv("SUDO_UID", texts[i], 1);
		privileges_owner(&o);
		if (o.by_sudo || o.uid != getuid())
			return i + 1;
	}
	return 0;
}

static int
dropped_for_a_user(void)
{
	const struct owner o = {.uid = 1234, .gid = 56};
	struct iotap_error err = {.code = 0};
	gid_t groups[8];

	if (geteuid() != 0)
		return 77;
	if (privileges_drop(&o, &err) != 0)
		return 1;
	if (getuid() != 1234 || geteuid() != 1234 || getgid() != 56 || getegid() != 56 ||
	    getgroups(8, groups) != 0)
		return 2;
	if (has_capabilities())
		return 3;
	if (setresuid(0, 0, 0) == 0 || seteuid(0) == 0 || setegid(0) == 0)
		return 4; /* there is no way back */
	return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : 5;
}

static int
dropped_for_root(void)
{
	const struct owner o = {.uid = 0, .gid = 0};
	struct iotap_error err = {.code = 0};

	if (geteuid() != 0)
		return 77;
	if (privileges_drop(&o, &err) != 0)
		return 1;
	return getuid() == 65534 && getgid() == 65534 && !has_capabilities() ? 0 : 2;
}

static void *
waits_in_a_read(void *arg)
{
	const int *const ends = arg;
	char byte;

	if (read(ends[0], &byte, 1) != 1)
		return (void *)(intptr_t)1;
	return (void *)(intptr_t)has_capabilities();
}

/* A kernel that wants it for what is open already: CAP_BPF alone stays, with the thread that drops the rest. */
static int
dropped_but_for_bpf(void)
{
	const struct owner o = {.uid = 1234, .gid = 56, .keeps_bpf = true};
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};
	struct iotap_error err = {.code = 0};
	void *others = NULL;
	pthread_t other;
	int ends[2];

	if (geteuid() != 0)
		return 77;
	if (pipe(ends) != 0 || pthread_create(&other, NULL, waits_in_a_read, ends) != 0)
		return 1;
	if (privileges_drop(&o, &err) != 0 || getuid() != 1234 || geteuid() != 1234)
		return 2;
	(void)syscall(SYS_capget, &head, data);
	if (data[0].permitted != 0 || data[0].effective != 0 || data[1].permitted != 1u << (39 - 32) ||
	    data[1].effective != 1u << (39 - 32))
		return 3;
	if (setresuid(0, 0, 0) == 0 || prctl(PR_GET_KEEPCAPS, 0, 0, 0, 0) != 0)
		return 4;
	if (write(ends[1], "x", 1) != 1 || pthread_join(other, &others) != 0)
		return 5;
	return others == NULL ? 0 : 6;
}

static int
settled(void)
{
	privileges_settle();
	if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
		return 1;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return 2;
	return prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) == 0 ? 0 : 3;
}

/* Without anything: each one that is missing is named, with the remedy. */
static int
nothing_is_left(void)
{
	static const char *const names[] = {"CAP_BPF", "CAP_PERFMON", "CAP_SYS_PTRACE",
					    "CAP_DAC_READ_SEARCH", "sudo"};
	struct iotap_error err = {.code = 0};

	if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
		return 77;
	if (privileges_check(&err) != IOTAP_EPERM)
		return 1;
	for (int i = 0; i < 5; i++) {
		if (!strstr(err.text, names[i]))
			return i + 2;
	}
	return 0;
}

/* A root in a container: the capabilities count, not the number. */
static int
a_root_without_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct admin[2] = {
		{.effective = 1u << CAP_SYS_ADMIN, .permitted = 1u << CAP_SYS_ADMIN}};
	struct iotap_error err = {.code = 0};

	if (geteuid() != 0 || syscall(SYS_capset, &head, admin) != 0)
		return 77;
	if (privileges_check(&err) != IOTAP_EPERM)
		return 1;
	if (strstr(err.text, "CAP_BPF") || strstr(err.text, "CAP_PERFMON"))
		return 2; /* CAP_SYS_ADMIN stands for them */
	return strstr(err.text, "CAP_SYS_PTRACE") && strstr(err.text, "container") ? 0 : 3;
}

#define CHILD(name)                           \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		in_child(name);               \
	}

CHILD(owner_of_sudo)
CHILD(owner_of_nonsense)
CHILD(dropped_for_a_user)
CHILD(dropped_for_root)
CHILD(dropped_but_for_bpf)
CHILD(settled)
CHILD(nothing_is_left)
CHILD(a_root_without_capabilities)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owner_of_sudo),
		cmocka_unit_test(test_owner_of_nonsense),
		cmocka_unit_test(test_dropped_for_a_user),
		cmocka_unit_test(test_dropped_for_root),
		cmocka_unit_test(test_dropped_but_for_bpf),
		cmocka_unit_test(test_settled),
		cmocka_unit_test(test_nothing_is_left),
		cmocka_unit_test(test_a_root_without_capabilities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
