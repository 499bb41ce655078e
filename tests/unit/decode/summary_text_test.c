/* summary_text_test.c - iotap_summary_text: the summary for people, from recordings written as text */
#include <stdlib.h>
#include <string.h>

#include "formats/iotap.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

static char *
summary(const char *story, const struct iotap_filter *filter, unsigned int top, unsigned int show)
{
	const struct iotap_handlers none = {.size = sizeof(none)};
	iotap_t *const h = story_open(story, filter);
	char *text;

	assert_int_equal(iotap_keep_summary(h, 0), 0);
	assert_int_equal(iotap_consume(h, &none, NULL), 0);
	text = iotap_summary_text(h, top, show);
	assert_non_null(text);
	iotap_close(h);
	return text;
}

static void
expect(const char *story, unsigned int top, unsigned int show, const char *piece, const char *not_there)
{
	char *const text = summary(story, NULL, top, show);

	if (piece && !strstr(text, piece))
		fail_msg("no \"%s\" in %s", piece, text);
	if (not_there && strstr(text, not_there))
		fail_msg("\"%s\" in %s", not_there, text);
	free(text);
}

#define TARGETS \
	"target id=1 origin=call kind=file flags=16 text=\"/a\"\n" \
	"target id=2 origin=call kind=file flags=16 text=\"/b\\x1b[2J\"\n" \
	"target id=3 origin=call kind=socket flags=16 family=inet sock_type=1 device=\"eth0\" " \
	"remote=10.0.0.1 remote_port=80\n" \
	"target id=4 origin=call kind=pipe\n"
#define CALLS \
	"block calls\n" \
	"call key=5000000100 duration=10 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result=2048\n" \
	"call key=5000000101 duration=10 tid=10 tgid=10 call=write flags=fd fd=3 id=2 result=1\n" \
	"call key=5000000102 duration=10 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result=-5\n" \
	"call key=5000000103 duration=10 tid=10 tgid=10 call=sendto flags=fd fd=4 id=3 result=3\n"
#define PIPE "call key=5000000104 duration=10 tid=10 tgid=10 call=write flags=fd fd=5 id=4 result=4\n"
#define CLOSE "call key=5000000105 duration=1000 tid=10 tgid=10 call=close flags=fd fd=5 id=4 result=-9\n"

/* situation: 71, 118 */
static void
a_whole_one(void **state)
{
	char *const text = summary(STORY_BEGIN TARGETS CALLS STORY_END, NULL, 0, 0);

	(void)state;
	assert_string_equal(text,
		"\niotap summary: 10 (prog) traced for 4.0 s\n"
		"\nFiles (2 targets)\n"
		"        READ    CALLS     WRITTEN    CALLS  FAILED  TARGET\n"
		"     2.0 KiB        2         0 B        0       1  /a\n"
		"         0 B        0         1 B        1       0  /b?[2J\n"
		"\nNetwork (1 target)\n"
		"    RECEIVED    CALLS        SENT    CALLS  FAILED  TARGET\n"
		"         0 B        0         3 B        1       0  tcp 10.0.0.1:80\n"
		"\nTotals\n"
		"  files    read 2.0 KiB (2 calls), written 1 B (1 call)\n"
		"  network  received 0 B (0 calls), sent 3 B (1 call)\n"
		"    eth0   received 0 B (0 calls), sent 3 B (1 call)\n"
		"  4 calls, 1 failed\n");
	free(text);
}

static void
what_is_shown(void **state)
{
	(void)state;
	expect(STORY_BEGIN TARGETS CALLS STORY_END, 1, 0, "/a\n  and 1 more target\n", "/b");
	expect(STORY_BEGIN TARGETS CALLS STORY_END, 2, 0, "/b", "more target");
	expect(STORY_BEGIN TARGETS CALLS STORY_END, 0, IOTAP_SHOW_FILES, "Files (2", "etwork");
	expect(STORY_BEGIN TARGETS CALLS STORY_END, 0, IOTAP_SHOW_NETWORK, "Network (1", "iles");
	expect(STORY_BEGIN TARGETS CALLS PIPE STORY_END, 0, 0, "Other descriptors (1 target)", NULL);
	expect(STORY_BEGIN TARGETS CALLS PIPE STORY_END, 0, IOTAP_SHOW_FILES, "  other    read", "Other descriptors");
	expect(STORY_BEGIN STORY_END, 0, 0, "\nFiles: none\n\nNetwork: none\n", "CALLS");
}

