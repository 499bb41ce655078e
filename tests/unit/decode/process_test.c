/* process_test.c - decode/process.h: who a pid is, what it is called, whom to forget */
#include "decode/process.h"

#include <string.h>

#include "tests/lib/unit.h"

static struct process *
add(struct processes *p, uint32_t pid, uint64_t start_ns, const char *comm)
{
	const struct rec_process rec = {.pid = pid, .start_ns = start_ns, .comm = rec_str(comm)};
	struct process *process = NULL;

	assert_int_equal(processes_process(p, &rec, &process), 0);
	return process;
}

static void
names_come_from_where_the_record_says(void **state)
{
	struct rec_process rec = {.pid = 1, .start_ns = 5, .comm = rec_str("2.1.0"),
				  .exe = rec_str("/opt/worker/2.1.0"), .arg0 = rec_str("/usr/bin/worker"),
				  .name_from = 2};
	struct processes p;
	struct process *process;

	(void)state;
	processes_init(&p);
	assert_int_equal(processes_process(&p, &rec, &process), 0);
	assert_string_equal(process->pub.name, "worker");
	assert_string_equal(process->pub.exe, "/opt/worker/2.1.0");
	rec.name_from = 99;
	assert_int_equal(processes_process(&p, &rec, &process), 0);
	assert_string_equal(process->pub.name, "2.1.0");
	processes_fini(&p);
}

/* situation: 74 */
static void
exec_names_by_the_whole_file_name(void **state)
{
	struct rec_exec rec = {.pid = 7, .comm = rec_str("a-program-with-"),
			       .path = rec_str("/bin/a-program-with-a-long-name")};
	struct processes p;
	struct process *process;

	(void)state;
	processes_init(&p);
	(void)add(&p, 7, 1, "sh");
	assert_int_equal(processes_exec(&p, &rec, &process), 0);
	assert_string_equal(process->pub.name, "a-program-with-a-long-name");
	rec.comm = rec_str("python3");	/* a script: comm is not the file's name */
	rec.path = rec_str("/x/tool.py");
	assert_int_equal(processes_exec(&p, &rec, &process), 0);
	assert_string_equal(process->pub.name, "python3");
	processes_fini(&p);
}

/* All arguments, where a NUL says that they are: however many. */
static void
arguments_come_with_the_first(void **state)
{
	static char many[REC_BYTES_MAX];
	struct rec_exec rec = {.pid = 7, .comm = rec_str("cat"), .path = rec_str("/bin/cat"),
			       .arg0 = rec_bytes("cat\0-n", 7)};
	const struct rec_rename called = {.pid = 7, .tid = 7, .comm = rec_str("dog")};
	struct processes p;
	struct process *process;

	(void)state;
	processes_init(&p);
	(void)add(&p, 7, 1, "sh");
	assert_int_equal(processes_exec(&p, &rec, &process), 0);
	assert_int_equal(processes_rename(&p, &called, &process), 0);
	assert_string_equal(process->pub.name, "dog");
	assert_string_equal(process->pub.arg0, "cat");
	assert_int_equal(process->pub.arg0_len, 3);
	assert_int_equal(process->pub.arguments_len, 7);
	assert_memory_equal(process->pub.arguments, "cat\0-n", 7);
	memset(many, 'x', sizeof(many));
	many[3] = '\0';
	rec.arg0 = rec_bytes(many, sizeof(many));
	assert_int_equal(processes_exec(&p, &rec, &process), 0);
	assert_int_equal(process->pub.arg0_len, 3);
	assert_int_equal(process->pub.arguments_len, REC_BYTES_MAX);
	rec.arg0 = rec_str("cat");
	assert_int_equal(processes_exec(&p, &rec, &process), 0);
	assert_null(process->pub.arguments);
	assert_int_equal(process->pub.arg0_len, 3);
	processes_fini(&p);
}

static void
only_the_leader_renames_the_process(void **state)
{
	struct rec_rename rec = {.pid = 7, .tid = 8, .comm = rec_str("worker")};
	struct processes p;
	struct process *process;

	(void)state;
	processes_init(&p);
	(void)add(&p, 7, 1, "main");
	assert_int_equal(processes_rename(&p, &rec, &process), 0);
	assert_string_equal(process->pub.name, "main");
	rec.tid = 7;
	assert_int_equal(processes_rename(&p, &rec, &process), 0);
	assert_string_equal(process->pub.name, "worker");
	processes_fini(&p);
}

/* situation: 102 */
static void
a_pid_used_again_is_another_process(void **state)
{
	struct processes p;
	struct process *first, *second;
	uint64_t changes;

	(void)state;
	processes_init(&p);
	first = add(&p, 7, 100, "old");
	changes = p.changes;
	second = add(&p, 7, 200, "new");
	assert_ptr_not_equal(first, second);
	assert_true(p.changes > changes);
	assert_ptr_equal(processes_find(&p, 7), second);
	assert_true(first->pub.id != second->pub.id && first->pub.id != 0 && second->pub.id != 0);
	assert_ptr_equal(add(&p, 7, 200, "restated"), second);
	processes_fini(&p);
}

static void
a_process_nobody_told_of_gets_its_record_later(void **state)
{
	struct processes p;
	struct process *process;

	(void)state;
	processes_init(&p);
	process = processes_get(&p, 9);
	assert_string_equal(process->pub.name, "?");
	assert_ptr_equal(add(&p, 9, 300, "late"), process);
	assert_string_equal(process->pub.name, "late");
	assert_int_equal(p.n, 1);
	processes_fini(&p);
}

