/* rewrite_parts_test.c - decode/rewrite.h: headers that are odd or not there, filters and what is closed by them,
 * idle inputs, outputs that fail
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/rewrite.h"
#include "formats/base/io.h"
#include "formats/dump.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

static void
dump_of(const struct buf *recording, struct buf *text)
{
	struct iotap_error err = {.code = 0};
	struct reader *const reader = reader_new_memory(recording->data, recording->len, "written");

	if (recording->len > 0)
		assert_int_equal(dump_all(reader, false, text, &err), 0);
	(void)buf_cstr(text);
	reader_free(reader);
}

/* Rewrites a recording from its from-th byte on; what was written, as text. */
static int
rewrite(struct rewrite *w, const struct buf *recording, size_t from, const struct iotap_filter *filter,
	struct buf *text)
{
	struct reader *const reader = reader_new_memory(recording->data + from, recording->len - from, "story");
	struct buf out = {.data = NULL};
	struct iotap_info info;
	int r;

	w->out_fd = memfd_create("written", MFD_CLOEXEC);
	r = rewrite_open(w, reader, &info);
	if (r == 0)
		r = rewrite_run(w, filter);
	rewrite_close(w);
	reader_free(reader);
	assert_int_equal(lseek(w->out_fd, 0, SEEK_SET), 0);
	assert_true(io_read_rest(w->out_fd, &out));
	(void)close(w->out_fd);
	dump_of(&out, text);
	buf_free(&out);
	return r;
}

static int
rewrite_story(struct rewrite *w, const char *story, const struct iotap_filter *filter, struct buf *text)
{
	struct buf recording = {.data = NULL};
	int r;

	story_assemble(story, &recording);
	r = rewrite(w, &recording, 0, filter, text);
	buf_free(&recording);
	return r;
}

static size_t
count(struct buf *text, const char *words)
{
	size_t n = 0;

	for (const char *at = buf_cstr(text); (at = strstr(at, words)); at++)
		n++;
	return n;
}

#define HEADER \
	"block header session=1\nhost format_major=1 os=1\n" \
	"clock boot_ns=5000000000 real_ns=1700000000000000000\n"
#define STATE "block state\nclock boot_ns=5000000000 real_ns=1700000000000000000\n"
#define CALL(key) "call key=" key " duration=1 tid=10 tgid=10 call=read flags=fd fd=3 result=1\n"

/* A header has 256 requests at most. */
static void
a_made_up_number_of_requests(void **state)
{
	struct rewrite w = {.recording = false};
	struct buf story = {.data = NULL}, text = {.data = NULL};

	(void)state;
	(void)buf_puts(&story, HEADER);
	for (int i = 0; i < 300; i++)
		(void)buf_printf(&story, "request kind=1 pid=%d\n", i + 1);
	(void)buf_puts(&story, STATE STORY_END);
	assert_int_equal(rewrite_story(&w, buf_cstr(&story), NULL, &text), 0);
	assert_int_equal(count(&text, "request "), 256);
	assert_int_equal(count(&text, "pid=256\n"), 1);
	buf_free(&story);
	buf_free(&text);
}

/* What a selection was by is no secret, unless it has names in it. */
static void
requests_without_names(void **state)
{
	static const char story[] = HEADER
		"request kind=7 text=\"read,write\"\nrequest kind=8 text=\"/secret/x\"\nrequest kind=9 text=\"10ms\"\n"
		"request kind=10\nrequest kind=2 text=\"secret\"\n" STATE STORY_END;
	struct iotap_error err = {.code = 0};
	struct buf text = {.data = NULL};
	struct redact redact;
	struct rewrite w = {.recording = true, .redact = &redact};

	(void)state;
	assert_int_equal(redact_open(&redact, "-", &err), 0);
	assert_int_equal(rewrite_story(&w, story, NULL, &text), 0);
	assert_int_equal(count(&text, "request "), 5);
	assert_int_equal(count(&text, "text=\"read,write\""), 1);
	assert_int_equal(count(&text, "text=\"10ms\""), 1);
	assert_int_equal(count(&text, "kind=failed\n"), 1);
	assert_int_equal(count(&text, "secret"), 0);
	redact_close(&redact);
	buf_free(&text);
}

/* Its beginning is damaged: with salvage a header is made of what the first state says, and there is an end. */
static void
a_beginning_that_is_gone(void **state)
{
	struct rewrite w = {.recording = true, .salvage = true};
	struct buf recording = {.data = NULL}, text = {.data = NULL};

	(void)state;
	story_assemble(STORY_BEGIN "block calls\n" CALL("5000000100") STORY_END, &recording);
	assert_int_equal(rewrite(&w, &recording, 10, NULL, &text), 0);
	assert_true(w.incomplete && w.damaged);
	assert_int_equal(count(&text, "block header"), 1);
	assert_int_equal(count(&text, "real_ns=1700000000000000000"), 2);
	assert_int_equal(count(&text, "call key=5000000100"), 1);
	assert_int_equal(count(&text, "reason=salvaged"), 1);
	buf_free(&text);
	/* Of what has nothing that is whole nothing is made. */
	w = (struct rewrite){.recording = true, .salvage = true};
	recording.len = BLOCK_HEAD_BYTES + 20;
	recording.data[BLOCK_HEAD_BYTES] ^= 1;
	assert_int_equal(rewrite(&w, &recording, 0, NULL, &text), 0);
	assert_string_equal(buf_cstr(&text), "");
	assert_true(w.incomplete);
	buf_free(&recording);
	buf_free(&text);
}

#define COUNTED \
	"block end\ncounters time_ns=8000000000 final=1 written=2 values=[3,2,2]\n" \
	"end time_ns=9000000000 reason=1 calls=2 blocks=5\n"

