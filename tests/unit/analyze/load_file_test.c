/* load_file_test.c - analyze/load_file.h, analyze/load.h: all or nothing, and the same as without loading */
#include "analyze/load_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/question.h"
#include "formats/base/io.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

struct fixture {
	char folder[64], database[96], recording[96];
	struct iotap_error err;
};

static int
setup(void **state)
{
	struct fixture *const f = test_calloc(1, sizeof(*f));

	strcpy(f->folder, "/tmp/iotap-load.XXXXXX");
	if (!mkdtemp(f->folder))
		return -1;
	(void)snprintf(f->database, sizeof(f->database), "%s/db", f->folder);
	(void)snprintf(f->recording, sizeof(f->recording), "%s/rec", f->folder);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *const f = *state;

	(void)unlink(f->database);
	(void)unlink(f->recording);
	if (rmdir(f->folder) != 0)	/* something was left behind */
		return -1;
	test_free(f);
	return 0;
}

static void
put(const struct fixture *f, const char *story)
{
	struct buf bytes = {.data = NULL};
	const int fd = open(f->recording, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	story_assemble(story, &bytes);
	assert_true(fd >= 0 && io_write_all(fd, bytes.data, bytes.len));
	(void)close(fd);
	buf_free(&bytes);
}

/* Loads the recording into an open database. */
static int
add(struct fixture *f, struct load_file *to, struct load_result *loaded)
{
	struct input in;
	int r = input_open(&in, f->recording, &f->err);

	*loaded = (struct load_result){.recording = 0};
	if (r == 0)
		r = load_file_add(to, &in, NULL, loaded, &f->err);
	input_close(&in);
	return r;
}

static void
load(struct fixture *f, struct load_result *loaded)
{
	struct load_file to;

	if (load_file_open(&to, f->database, &f->err) < 0 || add(f, &to, loaded) < 0 ||
	    load_file_commit(&to, &f->err) < 0)
		fail_msg("%s", f->err.text);
	load_file_close(&to);
}

/* The answer of a question over a file, in JSON Lines. */
static void
ask(struct fixture *f, const char *path, const char *sql, struct buf *out)
{
	const int fd = memfd_create("answer", MFD_CLOEXEC);
	struct question q;
	struct result result;

	result_init(&result, RESULT_JSON, fd, &f->err);
	if (question_open(&q, path, NULL, &f->err) < 0 || question_ask(&q, sql, &result, &f->err) < 0)
		fail_msg("%s: %s", sql, f->err.text);
	result_fini(&result);
	question_close(&q);
	(void)lseek(fd, 0, SEEK_SET);
	assert_true(io_read_rest(fd, out));
	(void)close(fd);
}

static void
expect(struct fixture *f, const char *sql, const char *answer)
{
	struct buf out = {.data = NULL};

	ask(f, f->database, sql, &out);
	assert_string_equal(buf_cstr(&out), answer);
	buf_free(&out);
}

#define CALLS \
	"target id=1 origin=call kind=file flags=16 dev=0x800001 ino=3 text=\"/a\"\n" \
	"target id=2 origin=call kind=socket flags=16 family=inet sock_type=1 " \
	"remote=10.0.0.1 remote_port=80 device=\"eth0\"\n" \
	"target id=3 origin=call kind=file flags=16 text=\"/\\xff\"\n" \
	"process time_ns=5000000000 pid=11 start_ns=101 how=1 comm=\"other\"\n" \
	"exec time_ns=5000000150 pid=10 start_ns=100 comm=\"next\" path=\"/bin/next\"\n" \
	"block calls\n" \
	"call key=5000000100 duration=10 tid=10 tgid=10 call=openat flags=args|fd fd=3 id=1 result=3 " \
	"arg0=577 arg1=0\n" \
	"call key=5000000200 duration=20 tid=12 tgid=10 call=read flags=fd|requested|offset fd=3 id=1 requested=10 " \
	"result=5 offset=0\n" \
	"call key=5000000300 tid=11 tgid=11 call=read flags=before|fd fd=4 id=3 result=-11\n" \
	"call key=5000000400 duration=7 tid=10 tgid=10 call=sendfile flags=fd|second fd=4 id=2 fd2=3 id2=1 result=9\n" \
	"call key=5000000500 duration=7 tid=10 tgid=10 call=sendmmsg flags=fd fd=4 id=2 result=2\n" \
	"block calls\n" \
	"entry kind=file dev=8388609 ino=99\n" \
	"call key=6000000100 duration=1 tid=10 tgid=10 call=read flags=fd|undefined|identity fd=9 entry=1 result=1\n" \
	"call key=6000000200 tid=10 tgid=10 call=read flags=fd|unfinished fd=3 id=1\n" \
	"call key=6000000300 duration=3 tid=10 tgid=10 call=read flags=phantom result=7\n"

static const char *const questions[] = {
	"SELECT * FROM event ORDER BY number",
	"SELECT * FROM event_v ORDER BY number",
	"SELECT id, kind, class, path, text, proto, device, dev, ino, confirmed FROM target WHERE id > 0 ORDER BY id",
	"SELECT pid, start_ns, name, exe, exited FROM process ORDER BY pid",
	"SELECT * FROM total_by_target ORDER BY target",
	"SELECT * FROM total_by_process ORDER BY process, class",
	"SELECT * FROM total_by_call ORDER BY call",
	"SELECT * FROM total_by_second ORDER BY second, class",
	"SELECT * FROM total_by_error ORDER BY call, err",
	"SELECT * FROM slowest ORDER BY number",
	"SELECT * FROM unfinished",
	"SELECT calls, complete, lossy, duration_ns FROM recording",
	"SELECT type, pid, path FROM notice ORDER BY id",
	"SELECT count(*), sum(bytes) FROM event WHERE time_ns >= 1700000000000000200 AND pid = 10",
};

/* Asked of the recording or of a database that it was loaded into, the answer is the same. */
static void
the_same_as_without_loading(void **state)
{
	struct fixture *const f = *state;
	struct load_result loaded;

	put(f, STORY_BEGIN CALLS STORY_END);
	load(f, &loaded);
	assert_int_equal(loaded.calls, 7);
	assert_true(loaded.complete);
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		struct buf a = {.data = NULL}, b = {.data = NULL};

		ask(f, f->recording, questions[i], &a);
		ask(f, f->database, questions[i], &b);
		if (a.len == 0 || strcmp(buf_cstr(&a), buf_cstr(&b)) != 0)
			fail_msg("%s\nrecording:\n%sdatabase:\n%s", questions[i], buf_cstr(&a), buf_cstr(&b));
		buf_free(&a);
		buf_free(&b);
	}
	expect(f, "SELECT number, bytes, result, err FROM event WHERE call IN (1, 21) ORDER BY number",
	       "{\"number\":1,\"bytes\":5,\"result\":5,\"err\":0}\n"
	       "{\"number\":2,\"bytes\":null,\"result\":-11,\"err\":11}\n"
	       "{\"number\":4,\"bytes\":null,\"result\":2,\"err\":0}\n"
	       "{\"number\":5,\"bytes\":1,\"result\":1,\"err\":0}\n"
	       "{\"number\":7,\"bytes\":null,\"result\":7,\"err\":0}\n");
}

