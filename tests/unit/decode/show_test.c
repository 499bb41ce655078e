/* show_test.c - decode/show.h: what goes to which output, in which order, and when nobody reads any more */
#include "decode/show.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

#define STORY \
	STORY_BEGIN \
	"target id=1 origin=call kind=file flags=16 text=\"/a\\x1b\"\n" \
	"exec time_ns=5000000150 pid=10 start_ns=100 comm=\"next\" path=\"/bin/\\x1b\"\n" \
	"notice time_ns=5000000160 level=2 text=\"careful\"\n" \
	"block calls\n" \
	"call key=5000000100 duration=10 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result=1\n" \
	"call key=5000000200 duration=10 tid=10 tgid=10 call=close flags=fd fd=3 id=1 result=0\n" \
	STORY_END

/* What was written to standard output and standard error. */
struct shown {
	struct buf out, err;
	int result;
};

static void
take(int fd, struct buf *into)
{
	(void)lseek(fd, 0, SEEK_SET);
	assert_true(io_read_rest(fd, into));
	(void)close(fd);
}

/* Shows a story with both outputs of the process turned to files for so long. */
static void
show(struct show *s, const char *story, bool summary, struct shown *shown)
{
	const int saved[] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
	const int files[] = {memfd_create("out", MFD_CLOEXEC), memfd_create("err", MFD_CLOEXEC)};

	*shown = (struct shown){.result = 0};
	s->iotap = story_open(story, NULL);
	assert_int_equal(iotap_keep_summary(s->iotap, 0), 0);
	(void)fflush(NULL);
	(void)dup2(files[0], STDOUT_FILENO);
	(void)dup2(files[1], STDERR_FILENO);
	shown->result = iotap_consume(s->iotap, &show_handlers, s);
	if (summary)
		(void)show_summary(s, 0, 0);
	(void)show_flush(s);
	(void)dup2(saved[0], STDOUT_FILENO);
	(void)dup2(saved[1], STDERR_FILENO);
	(void)close(saved[0]);
	(void)close(saved[1]);
	take(files[0], &shown->out);
	take(files[1], &shown->err);
	iotap_close(s->iotap);
	show_fini(s);
}

static void
shown_fini(struct shown *shown)
{
	buf_free(&shown->out);
	buf_free(&shown->err);
}

static void
text_and_notices_apart(void **state)
{
	struct show s = {.all_ops = false};
	struct shown shown;

	(void)state;
	show(&s, STORY, false, &shown);
	assert_int_equal(shown.result, 0);
	assert_non_null(strstr(buf_cstr(&shown.out), "  read "));
	assert_non_null(strstr(buf_cstr(&shown.out), "  /a?\n"));
	assert_null(strstr(buf_cstr(&shown.out), "close"));
	assert_string_equal(buf_cstr(&shown.err),
			    "iotap: tracing 10 (prog)\niotap: 10 is now running /bin/?\niotap: careful\n");
	assert_false(s.incomplete);
	shown_fini(&shown);
}

static void
options(void **state)
{
	struct show all = {.all_ops = true, .live = true}, quiet = {.quiet = true, .replaying = "a\x1b" "b"};
	struct shown shown;

	(void)state;
	show(&all, STORY, false, &shown);
	assert_non_null(strstr(buf_cstr(&shown.out), "  close "));
	assert_non_null(strstr(buf_cstr(&shown.err), "tracing 10 (prog); press Ctrl-C to stop\n"));
	shown_fini(&shown);
	show(&quiet, STORY, true, &shown);
	assert_int_equal(strncmp(buf_cstr(&shown.out), "\niotap summary: 10 (next)", 24), 0);
	assert_non_null(strstr(buf_cstr(&shown.err), "iotap: replaying a?b (made by t): 10 (prog)\n"));
	shown_fini(&shown);
}

/* JSON Lines: everything to standard output, in the order of the stream. */
static void
json_in_one_stream(void **state)
{
	static const char *const types[] = {"start", "event", "exec", "notice", "op", "end", "summary"};
	struct show s = {.json = true};
	struct shown shown;
	const char *at;

	(void)state;
	show(&s, STORY, true, &shown);
	assert_int_equal(shown.err.len, 0);
	at = buf_cstr(&shown.out);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strncmp(at, "{\"type\":\"", 9) != 0 || strncmp(at + 9, types[i], strlen(types[i])) != 0)
			fail_msg("%s: %s", types[i], at);
		at = strchr(at, '\n') + 1;
	}
	assert_string_equal(at, "");
	shown_fini(&shown);
}

