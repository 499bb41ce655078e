/* rewrite_test.c - decode/rewrite.h: the event stream says what the recording says, as far as it is asked for */
#include "decode/rewrite.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/json.h"
#include "formats/base/io.h"
#include "formats/dump.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

/* The stream of a recording, cut by cut bytes; the result of rewrite_run. */
static int
stream(const char *story, size_t cut, const struct iotap_filter *filter, struct buf *out,
       bool *incomplete)
{
	struct rewrite w = {.out_fd = memfd_create("stream", MFD_CLOEXEC)};
	struct buf recording = {.data = NULL};
	struct iotap_info info;
	struct reader *reader;
	int r;

	story_assemble(story, &recording);
	reader = reader_new_memory(recording.data, recording.len - cut, "story");
	r = rewrite_open(&w, reader, &info);
	if (r == 0)
		r = rewrite_run(&w, filter);
	*incomplete = w.incomplete;
	rewrite_close(&w);
	reader_free(reader);
	(void)lseek(w.out_fd, 0, SEEK_SET);
	assert_true(io_read_rest(w.out_fd, out));
	(void)close(w.out_fd);
	buf_free(&recording);
	return r;
}

/* Events and notices of a recording in JSON. */
static int
on_event(const struct iotap_event *e, void *arg)
{
	json_event(arg, e);
	return IOTAP_NEXT;
}

static int
on_notice(const struct iotap_notice *n, void *arg)
{
	json_notice(arg, n);
	return IOTAP_NEXT;
}

static int
on_drop(const struct iotap_drop *d, void *arg)
{
	json_drop(arg, d);
	return IOTAP_NEXT;
}

static void
tell(const struct buf *recording, const struct iotap_filter *filter, struct buf *json)
{
	const struct iotap_handlers handlers = {
		.size = sizeof(handlers), .event = on_event, .notice = on_notice, .drop = on_drop};
	const int fd = memfd_create("tell", MFD_CLOEXEC);
	char why[256] = "";
	iotap_t *h;

	assert_true(io_write_all(fd, recording->data, recording->len));
	(void)lseek(fd, 0, SEEK_SET);
	h = iotap_open(fd, "tell", filter, why, sizeof(why));
	if (!h)
		fail_msg("%s", why);
	assert_int_equal(iotap_consume(h, &handlers, json), 0);
	iotap_close(h);
}

#define STORY                                                                                      \
	STORY_BEGIN                                                                                \
	"target id=1 origin=call kind=file flags=16 text=\"/a\"\n"                                 \
	"target id=2 origin=call kind=socket flags=16 family=inet sock_type=1 device=\"eth0\"\n"   \
	"process time_ns=5000000050 pid=20 start_ns=900 how=5 parent=10 comm=\"child\"\n"          \
	"exec time_ns=5000000150 pid=20 start_ns=900 comm=\"next\" path=\"/bin/next\"\n"           \
	"record type=99 body=\"from the future\"\n"                                                \
	"block calls\n"                                                                            \
	"call key=5000000100 duration=10 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result=1\n"   \
	"call key=5000000200 duration=10 tid=21 tgid=20 call=sendto flags=fd fd=4 id=2 result=2\n" \
	"call key=5000000300 duration=10 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result=-4\n"  \
	"block state\n"                                                                            \
	"clock boot_ns=5000001000 real_ns=1700000000000001000\n"                                   \
	"counters time_ns=5000001000 written=3 values=[3,3,3]\n"                                   \
	"process time_ns=5000000000 pid=10 start_ns=100 how=1 restated=1 comm=\"prog\"\n"          \
	"block records\n"                                                                          \
	"target id=1 origin=call kind=file flags=16 text=\"/b\"\n"                                 \
	"target id=2 origin=call kind=socket flags=16 family=inet sock_type=1 device=\"eth0\"\n"   \
	"aggregate level=1 pid=10 call=1 id=1 calls=3 bytes=30\n"                                  \
	"aggregate level=1 pid=20 call=19 id=2 calls=4 bytes=40\n"                                 \
	"block calls\n"                                                                            \
	"call key=5000001200 duration=10 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result=3\n"   \
	"block progress\nprogress time_ns=5000002000\n" STORY_END

