/* names_test.c - formats/names.h: errors and families, against what this host's C library says */
#include "formats/names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/lib/unit.h"

/* situation: 124 */
static void
errors_have_the_names_of_the_c_library(void **state)
{
	(void)state;
#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
	int n = 0;

	for (int i = 1; i < 4096; i++) {
		const char *const theirs = strerrorname_np(i);
		const char *const ours = name_errno(i);

		if (i < 512 && theirs) {
			const char *const usual = strcmp(theirs, "ENOTSUP") == 0 ? "EOPNOTSUPP" : theirs;

			assert_non_null(ours);
			assert_string_equal(ours, usual);
			n++;
		} else if (i < 512) {
			assert_null(ours);
		}
	}
	assert_int_equal(n, 131);
#endif
}

/* situation: 124 */
static void
errors_of_the_kernel_itself_have_names(void **state)
{
	(void)state;
	assert_string_equal(name_errno(512), "ERESTARTSYS");
	assert_string_equal(name_errno(513), "ERESTARTNOINTR");
	assert_string_equal(name_errno(514), "ERESTARTNOHAND");
	assert_string_equal(name_errno(515), "ENOIOCTLCMD");
	assert_string_equal(name_errno(516), "ERESTART_RESTARTBLOCK");
}

/* situation: 124 */
static void
unknown_errors_are_numbers(void **state)
{
	char buf[32];

	(void)state;
	assert_null(name_errno(0));
	assert_null(name_errno(-1));
	assert_null(name_errno(INT64_MAX));
	assert_null(name_errno(520));
	assert_string_equal(name_errno_or(2, buf, sizeof(buf)), "ENOENT");
	assert_string_equal(name_errno_or(4000, buf, sizeof(buf)), "errno 4000");
	assert_string_equal(name_errno_or(INT64_MIN, buf, sizeof(buf)), "errno -9223372036854775808");
}

static void
names_lead_back_to_numbers(void **state)
{
	(void)state;
	for (int i = 1; i < 600; i++) {
		const char *const name = name_errno(i);

		if (name)
			assert_int_equal(name_to_errno(name, strlen(name)), i);
	}
	assert_int_equal(name_to_errno("ENOEN", 5), 0);
	assert_int_equal(name_to_errno("ENOENTX", 7), 0);
	assert_int_equal(name_to_errno("", 0), 0);
}

static void
families_have_names(void **state)
{
	(void)state;
	assert_string_equal(name_family(AF_UNIX), "unix");
	assert_string_equal(name_family(AF_INET), "inet");
	assert_string_equal(name_family(AF_INET6), "inet6");
	assert_string_equal(name_family(AF_NETLINK), "netlink");
	assert_string_equal(name_family(AF_PACKET), "packet");
	assert_string_equal(name_family(AF_VSOCK), "vsock");
	assert_string_equal(name_family(AF_XDP), "xdp");
	assert_null(name_family(0));
	assert_null(name_family(UINT64_MAX));
	assert_int_equal(name_to_family("inet6", 5), AF_INET6);
	assert_int_equal(name_to_family("inet7", 5), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_have_the_names_of_the_c_library),
		cmocka_unit_test(errors_of_the_kernel_itself_have_names),
		cmocka_unit_test(unknown_errors_are_numbers),
		cmocka_unit_test(names_lead_back_to_numbers),
		cmocka_unit_test(families_have_names),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
