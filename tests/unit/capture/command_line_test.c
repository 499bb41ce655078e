/* command_line_test.c - the words of the user: what they mean, and which are refused */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "capture/command_line.h"

static enum opt_result
parse(struct command_line *c, char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	return command_line_parse(c, argc, argv);
}

#define PARSE(c, ...) parse(c, (char *[]){"iotap-capture", __VA_ARGS__, NULL})

static void
targets(void **state)
{
	struct command_line c;

	(void)state;
	assert_int_equal(PARSE(&c, "12", "curl", "-p", "13", "--name", "14", "--exclude", "15", "-f",
			       "-d", "1.5", "-o", "x"), OPT_RUN);
	assert_int_equal(c.targets.n_pids, 2);
	assert_int_equal(c.targets.pids[0], 12);
	assert_int_equal(c.targets.pids[1], 13);
	assert_int_equal(c.targets.n_names, 2);
	assert_string_equal(c.targets.names[1], "14");
	assert_int_equal(c.targets.n_excluded_pids, 1);
	assert_true(c.session.follow);
	assert_int_equal(c.session.duration_ns, 1500000000);
	assert_string_equal(c.session.output, "x");
	assert_string_equal(c.session.options,
			    "12 curl -p 13 --name 14 --exclude 15 -f -d 1.5 -o x");
	assert_int_equal(c.session.n_requests, 4);
	assert_int_equal(c.session.requests[1].pid, 13);
	assert_memory_equal(c.session.requests[1].text.p, "13", 2);
	assert_int_equal(c.session.requests[2].kind, 2);
	assert_null(c.session.command);
	command_line_fini(&c);
	assert_int_equal(PARSE(&c, "-n", "12"), OPT_RUN);
	assert_int_equal(c.targets.n_pids, 0);
	assert_int_equal(c.targets.n_names, 1);
	command_line_fini(&c);
}

/* Arguments of a command may hold anything: they are not for the header. */
static void
a_command_keeps_its_arguments_to_itself(void **state)
{
	struct command_line c;

	(void)state;
	assert_int_equal(PARSE(&c, "-f", "--", "mysql", "-psecret"), OPT_RUN);
	assert_string_equal(c.session.command[1], "-psecret");
	assert_string_equal(c.session.options, "-f -- mysql");
	assert_int_equal(c.session.requests[0].kind, 3);
	assert_memory_equal(c.session.requests[0].text.p, "mysql", 5);
	command_line_fini(&c);
	assert_int_equal(PARSE(&c, "--argv", "--", "mysql", "-psecret"), OPT_RUN);
	assert_string_equal(c.session.options, "--argv -- mysql -psecret");
	assert_true(c.session.all_arguments);
	command_line_fini(&c);
}

/* situation: 62 */
static void
buffers(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;		/* 0 = refused */
	} rows[] = {
		{"524288", 32 << 20}, {"1024", 65536}, {"64M", 64 << 20}, {"64k", 65536},
		{"1GiB", 1 << 30}, {"1023", 0}, {"63k", 0}, {"0", 0}, {"", 0}, {"-1", 0}, {"x", 0},
		{"18446744073709551615", 0}, {"65G", 0}, {"64G", UINT64_C(1) << 36},
	};
	struct command_line c;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const enum opt_result r = PARSE(&c, "--buffer", (char *)(uintptr_t)rows[i].text, "1");

		assert_int_equal(r, rows[i].bytes > 0 ? OPT_RUN : OPT_USAGE);
		if (r == OPT_RUN)
			assert_int_equal(c.session.buffer_bytes, rows[i].bytes);
		command_line_fini(&c);
	}
	assert_int_equal(PARSE(&c, "1"), OPT_RUN);
	assert_int_equal(c.session.buffer_bytes, 32 << 20);
	command_line_fini(&c);
}

#define REFUSED(...)                                                                               \
	do {                                                                                       \
		struct command_line c;                                                             \
		assert_int_equal(PARSE(&c, __VA_ARGS__), OPT_USAGE);                               \
		assert_true(c.args.message[0] != '\0');                                            \
		command_line_fini(&c);                                                             \
	} while (0)

