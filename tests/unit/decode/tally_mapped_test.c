/* tally_mapped_test.c - sums of mapped files and shared mappings, by way of formats/iotap.h */
#include "formats/iotap.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/story.h"
#include "tests/lib/unit.h"

static iotap_t *
read_all(const char *story, const struct iotap_filter *filter, struct iotap_summary *s)
{
	const struct iotap_handlers none = {.size = sizeof(none)};
	iotap_t *const h = story_open(story, filter);

	assert_int_equal(iotap_keep_summary(h, 0), 0);
	assert_int_equal(iotap_consume(h, &none, NULL), 0);
	assert_int_equal(iotap_get_summary(h, s), 0);
	return h;
}

#define MAPPED(pid, ino, id, in, dirty, by_calls) \
	"mapped pid=" #pid " dev=5 ino=" #ino " generation=1 id=" #id " in_by_faults=" #in \
	" dirty_by_faults=" #dirty " in_by_calls=" #by_calls " first_ns=5000000001 last_ns=5000000009\n"

static void
the_last_one_of_a_key_counts(void **state)
{
	struct iotap_summary s;
	iotap_t *const h = read_all(STORY_BEGIN
		"target id=1 origin=call kind=file flags=16 text=\"/a\"\n"
		MAPPED(10, 77, 1, 4096, 0, 0)
		MAPPED(10, 78, 0, 8192, 4096, 0)
		MAPPED(10, 79, 0, 0, 0, 4096)
		MAPPED(11, 77, 1, 0, 0, 0)
		MAPPED(10, 77, 1, 16384, 8192, 4096)
		STORY_END, NULL, &s);

	(void)state;
	assert_int_equal(s.n_mapped, 3);	/* where nothing moved there is no row */
	assert_string_equal(s.mapped[0].target->text, "/a");
	assert_int_equal(s.mapped[0].pid, 10);
	assert_int_equal(s.mapped[0].in_by_faults, 16384);
	assert_int_equal(s.mapped[0].dirty_by_faults, 8192);
	assert_int_equal(s.mapped[0].in_by_calls, 4096);
	assert_true(s.mapped[0].named);
	assert_false(s.mapped[1].named);
	assert_non_null(strstr(s.mapped[1].target->text, "inode 78"));
	assert_int_equal(s.mapped[2].in_by_calls, 4096);
	assert_true(s.read[IOTAP_CLASS_FILE].bytes == 0 && s.n_rows == 0);	/* no part of the totals */
	iotap_close(h);
}

static void
a_filter_is_for_them_too(void **state)
{
	const struct iotap_filter filter = {.pid = 11, .to_ns = UINT64_MAX};
	struct iotap_summary s;
	iotap_t *const h = read_all(STORY_BEGIN MAPPED(10, 77, 0, 4096, 0, 0) MAPPED(11, 77, 0, 8192, 0, 0)
				    STORY_END, &filter, &s);

	(void)state;
	assert_int_equal(s.n_mapped, 1);
	assert_int_equal(s.mapped[0].in_by_faults, 8192);
	iotap_close(h);
}

/* What the state of a later file of a series says again was before it. */
static void
a_later_file_begins_from_its_state(void **state)
{
	struct iotap_summary s;
	iotap_t *const h = read_all(
		"block header session=1\nhost format_major=1 os=1\nclock boot_ns=5000000000 real_ns=1\n"
		"block state\nclock boot_ns=5000000000 real_ns=1\n"
		MAPPED(10, 77, 0, 4096, 0, 0)
		"block records\n"
		MAPPED(10, 77, 0, 12288, 0, 0)
		"block end\nend time_ns=9000000000 reason=1\n", NULL, &s);

	(void)state;
	assert_int_equal(s.n_mapped, 1);
	assert_int_equal(s.mapped[0].in_by_faults, 8192);
	iotap_close(h);
}

#define MMAP(prot, flags, result) \
	"call key=5000000100 tid=10 tgid=10 call=mmap flags=fd|args fd=3 id=1 requested=4096 result=" #result \
	" arg0=" #prot " arg1=" #flags "\n"

