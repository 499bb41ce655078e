/* rows_test.c - decode/rows.h: one block of calls, filtered, and handed out in slices */
#include "decode/rows.h"

#include <string.h>

#include "formats/kernel_record.h"
#include "formats/reader.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

/* The rows of the one block of calls in a recording, with all that they borrow. */
struct loaded {
	struct buf recording;
	struct reader *reader;
	struct reader_item item;
	struct epoch epoch;
	struct select select;
	struct processes processes;
	struct rows rows;
	struct iotap_error err;
};

#define CALLS \
	STORY_BEGIN \
	"block calls\n" \
	"entry id=1 kind=file dev=8388609 ino=5\n" \
	"entry kind=file dev=8388609 ino=6\n" \
	"call key=100 duration=1 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result=1\n" \
	"call key=200 duration=2 tid=11 tgid=10 call=read flags=fd|identity fd=3 entry=2 result=2\n" \
	"call key=200 duration=3 tid=20 tgid=20 call=sendto flags=fd fd=3 result=-9\n" \
	"call key=300 duration=4 tid=20 tgid=20 call=sendto flags=fd fd=3 result=-11\n" \
	"call key=400 tid=20 tgid=20 call=read flags=fd|before fd=3 result=4\n"

static void
load(struct loaded *l, const struct iotap_filter *filter, uint32_t columns)
{
	const struct rec_target one = {.id = 1, .kind = KR_KIND_FILE, .text = rec_str("/one")};

	*l = (struct loaded){.reader = NULL};
	story_assemble(CALLS, &l->recording);
	l->reader = reader_new_memory(l->recording.data, l->recording.len, "story");
	do
		assert_int_equal(reader_next(l->reader, &l->item), 0);
	while (l->item.head.type != BLOCK_CALLS);
	assert_int_equal(select_init(&l->select, filter), 0);
	assert_int_equal(epoch_init(&l->epoch), 0);
	assert_int_equal(story_define(&l->epoch, &one), 0);
	processes_init(&l->processes);
	assert_int_equal(rows_init(&l->rows), 0);
	if (rows_load(&l->rows, &l->item.head, l->item.payload, columns, 1000, &l->epoch, &l->select, &l->err) < 0)
		fail_msg("%s", l->err.text);
}

static void
unload(struct loaded *l)
{
	rows_fini(&l->rows);
	processes_fini(&l->processes);
	epoch_fini(&l->epoch);
	select_fini(&l->select);
	reader_free(l->reader);
	buf_free(&l->recording);
}

static uint64_t
number(const struct iotap_batch *b, uint32_t i)
{
	return b->number ? b->number[i] : b->first_number + i;
}

static void
all_rows(void **state)
{
	struct loaded l;
	struct iotap_batch b;

	(void)state;
	load(&l, NULL, IOTAP_COL_ALL);
	assert_true(rows_left(&l.rows));
	assert_int_equal(rows_next_ns(&l.rows), 100);
	assert_int_equal(rows_take(&l.rows, UINT64_MAX, &l.processes, &b), 0);
	assert_int_equal(b.n, 5);
	assert_true(b.first_ns == 100 && b.last_ns == 400);
	assert_null(b.number);
	assert_int_equal(b.first_number, 1000);
	assert_string_equal(b.target[0]->text, "/one");
	assert_string_equal(b.target[1]->text, "<file 8:1 inode 6>");
	assert_string_equal(b.target[2]->text, "<unknown>");	/* EBADF: there was no socket */
	assert_string_equal(b.target[3]->text, "socket");	/* only a socket can say EAGAIN to sendto */
	assert_null(b.target2[0]);
	assert_true(b.pid[1] == 10 && b.tid[1] == 11 && b.pid[4] == 20);
	assert_ptr_equal(b.process[0], b.process[1]);
	assert_true(b.duration_ns[4] == IOTAP_UNKNOWN);
	assert_false(rows_left(&l.rows));
	unload(&l);
}

/* A slice ends before the first row at or after the time, but has one row at least. */
static void
slices(void **state)
{
	static const struct {
		uint64_t until;
		uint32_t n;
		uint64_t first;
	} rows[] = {{0, 1, 1000}, {200, 1, 1001}, {201, 1, 1002}, {400, 1, 1003}, {UINT64_MAX, 1, 1004}};
	struct loaded l;
	struct iotap_batch b;

	(void)state;
	load(&l, NULL, IOTAP_COL_ALL);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(rows_take(&l.rows, rows[i].until, &l.processes, &b), 0);
		assert_int_equal(b.n, rows[i].n);
		assert_int_equal(b.first_number, rows[i].first);
		assert_int_equal(b.fd[0], 3);
	}
	unload(&l);
	load(&l, NULL, IOTAP_COL_TIME);
	assert_int_equal(rows_take(&l.rows, 300, &l.processes, &b), 0);
	assert_int_equal(b.n, 3);
	assert_int_equal(rows_take(&l.rows, 401, &l.processes, &b), 0);
	assert_int_equal(b.n, 2);
	assert_true(b.time_ns[0] == 300 && b.first_ns == 300 && b.last_ns == 400);
	unload(&l);
}

