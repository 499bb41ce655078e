/* opt_test.c - formats/base/opt.h: every kind, every complaint, and the texts */
#include "formats/base/opt.h"

#include <string.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "tests/lib/unit.h"

struct x_opts {
#define OPT OPT_FIELD
#define OPT_HEADING OPT_NO_FIELD
#include "tests/unit/formats/base/opt_test.def"
#undef OPT
#undef OPT_HEADING
};

static const struct opt_row rows[] = {
#define OPT(...) OPT_ROW(struct x_opts, __VA_ARGS__)
#define OPT_HEADING OPT_HEADING_ROW
#include "tests/unit/formats/base/opt_test.def"
#undef OPT
#undef OPT_HEADING
};

static const struct opt_spec spec = {
	.program = "iotap-x",
	.usage = "[OPTIONS] TARGET...\n[OPTIONS] -- COMMAND",
	.about = "An imaginary program.",
	.rows = rows,
	.n_rows = sizeof(rows) / sizeof(rows[0]),
	.after = "The end.",
};

/* One parse, of the words after the program's name; they end with NULL. */
struct run {
	struct x_opts opts;
	struct opt_args args;
	enum opt_result result;
	char *argv[16];
};

static void
run(struct run *r, ...)
{
	va_list ap;
	int argc = 1;

	memset(r, 0, sizeof(*r));
	r->argv[0] = (char *)"iotap-x";
	va_start(ap, r);
	while ((r->argv[argc] = va_arg(ap, char *)))
		argc++;
	va_end(ap);
	r->result = opt_parse(&spec, argc, r->argv, &r->opts, &r->args);
}

static void
end(struct run *r)
{
	opt_fini(&spec, &r->opts, &r->args);
}

static void
nothing_given(void **state)
{
	struct run r;

	(void)state;
	run(&r, NULL);
	assert_int_equal(r.result, OPT_RUN);
	assert_int_equal(r.args.n_operands, 0);
	assert_null(r.args.command);
	assert_null(r.opts.output);
	assert_false(r.opts.top.given);
	end(&r);
}

static void
every_kind_is_stored(void **state)
{
	struct run r;

	(void)state;
	run(&r, "--files-only", "-vv", "-v", "-ofile", "--top", "5", "--buffer=64k", "-d", "1h30m", "-i", "lo",
	    "--interface", "eth0", "-hx", NULL);
	assert_int_equal(r.result, OPT_RUN);
	assert_true(r.opts.files_only);
	assert_false(r.opts.files);
	assert_int_equal(r.opts.verbose, 3);
	assert_string_equal(r.opts.output, "file");
	assert_true(r.opts.top.given);
	assert_int_equal(r.opts.top.value, 5);
	assert_int_equal(r.opts.buffer.value, 65536);
	assert_int_equal(r.opts.duration.value, UINT64_C(5400000000000));
	assert_int_equal(r.opts.interface.n, 2);
	assert_string_equal(r.opts.interface.items[0], "lo");
	assert_string_equal(r.opts.interface.items[1], "eth0");
	assert_string_equal(r.opts.human, "x");
	end(&r);
}

static void
options_and_operands_mix(void **state)
{
	struct run r;

	(void)state;
	run(&r, "curl", "-v", "-", "--files", "1234", NULL);
	assert_int_equal(r.result, OPT_RUN);
	assert_int_equal(r.args.n_operands, 3);
	assert_string_equal(r.args.operands[0], "curl");
	assert_string_equal(r.args.operands[1], "-");
	assert_string_equal(r.args.operands[2], "1234");
	assert_null(r.args.command);
	assert_string_equal(r.argv[1], "curl");	/* argv stays as it was */
	end(&r);
}

static void
a_command_is_apart(void **state)
{
	struct run r;

	(void)state;
	run(&r, "curl", "-v", "--", "ls", "-l", "--top", NULL);
	assert_int_equal(r.result, OPT_RUN);
	assert_int_equal(r.args.n_operands, 1);
	assert_int_equal(r.args.n_command, 3);
	assert_string_equal(r.args.command[0], "ls");
	assert_string_equal(r.args.command[2], "--top");
	assert_null(r.args.command[3]);
	assert_false(r.opts.top.given);
	end(&r);
	run(&r, "--", NULL);
	assert_non_null(r.args.command);
	assert_int_equal(r.args.n_command, 0);
	end(&r);
	run(&r, "-o", "--", NULL);	/* here "--" is the argument of -o */
	assert_int_equal(r.result, OPT_RUN);
	assert_string_equal(r.opts.output, "--");
	assert_null(r.args.command);
	end(&r);
	run(&r, "-vo", "--", "--", "ls", NULL);
	assert_string_equal(r.opts.output, "--");
	assert_int_equal(r.args.n_command, 1);
	end(&r);
}