/* Final counters prove that nothing is missing: not of a part, and not of what was damaged. */
static void
counters_of_a_part(void **state)
{
	static const char story[] = STORY_BEGIN "block calls\n" CALL("5000000100") CALL("6000000100") COUNTED;
	static const struct iotap_filter filters[] = {
		{.pid = 0}, {.to_ns = 5500000000}, {.from_ns = 5500000000}, {.pid = 10},
	};
	static const size_t calls[] = {2, 1, 1, 2}, counters[] = {1, 0, 0, 0};
	struct buf recording = {.data = NULL}, text = {.data = NULL};
	struct block_head head;
	struct rewrite w;
	size_t at = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		w = (struct rewrite){.recording = false};
		assert_int_equal(rewrite_story(&w, story, &filters[i], &text), 0);
		assert_int_equal(count(&text, "call key="), calls[i]);
		assert_int_equal(count(&text, "counters "), counters[i]);
		buf_free(&text);
	}
	story_assemble(story, &recording);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(block_head_get(recording.data + at, &head, NULL), 0);
		at += BLOCK_HEAD_BYTES + head.stored_bytes;
	}
	recording.data[at + BLOCK_HEAD_BYTES] ^= 1;		/* the calls */
	w = (struct rewrite){.recording = false};
	assert_int_equal(rewrite(&w, &recording, 0, NULL, &text), 0);
	assert_true(w.damaged);
	assert_int_equal(count(&text, "call key="), 0);
	assert_int_equal(count(&text, "counters "), 0);
	assert_int_equal(count(&text, "end time_ns="), 1);
	buf_free(&recording);
	buf_free(&text);
}

/* More calls in a block than are written at once. */
static void
a_large_block(void **state)
{
	struct rewrite w = {.recording = false};
	struct buf story = {.data = NULL}, text = {.data = NULL};

	(void)state;
	(void)buf_puts(&story, STORY_BEGIN "block calls\n");
	for (int i = 0; i < 9000; i++)
		(void)buf_printf(&story, "call key=%d duration=1 tid=10 tgid=10 call=read result=1\n", 500000000 + i);
	(void)buf_puts(&story, STORY_END);
	assert_int_equal(rewrite_story(&w, buf_cstr(&story), NULL, &text), 0);
	assert_int_equal(count(&text, "call key="), 9000);
	assert_int_equal(count(&text, "call key=500008999 "), 1);
	buf_free(&story);
	buf_free(&text);
}

static void
outputs_that_fail(void **state)
{
	static const char *const stories[] = {STORY_BEGIN "block calls\n" CALL("5000000100") STORY_END, HEADER STATE};

	(void)state;
	for (int salvage = 0; salvage < 2; salvage++) {
		struct rewrite w = {.recording = salvage, .salvage = salvage, .out_fd = open("/dev/full", O_WRONLY)};
		struct buf recording = {.data = NULL};
		struct iotap_info info;
		struct reader *reader;

		story_assemble(stories[salvage], &recording);
		reader = reader_new_memory(recording.data, recording.len, "story");
		assert_int_equal(rewrite_open(&w, reader, &info), 0);
		assert_true(rewrite_run(&w, NULL) < 0);
		assert_non_null(strstr(w.err.text, "No space left"));
		rewrite_close(&w);
		reader_free(reader);
		(void)close(w.out_fd);
		buf_free(&recording);
	}
}

/* -- idle inputs -- */

struct idle {
	struct rewrite w;
	int in;
	int result;
};

static void *
idle_run(void *arg)
{
	struct idle *const i = arg;
	struct reader *const reader = reader_new_fd(i->in, "pipe");
	struct iotap_info info;

	i->result = rewrite_open(&i->w, reader, &info);
	if (i->result == 0)
		i->result = rewrite_run(&i->w, NULL);
	rewrite_close(&i->w);
	reader_free(reader);
	return NULL;
}

/* Nobody reads any more, and no event comes that would be written: the next thing that does come tells. */
static void
a_reader_that_left_while_nothing_flows(void **state)
{
	struct buf recording = {.data = NULL};
	struct idle i = {.w = {.pipe = true}};
	uint8_t bytes[4096];
	int in[2], out[2];
	struct pollfd quiet;
	pthread_t thread;

	(void)state;
	(void)signal(SIGPIPE, SIG_IGN);
	story_assemble(STORY_BEGIN, &recording);
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	i.in = in[0];
	i.w.out_fd = out[1];
	quiet = (struct pollfd){.fd = out[0], .events = POLLIN};
	assert_true(io_write_all(in[1], recording.data, recording.len));
	assert_int_equal(pthread_create(&thread, NULL, idle_run, &i), 0);
	while (poll(&quiet, 1, 300) > 0)		/* what there was is here, and it is idle now */
		assert_int_equal(read(out[0], bytes, sizeof(bytes)) > 0, 1);
	(void)close(out[0]);
	(void)write(in[1], recording.data, 1);		/* no block yet */
	(void)pthread_join(thread, NULL);
	assert_int_equal(i.result, IOTAP_EPIPE);
	assert_int_equal(i.w.err.code, IOTAP_EPIPE);
	(void)close(in[0]);
	(void)close(in[1]);
	(void)close(out[1]);
	buf_free(&recording);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_made_up_number_of_requests),
		cmocka_unit_test(requests_without_names),
		cmocka_unit_test(a_beginning_that_is_gone),
		cmocka_unit_test(counters_of_a_part),
		cmocka_unit_test(a_large_block),
		cmocka_unit_test(outputs_that_fail),
		cmocka_unit_test(a_reader_that_left_while_nothing_flows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