/* Calls that move no data have a table of their own, and no row where data is. */
static void
ops(void **state)
{
	(void)state;
	expect(STORY_BEGIN TARGETS CALLS CLOSE STORY_END, 0, IOTAP_SHOW_OPS,
	       "\nOther calls (1 call)\n       CALLS   FAILED        LATENCY  CALL\n"
	       "           1        1       0.001 ms  close\n", "<pipe>");
	expect(STORY_BEGIN TARGETS CALLS CLOSE STORY_END, 0, 0, "4 calls, 1 failed", "Other calls");
	expect(STORY_BEGIN TARGETS CALLS STORY_END, 0, IOTAP_SHOW_OPS, "Other calls: none", NULL);
}

/* situation: 119 */
static void
a_filter_for_interfaces_leaves_files_out(void **state)
{
	static const char *const eth0[] = {"eth0"};
	char *const text = summary(STORY_BEGIN TARGETS CALLS STORY_END,
				   &(struct iotap_filter){.interfaces = eth0, .n_interfaces = 1}, 0, 0);

	(void)state;
	assert_non_null(strstr(text, "Network (1 target)"));
	assert_null(strstr(text, "iles"));
	free(text);
}

/* Nothing that is missing is left out in silence. */
/* situation: 73 */
static void
what_is_missing_is_said(void **state)
{
	(void)state;
	expect(STORY_BEGIN TARGETS CALLS, 0, 0, "  the recording ends abruptly\n", NULL);
	expect(STORY_BEGIN TARGETS CALLS STORY_END, 0, 0, NULL, "abruptly");
	expect(STORY_BEGIN "loss from_ns=5000000001 until_ns=5000000002 count=2 cause=3\n" STORY_END, 0, 0,
	       "  2 calls lost: the totals are incomplete\n", NULL);
	expect(STORY_BEGIN TARGETS
	       "aggregate level=1 pid=10 call=1 id=1 calls=5 bytes=50 first_ns=5000000001 last_ns=5000000002\n"
	       STORY_END, 0, 0,
	       "  5 calls counted while the kernel buffer was full, without a line each; try a larger --buffer\n",
	       "target unknown");
	expect(STORY_BEGIN
	       "aggregate level=2 pid=10 call=1 calls=1 bytes=50 first_ns=5000000001 last_ns=5000000002\n"
	       STORY_END, 0, 0, "without a line each; target unknown for 1 call; try", NULL);
	expect(STORY_BEGIN "untraced time_ns=5000000001 pid=11 parent=10 reason=1\n" STORY_END, 0, 0,
	       "  1 child process ended before it could be traced\n", "not traced");
	expect(STORY_BEGIN "block calls\n"
	       "call key=5000000100 tid=10 tgid=10 call=read flags=unfinished\n"
	       "call key=5000000101 tid=10 tgid=10 call=read flags=before result=1\n"
	       "call key=5000000102 duration=1 tid=10 tgid=10 call=read flags=phantom result=1\n"
	       "call key=5000000103 duration=1 tid=10 tgid=10 call=read flags=compat result=1\n"
	       STORY_END, 0, 0,
	       "  1 call began before tracing: latency unknown\n"
	       "  1 call not finished when tracing stopped\n"
	       "  1 call returned without having been made (seccomp, a debugger): no bytes counted\n"
	       "  1 call by 32-bit programs\n", "lost");
}

/* At most ten processes are named, and their names cannot reach the terminal as they are. */
/* situation: 117 */
static void
processes_in_the_heading(void **state)
{
	struct buf story = {.data = NULL};

	(void)state;
	(void)buf_puts(&story, STORY_BEGIN);
	for (int i = 11; i < 22; i++)
		(void)buf_printf(&story, "process time_ns=5000000000 pid=%d start_ns=100 how=1 "
				 "comm=\"\\x1b%d\"\n", i, i);
	(void)buf_puts(&story, STORY_END);
	expect(buf_cstr(&story), 0, 0, ": 10 (prog), 11 (?11), ", "\x1b");
	expect(buf_cstr(&story), 0, 0, "19 (?19) and 2 more traced for", "20 (");
	buf_free(&story);
	expect("block header session=1\nhost format_major=1 os=1 arch=x86_64\nblock state\nblock end\n"
	       "end time_ns=1 reason=1\n", 0, 0, "iotap summary: no process traced for 0.0 s", NULL);
}