static void
complaints(void **state)
{
	static const char *const cases[][4] = {
		{"unknown option '--bogus'", "--bogus"},
		{"unknown option '--file'", "--file"},
		{"unknown option '--files-onl'", "--files-onl"},
		{"unknown option '--outpu'", "--outpu=x"},
		{"unknown option '--hel'", "--hel"},
		{"unknown option '-z'", "-z"},
		{"unknown option '-z'", "-vz"},
		{"option '--output' needs an argument", "--output"},
		{"option '-o' needs an argument", "-vo"},
		{"option '--files' takes no argument", "--files=1"},
		{"--output: its argument is empty", "--output="},
		{"--top: 'x' is not a number", "--top", "x"},
		{"--buffer: '64q' is not a size such as 4096, 64k or 32M", "-b64q"},
		{"--duration: '' is not a duration such as 10, 500ms or 1h30m", "--duration="},
		{"unknown option '--a?[2Jb'", "--a\033[2Jb"},
	};
	struct run r;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		run(&r, cases[i][1], cases[i][2], NULL);
		assert_int_equal(r.result, OPT_USAGE);
		assert_string_equal(r.args.message, cases[i][0]);
		end(&r);
	}
}

static void
full_names_win_over_longer_ones(void **state)
{
	struct run r;

	(void)state;
	run(&r, "--files", NULL);
	assert_int_equal(r.result, OPT_RUN);
	assert_true(r.opts.files);
	assert_false(r.opts.files_only);
	end(&r);
}

static void
refused_by_the_program(void **state)
{
	struct run r;

	(void)state;
	run(&r, NULL);
	assert_int_equal(opt_refuse(&r.args, "needs a %s", "tar\nget"), OPT_USAGE);
	assert_string_equal(r.args.message, "needs a tar?get");
	end(&r);
}

static void
help_and_version_are_asked_for(void **state)
{
	struct run r;

	(void)state;
	run(&r, "-v", "--help", "--bogus", NULL);
	assert_int_equal(r.result, OPT_HELP);
	end(&r);
	run(&r, "--version", NULL);
	assert_int_equal(r.result, OPT_VERSION);
	end(&r);
	run(&r, "-V", NULL);
	assert_int_equal(r.result, OPT_VERSION);
	end(&r);
}

static void
help_is_laid_out(void **state)
{
	struct buf b = {0};
	const char *line;

	(void)state;
	assert_true(opt_help(&spec, &b));
	line = buf_cstr(&b);
	assert_ptr_equal(line, strstr(line, "Usage: iotap-x [OPTIONS] TARGET...\n"
					    "       iotap-x [OPTIONS] -- COMMAND\n"));
	assert_non_null(strstr(line, "\nWhat:\n      --files-only          report file I/O only\n"));
	assert_non_null(strstr(line, "\n  -o, --output FILE         where to write"));
	assert_non_null(strstr(line, "-and-quite-long STYLE\n                            takes"));
	assert_non_null(strstr(line, "\n      --help                show"));	/* -h is taken */
	assert_non_null(strstr(line, "\n  -V, --version"));
	assert_non_null(strstr(line, "\n\nThe end.\n"));
	for (const char *end_of; *line != '\0'; line = end_of + 1) {
		end_of = strchr(line, '\n');
		assert_non_null(end_of);
		assert_true(end_of - line <= 100);
	}
	buf_free(&b);
}

static void
check_finish(enum opt_result result, int status, const char *out, const char *err)
{
	struct opt_args args = {.message = "what"};
	struct buf got_out = {0};
	struct buf got_err = {0};
	int o[2];
	int e[2];

	assert_int_equal(pipe(o), 0);
	assert_int_equal(pipe(e), 0);
	assert_int_equal(opt_finish(&spec, result, &args, o[1], e[1]), status);
	(void)close(o[1]);
	(void)close(e[1]);
	assert_true(io_read_rest(o[0], &got_out));
	assert_true(io_read_rest(e[0], &got_err));
	assert_int_equal(strncmp(buf_cstr(&got_out), out, strlen(out)), 0);
	assert_string_equal(buf_cstr(&got_err), err);
	assert_int_equal(got_out.len > 0, *out != '\0');
	(void)close(o[0]);
	(void)close(e[0]);
	buf_free(&got_out);
	buf_free(&got_err);
}

static void
answers_go_where_they_belong(void **state)
{
	(void)state;
	check_finish(OPT_RUN, 0, "", "");
	check_finish(OPT_HELP, 0, "Usage: iotap-x ", "");
	check_finish(OPT_VERSION, 0, "iotap-x " IOTAP_VERSION "\n", "");
	check_finish(OPT_USAGE, 2, "", "iotap-x: what\nTry 'iotap-x --help'.\n");
	assert_int_equal(opt_finish(&spec, OPT_HELP, &(struct opt_args){.n_operands = 0}, -1, -1), 1);
}

static void
choices(void **state)
{
	static const char *const names[] = {"text", "json", NULL};

	(void)state;
	assert_int_equal(opt_choice("json", names), 1);
	assert_int_equal(opt_choice("js", names), -1);
	assert_int_equal(opt_choice("", names), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_given),
		cmocka_unit_test(every_kind_is_stored),
		cmocka_unit_test(options_and_operands_mix),
		cmocka_unit_test(a_command_is_apart),
		cmocka_unit_test(complaints),
		cmocka_unit_test(full_names_win_over_longer_ones),
		cmocka_unit_test(refused_by_the_program),
		cmocka_unit_test(help_and_version_are_asked_for),
		cmocka_unit_test(help_is_laid_out),
		cmocka_unit_test(answers_go_where_they_belong),
		cmocka_unit_test(choices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