/* The same recording again adds nothing; another one is added behind it. */
static void
a_second_recording(void **state)
{
	struct fixture *const f = *state;
	struct load_result loaded;

	put(f, STORY_BEGIN CALLS STORY_END);
	load(f, &loaded);
	load(f, &loaded);
	assert_true(loaded.already);
	expect(f, "SELECT count(*) AS n FROM event", "{\"n\":7}\n");
	expect(f, "SELECT count(*) AS n, sum(calls) AS c FROM recording", "{\"n\":1,\"c\":7}\n");
	put(f, "block header session=2\n"
	       "host format_major=1 os=1 arch=x86_64 boot_id=\"c\"\n"
	       "clock boot_ns=5000000000 real_ns=1700000100000000000\n"
	       "block state\n"
	       "block records\n"
	       "process time_ns=5000000000 pid=10 start_ns=100 how=1 comm=\"prog\"\n"
	       CALLS STORY_END);
	load(f, &loaded);
	assert_false(loaded.already);
	assert_int_equal(loaded.recording, 2);
	expect(f, "SELECT count(*) AS n, count(DISTINCT number) AS d FROM event", "{\"n\":14,\"d\":14}\n");
	expect(f, "SELECT sum(reads) AS r, sum(read_bytes) AS b FROM total_by_target", "{\"r\":10,\"b\":30}\n");
	/* The same names are summed in the same rows. */
	expect(f, "SELECT reads AS r FROM total_by_target AS t JOIN target AS x ON x.id = t.target WHERE x.path = '/a'",
	       "{\"r\":4}\n");
	expect(f, "SELECT count(*) AS n FROM process", "{\"n\":4}\n");
}

#define LATER \
	"block calls\n" \
	"call key=7000000100 duration=1 tid=10 tgid=10 call=read flags=fd|requested fd=3 id=1 requested=1 result=1\n"

