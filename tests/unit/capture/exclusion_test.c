/* exclusion_test.c - capture/exclusion.h: who is never traced, from tables of processes and of pipes */
#include "capture/exclusion.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/hash.h"
#include "tests/lib/unit.h"

static void
add(struct processes *p, uint32_t pid, uint32_t parent, uint32_t group, const char *comm)
{
	const struct process row = {.pid = pid, .parent = parent, .group = group};

	assert_true(processes_add(p, &row, comm, comm, strlen(comm), comm, strlen(comm)));
}

/* The pids of 1 to 99 that are left out, as text. */
static const char *
excluded(struct exclusion *x)
{
	static char text[400];

	text[0] = '\0';
	for (uint32_t pid = 1; pid < 100; pid++) {
		char one[16];

		(void)snprintf(one, sizeof(one), "%u ", pid);
		if (exclusion_has(x, pid))
			strcat(text, one);
	}
	return text;
}

static void
expect_readers(const struct pipe_end *ends, size_t n, uint64_t inode, const char *pids)
{
	struct exclusion x = {.group = 0};

	map_init(&x.pids, hash_seed(), 0);
	assert_true(exclusion_readers(&x, ends, n, inode));
	assert_string_equal(excluded(&x), pids);
	exclusion_free(&x);
}

/* capture | 20 | 21 | 22, and 30 that reads another pipe. */
static void
readers_of_readers(void **state)
{
	static const struct pipe_end ends[] = {
		{.inode = 300, .pid = 22, .readable = true},	/* in no order */
		{.inode = 300, .pid = 21, .is_stdout = true},
		{.inode = 200, .pid = 21, .readable = true},
		{.inode = 200, .pid = 20, .is_stdout = true},
		{.inode = 100, .pid = 20, .readable = true},
		{.inode = 400, .pid = 30, .readable = true},
		{.inode = 100, .pid = 31},			/* a writer of ours is no reader */
	};

	(void)state;
	expect_readers(ends, sizeof(ends) / sizeof(ends[0]), 100, "20 21 22 ");
	expect_readers(ends, sizeof(ends) / sizeof(ends[0]), 300, "22 ");
	expect_readers(ends, sizeof(ends) / sizeof(ends[0]), 999, "");
	expect_readers(NULL, 0, 100, "");
}

/* Pipes in a circle, and two readers of one: an end is found all the same. */
static void
circles_end(void **state)
{
	static const struct pipe_end ends[] = {
		{.inode = 1, .pid = 20, .readable = true}, {.inode = 2, .pid = 20, .is_stdout = true},
		{.inode = 2, .pid = 21, .readable = true}, {.inode = 1, .pid = 21, .is_stdout = true},
		{.inode = 1, .pid = 22, .readable = true}, {.inode = 3, .pid = 22, .is_stdout = true},
		{.inode = 3, .pid = 22, .readable = true},
	};

	(void)state;
	expect_readers(ends, sizeof(ends) / sizeof(ends[0]), 1, "20 21 22 ");
}

/* A shell gives every pipeline a group; a script keeps everything it starts in its own, targets included. */
static void
a_group_counts_when_its_leader_is_of_the_pipeline(void **state)
{
	struct processes p = {.n = 0};

	(void)state;
	add(&p, 1, 0, 1, "init");
	add(&p, 10, 1, 10, "bash");		/* a script, which leads the group of all it starts */
	add(&p, 11, 10, 10, "capture");
	add(&p, 20, 1, 20, "sudo");		/* with job control: sudo leads the pipeline */
	add(&p, 21, 20, 20, "capture");
	add(&p, 30, 1, 30, "tee");		/* started first, so that it leads, and no ancestor */
	add(&p, 31, 1, 30, "capture");
	add(&p, 40, 1, 40, "capture");		/* leads itself */
	add(&p, 50, 1, 1, "capture");		/* init's group */
	add(&p, 60, 1, 61, "capture");		/* its leader is gone */
	assert_int_equal(exclusion_group(&p, 11), 0);
	assert_int_equal(exclusion_group(&p, 21), 20);
	assert_int_equal(exclusion_group(&p, 31), 30);
	assert_int_equal(exclusion_group(&p, 40), 40);
	assert_int_equal(exclusion_group(&p, 50), 0);
	assert_int_equal(exclusion_group(&p, 60), 0);
	assert_int_equal(exclusion_group(&p, 99), 0);
	processes_free(&p);
}

