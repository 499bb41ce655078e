/* trigger_rules_test.c - capture/trigger.h: which rules are rules, and which call meets one */
#include "capture/trigger.h"

#include <string.h>

#include "tests/lib/unit.h"

static void
rules_are_told_from_other_texts(void **state)
{
	static const struct {
		const char *text;
		int kind; /* -1 = none */
		uint64_t value;
	} rows[] = {
		{"errno=ENOSPC", TRIGGER_ERRNO, 28},
		{"errno=5", TRIGGER_ERRNO, 5},
		{"errno=4095", TRIGGER_ERRNO, 4095},
		{"latency>100ms", TRIGGER_LATENCY, 100000000},
		{"latency>2", TRIGGER_LATENCY, 2000000000},
		{"path=/etc/*", TRIGGER_PATH, 0},
		{"path=/a=b", TRIGGER_PATH, 0},
		{"", -1, 0},
		{"errno=", -1, 0},
		{"errno=0", -1, 0},
		{"errno=4096", -1, 0},
		{"errno=-5", -1, 0},
		{"errno=ENOSUCH", -1, 0},
		{"errno=enospc", -1, 0},
		{"errno>5", -1, 0},
		{"latency>", -1, 0},
		{"latency=5ms", -1, 0},
		{"latency>x", -1, 0},
		{"path=", -1, 0},
		{"path==", -1, 0},	/* no path begins so */
		{"Path=/x", -1, 0},
		{" errno=5", -1, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct trigger_rule rule;
		const bool ok = trigger_parse(rows[i].text, &rule);

		if (ok != (rows[i].kind >= 0) ||
		    (ok && ((int)rule.kind != rows[i].kind || rule.value != rows[i].value)))
			fail_msg("%s: %d", rows[i].text, ok);
		if (ok)
			assert_ptr_equal(rule.text, rows[i].text);
	}
}

/* The text of the rule that a call meets, "" = none. */
static const char *
met(struct trigger *t, struct kr_call call)
{
	const struct trigger_rule *const rule = trigger_calls(t, &call, 1);

	return rule ? rule->text : "";
}

static void
begin(struct trigger *t, struct trigger_rule *rules, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_true(trigger_parse(texts[i], &rules[i]));
	trigger_init(t, rules, n);
}

static void
calls_that_meet_a_rule(void **state)
{
	static const char *const texts[] = {"errno=ENOSPC", "latency>1us"};
	struct trigger_rule rules[2];
	struct trigger t;

	(void)state;
	begin(&t, rules, texts, 2);
	assert_string_equal(met(&t, (struct kr_call){.result = -28}), texts[0]);
	assert_string_equal(met(&t, (struct kr_call){.result = 28}), "");
	assert_string_equal(met(&t, (struct kr_call){.result = -29}), "");
	assert_string_equal(met(&t, (struct kr_call){.duration_ns = 1000}),
			    ""); /* longer than, not as long as */
	assert_string_equal(met(&t, (struct kr_call){.duration_ns = 1001}), texts[1]);
	assert_string_equal(met(&t, (struct kr_call){.duration_ns = 1001, .result = -28}),
			    texts[0]);
	/* What has not ended, or whose beginning nobody saw, has no result, no latency. */
	assert_string_equal(
		met(&t,
		    (struct kr_call){.duration_ns = 1001, .result = -28, .flags = KF_UNFINISHED}),
		"");
	assert_string_equal(met(&t, (struct kr_call){.duration_ns = 1001, .flags = KF_BEFORE}), "");
	assert_string_equal(met(&t, (struct kr_call){.result = -28, .flags = KF_BEFORE}), texts[0]);
	assert_null(trigger_calls(&t, NULL, 0));
	trigger_fini(&t);
}

static void
define(struct trigger *t, uint64_t id, uint64_t kind, const void *path, size_t n)
{
	const struct rec_target target = {.id = id, .kind = kind, .text = rec_bytes(path, n)};

	trigger_target(t, &target);
}

static void
paths(void **state)
{
	static const char *const texts[] = {"path=/var/log/*.log", "path=/etc/passwd"};
	static char longer[5000];
	struct trigger_rule rules[2];
	struct trigger t;

	(void)state;
	begin(&t, rules, texts, 2);
	memset(longer, 'x', sizeof(longer));
	define(&t, 1, KR_KIND_FILE, "/var/log/a/b.log", 16); /* * matches / too */
	define(&t, 2, KR_KIND_FILE, "/etc/passwd", 11);
	define(&t, 3, KR_KIND_FILE, "/etc/passwd-", 12);
	define(&t, 4, KR_KIND_SOCKET, "/etc/passwd", 11); /* the name of a unix socket */
	define(&t, 5, KR_KIND_FILE, "/etc/passwd\0x", 13);
	define(&t, 6, KR_KIND_FILE, "", 0);
	define(&t, 7, KR_KIND_FILE, longer, sizeof(longer));
	assert_string_equal(met(&t, (struct kr_call){.id = 1}), texts[0]);
	assert_string_equal(met(&t, (struct kr_call){.id = 2}), texts[1]);
	assert_string_equal(met(&t, (struct kr_call){.id = 3}), "");
	assert_string_equal(met(&t, (struct kr_call){.id = 4}), "");
	assert_string_equal(met(&t, (struct kr_call){.id = 0}), "");
	assert_string_equal(met(&t, (struct kr_call){.id = 6}), "");
	assert_string_equal(met(&t, (struct kr_call){.id = 7}), "");
	/* The second descriptor counts where there is one. */
	assert_string_equal(met(&t, (struct kr_call){.id = 3, .id2 = 2, .flags = KF_SECOND}),
			    texts[1]);
	assert_string_equal(met(&t, (struct kr_call){.id = 3, .id2 = 2}), "");
	trigger_fini(&t);
}

/* More matching files than are remembered: the latest fire. */
static void
many_matching_files(void **state)
{
	static const char *const texts[] = {"path=*"};
	struct trigger_rule rules[1];
	struct trigger t;

	(void)state;
	begin(&t, rules, texts, 1);
	for (uint64_t id = 1; id <= 70000; id++) {
		define(&t, id, KR_KIND_FILE, "/x", 2);
		assert_string_equal(met(&t, (struct kr_call){.id = id}), texts[0]);
	}
	assert_true(t.matching.n <= 65536);
	trigger_fini(&t);
}

static void
the_first_call_that_meets_one(void **state)
{
	static const char *const texts[] = {"errno=1", "errno=2"};
	const struct kr_call calls[] = {{.result = 0}, {.result = -2}, {.result = -1}};
	struct trigger_rule rules[2];
	struct trigger t;

	(void)state;
	begin(&t, rules, texts, 2);
	assert_ptr_equal(trigger_calls(&t, calls, 3), &rules[1]);
	assert_null(trigger_calls(&t, calls, 1));
	trigger_fini(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_told_from_other_texts),
		cmocka_unit_test(calls_that_meet_a_rule),
		cmocka_unit_test(paths),
		cmocka_unit_test(many_matching_files),
		cmocka_unit_test(the_first_call_that_meets_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