/* A row may have more than one remark behind it. */
static void
remarks(void **state)
{
	(void)state;
	expect(STORY_BEGIN
	       "target id=1 kind=socket family=inet sock_type=1 local=10.0.0.9 local_port=1 "
	       "remote=10.0.0.1 remote_port=80\n"
	       "target id=2 kind=socket family=inet sock_type=1 local=10.0.0.9 local_port=2 "
	       "remote=10.0.0.1 remote_port=80\n"
	       "block calls\n"
	       "call key=5000000100 duration=10 tid=10 tgid=10 call=sendmmsg flags=fd fd=3 id=1 result=2\n"
	       "call key=5000000101 duration=10 tid=10 tgid=10 call=sendmmsg flags=fd fd=4 id=2 result=3\n"
	       "block records\n"
	       "aggregate level=1 pid=10 call=sendmmsg id=1 calls=5 errors=2 first_ns=1 last_ns=5000000001\n"
	       STORY_END, 0, 0, "(2 connections, 5 messages, 3 calls of unknown size)\n", NULL);
}

#define MAPPED(pid, ino) \
	"mapped pid=" #pid " dev=5 ino=" #ino " generation=1 in_by_faults=4096 last_ns=5000000001\n"

static void
mapped_files_that_are_many(void **state)
{
	(void)state;
	expect(STORY_BEGIN MAPPED(1, 1) MAPPED(1, 2) MAPPED(1, 3) STORY_END, 2, 0, "  and 1 more\n", "inode 3>");
	expect(STORY_BEGIN MAPPED(1, 1) MAPPED(1, 2) MAPPED(1, 3) STORY_END, 3, 0, "Mapped files (3 files", " more\n");
	expect(STORY_BEGIN MAPPED(1, 1) MAPPED(1, 2) MAPPED(1, 3) STORY_END, 0, 0, "inode 3>", " more\n");
}

/* What was left out by a filter of capture's, and what nobody measured. */
static void
what_was_not_recorded(void **state)
{
#define BEGIN(lines) \
	"block header session=1\nhost format_major=1 os=1 flags=8\nclock boot_ns=5000000000 real_ns=1\n" lines \
	"block state\nclock boot_ns=5000000000 real_ns=1\nblock records\n" TARGETS
#define FILTERED(of, claimed) \
	"block end\ncounters final=1 values=[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0," #of "," #claimed "]\n" \
	"end time_ns=9000000000 reason=1\n"
	(void)state;
	expect(BEGIN("request kind=8 text=\"/a*\"\n") CALLS FILTERED(0, 0), 0, 0,
	       "  of a selection only: --path /a*\n", "left out");
	expect(BEGIN("request kind=8 text=\"/a*\"\n") CALLS FILTERED(7, 0), 0, 0,
	       "  of a selection only: --path /a*; 7 calls left out\n", "claimed");
	expect(BEGIN("request kind=8 text=\"/a*\"\n") CALLS FILTERED(7, 2), 0, 0,
	       "; 7 calls left out, 2 of them for a path that is only claimed\n", NULL);
	expect(BEGIN("") CALLS CLOSE FILTERED(0, 0), 0, 0, "  latency not recorded (--no-latency)\n", "selection");
	expect(BEGIN("") CALLS CLOSE FILTERED(0, 0), 0, IOTAP_SHOW_OPS,
	       "           1        1              -  close\n", NULL);
}

/* A summary of the network alone has no table of other descriptors. */
static void
others_only_with_everything(void **state)
{
	(void)state;
	expect(STORY_BEGIN TARGETS CALLS PIPE STORY_END, 0, IOTAP_SHOW_NETWORK, "Network (1", "Other descriptors");
	expect(STORY_BEGIN TARGETS CALLS PIPE STORY_END, 0, IOTAP_SHOW_FILES | IOTAP_SHOW_NETWORK, "Other descriptors",
	       NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_one),
		cmocka_unit_test(what_is_shown),
		cmocka_unit_test(ops),
		cmocka_unit_test(a_filter_for_interfaces_leaves_files_out),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(processes_in_the_heading),
		cmocka_unit_test(remarks),
		cmocka_unit_test(mapped_files_that_are_many),
		cmocka_unit_test(what_was_not_recorded),
		cmocka_unit_test(others_only_with_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