static void
shared_mappings(const char *begin, size_t rows, uint64_t mappings)
{
	char story[4096];
	struct iotap_summary s;
	iotap_t *h;

	(void)snprintf(story, sizeof(story), "%s%s", begin,
		       "target id=1 origin=call kind=file flags=16 text=\"/a\"\nblock calls\n"
		       MMAP(3, 1, 4096) MMAP(3, 3, 8192) MMAP(3, 2, 4096) MMAP(1, 1, 4096) MMAP(3, 1, -13)
		       STORY_END);
	h = read_all(story, NULL, &s);
	assert_int_equal(s.n_shared_mappings, rows);
	if (rows > 0) {
		assert_int_equal(s.shared_mappings[0].pid, 10);
		assert_int_equal(s.shared_mappings[0].mappings, mappings);
	}
	iotap_close(h);
}

static void
shared_writable_ones_are_a_blind_spot(void **state)
{
	(void)state;
	shared_mappings(STORY_BEGIN, 1, 2);
	shared_mappings("block header session=1\nhost format_major=1 os=1 sets=4\nclock boot_ns=5000000000 real_ns=1\n"
			"block state\nclock boot_ns=5000000000 real_ns=1\nblock records\n", 0, 0);
}

/* More than there is room for at first; equal sums are in the order of the pids. */
static void
many_rows(void **state)
{
	struct buf story = {.data = NULL};
	struct iotap_summary s;
	iotap_t *h;

	(void)state;
	(void)buf_puts(&story, STORY_BEGIN);
	for (int i = 300; i > 0; i--)
		(void)buf_printf(&story, "mapped pid=%d dev=5 ino=77 generation=1 in_by_faults=4096 last_ns=9\n", i);
	for (int i = 1; i <= 300; i++)
		(void)buf_printf(&story, "aggregate level=2 pid=%d call=read calls=1 bytes=2 first_ns=5000000001 "
				 "last_ns=5000000001\n", i);
	(void)buf_puts(&story, STORY_END);
	h = read_all(buf_cstr(&story), NULL, &s);
	assert_int_equal(s.n_mapped, 300);
	for (uint32_t i = 0; i < 300; i++)
		assert_int_equal(s.mapped[i].pid, i + 1);
	assert_int_equal(s.aggregated_calls, 300);
	assert_int_equal(s.read[IOTAP_CLASS_OTHER].bytes, 600);
	iotap_close(h);
	buf_free(&story);
}

/* 256 processes have a row; of those beyond the mappings are counted. */
static void
shared_mappings_of_many(void **state)
{
	struct buf story = {.data = NULL};
	struct iotap_summary s;
	iotap_t *h;

	(void)state;
	(void)buf_puts(&story, STORY_BEGIN "target id=1 origin=call kind=file flags=16 text=\"/a\"\nblock calls\n");
	for (int i = 1; i <= 260; i++)
		(void)buf_printf(&story, "call key=%d tid=%d tgid=%d call=mmap flags=fd|args fd=3 id=1 result=4096 "
				 "arg0=3 arg1=1\n", 1000 + i, i, i);
	(void)buf_puts(&story, STORY_END);
	h = read_all(buf_cstr(&story), NULL, &s);
	assert_int_equal(s.n_shared_mappings, 256);
	assert_int_equal(s.shared_further, 4);
	iotap_close(h);
	buf_free(&story);
}

/* A filter by time or by what it is about; of a file that is known by its inode only nobody can say. */
static void
filters_by_time_and_target(void **state)
{
	static const struct iotap_filter filters[] = {
		{.from_ns = 5000000010}, {.to_ns = 4000000000}, {.target = 1}, {.target = 2},
		{.classes = 1u << IOTAP_CLASS_NETWORK}, {.from_ns = 5000000009},
	};
	static const size_t rows[] = {0, 0, 1, 0, 0, 2};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct iotap_summary s;
		iotap_t *const h = read_all(STORY_BEGIN "target id=1 origin=call kind=file flags=16 text=\"/a\"\n"
					    MAPPED(10, 77, 1, 4096, 0, 0) MAPPED(10, 78, 0, 8192, 0, 0)
					    STORY_END, &filters[i], &s);

		assert_int_equal(s.n_mapped, rows[i]);
		iotap_close(h);
	}
}

