/* cursor_requests_test.c - what the requests of a header make of the start, and how a recording may begin */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/buf.h"
#include "formats/iotap.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

#define HEADER \
	"block header session=1\nhost format_major=1 os=1 arch=x86_64\n" \
	"clock boot_ns=5000000000 real_ns=1700000000000000000\n"
#define STATE "block state\nclock boot_ns=5000000000 real_ns=1700000000000000000\n"

static int
keep_start(const struct iotap_notice *n, void *arg)
{
	if (n->type == IOTAP_NOTICE_START)
		(void)buf_puts(arg, n->message);
	return IOTAP_NEXT;
}

/* The message of the start of a recording with these lines in its header and behind its first state. */
static void
start_of(const char *requests, const char *state, struct buf *message)
{
	const struct iotap_handlers handlers = {.size = sizeof(handlers), .notice = keep_start};
	struct buf story = {.data = NULL};
	iotap_t *h;

	(void)buf_printf(&story, "%s%s%s%s%s", HEADER, requests, STATE, state, STORY_END);
	h = story_open(buf_cstr(&story), NULL);
	assert_int_equal(iotap_consume(h, &handlers, message), 0);
	(void)buf_cstr(message);
	iotap_close(h);
	buf_free(&story);
}

static void
expect_start(const char *requests, const char *state, const char *expected)
{
	struct buf message = {.data = NULL};

	start_of(requests, state, &message);
	assert_string_equal(buf_cstr(&message), expected);
	buf_free(&message);
}

static void
whose_processes(void **state)
{
	(void)state;
	expect_start("request kind=6\n", "", "every process of the machine");
	expect_start("request kind=5 text=\"www\"\nrequest kind=4 text=\"/a\"\nrequest kind=6\n", "",
		     "every process of user \"www\", of cgroup \"/a\", of the machine");
	expect_start("request kind=5 text=\"www\"\nrequest kind=2 text=\"curl\"\nrequest kind=2 text=\"\\x1b\"\n", "",
		     "every process of user \"www\", and those named \"curl\" or \"?\"");
}

/* Long ones are cut between characters; of what is none nothing is shown. */
static void
long_ones_are_cut(void **state)
{
	struct buf request = {.data = NULL}, expected = {.data = NULL};

	(void)state;
	(void)buf_puts(&request, "request kind=5 text=\"a");
	(void)buf_puts(&expected, "every process of user \"a");
	for (int i = 0; i < 40; i++)
		(void)buf_puts(&request, "\xc3\xa4");
	for (int i = 0; i < 31; i++)
		(void)buf_puts(&expected, "\xc3\xa4");
	(void)buf_puts(&request, "\"\n");
	(void)buf_puts(&expected, "\"");
	expect_start(buf_cstr(&request), "", buf_cstr(&expected));
	buf_clear(&request);
	(void)buf_puts(&request, "request kind=5 text=\"");
	for (int i = 0; i < 70; i++)
		(void)buf_puts(&request, "\\x80");
	(void)buf_puts(&request, "\"\n");
	expect_start(buf_cstr(&request), "", "every process of user \"\"");
	buf_free(&request);
	buf_free(&expected);
}

/* However many there are, the line has an end. */
static void
many_have_an_end(void **state)
{
	static const int kinds[] = {2, 5};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct buf requests = {.data = NULL}, message = {.data = NULL};

		for (int i = 0; i < 500; i++)
			(void)buf_printf(&requests, "request kind=%d text=\"a name of some length, number %d\"\n",
					 kinds[k], i);
		start_of(buf_cstr(&requests), "", &message);
		assert_in_range(message.len, 1000, 1200);
		assert_non_null(strstr(buf_cstr(&message), "number 20"));
		assert_null(strstr(buf_cstr(&message), "number 30"));
		buf_free(&requests);
		buf_free(&message);
	}
}

/* The command is called what it was asked for as, before its first exec; of several the first one. */
static void
the_command_has_the_name_it_was_asked_for_as(void **state)
{
	(void)state;
	expect_start("request kind=3 pid=10 text=\"/opt/tool\"\nrequest kind=3 pid=10 text=\"other\"\n",
		     "process time_ns=5000000000 pid=10 start_ns=100 how=3 comm=\"iotap-capture\"\n", "10 (tool)");
	/* Restated: it has run something since then. */
	expect_start("request kind=3 pid=10 text=\"/opt/tool\"\n",
		     "process time_ns=5000000000 pid=10 start_ns=100 how=3 restated=1 comm=\"later\"\n",
		     "10 (later)");
	expect_start("", "process time_ns=5000000000 pid=10 start_ns=100 how=3 comm=\"copy\"\n", "10 (copy)");
}

/* A recording that lost its header is read by what its states say; one whose state says no time has none. */
static void
without_a_header(void **state)
{
	static const struct {
		const char *story;
		uint64_t start_ns;
	} rows[] = {
		{STATE STORY_END, UINT64_C(1700000000000000000)},
		{"block state session=1\nprocess time_ns=5 pid=10 start_ns=100 how=1 comm=\"p\"\n"
		 "clock boot_ns=5000000000 real_ns=1700000000000000000\n" STORY_END, UINT64_C(1700000000000000000)},
		{"block state session=1\nprocess time_ns=5 pid=10 start_ns=100 how=1 comm=\"p\"\n" STORY_END, 0},
		{"block records session=1\nprocess time_ns=5 pid=10 start_ns=100 how=1 comm=\"p\"\n" STORY_END, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct iotap_handlers none = {.size = sizeof(none)};
		iotap_t *const h = story_open(rows[i].story, NULL);
		struct iotap_info info;

		iotap_get_info(h, &info);
		assert_true(info.start_time_ns == rows[i].start_ns);
		assert_string_equal(info.tool, "");
		assert_int_equal(iotap_consume(h, &none, NULL), 0);
		iotap_close(h);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whose_processes),
		cmocka_unit_test(long_ones_are_cut),
		cmocka_unit_test(many_have_an_end),
		cmocka_unit_test(the_command_has_the_name_it_was_asked_for_as),
		cmocka_unit_test(without_a_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