static void
losses_make_it_incomplete(void **state)
{
	static const struct {
		const char *story, *words;
	} rows[] = {
		{STORY_BEGIN "loss from_ns=5000000001 until_ns=5000000002 count=3 cause=3\n" STORY_END,
		 "iotap: 22:13:20.000000 capture could not keep up: 3 calls lost\n"},
		{STORY_BEGIN, " ends abruptly"},
		{STORY_BEGIN "block end\nend time_ns=9000000000 reason=5\n", "iotap: capture ended on an error\n"},
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct show s = {.json = false};
		struct shown shown;

		show(&s, rows[i].story, false, &shown);
		if (!strstr(buf_cstr(&shown.err), rows[i].words))
			fail_msg("%s", buf_cstr(&shown.err));
		assert_true(s.incomplete);
		shown_fini(&shown);
	}
}

/* What was gathered is out before a notice goes to the other output: here both are one file. */
static void
notices_stand_behind_what_came_before(void **state)
{
	struct show s = {.all_ops = true};
	const int saved[] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
	const int file = memfd_create("both", MFD_CLOEXEC | 0);
	struct buf text = {.data = NULL};
	const char *read, *exec, *close_line;

	(void)state;
	assert_int_equal(fcntl(file, F_SETFL, O_APPEND), 0);
	s.iotap = story_open(STORY, NULL);
	(void)fflush(NULL);
	(void)dup2(file, STDOUT_FILENO);
	(void)dup2(file, STDERR_FILENO);
	(void)iotap_consume(s.iotap, &show_handlers, &s);
	(void)show_flush(&s);
	(void)dup2(saved[0], STDOUT_FILENO);
	(void)dup2(saved[1], STDERR_FILENO);
	(void)close(saved[0]);
	(void)close(saved[1]);
	take(file, &text);
	read = strstr(buf_cstr(&text), "  read ");
	exec = strstr(buf_cstr(&text), "now running");
	close_line = strstr(buf_cstr(&text), "  close ");
	assert_true(read && exec && close_line && read < exec && exec < close_line);
	iotap_close(s.iotap);
	show_fini(&s);
	buf_free(&text);
}

/* A reader that left, or a full disk: the reading ends, and which it was is known. */
static void
outputs_that_fail(void **state)
{
	const int saved = dup(STDOUT_FILENO);
	struct show gone = {.json = true}, full = {.json = true};
	int fds[2], r;

	(void)state;
	(void)signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	(void)close(fds[0]);
	gone.iotap = story_open(STORY, NULL);
	(void)fflush(NULL);
	(void)dup2(fds[1], STDOUT_FILENO);
	r = iotap_consume(gone.iotap, &show_handlers, &gone);
	(void)show_flush(&gone);
	(void)dup2(saved, STDOUT_FILENO);
	assert_int_equal(r, 0);
	assert_true(gone.closed && !gone.failed);
	iotap_close(gone.iotap);
	show_fini(&gone);
	(void)close(fds[1]);

	fds[1] = open("/dev/full", O_WRONLY);
	full.iotap = story_open(STORY, NULL);
	(void)dup2(fds[1], STDOUT_FILENO);
	(void)iotap_consume(full.iotap, &show_handlers, &full);
	(void)show_flush(&full);
	(void)dup2(saved, STDOUT_FILENO);
	assert_true(full.failed && !full.closed);
	assert_int_equal(full.errno_value, 28);		/* ENOSPC */
	iotap_close(full.iotap);
	show_fini(&full);
	(void)close(fds[1]);
	(void)close(saved);
}