/* A call whose result is an address of the kernel's half made a mapping; one without its arguments is none that
 * can be judged; a pid used again is another process. */
static void
shared_mappings_one_by_one(void **state)
{
	struct iotap_summary s;
	iotap_t *h = read_all(STORY_BEGIN "target id=1 origin=call kind=file flags=16 text=\"/a\"\nblock calls\n"
			      MMAP(3, 1, -8192) STORY_END, NULL, &s);

	(void)state;
	assert_int_equal(s.n_shared_mappings, 1);
	iotap_close(h);
	h = read_all(STORY_BEGIN "target id=1 origin=call kind=file flags=16 text=\"/a\"\n"
		     "exit time_ns=5000000200 pid=10 start_ns=100\n"
		     "process time_ns=5000000300 pid=10 start_ns=5000000300 how=5 comm=\"second\"\n"
		     "block calls\n" MMAP(3, 1, 4096)
		     "call key=5000000400 tid=10 tgid=10 call=mmap flags=fd|args fd=3 id=1 requested=4096 result=4096 "
		     "arg0=3 arg1=1\n" STORY_END, NULL, &s);
	assert_int_equal(s.n_shared_mappings, 2);
	assert_int_equal(s.shared_mappings[0].pid, 10);
	assert_int_equal(s.shared_mappings[1].pid, 10);
	assert_string_not_equal(s.shared_mappings[0].name, s.shared_mappings[1].name);
	iotap_close(h);
}

/* Calls of an optional set that was off: those that did something count. */
static void
calls_behind_which_there_was_more(void **state)
{
#define ENTER(key, flags, result) \
	"call key=" #key " tid=10 tgid=10 call=io_uring_enter flags=" flags " fd=3 result=" #result "\n"
	struct iotap_summary s;
	iotap_t *const h = read_all(STORY_BEGIN "block calls\n" ENTER(5000000100, "fd", 2)
				    ENTER(5000000101, "fd", -22) ENTER(5000000102, "fd|phantom", 2)
				    "block records\n"
				    "aggregate level=2 pid=10 call=io_uring_enter calls=5 errors=5 last_ns=5000000002\n"
				    "aggregate level=2 pid=11 call=io_uring_enter calls=5 errors=2 last_ns=5000000002\n"
				    STORY_END, NULL, &s);

	(void)state;
	assert_int_equal(s.io_uring_calls, 4);
	iotap_close(h);
}

/* A name is that of the process that was there when the file's first sum was told. */
static void
names_stay(void **state)
{
	struct iotap_summary s;
	iotap_t *const h = read_all(STORY_BEGIN MAPPED(10, 77, 0, 4096, 0, 0)
				    "block records\nrename time_ns=5000000100 pid=10 tid=10 comm=\"other\"\n"
				    "block calls\ncall key=5000000200 tid=10 tgid=10 call=read result=1\n"
				    "block records\n" MAPPED(10, 77, 0, 8192, 0, 0) STORY_END, NULL, &s);

	(void)state;
	assert_int_equal(s.n_mapped, 1);
	assert_int_equal(s.mapped[0].in_by_faults, 8192);
	assert_string_equal(s.mapped[0].name, "prog");
	iotap_close(h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_one_of_a_key_counts),
		cmocka_unit_test(a_filter_is_for_them_too),
		cmocka_unit_test(a_later_file_begins_from_its_state),
		cmocka_unit_test(shared_writable_ones_are_a_blind_spot),
		cmocka_unit_test(many_rows),
		cmocka_unit_test(shared_mappings_of_many),
		cmocka_unit_test(filters_by_time_and_target),
		cmocka_unit_test(shared_mappings_one_by_one),
		cmocka_unit_test(calls_behind_which_there_was_more),
		cmocka_unit_test(names_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