/* What a recording was before its end is not taken for all of it; nor is the whole put beside the part. */
static void
a_part_is_not_the_whole(void **state)
{
	struct fixture *const f = *state;
	struct load_result loaded;
	struct load_file to;

	put(f, STORY_BEGIN CALLS);
	load(f, &loaded);
	load(f, &loaded);
	assert_true(loaded.already);
	put(f, STORY_BEGIN CALLS LATER STORY_END);
	assert_int_equal(load_file_open(&to, f->database, &f->err), 0);
	assert_int_equal(add(f, &to, &loaded), IOTAP_EEXIST);
	assert_non_null(strstr(f->err.text, "with other calls"));
	load_file_close(&to);
	expect(f, "SELECT count(*) AS n FROM event", "{\"n\":7}\n");
	(void)unlink(f->database);
	load(f, &loaded);
	expect(f, "SELECT count(*) AS n FROM event", "{\"n\":8}\n");
	put(f, STORY_BEGIN CALLS);		/* nothing that the whole has not */
	load(f, &loaded);
	assert_true(loaded.already);
}

/* What was not committed is not there, nor is anything else. */
static void
nothing_is_left_of_what_failed(void **state)
{
	struct fixture *const f = *state;
	struct load_result loaded;
	struct load_file to;
	FILE *file;

	put(f, STORY_BEGIN CALLS STORY_END);
	assert_int_equal(load_file_open(&to, f->database, &f->err), 0);
	assert_int_equal(add(f, &to, &loaded), 0);
	assert_int_equal(access(f->database, F_OK), -1);
	load_file_close(&to);
	assert_int_equal(access(f->database, F_OK), -1);
	/* Into one that is there: as it was. */
	load(f, &loaded);
	file = fopen(f->recording, "w");
	assert_non_null(file);
	(void)fputs("{\"type\":\"event\",\"time_ns\":1,\"pid\":1,\"tid\":1,\"syscall\":\"read\"}\nnonsense\n", file);
	(void)fclose(file);
	assert_int_equal(load_file_open(&to, f->database, &f->err), 0);
	assert_int_equal(add(f, &to, &loaded), IOTAP_ECORRUPT);
	load_file_close(&to);
	expect(f, "SELECT count(*) AS n FROM recording", "{\"n\":1}\n");
}

static void
twice_in_one_load(void **state)
{
	struct fixture *const f = *state;
	struct load_result loaded;
	struct load_file to;

	put(f, STORY_BEGIN CALLS STORY_END);
	assert_int_equal(load_file_open(&to, f->database, &f->err), 0);
	assert_int_equal(add(f, &to, &loaded), 0);
	assert_int_equal(add(f, &to, &loaded), IOTAP_EEXIST);
	load_file_close(&to);
}

static void
places_that_are_none(void **state)
{
	struct fixture *const f = *state;
	struct load_file to;
	FILE *const file = fopen(f->database, "w");

	assert_non_null(file);
	(void)fputs("this is a letter, not a database, and must stay one", file);
	(void)fclose(file);
	assert_int_equal(load_file_open(&to, f->database, &f->err), IOTAP_ENOTREC);
	load_file_close(&to);
	assert_int_equal(load_file_open(&to, f->folder, &f->err), IOTAP_EUSAGE);
	load_file_close(&to);
	assert_int_equal(load_file_open(&to, "/tmp/no/such/folder/db", &f->err), IOTAP_EIO);
	load_file_close(&to);
	assert_int_equal(access(f->database, F_OK), 0);
}

static void
incomplete_ones_are_said_to_be(void **state)
{
	struct fixture *const f = *state;
	struct load_result loaded;

	put(f, STORY_BEGIN CALLS);
	load(f, &loaded);
	assert_false(loaded.complete);
	assert_non_null(strstr(loaded.why, "abruptly"));
	expect(f, "SELECT complete FROM recording", "{\"complete\":0}\n");
	expect(f, "SELECT cause FROM loss", "{\"cause\":\"truncated\"}\n");
}

/* A database only its owner may read: what was traced is his. */
static void
nobody_else_may_read_it(void **state)
{
	struct fixture *const f = *state;
	struct load_result loaded;
	struct stat st;

	(void)umask(0);
	put(f, STORY_BEGIN CALLS STORY_END);
	load(f, &loaded);
	assert_int_equal(stat(f->database, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	(void)umask(022);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_same_as_without_loading),
		TEST(a_second_recording),
		TEST(a_part_is_not_the_whole),
		TEST(nothing_is_left_of_what_failed),
		TEST(twice_in_one_load),
		TEST(places_that_are_none),
		TEST(incomplete_ones_are_said_to_be),
		TEST(nobody_else_may_read_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