static void
refused(void **state)
{
	(void)state;
	REFUSED("-f");
	REFUSED("--");
	REFUSED("-o", "x", "--");
	REFUSED("--pid", "abc");
	REFUSED("--pid", "0");
	REFUSED("");
	REFUSED("--wait", "12");
	REFUSED("--wait", "--", "true");
	REFUSED("--user", "root", "12");
	REFUSED("-d", "-1", "12");
	REFUSED("-d", "x", "12");
	REFUSED("--source", "f", "12");
	REFUSED("--source", "f", "--", "true");
	REFUSED("--no-such-option");
	REFUSED("--childre", "12");
}

static void
several_files(void **state)
{
	struct command_line c;

	(void)state;
	assert_int_equal(PARSE(&c, "1", "-o", "x", "--rotate-size", "1M", "--rotate-time", "1h", "--keep", "7",
			       "--sync", "0", "--max-size", "1G", "--max-events", "5"), OPT_RUN);
	assert_int_equal(c.session.outlet.rotate_bytes, 1 << 20);
	assert_int_equal(c.session.outlet.rotate_ns, UINT64_C(3600000000000));
	assert_int_equal(c.session.outlet.keep, 7);
	assert_int_equal(c.session.outlet.sync_ns, 0);
	assert_int_equal(c.session.outlet.max_bytes, 1 << 30);
	assert_int_equal(c.session.outlet.max_calls, 5);
	command_line_fini(&c);
	assert_int_equal(PARSE(&c, "1", "-o", "x", "--flight", "1M", "--trigger", "errno=EIO", "--trigger",
			       "path=*.log"), OPT_RUN);
	assert_int_equal(c.session.outlet.flight_bytes, 1 << 20);
	assert_int_equal(c.session.outlet.n_rules, 2);
	assert_string_equal(c.session.outlet.rules[1].pattern, "*.log");
	assert_int_equal(c.session.outlet.sync_ns, 1000000000);
	command_line_fini(&c);
}

static void
files_that_do_not_go_together(void **state)
{
	struct command_line c;

	(void)state;
#define TURNED_DOWN(text, ...)                                                                         \
	do {                                                                                       \
		assert_int_equal(PARSE(&c, "1", __VA_ARGS__), OPT_USAGE);                          \
		assert_non_null(strstr(c.args.message, text));                                     \
		command_line_fini(&c);                                                             \
	} while (0)
	TURNED_DOWN("give -o FILE", "--rotate-size", "1M");
	TURNED_DOWN("give -o FILE", "--flight", "1M", "-o", "-");
	TURNED_DOWN("does not rotate", "-o", "x", "--flight", "1M", "--rotate-time", "1m");
	TURNED_DOWN("--keep is for", "-o", "x", "--keep", "2");
	TURNED_DOWN("--trigger is for", "-o", "x", "--trigger", "errno=EIO");
	TURNED_DOWN("none of", "-o", "x", "--flight", "1M", "--trigger", "errno=EWHAT");
	TURNED_DOWN("(latency>100ms)", "-o", "x", "--flight", "1M", "--trigger", "latency=5");
	TURNED_DOWN("--max-size is not", "-o", "x", "--flight", "1M", "--max-size", "1M");
	TURNED_DOWN("4 KiB", "-o", "x", "--rotate-size", "1");
	TURNED_DOWN("--rotate-time: more than 0", "-o", "x", "--rotate-time", "0");
	TURNED_DOWN("--keep: more than 0", "-o", "x", "--rotate-time", "1", "--keep", "0");
	TURNED_DOWN("--keep: at most ", "-o", "x", "--rotate-time", "1", "--keep", "10000000000");
	TURNED_DOWN("--max-size: more than 0", "--max-size", "0");
	TURNED_DOWN("--max-events: more than 0", "--max-events", "0");
	TURNED_DOWN("64 KiB", "-o", "x", "--flight", "1k");
	TURNED_DOWN("nothing to compare", "--no-latency", "--min-latency", "1ms");
	TURNED_DOWN("nothing to compare", "--no-latency", "-o", "x", "--flight", "1M", "--trigger", "latency>1ms");
	TURNED_DOWN("cannot do without", "--no-latency", "--with", "mmap");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets),
		cmocka_unit_test(a_command_keeps_its_arguments_to_itself),
		cmocka_unit_test(buffers),
		cmocka_unit_test(refused),
		cmocka_unit_test(several_files),
		cmocka_unit_test(files_that_do_not_go_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