/* Of several inputs the first one says what is replayed; one whose header is damaged was made by nobody knows what. */
static void
starts(void **state)
{
	struct show twice = {.replaying = "both", .quiet = true};
	struct show damaged = {.replaying = "x", .quiet = true};
	const int saved = dup(STDERR_FILENO), file = memfd_create("err", MFD_CLOEXEC);
	const int fds[] = {story_fd(STORY), story_fd(STORY_BEGIN STORY_END)};
	static const char *const names[] = {"one", "two"};
	struct buf text = {.data = NULL};
	struct shown shown;
	char why[100];
	const char *first;

	(void)state;
	twice.iotap = iotap_open_many(fds, names, 2, NULL, why, sizeof(why));
	assert_non_null(twice.iotap);
	(void)dup2(file, STDERR_FILENO);
	assert_int_equal(iotap_consume(twice.iotap, &show_handlers, &twice), 0);
	(void)dup2(saved, STDERR_FILENO);
	(void)close(saved);
	take(file, &text);
	first = strstr(buf_cstr(&text), "replaying both");
	assert_non_null(first);
	assert_null(strstr(first + 1, "replaying"));
	assert_int_equal(twice.started, 2);
	iotap_close(twice.iotap);
	show_fini(&twice);
	buf_free(&text);
	show(&damaged, "block state session=1\nclock boot_ns=1 real_ns=1\n" STORY_END, false, &shown);
	assert_non_null(strstr(buf_cstr(&shown.err), "replaying x (made by ?): "));
	shown_fini(&shown);
}

/* A line for which there is no memory: it ends there, and says why. */
static void
lines_without_room(void **state)
{
	struct show s = {.json = true};
	struct shown shown;

	(void)state;
	s.text.out.limit = 300;		/* as if there were no more */
	show(&s, STORY, true, &shown);
	assert_true(s.failed && !s.closed);
	assert_int_equal(s.errno_value, 12);		/* ENOMEM */
	assert_null(strstr(buf_cstr(&shown.out), "\"summary\""));
	shown_fini(&shown);
}

/* Nobody asked for a summary to be kept: there is none to show. */
static void
a_summary_that_was_not_kept(void **state)
{
	struct show s = {.json = true}, text = {.json = false};

	(void)state;
	s.iotap = text.iotap = story_open(STORY, NULL);
	assert_false(show_summary(&s, 0, 0));
	assert_false(show_summary(&text, 0, 0));
	assert_int_equal(s.text.out.len + text.text.out.len, 0);
	iotap_close(s.iotap);
	show_fini(&s);
	show_fini(&text);
}

struct idle_reader {
	iotap_t *iotap;
	struct show show;
	int result;
};

static void *
idle_run(void *arg)
{
	struct idle_reader *const r = arg;

	r->result = iotap_consume(r->iotap, &show_handlers, &r->show);
	return NULL;
}

/* While nothing flows whoever reads may have gone: then the reading ends with the next thing that comes. */
static void
a_reader_that_leaves_while_nothing_flows(void **state)
{
	const int saved = dup(STDOUT_FILENO);
	struct idle_reader r = {.show = {.json = true}};
	struct buf recording = {.data = NULL};
	char why[100];
	int in[2], out[2];
	pthread_t thread;
	uint8_t byte;

	(void)state;
	(void)signal(SIGPIPE, SIG_IGN);
	story_assemble(STORY_BEGIN, &recording);
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	assert_true(io_write_all(in[1], recording.data, recording.len));
	r.iotap = r.show.iotap = iotap_open(in[0], "pipe", NULL, why, sizeof(why));
	assert_non_null(r.iotap);
	(void)fflush(NULL);
	(void)dup2(out[1], STDOUT_FILENO);
	(void)close(out[1]);
	assert_int_equal(pthread_create(&thread, NULL, idle_run, &r), 0);
	assert_int_equal(read(out[0], &byte, 1), 1);	/* it was idle, and the start is out */
	(void)close(out[0]);
	assert_int_equal(write(in[1], recording.data, 1), 1);
	(void)pthread_join(thread, NULL);
	(void)dup2(saved, STDOUT_FILENO);
	(void)close(saved);
	assert_int_equal(r.result, 0);
	assert_true(r.show.closed && !r.show.failed);
	(void)close(in[1]);
	iotap_close(r.iotap);
	show_fini(&r.show);
	buf_free(&recording);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_notices_apart),
		cmocka_unit_test(options),
		cmocka_unit_test(json_in_one_stream),
		cmocka_unit_test(losses_make_it_incomplete),
		cmocka_unit_test(notices_stand_behind_what_came_before),
		cmocka_unit_test(outputs_that_fail),
		cmocka_unit_test(starts),
		cmocka_unit_test(lines_without_room),
		cmocka_unit_test(a_summary_that_was_not_kept),
		cmocka_unit_test(a_reader_that_leaves_while_nothing_flows),
	};

	(void)setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
