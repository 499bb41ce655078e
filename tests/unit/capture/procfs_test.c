/* procfs_test.c - texts of /proc, as they are and as nobody would expect them */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "capture/procfs.h"

#define TAIL " S 1 100 100 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 8 9\n"

static bool
stat_of(const char *text, struct procfs_stat *out)
{
	return procfs_parse_stat(text, strlen(text), out);
}

static void
stat_plain(void **state)
{
	struct procfs_stat s;

	(void)state;
	assert_true(stat_of("100 (sh)" TAIL, &s));
	assert_int_equal(s.pid, 100);
	assert_string_equal(s.comm, "sh");
	assert_int_equal(s.state, 'S');
	assert_int_equal(s.parent, 1);
	assert_int_equal(s.group, 100);
	assert_int_equal(s.session, 100);
	assert_int_equal(s.flags, 4194560);
	assert_int_equal(s.start_ticks, 4711);
	assert_false(procfs_is_ending(&s));
}

/* situation: 88 */
static void
stat_with_brackets_in_comm(void **state)
{
	static const char *const comms[] = {"a b", "(", ")", ") R 9 (", "x) S 1 1 1", ""};

	(void)state;
	for (size_t i = 0; i < sizeof(comms) / sizeof(comms[0]); i++) {
		char text[256] = "100 (";
		struct procfs_stat s;

		strcat(strcat(text, comms[i]), ")" TAIL);
		assert_true(stat_of(text, &s));
		assert_string_equal(s.comm, comms[i]);
		assert_int_equal(s.start_ticks, 4711);
	}
}

/* situation: 88 */
static void
stat_short_or_broken(void **state)
{
	static const char text[] = "100 (sh)" TAIL;
	struct procfs_stat s;

	(void)state;
	for (size_t n = 0; n < strlen("100 (sh) S 1 100 100 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 "); n++)
		assert_false(procfs_parse_stat(text, n, &s));
	assert_false(stat_of("x (sh)" TAIL, &s));
	assert_false(stat_of(")100 (" TAIL, &s));
	assert_false(stat_of("100 (sh) S 1 2 3 99999999999999999999999", &s));
}

static void
long_comm_is_cut(void **state)
{
	char text[512] = "1 (";
	struct procfs_stat s;

	(void)state;
	memset(text + 3, 'w', 200);
	strcpy(text + 203, ")" TAIL);
	assert_true(stat_of(text, &s));
	assert_int_equal(strlen(s.comm), PROCFS_COMM_MAX);
}

/* situation: 89 */
static void
ending(void **state)
{
	struct procfs_stat s = {.state = 'Z'};

	(void)state;
	assert_true(procfs_is_ending(&s));
	s.state = 'R';
	assert_false(procfs_is_ending(&s));
	s.flags = 0x4;
	assert_true(procfs_is_ending(&s));
}

/* situation: 91 */
static void
arg0(void **state)
{
	char lots[PROCFS_ARG0_MAX + 2];

	(void)state;
	assert_int_equal(procfs_arg0_len("ls\0-l\0", 6), 2);
	assert_int_equal(procfs_arg0_len("", 0), 0);
	assert_int_equal(procfs_arg0_len("ls", 2), 0);
	assert_int_equal(procfs_arg0_len("\0x\0", 3), 0);
	memset(lots, 'a', sizeof(lots));
	lots[PROCFS_ARG0_MAX] = '\0';
	assert_int_equal(procfs_arg0_len(lots, sizeof(lots)), PROCFS_ARG0_MAX);
	lots[PROCFS_ARG0_MAX] = 'a';
	lots[PROCFS_ARG0_MAX + 1] = '\0';
	assert_int_equal(procfs_arg0_len(lots, sizeof(lots)), 0);
}

