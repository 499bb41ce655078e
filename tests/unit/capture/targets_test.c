/* targets_test.c - which processes a command line means, and which are left out */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "capture/exclusion.h"
#include "capture/kernel.h"
#include "capture/targets.h"

#define HINT "; --wait waits for one, -- before a command starts it"

static void
add(struct processes *p, struct process row, const char *comm, const char *exe, const char *arg0)
{
	assert_true(processes_add(p, &row, comm, exe, strlen(exe), arg0, strlen(arg0)));
}

/* init - shell 10 - (sudo 20 - capture 21), editor 30, worker 31; a kernel thread; a zombie. */
static void
table(struct processes *p)
{
	*p = (struct processes){0};
	add(p, (struct process){.pid = 1, .group = 1}, "init", "/sbin/init", "init");
	add(p, (struct process){.pid = 10, .parent = 1, .group = 10}, "bash", "/bin/bash", "-bash");
	add(p, (struct process){.pid = 20, .parent = 10, .group = 20}, "sudo", "/usr/bin/sudo", "sudo");
	add(p, (struct process){.pid = 21, .parent = 20, .group = 20}, "iotap-capture",
	    "/usr/bin/iotap-capture", "iotap-capture");
	add(p, (struct process){.pid = 22, .parent = 10, .group = 20}, "tee", "/usr/bin/tee", "tee");
	add(p, (struct process){.pid = 30, .parent = 10, .group = 30}, "Editor Main", "/opt/2.1.3",
	    "/usr/local/bin/Editor");
	add(p, (struct process){.pid = 31, .parent = 10, .group = 31}, "worker", "/opt/worker-long-name",
	    "");
	add(p, (struct process){.pid = 40, .parent = 2, .kernel = true}, "worker", "", "");
	add(p, (struct process){.pid = 41, .parent = 1, .ending = true}, "worker", "", "");
}

static struct name_bytes
name(const char *s)
{
	return (struct name_bytes){s, strlen(s)};
}

/* situation: 98 */
static void
matching(void **state)
{
	static const char *const names[] = {"curl", "Node"};

	(void)state;
	assert_int_equal(names_match(names, 2, name("CURL"), name(""), name("")), 1);
	assert_int_equal(names_match(names, 2, name("x"), name("/usr/bin/node"), name("")), 2);
	assert_int_equal(names_match(names, 2, name("x"), name("/y"), name("a/b/Curl")), 3);
	assert_int_equal(names_match(names, 2, name("curl2"), name("curl/"), name("url")), 0);
	assert_int_equal(names_match(NULL, 0, name("curl"), name("curl"), name("curl")), 0);
	assert_int_equal(names_match(names, 2, name(""), name(""), name("")), 0);
}

