/* no_memory_stories_test.c - decode/ without memory where golden recordings do not lead: odd headers, damage, filters
 *
 * Steps and laws are those of no_memory_test.c.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/json.h"
#include "formats/base/io.h"
#include "formats/block.h"
#include "tests/lib/mend.h"
#include "tests/lib/rewriting.h"
#include "tests/lib/starve.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

/* A recording, what is asked of it, and what it says with memory. */
struct asking {
	struct buf recording, expected;
	struct iotap_filter filter;
	uint32_t columns;		/* of batches; 0 = events and a summary */
	uint32_t rows;			/* of that, at most; 0 = all */
	bool starving;
};

static int
put_event(const struct iotap_event *e, void *arg)
{
	json_event(arg, e);
	return IOTAP_NEXT;
}

static int
put_notice(const struct iotap_notice *n, void *arg)
{
	(void)buf_puts(arg, n->message);
	json_notice(arg, n);
	return IOTAP_NEXT;
}

static int
put_drop(const struct iotap_drop *d, void *arg)
{
	json_drop(arg, d);
	return IOTAP_NEXT;
}

static int
ask_events(iotap_t *h, uint32_t rows, struct buf *out)
{
	const struct iotap_handlers handlers = {
		.size = sizeof(handlers), .event = put_event, .notice = put_notice, .drop = put_drop,
	};
	struct iotap_summary sum;
	int r = iotap_keep_summary(h, rows);

	if (r == 0)
		r = iotap_consume(h, &handlers, out);
	if (r == 0)
		r = iotap_get_summary(h, &sum);
	if (r < 0) {
		assert_non_null(strstr(iotap_errmsg(h), "out of memory"));
		return r;
	}
	json_summary(out, &sum, NULL, NULL);
	return 0;
}

static int
ask_batches(iotap_t *h, uint32_t columns, struct buf *out)
{
	struct iotap_batch b;
	int r;

	while ((r = iotap_next_batch(h, columns, NULL, NULL, &b)) > 0) {
		for (uint32_t i = 0; i < b.n; i++)
			(void)buf_printf(out, "%llu\n", (unsigned long long)b.time_ns[i]);
	}
	return r;
}

static int
asking_step(void *arg)
{
	struct asking *const a = arg;
	const int fd = memfd_create("asking", MFD_CLOEXEC);
	struct buf out = {.data = NULL};
	char why[128] = "";
	iotap_t *h;
	int r = IOTAP_ENOMEM;

	assert_true(io_write_all(fd, a->recording.data, a->recording.len));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	h = iotap_open(fd, "story", &a->filter, why, sizeof(why));
	if (h)
		r = a->columns ? ask_batches(h, a->columns, &out) : ask_events(h, a->rows, &out);
	else
		assert_non_null(strstr(why, "out of memory"));
	if (r == 0 && !buf_ok(&out))
		r = IOTAP_ENOMEM;
	if (r == 0 && a->starving) {
		assert_int_equal(out.len, a->expected.len);
		assert_memory_equal(out.data, a->expected.data, out.len);
	} else if (r == 0) {
		assert_true(buf_put(&a->expected, out.data, out.len));
	}
	buf_free(&out);
	iotap_close(h);
	return r;
}

static void
asking_starve(struct asking a)
{
	assert_int_equal(asking_step(&a), 0);
	assert_true(a.expected.len > 0);
	a.starving = true;
	starve_each(asking_step, &a, IOTAP_ENOMEM);
	buf_free(&a.recording);
	buf_free(&a.expected);
}

static struct asking
asking_of(const char *story)
{
	struct asking a = {.rows = 2};

	story_assemble(story, &a.recording);
	return a;
}

#define HEADER \
	"block header session=1\nhost format_major=1 os=1\n" \
	"clock boot_ns=5000000000 real_ns=1700000000000000000\n"
#define STATE "block state\nclock boot_ns=5000000000 real_ns=1700000000000000000\n"
#define PROCESS "process time_ns=5000000000 pid=10 start_ns=100 how=1 comm=\"prog\"\n"
#define CALLS \
	"block calls\n" \
	"call key=5000000100 duration=1 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result=1\n" \
	"call key=5000000200 duration=1 tid=11 tgid=11 call=sendto flags=fd fd=3 id=2 result=1\n" \
	"call key=5000000300 duration=1 tid=10 tgid=10 call=sendfile flags=fd|second fd=3 fd2=4 id=2 id2=1 result=1\n"
#define TARGETS \
	"target id=1 origin=call kind=file flags=16 text=\"/a\\x1b\"\n" \
	"target id=2 origin=call kind=socket flags=16 family=inet sock_type=1 device=\"e\\x1b\" remote=1.2.3.4\n"

/* Each sort of request has a buffer of its own. */
static void
requests(void **state)
{
	static const char *const lines[] = {
		"request kind=6\n", "request kind=2 text=\"curl\"\n", "request kind=3 text=\"/bin/x\"\n",
		"request kind=10\n", "request kind=5 text=\"www\"\nrequest kind=2 text=\"curl\"\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct buf story = {.data = NULL};
		struct asking a;

		(void)buf_printf(&story, "%s%s%s%s%s", HEADER, lines[i], STATE "block records\n" PROCESS, CALLS,
				 STORY_END);
		a = asking_of(buf_cstr(&story));
		asking_starve(a);
		buf_free(&story);
	}
}

/* Interfaces are remembered where a filter names one that may not be there. */
static void
interfaces(void **state)
{
	static const char *const names[] = {"LO", "lo"};
	struct asking a = asking_of(HEADER STATE "interface netns=1 ifindex=1 name=\"lo\"\n"
				    "interface netns=1 ifindex=2 name=\"eth0\"\n" PROCESS CALLS STORY_END);

	(void)state;
	a.filter = (struct iotap_filter){.interfaces = names, .n_interfaces = 2};
	asking_starve(a);
}