static void
those_that_ended_are_forgotten_first(void **state)
{
	struct processes p;

	(void)state;
	processes_init(&p);
	for (uint32_t pid = 1; pid <= PROCESS_KEPT + 10; pid++) {
		const struct rec_exit end = {.pid = pid, .time_ns = pid};
		struct process *process = add(&p, pid, pid, "x");

		if (pid % 2 == 0)
			assert_int_equal(processes_exit(&p, &end, &process), 0);
	}
	processes_trim(&p);
	assert_true(p.n <= PROCESS_KEPT);
	assert_int_equal(p.forgotten, PROCESS_KEPT / 2);
	assert_non_null(processes_find(&p, 1));
	assert_null(processes_find(&p, 2));
	processes_fini(&p);
}

/* Without a comm, a program is called as its file. */
static void
exec_without_a_comm(void **state)
{
	struct rec_exec rec = {.pid = 7, .path = rec_str("/bin/tool")};
	struct rec_rename rename = {.pid = 7, .tid = 7};
	struct processes p;
	struct process *process;

	(void)state;
	processes_init(&p);
	assert_int_equal(processes_exec(&p, &rec, &process), 0);
	assert_string_equal(process->pub.name, "tool");
	assert_int_equal(processes_rename(&p, &rename, &process), 0);	/* to nothing: it keeps its name */
	assert_string_equal(process->pub.name, "tool");
	rec.comm = rec_str("another-program");		/* as long as the kernel shows, and no part of the name */
	rec.path = rec_str("/bin/a-program-with-a-long-name");
	assert_int_equal(processes_exec(&p, &rec, &process), 0);
	assert_string_equal(process->pub.name, "another-program");
	processes_fini(&p);
}

/* A group of 0 is root's where the cgroup says that the record has these fields. */
static void
groups_of_old_and_new_records(void **state)
{
	const struct rec_process old = {.pid = 1, .start_ns = 5};
	const struct rec_process new = {.pid = 2, .start_ns = 5, .cgroup = rec_str("/")};
	struct processes p;
	struct process *process;

	(void)state;
	processes_init(&p);
	assert_int_equal(processes_process(&p, &old, &process), 0);
	assert_true(process->pub.gid == UINT32_MAX);
	assert_int_equal(processes_process(&p, &new, &process), 0);
	assert_int_equal(process->pub.gid, 0);
	processes_fini(&p);
}

/* Of one pid used again and again the last process is the one that the pid means, whoever is forgotten. */
static void
a_pid_used_thousands_of_times(void **state)
{
	struct processes p;
	struct process *process = NULL;

	(void)state;
	processes_init(&p);
	for (uint64_t i = 1; i <= PROCESS_KEPT + 10; i++) {
		process = add(&p, 7, i, "x");
		assert_int_equal(processes_exit(&p, &(struct rec_exit){.pid = 7, .time_ns = i}, &process), 0);
	}
	processes_trim(&p);
	assert_int_equal(p.forgotten, PROCESS_KEPT / 2);
	assert_ptr_equal(processes_find(&p, 7), process);
	processes_fini(&p);
}

/* More that live than a machine has: the oldest are forgotten and counted, the latest stay. */
static void
the_oldest_that_live_are_forgotten(void **state)
{
	struct processes p;

	(void)state;
	processes_init(&p);
	for (uint32_t pid = 1; pid <= PROCESS_ALIVE; pid++)
		assert_non_null(processes_get(&p, pid));
	processes_trim(&p);
	assert_int_equal(p.forgotten, 0);
	assert_non_null(processes_get(&p, PROCESS_ALIVE + 1));
	processes_trim(&p);
	assert_int_equal(p.n, PROCESS_ALIVE / 2);
	assert_int_equal(p.forgotten, PROCESS_ALIVE / 2 + 1);
	assert_null(processes_find(&p, PROCESS_ALIVE / 2 + 1));
	assert_non_null(processes_find(&p, PROCESS_ALIVE / 2 + 2));
	assert_non_null(processes_find(&p, PROCESS_ALIVE + 1));
	processes_fini(&p);
}

/* However many a recording makes up. */
static void
there_is_an_end_to_processes(void **state)
{
	const struct rec_exec exec = {.pid = PROCESS_MAX + 1};
	const struct rec_rename rename = {.pid = PROCESS_MAX + 1, .tid = PROCESS_MAX + 1};
	struct processes p;
	struct process *process;

	(void)state;
	processes_init(&p);
	for (uint32_t pid = 1; pid <= PROCESS_MAX; pid++)
		assert_non_null(processes_get(&p, pid));
	assert_null(processes_get(&p, PROCESS_MAX + 1));
	assert_int_equal(processes_process(&p, &(struct rec_process){.pid = PROCESS_MAX + 1}, &process), IOTAP_ELIMIT);
	assert_true(processes_exec(&p, &exec, &process) < 0);
	assert_null(process);
	assert_true(processes_rename(&p, &rename, &process) < 0);
	assert_null(process);
	assert_non_null(processes_find(&p, PROCESS_MAX));
	processes_fini(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_come_from_where_the_record_says),
		cmocka_unit_test(exec_names_by_the_whole_file_name),
		cmocka_unit_test(arguments_come_with_the_first),
		cmocka_unit_test(only_the_leader_renames_the_process),
		cmocka_unit_test(a_pid_used_again_is_another_process),
		cmocka_unit_test(a_process_nobody_told_of_gets_its_record_later),
		cmocka_unit_test(those_that_ended_are_forgotten_first),
		cmocka_unit_test(exec_without_a_comm),
		cmocka_unit_test(groups_of_old_and_new_records),
		cmocka_unit_test(a_pid_used_thousands_of_times),
		cmocka_unit_test(the_oldest_that_live_are_forgotten),
		cmocka_unit_test(there_is_an_end_to_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
