/* trigger_test.c - rules of the flight recorder: what they say, and what meets them */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "capture/trigger.h"

static void
what_a_rule_may_be(void **state)
{
	static const char *const bad[] = {"", "errno", "errno=", "errno=ENOPE", "errno=0", "errno=4096",
					  "errno=enospc", "latency", "latency>", "latency>x", "latency=1s",
					  "path=", "path=etc/x", "paths=/x", "latency>-1"};
	struct trigger_rule rule;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(trigger_parse(bad[i], &rule));
	assert_true(trigger_parse("errno=ENOSPC", &rule));
	assert_int_equal(rule.value, ENOSPC);
	assert_true(trigger_parse("errno=5", &rule));
	assert_int_equal(rule.value, EIO);
	assert_true(trigger_parse("latency>100ms", &rule));
	assert_int_equal(rule.value, 100000000);
	assert_true(trigger_parse("path=/etc/*", &rule));
	assert_string_equal(rule.pattern, "/etc/*");
}

static void
calls_that_meet_one(void **state)
{
	const struct kr_call quiet = {.result = 5, .duration_ns = 100};
	const struct kr_call failed = {.result = -ENOSPC};
	const struct kr_call slow = {.duration_ns = 100000001};
	const struct kr_call before = {.duration_ns = 100000001, .flags = KF_BEFORE};
	const struct kr_call unfinished = {.result = -ENOSPC, .flags = KF_UNFINISHED};
	struct trigger_rule rules[2];
	struct trigger t;

	(void)state;
	assert_true(trigger_parse("errno=ENOSPC", &rules[0]));
	assert_true(trigger_parse("latency>100ms", &rules[1]));
	trigger_init(&t, rules, 2);
	assert_null(trigger_calls(&t, &quiet, 1));
	assert_null(trigger_calls(&t, &before, 1));
	assert_null(trigger_calls(&t, &unfinished, 1));
	assert_ptr_equal(trigger_calls(&t, &failed, 1), &rules[0]);
	assert_ptr_equal(trigger_calls(&t, &slow, 1), &rules[1]);
	trigger_fini(&t);
}

static void
paths(void **state)
{
	const struct rec_target hosts = {.id = 4, .kind = KR_KIND_FILE, .text = rec_str("/etc/x/hosts")};
	const struct rec_target other = {.id = 5, .kind = KR_KIND_FILE, .text = rec_str("/usr/hosts")};
	const struct rec_target pipe = {.id = 6, .kind = KR_KIND_PIPE, .text = rec_str("/etc/pipe")};
	const struct kr_call on_hosts = {.id = 4}, on_other = {.id = 5}, on_pipe = {.id = 6};
	const struct kr_call second = {.id = 5, .id2 = 4, .flags = KF_SECOND};
	struct trigger_rule rule;
	struct trigger t;

	(void)state;
	assert_true(trigger_parse("path=/etc/*", &rule));
	trigger_init(&t, &rule, 1);
	assert_null(trigger_calls(&t, &on_hosts, 1));
	trigger_target(&t, &hosts);
	trigger_target(&t, &other);
	trigger_target(&t, &pipe);
	assert_ptr_equal(trigger_calls(&t, &on_hosts, 1), &rule);
	assert_ptr_equal(trigger_calls(&t, &second, 1), &rule);
	assert_null(trigger_calls(&t, &on_other, 1));
	assert_null(trigger_calls(&t, &on_pipe, 1));
	trigger_fini(&t);
}

/* Names without end: what is remembered has a bound. */
static void
many_paths(void **state)
{
	struct rec_target target = {.kind = KR_KIND_FILE, .text = rec_str("/etc/x")};
	struct kr_call last = {0};
	struct trigger_rule rule;
	struct trigger t;

	(void)state;
	assert_true(trigger_parse("path=/etc/*", &rule));
	trigger_init(&t, &rule, 1);
	for (target.id = 1; target.id <= 200000; target.id++)
		trigger_target(&t, &target);
	assert_true(t.matching.n <= 65536);
	last.id = 200000;
	assert_ptr_equal(trigger_calls(&t, &last, 1), &rule);
	trigger_fini(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_rule_may_be),
		cmocka_unit_test(calls_that_meet_one),
		cmocka_unit_test(paths),
		cmocka_unit_test(many_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