static void
expect_rows(const struct iotap_filter *filter, const char *numbers)
{
	struct buf text = {.data = NULL};
	struct loaded l;
	struct iotap_batch b;

	load(&l, filter, IOTAP_COL_ALL);
	while (rows_left(&l.rows)) {
		assert_int_equal(rows_take(&l.rows, UINT64_MAX, &l.processes, &b), 0);
		for (uint32_t i = 0; i < b.n; i++) {
			(void)buf_printf(&text, "%llu ", (unsigned long long)number(&b, i));
			/* Every array is of the same row. */
			assert_int_equal(b.time_ns[i] / 100, number(&b, i) == 1000 ? 1 : number(&b, i) < 1003 ? 2 :
					 number(&b, i) - 1000);
			if (number(&b, i) < 1004)
				assert_int_equal(b.duration_ns[i], number(&b, i) - 999);
			assert_int_equal(b.pid[i], number(&b, i) < 1002 ? 10 : 20);
			assert_int_equal(b.process[i]->pid, b.pid[i]);
		}
	}
	assert_string_equal(buf_cstr(&text), numbers);
	buf_free(&text);
	unload(&l);
}

static void
filters(void **state)
{
	(void)state;
	expect_rows(&(struct iotap_filter){.pid = 20}, "1002 1003 1004 ");
	expect_rows(&(struct iotap_filter){.pid = 11}, "");		/* a tid is no pid */
	expect_rows(&(struct iotap_filter){.from_ns = 200, .to_ns = 300}, "1001 1002 1003 ");
	expect_rows(&(struct iotap_filter){.from_ns = 201, .to_ns = 299}, "");
	expect_rows(&(struct iotap_filter){.target = 1}, "1000 ");
	expect_rows(&(struct iotap_filter){.classes = 1u << IOTAP_CLASS_NETWORK}, "1003 ");
	expect_rows(&(struct iotap_filter){.classes = 1u << IOTAP_CLASS_FILE, .pid = 10, .from_ns = 150}, "1001 ");
	expect_rows(NULL, "1000 1001 1002 1003 1004 ");
}

/* Traffic of which nobody knows the interface is left out, and counted. */
/* situation: 76 */
static void
unknown_interfaces_are_counted(void **state)
{
	static const char *const names[] = {"eth0"};
	struct loaded l;

	(void)state;
	load(&l, &(struct iotap_filter){.interfaces = names, .n_interfaces = 1}, IOTAP_COL_TIME);
	assert_false(rows_left(&l.rows));
	assert_int_equal(l.select.unknown_interface_calls, 1);
	unload(&l);
}

/* What a filter needs is read, but only what was asked for is handed out. */
static void
columns_of_a_filter_are_not_handed_out(void **state)
{
	struct loaded l;
	struct iotap_batch b;

	(void)state;
	load(&l, &(struct iotap_filter){.pid = 20, .classes = 1u << IOTAP_CLASS_NETWORK}, IOTAP_COL_RESULT);
	assert_int_equal(rows_take(&l.rows, UINT64_MAX, &l.processes, &b), 0);
	assert_int_equal(b.n, 1);
	assert_int_equal(b.result[0], -11);
	assert_int_equal(number(&b, 0), 1003);
	assert_true(!b.time_ns && !b.pid && !b.tid && !b.process && !b.target && !b.flags && !b.call);
	unload(&l);
}

/* Between two slices a pid may come to mean another process. */
static void
processes_may_change_between_slices(void **state)
{
	const struct rec_process again = {.pid = 20, .start_ns = 7, .comm = rec_str("again")};
	const struct rec_exit gone = {.pid = 20, .start_ns = 0};
	struct process *p;
	struct loaded l;
	struct iotap_batch b;

	(void)state;
	load(&l, NULL, IOTAP_COL_THREAD);
	assert_int_equal(rows_take(&l.rows, 300, &l.processes, &b), 0);
	assert_string_equal(b.process[2]->name, "?");
	assert_int_equal(processes_exit(&l.processes, &gone, &p), 0);
	assert_int_equal(processes_process(&l.processes, &again, &p), 0);
	assert_int_equal(rows_take(&l.rows, UINT64_MAX, &l.processes, &b), 0);
	assert_string_equal(b.process[0]->name, "again");
	assert_string_equal(b.process[1]->name, "again");
	unload(&l);
}

/* A block that cannot be decoded leaves no rows of the one before. */
static void
a_bad_block_has_no_rows(void **state)
{
	struct loaded l;
	struct block_head head;

	(void)state;
	load(&l, NULL, IOTAP_COL_ALL);
	head = l.item.head;
	head.count++;
	assert_int_equal(rows_load(&l.rows, &head, l.item.payload, IOTAP_COL_ALL, 0, &l.epoch, &l.select, &l.err),
			 IOTAP_ECORRUPT);
	assert_false(rows_left(&l.rows));
	assert_true(l.err.text[0] != '\0');
	unload(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_rows),
		cmocka_unit_test(slices),
		cmocka_unit_test(filters),
		cmocka_unit_test(unknown_interfaces_are_counted),
		cmocka_unit_test(columns_of_a_filter_are_not_handed_out),
		cmocka_unit_test(processes_may_change_between_slices),
		cmocka_unit_test(a_bad_block_has_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
