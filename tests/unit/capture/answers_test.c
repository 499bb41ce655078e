/* answers_test.c - capture/answers.h: what this machine and this process say, as records */
#include "capture/answers.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "formats/calls.h"
#include "tests/lib/unit.h"

static void
clocks_are_read_together(void **state)
{
	struct rec_clock a, b;
	struct timespec real;

	(void)state;
	answers_clock(&a);
	assert_true(answers_boot_ns() >= a.boot_ns);
	assert_int_equal(clock_gettime(CLOCK_REALTIME, &real), 0);
	assert_true((int64_t)real.tv_sec * 1000000000 + real.tv_nsec - a.real_ns < INT64_C(10000000000));
	assert_true(a.tai_ns - a.real_ns >= -1000000 && a.tai_ns - a.real_ns < INT64_C(100000000000));
	(void)usleep(2000);
	answers_clock(&b);
	assert_true(b.boot_ns - a.boot_ns >= 2000000);
	/* The clocks go alike: their distance is the same to well within a millisecond. */
	assert_true(llabs((b.real_ns - (int64_t)b.boot_ns) - (a.real_ns - (int64_t)a.boot_ns)) < 1000000);
}

static void
the_host(void **state)
{
	struct answers_host h;

	(void)state;
	answers_host(&h);
	assert_int_equal(h.rec.os, OS_LINUX);
	assert_true(h.rec.arch == ARCH_X86_64 || h.rec.arch == ARCH_ARM64);
	assert_true(h.rec.cpus >= 1);
	assert_int_equal(h.rec.page_bytes, sysconf(_SC_PAGESIZE));
	assert_int_equal(h.rec.pid, getpid());
	assert_int_equal(h.rec.boot_id.n, 36);		/* a UUID, without the newline of /proc */
	assert_null(memchr(h.rec.boot_id.p, '\n', h.rec.boot_id.n));
	assert_int_equal(h.rec.release.n, strlen(h.names.release));
	assert_int_equal(strncmp((const char *)h.rec.tool.p, "iotap-capture ", 14), 0);
	assert_true(h.rec.netns != 0);
	assert_true(h.rec.flags == 0 && h.rec.options.n == 0);
}

static const struct kr_task_seen *
me(struct kr_task_seen *t)
{
	*t = (struct kr_task_seen){.tgid = (uint32_t)getpid(), .parent_tgid = 5, .start_ns = 77, .uid = 9,
				   .pid_in_ns = 3, .pid_ns = 4, .mnt_ns = 6, .net_ns = 8};
	memset(t->comm, 'c', sizeof(t->comm));		/* without a NUL */
	return t;
}

static void
process(const struct kr_task_seen *t, bool all_arguments, const char *becomes, struct buf *records,
	struct rec_process *out)
{
	struct iotap_error err = {.code = 0};
	struct bytes_in in;
	struct record rec;

	assert_int_equal(answers_process(t, HOW_NAME, 1, all_arguments, becomes, records, &err), 0);
	in = bytes_in(records->data, records->len);
	assert_int_equal(record_next(&in, &rec, &err), 0);
	assert_int_equal(rec.type, REC_process);
	assert_int_equal(bytes_left(&in), 0);
	*out = rec.u.process;
}

static bool
ends_with(const struct bytes *b, const char *text)
{
	const size_t n = strlen(text);

	return b->n >= n && memcmp(b->p + b->n - n, text, n) == 0;
}

static void
a_process(void **state)
{
	struct buf records = {.data = NULL};
	struct kr_task_seen t;
	struct rec_process p;
	char cwd[4096];

	(void)state;
	process(me(&t), false, NULL, &records, &p);
	assert_true(p.pid == (uint64_t)getpid() && p.parent == 5 && p.start_ns == 77 && p.uid == 9);
	assert_true(p.how == HOW_NAME && p.name_from == 1 && p.restated == 0);
	assert_true(p.pid_in_ns == 3 && p.pid_ns == 4 && p.mnt_ns == 6 && p.net_ns == 8);
	assert_int_equal(p.comm.n, KR_COMM_LEN);		/* no byte beyond */
	assert_true(ends_with(&p.exe, "/answers_test"));
	assert_true(ends_with(&p.arg0, "answers_test"));
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_int_equal(p.cwd.n, strlen(cwd));
	assert_memory_equal(p.cwd.p, cwd, p.cwd.n);
	assert_true(p.time_ns <= answers_boot_ns() && p.time_ns + 1000000000 > answers_boot_ns());
	buf_free(&records);
}

/* A command that waits for its exec is what it is going to be, not what it still is. */
static void
a_command_before_its_exec(void **state)
{
	struct buf records = {.data = NULL};
	struct kr_task_seen t;
	struct rec_process p;

	(void)state;
	process(me(&t), false, "/usr/bin/a-name-longer-than-comm", &records, &p);
	assert_int_equal(p.comm.n, KR_COMM_LEN - 1);
	assert_memory_equal(p.comm.p, "a-name-longer-t", KR_COMM_LEN - 1);
	assert_true(ends_with(&p.arg0, "/a-name-longer-than-comm"));
	assert_int_equal(p.exe.n, 0);
	assert_true(p.cwd.n > 0);
	buf_free(&records);
}

/* One that ended meanwhile: what the kernel half saw is all there is. */
static void
a_process_that_is_gone(void **state)
{
	struct buf records = {.data = NULL};
	struct kr_task_seen t;
	struct rec_process p;

	(void)state;
	(void)me(&t);
	t.tgid = UINT32_MAX;
	process(&t, true, NULL, &records, &p);
	assert_int_equal(p.pid, UINT32_MAX);
	assert_true(p.exe.n == 0 && p.arg0.n == 0 && p.cwd.n == 0);
	assert_int_equal(p.comm.n, KR_COMM_LEN);
	buf_free(&records);
}

/* situation: 86 */
static void
interfaces_with_names_and_addresses(void **state)
{
	struct iotap_error err = {.code = 0};
	struct buf records = {.data = NULL};
	struct bytes_in in;
	struct record rec;
	size_t n = 0;

	(void)state;
	assert_int_equal(answers_interfaces(&records, &err), 0);
	in = bytes_in(records.data, records.len);
	while (record_next(&in, &rec, &err) == 0) {
		const struct rec_interface *const i = &rec.u.interface;

		assert_int_equal(rec.type, REC_interface);
		assert_true(i->name.n > 0 && i->name.n < 16);
		assert_true(i->address.n == 0 || i->address.n == 4 || i->address.n == 16);
		assert_true(i->ifindex != 0 && i->netns != 0);
		n++;
	}
	assert_int_equal(err.code, 0);
	assert_true(n > 0);			/* lo is everywhere */
	buf_free(&records);
}

/* A record that finds no room is no record, and is said. */
static void
no_room(void **state)
{
	struct iotap_error err = {.code = 0};
	struct buf records = {.limit = 20};
	struct kr_task_seen t;

	(void)state;
	assert_int_equal(answers_process(me(&t), HOW_PID, 0, false, NULL, &records, &err), IOTAP_ENOMEM);
	assert_int_equal(records.len, 0);
	buf_free(&records);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_are_read_together),
		cmocka_unit_test(the_host),
		cmocka_unit_test(a_process),
		cmocka_unit_test(a_command_before_its_exec),
		cmocka_unit_test(a_process_that_is_gone),
		cmocka_unit_test(interfaces_with_names_and_addresses),
		cmocka_unit_test(no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