/* situation: 100 */
static void
ancestors_group_and_named_ones(void **state)
{
	const char *names[] = {"Tail"};
	uint32_t pids[] = {77};
	const struct targets t = {.excluded_names = names, .n_excluded_names = 1, .excluded_pids = pids,
				  .n_excluded_pids = 1};
	struct iotap_error err = {.code = 0};
	struct processes p = {.n = 0};
	struct exclusion x;

	(void)state;
	add(&p, 1, 0, 1, "init");
	add(&p, 10, 1, 10, "bash");
	add(&p, 20, 10, 20, "sudo");
	add(&p, 21, 20, 20, "capture");
	add(&p, 22, 10, 20, "less");
	add(&p, 30, 10, 30, "other");
	add(&p, 31, 10, 30, "tail");
	add(&p, 77, 10, 30, "other");
	assert_int_equal(exclusion_build(&x, &p, &t, 21, 0, &err), 0);
	assert_int_equal(x.group, 20);
	assert_string_equal(excluded(&x), "1 10 20 21 22 31 77 ");
	exclusion_free(&x);
	processes_free(&p);
}

/* A table in which parents go in a circle. */
/* situation: 100 */
static void
a_circle_of_parents(void **state)
{
	static const struct targets none;
	struct iotap_error err = {.code = 0};
	struct processes p = {.n = 0};
	struct exclusion x;

	(void)state;
	add(&p, 10, 11, 10, "a");
	add(&p, 11, 10, 10, "b");
	assert_int_equal(exclusion_build(&x, &p, &none, 10, 0, &err), 0);
	assert_true(exclusion_has(&x, 10) && exclusion_has(&x, 11));
	exclusion_free(&x);
	processes_free(&p);
}

/* The processes of this machine: a child that reads our pipe, and one that reads another. */
static void
a_reader_that_is_there(void **state)
{
	static const struct targets none;
	struct iotap_error err = {.code = 0};
	struct processes p;
	struct exclusion x;
	struct stat st;
	int ours[2], other[2], ready[2];
	pid_t reader, stranger;
	char c;

	(void)state;
	assert_int_equal(pipe(ours), 0);
	assert_int_equal(pipe(other), 0);
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(fstat(ours[1], &st), 0);
	reader = fork();
	if (reader == 0) {
		(void)setpgid(0, 0);
		(void)close(ours[1]);
		(void)close(other[0]);
		(void)close(other[1]);
		_exit(write(ready[1], "r", 1) == 1 ? (int)read(ours[0], &c, 1) : 1);
	}
	stranger = fork();
	if (stranger == 0) {
		(void)setpgid(0, 0);
		(void)close(ours[0]);
		(void)close(ours[1]);
		(void)close(other[1]);
		_exit(write(ready[1], "s", 1) == 1 ? (int)read(other[0], &c, 1) : 1);
	}
	(void)setpgid(reader, reader);
	(void)setpgid(stranger, stranger);
	assert_int_equal(read(ready[0], &c, 1), 1);	/* they have closed what is not theirs */
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(processes_read(&p, true, &err), 0);
	assert_int_equal(exclusion_build(&x, &p, &none, (uint32_t)getpid(), st.st_ino, &err), 0);
	assert_true(exclusion_has(&x, (uint32_t)getpid()));
	assert_true(exclusion_has(&x, (uint32_t)getppid()));
	assert_true(exclusion_has(&x, (uint32_t)reader));
	assert_false(exclusion_has(&x, (uint32_t)stranger));
	exclusion_free(&x);
	processes_free(&p);
	(void)close(ours[1]);
	(void)close(other[1]);
	assert_int_equal(waitpid(reader, NULL, 0), reader);
	assert_int_equal(waitpid(stranger, NULL, 0), stranger);
	(void)close(ours[0]);
	(void)close(other[0]);
	(void)close(ready[0]);
	(void)close(ready[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readers_of_readers),
		cmocka_unit_test(circles_end),
		cmocka_unit_test(a_group_counts_when_its_leader_is_of_the_pipeline),
		cmocka_unit_test(ancestors_group_and_named_ones),
		cmocka_unit_test(a_circle_of_parents),
		cmocka_unit_test(a_reader_that_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