static const struct iotap_filter filters[] = {
	{.pid = 0},
	{.pid = 10},
	{.pid = 20},
	{.pid = 999},
	{.classes = 1u << IOTAP_CLASS_NETWORK},
	{.from_ns = UINT64_C(5000000200), .to_ns = UINT64_C(5000000300)},
	{.target = 1},
	{.from_ns = UINT64_C(6000000000)},
};

/* Filtered while it is rewritten, or while the whole stream is read: the same events (their numbers are
 * those of what is left). */
static void
a_stream_says_what_the_recording_says(void **state)
{
	struct buf whole = {.data = NULL};

	(void)state;
	story_assemble(STORY, &whole);
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		struct buf out = {.data = NULL}, expected = {.data = NULL}, got = {.data = NULL};
		bool incomplete;

		assert_int_equal(stream(STORY, 0, &filters[i], &out, &incomplete), 0);
		assert_false(incomplete);
		tell(&whole, &filters[i], &expected);
		/* Life of processes is told of a time range too; events only count here. */
		tell(&out, &filters[i], &got);
		if (strcmp(buf_cstr(&expected), buf_cstr(&got)) != 0)
			fail_msg("filter %zu\n%s\n%s", i, buf_cstr(&expected), buf_cstr(&got));
		buf_free(&out);
		buf_free(&expected);
		buf_free(&got);
	}
	buf_free(&whole);
}

/* The stream of a stream is the same, byte for byte. */
static void
again_changes_nothing(void **state)
{
	struct buf once = {.data = NULL}, twice = {.data = NULL};
	struct rewrite w = {.out_fd = memfd_create("again", MFD_CLOEXEC)};
	struct iotap_info info;
	struct reader *reader;
	bool incomplete;

	(void)state;
	assert_int_equal(stream(STORY, 0, NULL, &once, &incomplete), 0);
	reader = reader_new_memory(once.data, once.len, "once");
	assert_int_equal(rewrite_open(&w, reader, &info), 0);
	assert_int_equal(rewrite_run(&w, NULL), 0);
	rewrite_close(&w);
	reader_free(reader);
	(void)lseek(w.out_fd, 0, SEEK_SET);
	assert_true(io_read_rest(w.out_fd, &twice));
	(void)close(w.out_fd);
	assert_int_equal(once.len, twice.len);
	assert_memory_equal(once.data, twice.data, once.len);
	buf_free(&once);
	buf_free(&twice);
}

static void
expect_dumped(const struct iotap_filter *filter, const char *there, const char *not_there)
{
	struct buf out = {.data = NULL}, text = {.data = NULL};
	struct iotap_error err = {.code = 0};
	struct reader *reader;
	bool incomplete;

	assert_int_equal(stream(STORY, 0, filter, &out, &incomplete), 0);
	reader = reader_new_memory(out.data, out.len, "out");
	assert_int_equal(dump_all(reader, false, &text, &err), 0);
	reader_free(reader);
	if (there && !strstr(buf_cstr(&text), there))
		fail_msg("no %s in\n%s", there, buf_cstr(&text));
	if (not_there && strstr(buf_cstr(&text), not_there))
		fail_msg("%s in\n%s", not_there, buf_cstr(&text));
	buf_free(&out);
	buf_free(&text);
}

static void
what_passes(void **state)
{
	(void)state;
	expect_dumped(NULL, "stream=1", "codec=zstd");
	/* What this version does not know goes on. */
	expect_dumped(NULL, "record type=99 body=\"from the future\"", NULL);
	/* Counters prove completeness: only of what is complete. */
	expect_dumped(NULL, "counters ", NULL);
	expect_dumped(&filters[1], NULL, "counters ");
	expect_dumped(&filters[1], "comm=\"prog\"", "comm=\"child\"");
	expect_dumped(&filters[1], "aggregate level=1 pid=10", "pid=20");
	expect_dumped(&filters[4], "aggregate level=1 pid=20", "aggregate level=1 pid=10");
}

