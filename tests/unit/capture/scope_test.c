/* scope_test.c - users, cgroups and containers, as texts say them */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "capture/scope.h"

static void
hierarchies(void **state)
{
	static const char text[] = "12:net_cls,net_prio:/\n4:memory:/a\n9:name=systemd:/x\n0::/\n";

	(void)state;
	assert_int_equal(scope_hierarchy_of("rw,memory", text), 4);
	assert_int_equal(scope_hierarchy_of("rw,net_prio,net_cls", text), 12);
	assert_int_equal(scope_hierarchy_of("rw,name=systemd", text), 0);
	assert_int_equal(scope_hierarchy_of("rw,mem", text), 0);
	assert_int_equal(scope_hierarchy_of("rw", ""), 0);
	assert_int_equal(scope_hierarchy_of("rw,x", "::::\n:x:/\n0:x:/\nx"), 0);
}

static void
path_is(const char *text, const char *path)
{
	size_t n;
	const char *const got = scope_cgroup_path(text, strlen(text), &n);

	assert_int_equal(n, strlen(path));
	assert_memory_equal(got, path, n);
}

static void
paths(void **state)
{
	(void)state;
	path_is("0::/user.slice/user-0.slice\n", "/user.slice/user-0.slice");
	path_is("9:name=systemd:/\n4:memory:/box/a\n3:cpu:/other\n0::/\n", "/box/a");
	path_is("4:memory:/box/a\n0::/unified", "/unified");
	path_is("4:memory:/\n0::/\n", "/");
	path_is("0::/with:colon\n", "/with:colon");
	path_is("", "");
	path_is(":::\n\n:", ":");
}

static void
container_is(const char *path, const char *id)
{
	size_t n;
	const char *const got = scope_container(path, strlen(path), &n);

	assert_int_equal(n, strlen(id));
	assert_memory_equal(got, id, n);
}

static void
containers(void **state)
{
#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	(void)state;
	container_is("/docker/" ID, ID);
	container_is("/system.slice/docker-" ID ".scope", ID);
	container_is("/kubepods.slice/kubepods-pod0a1b2c3d_4e5f.slice/cri-containerd-" ID ".scope", ID);
	container_is("/machine.slice/libpod-" ID ".scope/container", ID);
	container_is("/user.slice/user-1000.slice", "");
	container_is("/decade/facade", "");
	container_is("", "");
}

static void
finding(void **state)
{
	static const char *const users[] = {"0", "root"}, *const nobody[] = {"no such user"};
	static const char *const bad[] = {"/tmp"};
	struct scope s = {.users = users, .n_users = 2};
	struct iotap_error err = {0};

	(void)state;
	assert_false(scope_given(NULL));
	assert_true(scope_given(&s));
	assert_int_equal(scope_find(&s, &err), 0);
	assert_int_equal(s.uid[0], 0);
	assert_int_equal(s.uid[1], 0);
	s = (struct scope){.users = nobody, .n_users = 1};
	assert_int_equal(scope_find(&s, &err), IOTAP_ENOTFOUND);
	s = (struct scope){.cgroups = bad, .n_cgroups = 1};
	assert_int_equal(scope_find(&s, &err), IOTAP_ENOTFOUND);
	s = (struct scope){.users = nobody, .n_users = KR_SCOPE_MAX + 1};
	assert_int_equal(scope_find(&s, &err), IOTAP_ELIMIT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hierarchies),
		cmocka_unit_test(paths),
		cmocka_unit_test(containers),
		cmocka_unit_test(finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
