/* journal_test.c - analyze/journal.h: files beside a database that SQLite would obey */
#include "analyze/journal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "tests/lib/unit.h"

#define MAGIC "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"

static int
enter_folder(void **state)
{
	char *const folder = strdup("/tmp/iotap-journal.XXXXXX");

	*state = folder;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int
leave_folder(void **state)
{
	char command[64];

	(void)snprintf(command, sizeof(command), "rm -rf '%s'", (const char *)*state);
	(void)chdir("/");
	free(*state);
	return system(command);
}

static void
put(const char *name, const char *bytes, size_t n)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0 && io_write_all(fd, bytes, n));
	(void)close(fd);
}

static int
refuse(const char *path)
{
	struct iotap_error err = {.code = 0};
	const int r = journal_refuse(path, &err);

	assert_true(r == 0 || strstr(err.text, "-journal"));
	return r;
}

static void
journals_that_name_a_file(void **state)
{
	(void)state;
	put("db", "x", 1);
	assert_int_equal(refuse("db"), 0);			/* none there */
	put("db-journal", "", 0);
	assert_int_equal(refuse("db"), 0);
	put("db-journal", MAGIC, 7);
	assert_int_equal(refuse("db"), 0);
	put("db-journal", MAGIC "and pages", 17);			/* a journal of one database */
	assert_int_equal(refuse("db"), 0);
	put("db-journal", "pages /home/me/precious" MAGIC, 31);
	assert_int_equal(refuse("db"), IOTAP_ECORRUPT);
	put("db-journal", MAGIC, 8);
	assert_int_equal(refuse("db"), IOTAP_ECORRUPT);
	/* Under another name for the same file SQLite looks beside the file itself. */
	assert_int_equal(symlink("db", "link"), 0);
	assert_int_equal(refuse("link"), IOTAP_ECORRUPT);
	assert_int_equal(refuse("./db"), IOTAP_ECORRUPT);
	(void)unlink("db-journal");
	put("link-journal", MAGIC, 8);
	assert_int_equal(refuse("link"), 0);
	assert_int_equal(refuse("no-such-file"), 0);
}

/* Nobody waits for a pipe that stands there. */
static void
a_pipe_for_a_journal(void **state)
{
	(void)state;
	put("db", "x", 1);
	assert_int_equal(mkfifo("db-journal", 0600), 0);
	(void)alarm(100);
	assert_int_equal(refuse("db"), 0);
	(void)alarm(0);
}

static void
write_ahead_logs(void **state)
{
	char header[100] = "SQLite format 3";

	(void)state;
	header[18] = header[19] = 1;
	put("db", header, sizeof(header));
	assert_false(journal_is_idle_wal("db"));
	header[18] = 2;
	put("db", header, sizeof(header));
	assert_false(journal_is_idle_wal("db"));
	header[19] = 2;
	put("db", header, sizeof(header));
	assert_true(journal_is_idle_wal("db"));
	put("db-wal", "", 0);
	assert_true(journal_is_idle_wal("db"));
	put("db-wal", "x", 1);
	assert_false(journal_is_idle_wal("db"));
	put("db", header, 19);
	assert_false(journal_is_idle_wal("db"));
	assert_false(journal_is_idle_wal("no-such-file"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(journals_that_name_a_file),
		TEST(a_pipe_for_a_journal),
		TEST(write_ahead_logs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
