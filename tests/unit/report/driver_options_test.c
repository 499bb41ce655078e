/* driver_options_test.c - report/driver_options.h: what goes together, and which program gets which words */
#include "report/driver_options.h"

#include <string.h>

#include "tests/lib/unit.h"

enum {
	WORDS = 24
};

/* A command line taken apart; the words are those of text, which is cut up. */
struct line {
	char text[500];
	char *argv[WORDS + 1];
	struct driver_opts opts;
	struct opt_args args;
};

static enum opt_result
parse(struct line *l, const char *text)
{
	enum opt_result r;
	int argc = 0;

	memset(l, 0, sizeof(*l));
	assert_true(strlen(text) < sizeof(l->text));
	strcpy(l->text, text);
	for (char *word = strtok(l->text, " "); word && argc < WORDS; word = strtok(NULL, " "))
		l->argv[argc++] = word;
	r = opt_parse(driver_options_spec(), argc, l->argv, &l->opts, &l->args);
	return r == OPT_RUN ? driver_options_check(&l->opts, &l->args) : r;
}

static void
expect_run(const char *text)
{
	struct line l;

	if (parse(&l, text) != OPT_RUN)
		fail_msg("refused: %s: %s", text, l.args.message);
	opt_fini(driver_options_spec(), &l.opts, &l.args);
}

static void
expect_refused(const char *text, const char *words)
{
	struct line l;

	if (parse(&l, text) != OPT_USAGE || !strstr(l.args.message, words))
		fail_msg("%s: %s", text, l.args.message);
	opt_fini(driver_options_spec(), &l.opts, &l.args);
}

static void
what_goes_together(void **state)
{
	(void)state;
	expect_run("iotap curl");
	expect_run("iotap -p 1 --name x");
	expect_run("iotap -- true");
	expect_run("iotap --user nobody -f -- true -x");
	expect_run("iotap --replay x --files-only --json -o out");
	expect_run("iotap --replay - --top 0 --strict");
	expect_run("iotap --json -F json x");
	expect_run("iotap --record r -o o --force x");
}

/* situation: 130 */
static void
what_does_not(void **state)
{
	(void)state;
	expect_refused("iotap", "nothing to trace");
	expect_refused("iotap -q", "nothing to trace");
	expect_refused("iotap --", "COMMAND");
	expect_refused("iotap x -- true", "not both");
	expect_refused("iotap -p 1 -- true", "not both");
	expect_refused("iotap --user nobody x", "--user");
	expect_refused("iotap --files-only --net-only x", "exclude each other");
	expect_refused("iotap -F xml x", "none of text, json, csv, tsv, events");
	expect_refused("iotap --json -F events x", "exclude each other");
	expect_refused("iotap --force x", "--force");
	expect_refused("iotap --record same -o same x", "same file");
	expect_refused("iotap --record - x", "--record needs a file");
}

/* A recording cannot be asked for what only a live trace can have. */
/* situation: 130 */
static void
nothing_live_with_replay(void **state)
{
	static const char *const options[] = {
		"-f",	       "--names", "-p 1",     "--name x", "--wait",
		"--exclude x", "-d 5",	  "--user x", "--argv",	  "--buffer 64M",
		"--record x",  "target",  "-- true",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		char text[100] = "iotap --replay r ";

		expect_refused(strcat(text, options[i]), "does not go with --replay");
	}
}

/* Each program gets its own options, spelled as it takes them, values exact. */
static void
words_for_each(void **state)
{
	struct driver_words capture = {.n = 0}, decode = {.n = 0};
	struct line l;

	(void)state;
	assert_int_equal(
		parse(&l,
		      "iotap -f -p 1 -p 2 --name a=b --exclude -x -d 1.5 --buffer 64M -q --top 0 --all-ops "
		      "--json --strict x"),
		OPT_RUN);
	assert_true(driver_options_words(&l.opts, TAKER_CAPTURE, &capture));
	assert_true(driver_options_words(&l.opts, TAKER_DECODE, &decode));
	{
		static const char *const expected[] = {"--children",   "--pid=1",
						       "--pid=2",      "--name=a=b",
						       "--exclude=-x", "--duration=1500000000ns",
						       "--buffer=64M", NULL};

		for (size_t i = 0; i <= capture.n; i++) {
			if (!expected[i] || !capture.v[i]) {
				assert_null(expected[i]);
				assert_null(capture.v[i]);
				break;
			}
			assert_string_equal(capture.v[i], expected[i]);
		}
	}
	assert_int_equal(decode.n, 3);
	assert_string_equal(decode.v[0], "--quiet");
	assert_string_equal(decode.v[1], "--all-ops");
	assert_string_equal(decode.v[2], "--top=0");
	assert_null(decode.v[3]);
	driver_words_fini(&capture);
	driver_words_fini(&decode);
	driver_words_fini(&decode);
	opt_fini(driver_options_spec(), &l.opts, &l.args);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_together),
		cmocka_unit_test(what_does_not),
		cmocka_unit_test(nothing_live_with_replay),
		cmocka_unit_test(words_for_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
