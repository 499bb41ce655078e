/* explain_test.c - decode/explain.h: where the name of a call's target comes from, in words */
#include "decode/explain.h"

#include <string.h>

#include "tests/lib/story.h"
#include "tests/lib/unit.h"

static int
explain(const struct iotap_event *e, void *arg)
{
	explain_event(arg, e);
	return IOTAP_NEXT;
}

/* Of one call, its target described by these lines. */
static void
expect(const char *lines, const char *there, const char *not_there)
{
	const struct iotap_handlers handlers = {.size = sizeof(handlers), .event = explain};
	struct buf story = {.data = NULL}, out = {.data = NULL};
	iotap_t *h;

	(void)buf_printf(&story, "%s%s%s", STORY_BEGIN, lines, STORY_END);
	h = story_open(buf_cstr(&story), NULL);
	assert_int_equal(iotap_consume(h, &handlers, &out), 0);
	if (!strstr(buf_cstr(&out), there) || (not_there && strstr(buf_cstr(&out), not_there)))
		fail_msg("no \"%s\", or \"%s\", in:\n%s", there, not_there ? not_there : "", buf_cstr(&out));
	iotap_close(h);
	buf_free(&story);
	buf_free(&out);
}

#define READ "block calls\ncall key=5000000100 duration=10 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result=1\n"
#define FILE_ON(text, claimed) \
	"target id=1 origin=call kind=file flags=16 text=\"" text "\" claimed=\"" claimed "\"\n" READ

/* What the process said is only rejected when it said something else. */
static void
what_was_claimed(void **state)
{
	(void)state;
	expect(FILE_ON("/a", "/a"), "call 0: read by 10 (prog)", "rejected");
	expect(FILE_ON("/a", "/b"), "rejected   \"/b\": what the process asked for", NULL);
	expect(FILE_ON("/a/b", "b"), "rejected   \"b\"", NULL);
	expect("target id=1 origin=claim kind=file claimed=\"b\"\n" READ, "b", "rejected");
}

static void
what_became_of_it(void **state)
{
	(void)state;
	expect("target id=1 kind=socket family=inet sock_type=1\n"
	       "block calls\ncall key=5000000100 duration=10 tid=10 tgid=10 call=connect flags=fd fd=3 id=1 "
	       "result=-115\n", "goes on in the background (EINPROGRESS)", "failed");
	expect("target id=1 kind=socket family=inet sock_type=1\n"
	       "block calls\ncall key=5000000100 duration=10 tid=10 tgid=10 call=connect flags=fd fd=3 id=1 "
	       "result=-111\n", "failed with ECONNREFUSED", "background");
	expect(FILE_ON("/a", ""), "returned 1", "failed");
}

static void
the_interface(void **state)
{
	(void)state;
	expect("target id=1 kind=socket family=inet sock_type=1\n" READ,
	       "interface  cannot be told: the socket had no route", NULL);
	expect("target id=1 kind=socket family=inet sock_type=1 device=\"eth0\"\n" READ, "tcp ?", "cannot be told");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_claimed),
		cmocka_unit_test(what_became_of_it),
		cmocka_unit_test(the_interface),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
