/* inputs_test.c - decode/handle.c, consume.c: several inputs, of which sort and when; readers that are idle */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/base/buf.h"
#include "formats/base/io.h"
#include "formats/iotap.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

/* A recording that begins at a time, with one call a microsecond later and its end behind it. */
static void
story_at(struct buf *story, unsigned long long start, const char *header, const char *records)
{
	buf_clear(story);
	(void)buf_printf(story, "block header session=%llu\nhost format_major=1 os=1 arch=x86_64 boot_id=\"b\" %s\n"
			 "block state\nclock boot_ns=%llu real_ns=%llu\n"
			 "block records\nprocess time_ns=%llu pid=10 start_ns=100 how=1 comm=\"prog\"\n%s"
			 "block calls\ncall key=%llu tid=10 tgid=10 call=read flags=fd fd=%llu result=1\n"
			 "block end\nend time_ns=%llu reason=1\n",
			 start, header, start, start, start, records, start + 1000, start % 1000, start + 2000);
}

/* What is behind a descriptor that cannot be sought in. */
static int
pipe_of(const char *story)
{
	struct buf recording = {.data = NULL};
	int fds[2];

	story_assemble(story, &recording);
	assert_int_equal(pipe(fds), 0);
	assert_true(io_write_all(fds[1], recording.data, recording.len));
	(void)close(fds[1]);
	buf_free(&recording);
	return fds[0];
}

static iotap_t *
open_stories(const int *fds, size_t n)
{
	static const char *const names[] = {"one", "two", "three"};
	char why[200] = "";
	iotap_t *const h = iotap_open_many(fds, names, n, NULL, why, sizeof(why));

	if (!h)
		fail_msg("%s", why);
	return h;
}

static int
put_fd(const struct iotap_event *e, void *arg)
{
	(void)buf_printf(arg, "%d ", e->fd);
	return IOTAP_NEXT;
}

/* Whichever comes first, and whichever of them begin at once: calls come in the order of time. */
static void
three_in_every_order(void **state)
{
	static const struct {
		unsigned long long at[3];
		const char *order;
	} rows[] = {
		{{5000000001, 5000100002, 5000200003}, "1 2 3 "},
		{{5000200003, 5000100002, 5000000001}, "1 2 3 "},
		{{5000100002, 5000200003, 5000000001}, "1 2 3 "},
		{{5000100001, 5000100001, 5000000002}, "2 1 1 "},
		{{5000000001, 5000100002, 5000100002}, "1 2 2 "},
	};
	struct buf story = {.data = NULL};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct iotap_handlers handlers = {.size = sizeof(handlers), .event = put_fd};
		struct buf order = {.data = NULL};
		int fds[3];
		iotap_t *h;

		for (size_t k = 0; k < 3; k++) {
			story_at(&story, rows[i].at[k], "", "");
			fds[k] = k == 1 ? pipe_of(buf_cstr(&story)) : story_fd(buf_cstr(&story));
		}
		h = open_stories(fds, 3);
		assert_int_equal(iotap_consume(h, &handlers, &order), 0);
		assert_string_equal(buf_cstr(&order), rows[i].order);
		iotap_close(h);
		buf_free(&order);
	}
	buf_free(&story);
}

/* A filter's times are of the first machine's boot clock. What another did before that one booted is before
 * all of them, and no late call of it. */
static void
a_machine_that_ran_before_the_first_booted(void **state)
{
	static const char *const names[] = {"late", "early"};
	const struct iotap_handlers handlers = {.size = sizeof(handlers), .event = put_fd};
	const struct iotap_filter after = {.from_ns = 1, .to_ns = UINT64_MAX};
	struct buf late = {.data = NULL}, early = {.data = NULL}, order = {.data = NULL};
	char why[200] = "";
	int fds[2];
	iotap_t *h;

	(void)state;
	(void)buf_puts(&late, "block header session=1\nhost format_major=1 os=1 arch=x86_64 boot_id=\"l\"\n"
		       "clock boot_ns=1000 real_ns=9000000002000\n"
		       "block state\nclock boot_ns=1000 real_ns=9000000002000\n"
		       "block calls\ncall key=2000 tid=10 tgid=10 call=read flags=fd fd=7 result=1\n" STORY_END);
	story_at(&early, 5000000001, "", "");
	fds[0] = story_fd(buf_cstr(&late));
	fds[1] = story_fd(buf_cstr(&early));
	h = iotap_open_many(fds, names, 2, &after, why, sizeof(why));
	assert_non_null(h);
	assert_int_equal(iotap_consume(h, &handlers, &order), 0);
	assert_string_equal(buf_cstr(&order), "7 ");
	iotap_close(h);
	buf_free(&late);
	buf_free(&early);
	buf_free(&order);
}