/* situation: 90 */
static void
status(void **state)
{
	static const char text[] = "Name:\tTgid:\t9\nTgid:\t77\nPid:\t78\nUid:\t1000\t0\t0\t0\n"
				   "Threads:\t3\nNSpid:\t78\t5\t2\n";
	struct procfs_status s;

	(void)state;
	assert_true(procfs_parse_status(text, sizeof(text) - 1, &s));
	assert_int_equal(s.tgid, 77);
	assert_int_equal(s.uid, 1000);
	assert_int_equal(s.pid_in_ns, 2);
	assert_int_equal(s.threads, 3);
	assert_true(procfs_parse_status("Tgid:\t7\nUid:\t1", 14, &s));
	assert_int_equal(s.pid_in_ns, 7);
	assert_false(procfs_parse_status("", 0, &s));
	assert_false(procfs_parse_status("Tgid:\nUid:\t1\n", 13, &s));
	for (size_t n = 0; n < sizeof(text); n++)
		(void)procfs_parse_status(text, n, &s);
}

/* situation: 92, 96 */
static void
links(void **state)
{
	uint64_t inode;

	(void)state;
	assert_true(procfs_parse_inode("pipe:[123]", 10, "pipe", &inode));
	assert_int_equal(inode, 123);
	assert_false(procfs_parse_inode("pipe:[123", 9, "pipe", &inode));
	assert_false(procfs_parse_inode("pipe:[]", 7, "pipe", &inode));
	assert_false(procfs_parse_inode("pipe:[1]x", 9, "pipe", &inode));
	assert_false(procfs_parse_inode("socket:[1]", 10, "pipe", &inode));
	assert_false(procfs_parse_inode("", 0, "pipe", &inode));
	assert_int_equal(procfs_name_len("/x (deleted)", 12), 2);
	assert_int_equal(procfs_name_len(" (deleted)", 10), 10);
	assert_int_equal(procfs_name_len("/x", 2), 2);
	assert_int_equal(procfs_base("/usr/bin/ls", 11), 9);
	assert_int_equal(procfs_base("ls", 2), 0);
	assert_int_equal(procfs_base("", 0), 0);
	assert_int_equal(procfs_base("/", 1), 1);
}

static bool
count_fd(void *arg, int fd, bool readable, const char *text, size_t n)
{
	(void)text;
	assert_true(fd >= 0 && n > 0);
	*(int *)arg += readable ? 1 : 100;
	return true;
}

/* What the running system says of ourselves. */
static void
ourselves(void **state)
{
	struct procfs_stat s;
	struct procfs_status t;
	struct buf exe = {0}, arg = {0}, pids = {0};
	int ends[2], before = 0, after = 0;

	(void)state;
	assert_true(procfs_stat((uint32_t)getpid(), &s));
	assert_int_equal(s.pid, getpid());
	assert_int_equal(s.parent, getppid());
	assert_true(procfs_status((uint32_t)getpid(), &t));
	assert_int_equal(t.tgid, getpid());
	assert_int_equal(t.uid, getuid());
	assert_true(procfs_link((uint32_t)getpid(), "exe", &exe));
	assert_string_equal(buf_cstr(&exe) + procfs_base(buf_cstr(&exe), exe.len), "procfs_test");
	assert_true(procfs_arg0((uint32_t)getpid(), &arg));
	assert_true(arg.len > 0);
	assert_true(procfs_list(&pids));
	assert_true(pids.len >= 2 * sizeof(uint32_t));
	assert_true(procfs_namespace((uint32_t)getpid(), "net") != 0);
	procfs_each_fd((uint32_t)getpid(), count_fd, &before);
	assert_int_equal(pipe(ends), 0);
	procfs_each_fd((uint32_t)getpid(), count_fd, &after);
	assert_int_equal(after - before, 101);
	close(ends[0]);
	close(ends[1]);
	assert_false(procfs_stat(0x7fffffff, &s));
	buf_free(&exe);
	buf_free(&arg);
	buf_free(&pids);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_plain),
		cmocka_unit_test(stat_with_brackets_in_comm),
		cmocka_unit_test(stat_short_or_broken),
		cmocka_unit_test(long_comm_is_cut),
		cmocka_unit_test(ending),
		cmocka_unit_test(arg0),
		cmocka_unit_test(status),
		cmocka_unit_test(links),
		cmocka_unit_test(ourselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