static void
hash_ignores_ascii_case_only(void **state)
{
	(void)state;
	assert_true(kernel_name_hash("CURL", 4) == kernel_name_hash("curl", 4));
	assert_true(kernel_name_hash("\xc3\x84", 2) != kernel_name_hash("\xc3\xa4", 2));
	assert_true(kernel_name_hash("", 0) == UINT64_C(14695981039346656037));
	assert_true(kernel_name_hash("a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
}

/* situation: 97 */
static void
numbers_and_names(void **state)
{
	struct targets t = {0};
	struct iotap_error err = {0};

	(void)state;
	assert_int_equal(targets_add(&t, "123", false, &err), 0);
	assert_int_equal(targets_add(&t, "123", false, &err), 0);
	assert_int_equal(targets_add(&t, "0123", false, &err), 0);
	assert_int_equal(t.n_pids, 1);
	assert_int_equal(targets_add(&t, "123", true, &err), 0);
	assert_int_equal(targets_add(&t, "-4", false, &err), 0);
	assert_int_equal(targets_add(&t, "0", false, &err), 0);
	assert_int_equal(targets_add(&t, "99999999999", false, &err), 0);
	assert_int_equal(targets_add(&t, "Curl", false, &err), 0);
	assert_int_equal(targets_add(&t, "cURL", false, &err), 0);
	assert_int_equal(t.n_pids, 1);
	assert_int_equal(t.n_names, 5);
	assert_int_equal(targets_add(&t, "", false, &err), IOTAP_EUSAGE);
	assert_int_equal(targets_add_pid(&t, "x", &err), IOTAP_EUSAGE);
	assert_int_equal(targets_add_pid(&t, "0", &err), IOTAP_EUSAGE);
	targets_free(&t);
}

/* The pids that words choose, in order, as "30,31"; or the error's text. */
static const char *
chosen(const char *const *words, targets_skip *skip, void *arg, bool wait)
{
	static char text[600];
	struct iotap_error err = {0};
	struct targets t = {.wait = wait};
	struct processes p;
	struct buf out = {0};
	size_t len = 0;

	table(&p);
	for (; *words; words++)
		assert_int_equal(targets_add(&t, *words, false, &err), 0);
	text[0] = '\0';
	if (targets_choose(&t, &p, 21, skip, arg, &out, &err) < 0) {
		strcpy(text, err.text);
	} else {
		for (size_t at = 0; at < out.len; at += sizeof(struct chosen)) {
			struct chosen c;

			memcpy(&c, out.data + at, sizeof(c));
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u:%u",
						len > 0 ? "," : "", c.pid,
						c.by_name ? c.name_from + 1 : 0);
		}
	}
	buf_free(&out);
	targets_free(&t);
	processes_free(&p);
	return text;
}

#define CHOSEN(...) chosen((const char *const[]){__VA_ARGS__, NULL}, NULL, NULL, false)

/* situation: 99 */
static void
choosing(void **state)
{
	(void)state;
	assert_string_equal(CHOSEN("30"), "30:0");
	assert_string_equal(CHOSEN("editor main"), "30:1");
	assert_string_equal(CHOSEN("2.1.3"), "30:2");
	assert_string_equal(CHOSEN("EDITOR"), "30:3");
	assert_string_equal(CHOSEN("Worker", "30", "WORKER-long-name"), "30:0,31:1");
	assert_string_equal(CHOSEN("worker", "31"), "31:0");
}

/* situation: 98, 99 */
static void
not_choosing(void **state)
{
	static const char *const gone[] = {"nobody", NULL};

	(void)state;
	assert_string_equal(CHOSEN("21"), "21 is iotap-capture itself");
	assert_string_equal(CHOSEN("40"), "40 is a kernel thread: it makes no calls");
	assert_string_equal(CHOSEN("2147483647"), "there is no process 2147483647");
	assert_string_equal(CHOSEN("work"),
			    "no process is named \"work\"; similar: worker-long-name" HINT);
	assert_string_equal(CHOSEN("wroker"), "no process is named \"wroker\"; similar: worker" HINT);
	assert_string_equal(CHOSEN("orker"), "no process is named \"orker\"; similar: worker-long-name" HINT);
	assert_string_equal(CHOSEN("eeditor"), "no process is named \"eeditor\"; similar: Editor" HINT);
	assert_string_equal(CHOSEN("bosh"), "no process is named \"bosh\"; similar: bash" HINT);
	assert_string_equal(CHOSEN("bish?"), "no process is named \"bish?\"" HINT);
	assert_string_equal(CHOSEN("nobody"), "no process is named \"nobody\"" HINT);
	assert_string_equal(CHOSEN("iotap-capture"),
			    "every process named \"iotap-capture\" is left out: iotap-capture runs under "
			    "it, it reads the output, or --exclude names it");
	assert_string_equal(chosen(gone, NULL, NULL, true), "");
}

/* situation: 98 */
static void
near_names_are_few_and_printable(void **state)
{
	struct iotap_error err = {0};
	struct targets t = {0};
	struct processes p = {0};
	struct buf out = {0};

	(void)state;
	for (uint32_t i = 0; i < 8; i++) {
		char comm[] = "x_target\033";

		comm[0] = (char)('h' - i);
		add(&p, (struct process){.pid = 100 + i}, comm, "", "");
	}
	assert_int_equal(targets_add(&t, "TARGET", false, &err), 0);
	assert_int_equal(targets_choose(&t, &p, 1, NULL, NULL, &out, &err), IOTAP_ENOTFOUND);
	assert_string_equal(err.text, "no process is named \"TARGET\"; similar: a_target?, b_target?, "
				      "c_target?, d_target?, e_target? and 3 more" HINT);
	targets_free(&t);
	processes_free(&p);
	buf_free(&out);
}

static void
build(struct exclusion *x, const struct processes *p, const char *excluded)
{
	struct targets t = {0};
	struct iotap_error err = {0};

	if (excluded)
		assert_int_equal(targets_exclude(&t, excluded, &err), 0);
	assert_int_equal(exclusion_build(x, p, &t, 21, 0, &err), 0);
	targets_free(&t);
}

static void
leaving_out(void **state)
{
	struct processes p;
	struct exclusion x;
	static const char *const editor[] = {"editor", NULL};

	(void)state;
	table(&p);
	build(&x, &p, "worker");
	assert_true(exclusion_has(&x, 21));	/* self */
	assert_true(exclusion_has(&x, 20));	/* ancestors */
	assert_true(exclusion_has(&x, 10));
	assert_true(exclusion_has(&x, 1));
	assert_true(exclusion_has(&x, 22));	/* the pipeline's group, which sudo leads */
	assert_true(exclusion_has(&x, 31));	/* --exclude */
	assert_false(exclusion_has(&x, 30));	/* another child of the shell */
	assert_string_equal(chosen(editor, exclusion_has, &x, false), "30:3");
	exclusion_free(&x);
	build(&x, &p, "editor");
	assert_string_equal(chosen(editor, exclusion_has, &x, false),
			    "every process named \"editor\" is left out: iotap-capture runs under it, it "
			    "reads the output, or --exclude names it");
	exclusion_free(&x);
	processes_free(&p);
}

/* Without job control a script and all it starts are one group: that is no pipeline of ours. */
static void
a_script_is_no_pipeline(void **state)
{
	struct processes p = {0};
	struct exclusion x;

	(void)state;
	add(&p, (struct process){.pid = 1, .group = 1}, "init", "", "");
	add(&p, (struct process){.pid = 10, .parent = 1, .group = 10}, "script.sh", "/bin/bash", "bash");
	add(&p, (struct process){.pid = 11, .parent = 10, .group = 10}, "dd", "/bin/dd", "dd");
	add(&p, (struct process){.pid = 21, .parent = 10, .group = 10}, "iotap-capture", "", "");
	assert_int_equal(exclusion_group(&p, 21), 0);
	build(&x, &p, NULL);
	assert_false(exclusion_has(&x, 11));
	assert_true(exclusion_has(&x, 10));
	exclusion_free(&x);
	processes_free(&p);
}

/* situation: 100 */
static void
cyclic_parents_end(void **state)
{
	struct processes p = {0};
	struct exclusion x;

	(void)state;
	add(&p, (struct process){.pid = 5, .parent = 6}, "a", "", "");
	add(&p, (struct process){.pid = 6, .parent = 5}, "b", "", "");
	add(&p, (struct process){.pid = 21, .parent = 5}, "c", "", "");
	build(&x, &p, NULL);
	assert_true(exclusion_has(&x, 5));
	assert_true(exclusion_has(&x, 6));
	exclusion_free(&x);
	processes_free(&p);
}

/* 50 reads our pipe and writes to 7, which 51 reads and writes to 8, which 52 reads; 53 reads 9. */
static void
readers_of_readers(void **state)
{
	static const struct pipe_end ends[] = {
		{8, 52, true, false}, {6, 50, true, false}, {7, 50, false, true},
		{7, 51, true, false}, {8, 51, false, true}, {9, 53, true, false},
		{9, 51, false, false}, {6, 54, false, false},
	};
	struct exclusion x = {0};

	(void)state;
	map_init(&x.pids, 1, 0);
	assert_true(exclusion_readers(&x, ends, sizeof(ends) / sizeof(ends[0]), 6));
	assert_true(exclusion_has(&x, 50));
	assert_true(exclusion_has(&x, 51));
	assert_true(exclusion_has(&x, 52));
	assert_false(exclusion_has(&x, 53));
	assert_false(exclusion_has(&x, 54));
	exclusion_free(&x);
}

/* situation: 62 */
static void
rings_share_the_buffer(void **state)
{
	static const struct {
		uint64_t bytes;
		uint32_t cpus, calls, notes;
	} rows[] = {
		{32 << 20, 2, 131072, 8192},
		{32 << 20, 1, 262144, 16384},
		{64 << 20, 2, 262144, 16384},
		{32 << 20, 3, 65536, 4096},
		{32 << 20, 128, 2048, 256},
		{1 << 16, 2, 1024, 256},
		{UINT64_C(1) << 36, 2, 1 << 28, 1 << 24},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t calls, notes;

		kernel_ring_sizes(rows[i].bytes, rows[i].cpus, &calls, &notes);
		assert_int_equal(calls, rows[i].calls);
		assert_int_equal(notes, rows[i].notes);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matching),
		cmocka_unit_test(hash_ignores_ascii_case_only),
		cmocka_unit_test(numbers_and_names),
		cmocka_unit_test(choosing),
		cmocka_unit_test(not_choosing),
		cmocka_unit_test(near_names_are_few_and_printable),
		cmocka_unit_test(leaving_out),
		cmocka_unit_test(a_script_is_no_pipeline),
		cmocka_unit_test(cyclic_parents_end),
		cmocka_unit_test(readers_of_readers),
		cmocka_unit_test(rings_share_the_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