/* Recordings whose parts come in an unusual order. */
static void
beginnings(void **state)
{
	static const char *const stories[] = {
		HEADER CALLS STORY_END,				/* calls are the first to start it */
		HEADER STATE STATE PROCESS CALLS STORY_END,	/* a second state is */
		STATE PROCESS CALLS STORY_END,			/* no header, and a clock */
		HEADER "block records\nnotice time_ns=5000000001 level=1 text=\"x\"\n" STATE STORY_END,
		HEADER "block progress\nprogress time_ns=5000000001\n" STATE CALLS STORY_END,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++)
		asking_starve(asking_of(stories[i]));
}

/* Damage is told of, too: at the beginning, in the middle, within a block whose checksum is right. */
static void
damage(void **state)
{
	static const char story[] = HEADER STATE "block records\n" PROCESS TARGETS CALLS STORY_END;

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct asking a = asking_of(story);

		a.recording.data[story_block_at(&a.recording, i) + BLOCK_HEAD_BYTES + 1] ^= 0x7f;
		asking_starve(a);
	}
	for (int i = 2; i < 4; i++) {
		struct asking a = asking_of(story);

		a.recording.data[story_block_at(&a.recording, i) + BLOCK_HEAD_BYTES + (i == 2)] = 0xff;
		mend(a.recording.data, a.recording.len);
		asking_starve(a);
	}
}

/* Filters gather what is kept of each column that was asked for. */
static void
columns_one_by_one(void **state)
{
	static const uint32_t columns[] = {
		IOTAP_COL_DURATION, IOTAP_COL_CALL, IOTAP_COL_FLAGS, IOTAP_COL_CPU, IOTAP_COL_FD, IOTAP_COL_TARGET,
		IOTAP_COL_REQUESTED, IOTAP_COL_RESULT, IOTAP_COL_OFFSET, IOTAP_COL_SECOND, IOTAP_COL_ARGS,
		IOTAP_COL_ALL,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		struct asking a = asking_of(HEADER STATE "block records\n" PROCESS TARGETS CALLS
					    "block calls\n" STORY_END);

		a.filter = (struct iotap_filter){.pid = 10, .to_ns = 5000000250};
		a.columns = IOTAP_COL_TIME | columns[i];
		asking_starve(a);
	}
}

/* Rows for people: 9 ports of 10 clients each, more than the first room for servers. */
static void
clients_of_servers(void **state)
{
	struct buf story = {.data = NULL}, calls = {.data = NULL};
	struct asking a;

	(void)state;
	(void)buf_puts(&story, HEADER STATE "block records\n" PROCESS);
	for (unsigned int id = 1; id <= 90; id++) {
		(void)buf_printf(&story, "target id=%u origin=call kind=socket flags=16 family=inet sock_type=1 "
				 "local=10.0.0.9 local_port=%u remote=10.0.0.%u remote_port=%u\n", id,
				 80 + (id - 1) / 10, id, 40000 + id);
		(void)buf_printf(&calls, "call key=50000%05u tid=10 tgid=10 call=read id=%u result=10\n", id, id);
	}
	(void)buf_printf(&story, "block calls\n%s" STORY_END, buf_cstr(&calls));
	a = asking_of(buf_cstr(&story));
	a.rows = 0;
	asking_starve(a);
	buf_free(&story);
	buf_free(&calls);
}

/* The ledger of blind spots: 40 processes, which is more than twice its first room. */
static void
processes_with_blind_spots(void **state)
{
	struct buf story = {.data = NULL};

	(void)state;
	(void)buf_puts(&story, HEADER STATE "block records\n" PROCESS "block calls\n");
	for (unsigned int i = 1; i <= 40; i++)
		(void)buf_printf(&story, "call key=50000%05u tid=%u tgid=%u call=read flags=fd%s fd=3 result=1\n",
				 i, i, i, i % 7 == 0 ? "|compat" : "");
	(void)buf_puts(&story, STORY_END);
	asking_starve(asking_of(buf_cstr(&story)));
	buf_free(&story);
}

/* -- writing anew -- */

static void
rewriting(void **state)
{
	static const char *const interfaces[] = {"eth0"};
	static const struct rewriting ways[] = {
		{.salvage = true}, {.hides = true}, {.filter = {.interfaces = interfaces, .n_interfaces = 1}},
		{.filter = {.pid = 10}},
	};
	static const char story[] =
		HEADER "request kind=8 text=\"/x\"\n" STATE
		"interface netns=1 ifindex=2 name=\"eth0\" address=10.0.0.1\n"
		"block records\n" PROCESS TARGETS "exec time_ns=5000000150 pid=10 start_ns=100 path=\"/bin/x\" "
		"arg0=\"x\\x00y\"\nnotice time_ns=5000000160 level=2 text=\"careful\"\n" CALLS STORY_END;

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct rewriting w = ways[i];

		w.fd = memfd_create("written", MFD_CLOEXEC);
		story_assemble(story, &w.recording);
		if (w.salvage) {	/* no header, and no end */
			w.recording.data[0] ^= 1;
			w.recording.len -= 5;
		}
		starve_each(rewriting_step, &w, IOTAP_ENOMEM);
		buf_free(&w.recording);
		(void)close(w.fd);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests),
		cmocka_unit_test(interfaces),
		cmocka_unit_test(beginnings),
		cmocka_unit_test(damage),
		cmocka_unit_test(columns_one_by_one),
		cmocka_unit_test(clients_of_servers),
		cmocka_unit_test(processes_with_blind_spots),
		cmocka_unit_test(rewriting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