/* Files are the same by device and inode: two pipes never are, nor is a file on another device. */
static void
what_is_the_same_file(void **state)
{
	static const char *const names[] = {"one", "two", "three"};
	struct buf story[3] = {{.data = NULL}}, recording = {.data = NULL};
	FILE *const file = tmpfile();
	char why[200];
	int fds[3];
	iotap_t *h;

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		story_at(&story[i], 5000000001 + i, "", "");
	story_assemble(buf_cstr(&story[1]), &recording);
	assert_non_null(file);
	assert_true(io_write_all(fileno(file), recording.data, recording.len));
	for (int twice = 0; twice < 2; twice++) {
		fds[0] = pipe_of(buf_cstr(&story[0]));
		fds[1] = dup(fileno(file));
		fds[2] = twice ? dup(fileno(file)) : story_fd(buf_cstr(&story[2]));
		assert_int_equal(lseek(fds[1], 0, SEEK_SET), 0);
		h = iotap_open_many(fds, names, 3, NULL, why, sizeof(why));
		assert_true((h != NULL) == !twice);
		if (h)
			iotap_close(h);
		else
			assert_non_null(strstr(why, "three: is the same file as two"));
	}
	(void)fclose(file);
	for (unsigned int i = 0; i < 3; i++)
		buf_free(&story[i]);
	buf_free(&recording);
}

static void
summary_of(const char *header1, const char *requests, const char *header2, struct iotap_summary *s, char text[200])
{
	const struct iotap_handlers none = {.size = sizeof(none)};
	struct buf story = {.data = NULL};
	int fds[2];
	iotap_t *h;

	story_at(&story, 5000000001, header1, requests);
	fds[0] = story_fd(buf_cstr(&story));
	story_at(&story, 5000000002, header2, "");
	fds[1] = story_fd(buf_cstr(&story));
	h = open_stories(fds, 2);
	assert_int_equal(iotap_keep_summary(h, 0), 0);
	assert_int_equal(iotap_consume(h, &none, NULL), 0);
	assert_int_equal(iotap_get_summary(h, s), 0);
	(void)snprintf(text, 200, "%s", s->selection ? s->selection : "");
	iotap_close(h);
	buf_free(&story);
}

/* Latencies are missing where none of the inputs has any; the first selection is what is said. */
static void
what_a_summary_of_two_says(void **state)
{
	struct iotap_summary s;
	char selection[200];

	(void)state;
	summary_of("flags=8", "", "flags=8", &s, selection);
	assert_true(s.no_latency);
	assert_string_equal(selection, "");
	summary_of("flags=8", "", "", &s, selection);
	assert_false(s.no_latency);
	summary_of("\nrequest kind=10", "", "\nrequest kind=9 text=\"10ms\"", &s, selection);
	assert_string_equal(selection, "--failed");
	summary_of("", "", "\nrequest kind=9 text=\"10ms\"", &s, selection);
	assert_string_equal(selection, "--min-latency 10ms");
}

#define SUM "aggregate level=1 pid=10 call=write id=1 calls=5 bytes=5 first_ns=5000000001 last_ns=5000000002\n"

static int
count(const struct iotap_aggregate *a, void *arg)
{
	*(uint64_t *)arg += a->calls;
	return IOTAP_NEXT;
}

/* Who asks for batches, or was made for an earlier version of the library, is told of no sums. */
static void
who_is_told_of_sums(void **state)
{
	const struct iotap_handlers now = {.size = sizeof(now), .aggregate = count};
	const struct iotap_handlers earlier = {.size = offsetof(struct iotap_handlers, aggregate), .aggregate = count};
	const struct iotap_handlers *const handlers[] = {&now, &earlier, NULL};
	static const uint64_t told[] = {5, 0, 0};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		iotap_t *const h = story_open(STORY_BEGIN SUM STORY_END, NULL);
		struct iotap_summary s;
		struct iotap_batch b;
		uint64_t n = 0;

		assert_int_equal(iotap_keep_summary(h, 0), 0);
		if (handlers[i])
			assert_int_equal(iotap_consume(h, handlers[i], &n), 0);
		else
			assert_int_equal(iotap_next_batch(h, 0, NULL, &n, &b), 0);
		assert_true(n == told[i]);
		assert_int_equal(iotap_get_summary(h, &s), 0);
		assert_int_equal(s.aggregated_calls, 5);
		iotap_close(h);
	}
}

static int
say(void *arg)
{
	return *(const int *)arg;
}

/* While a pipe is idle the reader is asked; it can end the reading, or call it off. */
static void
an_idle_pipe(void **state)
{
	static const int answers[] = {IOTAP_STOP, IOTAP_ABORT, 42};
	static const int results[] = {0, IOTAP_EABORT, IOTAP_EUSAGE};
	struct buf recording = {.data = NULL};

	(void)state;
	story_assemble(STORY_BEGIN, &recording);
	for (size_t i = 0; i < 3; i++) {
		const struct iotap_handlers handlers = {.size = sizeof(handlers), .idle = say};
		int answer = answers[i];
		int fds[2];
		iotap_t *h;

		assert_int_equal(pipe(fds), 0);
		assert_true(io_write_all(fds[1], recording.data, recording.len));
		h = open_stories(&fds[0], 1);
		assert_int_equal(iotap_consume(h, &handlers, &answer), results[i]);
		assert_int_equal(iotap_errno(h), results[i]);
		(void)close(fds[1]);
		iotap_close(h);
	}
	buf_free(&recording);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_in_every_order),
		cmocka_unit_test(a_machine_that_ran_before_the_first_booted),
		cmocka_unit_test(what_is_the_same_file),
		cmocka_unit_test(what_a_summary_of_two_says),
		cmocka_unit_test(who_is_told_of_sums),
		cmocka_unit_test(an_idle_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
