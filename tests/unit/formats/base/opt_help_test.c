/* opt_help_test.c - the help of a program with no words of its own, and complaints where they go */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/base/opt.h"
#include "tests/lib/unit.h"

static const struct opt_row bare_rows[] = {
	{"silent", NULL, NULL, 0, OPT_KIND_FLAG, 0},
	{"quiet", NULL, "say less", 0, OPT_KIND_FLAG, 'V'},
	{"as-wide-as-column", "28", "text", 0, OPT_KIND_STR, 0},
};
static const struct opt_spec bare = {.program = "iotap-x", .rows = bare_rows, .n_rows = 3};
static const struct opt_spec empty = {.program = "iotap-y", .usage = "FILE", .about = "Says.", .after = "Ends."};

static void
expect_help(const struct opt_spec *spec, const char *want)
{
	struct buf out = {0};

	assert_true(opt_help(spec, &out));
	assert_string_equal(buf_cstr(&out), want);
	buf_free(&out);
}

static void
nothing_is_said_of_what_has_no_words(void **state)
{
	(void)state;
	expect_help(&bare, "Usage: iotap-x [OPTIONS]\n"
			   "\nOptions:\n"
			   "      --silent\n"
			   "  -V, --quiet               say less\n"
			   "      --as-wide-as-column 28\n"
			   "                            text\n"
			   "  -h, --help                show this text\n"
			   "      --version             show the version\n");
	expect_help(&empty, "Usage: iotap-y FILE\n\nSays.\n"
			    "\nOptions:\n"
			    "  -h, --help                show this text\n"
			    "  -V, --version             show the version\n"
			    "\nEnds.\n");
}

/* A name that would end right before the column, in it, or behind it. */
static void
names_of_every_width(void **state)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyz";

	(void)state;
	for (size_t n = 1; n < sizeof(name); n++) {
		struct opt_row row = {.name = name + sizeof(name) - 1 - n, .help = "text", .kind = OPT_KIND_FLAG};
		const struct opt_spec spec = {.program = "x", .rows = &row, .n_rows = 1};
		struct buf out = {0};
		const char *line, *at;

		assert_true(opt_help(&spec, &out));
		at = strstr(buf_cstr(&out), "text\n");
		assert_non_null(at);
		line = at;
		while (line[-1] != '\n')
			line--;
		assert_int_equal(at - line, 28);
		buf_free(&out);
	}
}

/* What opt_finish writes to out and err (NULL = -1), and the status. */
static int
finish(const struct opt_spec *spec, enum opt_result result, const struct opt_args *args, struct buf *out,
       struct buf *err)
{
	const int fds[] = {out ? memfd_create("out", 0) : -1, err ? memfd_create("err", 0) : -1};
	struct buf *const bufs[] = {out, err};
	const int status = opt_finish(spec, result, args, fds[0], fds[1]);

	for (int i = 0; i < 2; i++) {
		if (fds[i] < 0)
			continue;
		assert_int_equal(lseek(fds[i], 0, SEEK_SET), 0);
		assert_true(io_read_rest(fds[i], bufs[i]));
		(void)close(fds[i]);
	}
	return status;
}

static void
what_is_written_where(void **state)
{
	struct opt_args args = {.message = "wrong"};
	struct buf out = {0}, err = {0};

	(void)state;
	assert_int_equal(finish(&bare, OPT_RUN, &args, &out, &err), 0);
	assert_int_equal(out.len + err.len, 0);
	assert_int_equal(finish(&bare, OPT_VERSION, &args, &out, &err), 0);
	assert_non_null(strstr(buf_cstr(&out), "iotap-x "));
	assert_int_equal(err.len, 0);
	assert_int_equal(finish(&bare, OPT_USAGE, &args, NULL, &err), 2);
	assert_string_equal(buf_cstr(&err), "iotap-x: wrong\nTry 'iotap-x --help'.\n");
	args.no_memory = true;
	buf_clear(&err);
	assert_int_equal(finish(&bare, OPT_USAGE, &args, NULL, &err), 1);
	assert_string_equal(buf_cstr(&err), "iotap-x: wrong\n");
	assert_int_equal(finish(&bare, OPT_HELP, &args, NULL, NULL), 1);
	buf_clear(&err);
	assert_int_equal(finish(&bare, OPT_HELP, &args, NULL, &err), 1);
	assert_string_equal(buf_cstr(&err), "iotap-x: standard output: Bad file descriptor\n");
	buf_free(&out);
	buf_free(&err);
}

/* However long name and message are, a line is written, not beyond the room for it. */
static void
a_complaint_that_is_too_long(void **state)
{
	char name[400];
	const struct opt_spec spec = {.program = name, .rows = bare_rows, .n_rows = 3};
	struct opt_args args = {.message = "wrong"};
	struct buf err = {0};

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(finish(&spec, OPT_USAGE, &args, NULL, &err), 2);
	assert_int_equal(err.len, sizeof(args.message) + 128 - 1);
	assert_memory_equal(err.data, name, err.len);
	buf_free(&err);
}

/* An answer that could not be written is named, unless its reader has gone. */
static void
an_answer_that_was_not_written(void **state)
{
	char name[2000];
	const struct opt_spec spec = {.program = name};
	const struct opt_args args = {.n_operands = 0};
	struct buf err = {0};
	int fds[2], fd;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(finish(&bare, OPT_VERSION, &args, NULL, &err), 1);
	assert_non_null(strstr(buf_cstr(&err), "iotap-x: standard output: "));
	buf_clear(&err);
	assert_int_equal(finish(&spec, OPT_VERSION, &args, NULL, &err), 1);
	assert_in_range(err.len, 500, 1024);
	assert_int_equal(err.data[err.len - 1], '\n');
	buf_clear(&err);
	assert_int_equal(pipe(fds), 0);
	(void)close(fds[0]);
	(void)signal(SIGPIPE, SIG_IGN);
	fd = memfd_create("err", 0);
	assert_int_equal(opt_finish(&bare, OPT_VERSION, &args, fds[1], fd), 1);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)close(fd);
	(void)close(fds[1]);
	buf_free(&err);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_said_of_what_has_no_words),
		cmocka_unit_test(names_of_every_width),
		cmocka_unit_test(what_is_written_where),
		cmocka_unit_test(a_complaint_that_is_too_long),
		cmocka_unit_test(an_answer_that_was_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