/* Wherever the recording was cut, what there is goes through, and it is said. */
static void
cut_off(void **state)
{
	struct buf whole = {.data = NULL};

	(void)state;
	story_assemble(STORY, &whole);
	for (size_t cut = 1; cut < whole.len - BLOCK_HEAD_BYTES; cut += 13) {
		struct buf out = {.data = NULL};
		struct reader *reader;
		struct reader_item item;
		bool incomplete;
		int r = stream(STORY, cut, NULL, &out, &incomplete);

		assert_int_equal(r, 0);
		assert_true(incomplete);
		reader = reader_new_memory(out.data, out.len, "out");
		while (out.len > 0 && (r = reader_next(reader, &item)) == 0) {
			if (item.what != READER_BLOCK && item.what != READER_TRUNCATED)
				fail_msg("%zu bytes less: %s", cut, item.text);
		}
		reader_free(reader);
		buf_free(&out);
	}
	buf_free(&whole);
}

/* Clocks and calls that no kernel has are left out, wherever they stand, and it is said; an epoch that has no
 * other clock goes on with the one before. */
static void
times_that_no_kernel_has(void **state)
{
	static const struct {
		const char *begin, *epoch;	/* the clocks of header and second epoch */
		const char *call;
		bool whole;
	} rows[] = {
		{"boot_ns=1000 real_ns=5000", "boot_ns=3000 real_ns=7000", "3100", true},
		{"boot_ns=1000 real_ns=-5000", "boot_ns=3000 real_ns=7000", "3100", false},
		{"boot_ns=1000 real_ns=5000", "boot_ns=18000000000000000000 real_ns=7000", "3100", false},
		{"boot_ns=1000 real_ns=5000", "boot_ns=3000 real_ns=7000", "9223372036854775807", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf story = {.data = NULL}, out = {.data = NULL}, json = {.data = NULL};
		bool incomplete;

		(void)buf_printf(&story, "block header session=1\nhost format_major=1 os=1 arch=x86_64\nclock %s\n"
				 "block state\nclock boot_ns=2000 real_ns=6000\nblock state\nclock %s\n"
				 "block records\nprocess time_ns=3000 pid=10 start_ns=1 how=1 comm=\"c\"\nblock calls\n"
				 "call key=%s tid=10 tgid=10 call=read flags=fd fd=3 result=1\n" STORY_END,
				 rows[i].begin, rows[i].epoch, rows[i].call);
		assert_int_equal(stream(buf_cstr(&story), 0, NULL, &out, &incomplete), 0);
		assert_true(incomplete == !rows[i].whole);
		tell(&out, NULL, &json);
		if (strcmp(rows[i].call, "3100") == 0)
			assert_non_null(strstr(buf_cstr(&json), "\"time_ns\":7100,"));
		else
			assert_null(strstr(buf_cstr(&json), "\"type\":\"event\""));
		assert_null(strstr(buf_cstr(&json), "lost_events"));
		buf_free(&story);
		buf_free(&out);
		buf_free(&json);
	}
}

static void
a_reader_that_left(void **state)
{
	struct buf recording = {.data = NULL};
	struct rewrite w = {.incomplete = false};
	struct iotap_info info;
	struct reader *reader;
	int fds[2];

	(void)state;
	(void)signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	(void)close(fds[0]);
	w.out_fd = fds[1];
	story_assemble(STORY, &recording);
	reader = reader_new_memory(recording.data, recording.len, "story");
	assert_int_equal(rewrite_open(&w, reader, &info), 0);
	assert_int_equal(info.start_boot_ns, 5000000000);
	assert_int_equal(rewrite_run(&w, NULL), IOTAP_EPIPE);
	assert_int_equal(w.err.code, IOTAP_EPIPE);
	rewrite_close(&w);
	reader_free(reader);
	(void)close(fds[1]);
	buf_free(&recording);
}

static void
losses_are_said(void **state)
{
	struct buf out = {.data = NULL};
	bool incomplete;

	(void)state;
	assert_int_equal(
		stream(STORY_BEGIN
		       "loss from_ns=5000000001 until_ns=5000000002 count=3 cause=1\n" STORY_END,
		       0, &filters[3], &out, &incomplete),
		0);
	assert_true(incomplete);
	buf_free(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_says_what_the_recording_says),
		cmocka_unit_test(again_changes_nothing),
		cmocka_unit_test(what_passes),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(times_that_no_kernel_has),
		cmocka_unit_test(a_reader_that_left),
		cmocka_unit_test(losses_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
