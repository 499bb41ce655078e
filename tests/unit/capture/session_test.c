/* session_test.c - a whole capture without a kernel: a text of records in, a recording out */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/session.h"
#include "formats/dump.h"

static const struct session_signals no_signals;

static void
watch_nothing(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
}

struct files {
	char source[64], output[64];
};

static int
setup(void **state)
{
	struct files *const f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strcpy(f->source, "/tmp/session_source.XXXXXX");
	strcpy(f->output, "/tmp/session_output.XXXXXX");
	close(mkstemp(f->source));
	close(mkstemp(f->output));
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct files *const f = *state;

	(void)unlink(f->source);
	(void)unlink(f->output);
	free(f);
	return 0;
}

static int
run(const struct files *f, const char *output, int *status, struct iotap_error *err)
{
	static const struct targets none;
	const struct session_options o = {
		.output = output, .targets = &none, .source = f->source, .options = "-o x",
		.signals = &no_signals, .watch_signals = watch_nothing,
	};

	return session_run(&o, status, err);
}

static void
put(const char *path, const char *text)
{
	FILE *const file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* The recording as text, without comments. The caller frees it. */
static struct buf
dumped(const char *path)
{
	struct iotap_error err = {0};
	struct reader *const reader = reader_new_fd(open(path, O_RDONLY), path);
	struct buf text = {0};

	assert_non_null(reader);
	assert_int_equal(dump_all(reader, false, &text, &err), 0);
	reader_free(reader);
	return text;
}

static void
has(struct buf *text, const char *line)
{
	if (!strstr(buf_cstr(text), line))
		fail_msg("no \"%s\" in:\n%s", line, buf_cstr(text));
}

static void
everything_goes_through(void **state)
{
	struct files *const f = *state;
	struct iotap_error err = {0};
	struct buf text;
	int status;

	put(f->source, "# a comment\n"
		       "host format_major=1 os=linux arch=x86_64 hostname=\"there\"\n"
		       "clock boot_ns=1000 real_ns=1700000000000000000 tai_ns=1700000037000000000\n"
		       "process time_ns=1100 pid=7 start_ns=900 comm=\"cat\"\n"
		       "target id=3 time_ns=1200 kind=file origin=call flags=16 pid=7 text=\"/etc/hosts\"\n"
		       "call key=1300 tid=7 tgid=7 call=read flags=fd|requested fd=3 id=3 requested=10 result=10\n"
		       "call key=1400 tid=7 tgid=7 call=close flags=fd fd=3 id=3\n"
		       "aggregate level=1 pid=7 call=1 id=3 calls=5 bytes=50\n"
		       "loss from_ns=1400 until_ns=1500 count=5 cause=1 pids=[7]\n"
		       "exit time_ns=1600 pid=7 start_ns=900\n"
		       "end time_ns=1700 reason=signal");
	assert_int_equal(run(f, f->output, &status, &err), 0);
	assert_int_equal(status, 0);
	text = dumped(f->output);
	has(&text, "hostname=\"there\"");
	has(&text, "options=\"-o x\"");
	has(&text, "clock boot_ns=1000 real_ns=1700000000000000000");
	has(&text, "process time_ns=1100 pid=7 start_ns=900 comm=\"cat\"");
	has(&text, "text=\"/etc/hosts\"");
	has(&text, "call key=1300 call=read flags=requested|fd tid=7 tgid=7 fd=3 id=3 requested=10 result=10");
	has(&text, "call key=1400");
	has(&text, "aggregate level=1");
	has(&text, "loss from_ns=1400");
	has(&text, "exit time_ns=1600");
	has(&text, "end time_ns=1700 reason=signal calls=2");
	buf_free(&text);
}

static void
without_header_or_end(void **state)
{
	struct files *const f = *state;
	struct iotap_error err = {0};
	struct buf text;
	int status;

	put(f->source, "");
	assert_int_equal(run(f, f->output, &status, &err), 0);
	text = dumped(f->output);
	has(&text, "tool=\"iotap-capture ");
	has(&text, "reason=input blocks=");
	buf_free(&text);
}

static void
write_many(const struct files *f, unsigned int n)
{
	FILE *const file = fopen(f->source, "w");

	assert_non_null(file);
	for (unsigned int i = 0; i < n; i++) {
		if (i % 1000 == 0)
			fprintf(file, "target id=%u time_ns=%u kind=file text=\"/f%u\"\n",
				i / 1000 + 1, 1000 + i, i);
		fprintf(file, "call key=%u tid=7 tgid=7 call=write flags=fd fd=3 id=%u result=1\n",
			1000 + i, i / 1000 + 1);
	}
	assert_int_equal(fclose(file), 0);
}

static void
many_calls_stay_in_order(void **state)
{
	enum { N = 50000 };
	struct files *const f = *state;
	struct iotap_error err = {0};
	unsigned int expected = 1000;
	struct buf text;
	int status;

	write_many(f, N);
	assert_int_equal(run(f, f->output, &status, &err), 0);
	text = dumped(f->output);
	/* By bytes: sanitizers look at all the rest in each strstr. */
	for (const char *p = buf_cstr(&text); *p != '\0'; p++) {
		if (*p == '\n' && strncmp(p + 1, "call key=", 9) == 0)
			assert_int_equal(strtoul(p + 10, NULL, 10), expected++);
	}
	assert_int_equal(expected, 1000 + N);
	has(&text, "calls=50000");
	buf_free(&text);
}

static void
what_is_wrong_is_said_with_its_line(void **state)
{
	struct files *const f = *state;
	struct iotap_error err = {0};
	int status;

	put(f->source, "call key=5 tid=1 tgid=1 call=read\n\ncall key=4 tid=1 tgid=1 call=read\n");
	assert_int_equal(run(f, f->output, &status, &err), IOTAP_EUSAGE);
	assert_int_equal(status, 1);
	assert_non_null(strstr(err.text, "line 3"));
	put(f->source, "call key=5 colour=red\n");
	assert_int_equal(run(f, f->output, &status, &err), IOTAP_EUSAGE);
	assert_non_null(strstr(err.text, "line 1"));
	(void)unlink(f->source);
	assert_int_equal(run(f, f->output, &status, &err), IOTAP_EIO);
	assert_non_null(strstr(err.text, f->source));
}

/* Not an output without an end, but one that says what happened. */
static void
a_failure_is_in_the_recording(void **state)
{
	struct files *const f = *state;
	struct iotap_error err = {0};
	struct buf text;
	int status;

	put(f->source, "host os=linux arch=x86_64\nclock boot_ns=1\nnonsense\n");
	assert_int_equal(run(f, f->output, &status, &err), IOTAP_EUSAGE);
	text = dumped(f->output);
	has(&text, "reason=error");
	has(&text, "level=warning text=\"line 3: ");
	buf_free(&text);
}

static void
a_reader_that_left_is_no_error(void **state)
{
	struct files *const f = *state;
	struct iotap_error err = {0};
	char name[32];
	int ends[2], status = 5;

	write_many(f, 50000);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[1]);
	watch_nothing();
	assert_int_equal(run(f, name, &status, &err), 0);
	assert_int_equal(status, 0);
	close(ends[1]);
}

static void *
read_slowly(void *arg)
{
	const int fd = *(int *)arg;
	const struct timespec a_moment = {.tv_nsec = 1000000};
	static size_t total;
	char bytes[2000];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
		total += (size_t)n;
		nanosleep(&a_moment, NULL);
	}
	return &total;
}

static void
a_slow_reader_gets_everything(void **state)
{
	struct files *const f = *state;
	struct iotap_error err = {0};
	char name[32];
	int ends[2], status;
	pthread_t thread;
	void *total;

	write_many(f, 50000);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_slowly, &ends[0]), 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[1]);
	assert_int_equal(run(f, name, &status, &err), 0);
	close(ends[1]);
	assert_int_equal(pthread_join(thread, &total), 0);
	assert_true(*(size_t *)total > 2000);
	close(ends[0]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(everything_goes_through),
		TEST(without_header_or_end),
		TEST(many_calls_stay_in_order),
		TEST(what_is_wrong_is_said_with_its_line),
		TEST(a_failure_is_in_the_recording),
		TEST(a_reader_that_left_is_no_error),
		TEST(a_slow_reader_gets_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
