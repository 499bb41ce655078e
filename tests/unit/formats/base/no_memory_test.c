/* no_memory_test.c - formats/base/ without memory: each allocation fails in turn, once and from then on */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/base/buf.h"
#include "formats/base/bytes.h"
#include "formats/base/io.h"
#include "formats/base/map.h"
#include "formats/base/opt.h"
#include "tests/lib/starve.h"
#include "tests/lib/unit.h"

enum { NO_MEMORY = -1 };

static int
buffers(void *arg)
{
	struct buf b = {0};
	char wide[300];
	size_t before;
	bool ok;

	(void)arg;
	memset(wide, 'w', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	ok = buf_puts(&b, "one") && buf_printf(&b, "%s", wide) && buf_extend(&b, 1000) &&
	     bytes_put_sized(&b, wide, sizeof(wide));
	before = b.len;
	assert_int_equal(buf_ok(&b), ok);
	if (!ok) {
		assert_false(buf_puts(&b, "more"));
		assert_false(buf_printf(&b, "%s", "more"));
		assert_null(buf_extend(&b, 1));
		assert_int_equal(b.len, before);
	}
	buf_clear(&b);
	assert_true(buf_ok(&b));
	buf_free(&b);
	return ok ? 0 : NO_MEMORY;
}

static int
a_place_for_nothing(void *arg)
{
	struct buf b = {0};
	const bool ok = buf_extend(&b, 0) != NULL;

	(void)arg;
	assert_int_equal(b.len, 0);
	assert_int_equal(buf_ok(&b), ok);
	buf_free(&b);
	return ok ? 0 : NO_MEMORY;
}

/* A string that finds no room for its NUL is empty, and the bytes stay what they are. */
static int
strings(void *arg)
{
	struct buf b = {0};
	const char *s;
	int r = 0;

	(void)arg;
	for (int i = 0; i < 256; i++)
		(void)buf_putc(&b, 'x');
	s = buf_cstr(&b);
	if (b.len != 256 || strlen(s) != 256) {
		assert_string_equal(s, "");
		r = NO_MEMORY;
	}
	buf_free(&b);
	return r;
}

/* Of the words for a length and its bytes either both are there or the buffer says that it failed. */
static void
a_length_without_its_bytes(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 4);
	assert_false(bytes_put_sized(&b, "12345", 5));
	assert_false(buf_ok(&b));
	assert_false(bytes_put_sized(&b, "1", 1));
	buf_free(&b);
}

static int
maps(void *arg)
{
	struct map m;
	unsigned int put = 0;

	(void)arg;
	map_init(&m, 7, 0);
	for (uint64_t key = 0; key < 100; key++)
		put += map_put(&m, key, key + 1);
	assert_int_equal(m.n, put);
	for (uint64_t key = 0; key < 100; key++) {
		const uint64_t *const v = map_find(&m, key);

		if (v)
			assert_int_equal(*v, key + 1);
		put -= v != NULL;
	}
	assert_int_equal(put, 0);
	put = (unsigned int)m.n;
	map_fini(&m);
	return put == 100 ? 0 : NO_MEMORY;
}

struct opts {
	struct opt_list names;
	bool flag;
};

static const struct opt_row rows[] = {
	{"name", "NAME", NULL, offsetof(struct opts, names), OPT_KIND_LIST, 'n'},
	{"flag", NULL, "a flag", offsetof(struct opts, flag), OPT_KIND_FLAG, 0},
};
static const struct opt_spec spec = {.program = "iotap-x", .rows = rows, .n_rows = 2};

static int
options(void *arg)
{
	char *argv[] = {(char *)"x", (char *)"-n", (char *)"a", (char *)"one", (char *)"--name=b", (char *)"two", NULL};
	struct opts opts = {.flag = false};
	struct opt_args args;
	const enum opt_result result = opt_parse(&spec, 6, argv, &opts, &args);

	if (result == OPT_RUN) {
		assert_int_equal(opts.names.n, 2);
		assert_int_equal(args.n_operands, 2);
	} else {
		assert_int_equal(result, OPT_USAGE);
		assert_true(args.no_memory);
		assert_string_equal(args.message, "out of memory");
		assert_int_equal(lseek(*(const int *)arg, 0, SEEK_SET), 0);
		assert_int_equal(opt_finish(&spec, result, &args, -1, *(const int *)arg), 1);
	}
	opt_fini(&spec, &opts, &args);
	return result == OPT_RUN ? 0 : NO_MEMORY;
}

static int
help(void *arg)
{
	const struct opt_args args = {.n_operands = 0};
	const int status = opt_finish(&spec, OPT_HELP, &args, *(const int *)arg, -1);

	return status == 0 ? 0 : NO_MEMORY;
}

/* What could not be kept is told from what is over a limit. */
static int
reading(void *arg)
{
	const int fd = *(const int *)arg;
	struct buf b = {0};
	bool ok;

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	errno = 0;
	ok = io_read_rest(fd, &b);
	if (!ok)
		assert_int_equal(errno, ENOMEM);
	buf_free(&b);
	return ok ? 0 : NO_MEMORY;
}

static void
each(void **state)
{
	int fd = memfd_create("out", 0);

	(void)state;
	starve_each(buffers, NULL, NO_MEMORY);
	starve_each(a_place_for_nothing, NULL, NO_MEMORY);
	starve_each(strings, NULL, NO_MEMORY);
	starve_each(maps, NULL, NO_MEMORY);
	starve_each(options, &fd, NO_MEMORY);
	starve_each(help, &fd, NO_MEMORY);
	starve_each(reading, &fd, NO_MEMORY);
	assert_int_equal(close(fd), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each),
		cmocka_unit_test(a_length_without_its_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
