/* live_test.c - formats/live.h: who lives and which interfaces there are, for a new epoch */
#include "formats/live.h"

#include <string.h>

#include "tests/lib/unit.h"

static bool
process(struct live *l, uint64_t pid, const char *comm, bool restated)
{
	const struct rec_process rec = {.pid = pid, .start_ns = pid * 10, .comm = rec_str(comm), .restated = restated,
					.arg0 = rec_str("arg0"), .name_from = 1};
	bool known;

	assert_int_equal(live_record(l, REC_process, &rec, &known, NULL), 0);
	return known;
}

static void
tell(struct live *l, enum rec_type type, const void *rec)
{
	bool known = true;

	assert_int_equal(live_record(l, type, rec, &known, NULL), 0);
	assert_false(known);
}

/* What is restated as text: "1:a 2:b/exe eth0 ". */
static int
put_restated(void *arg, const struct bytes *raw)
{
	struct bytes_in in = bytes_in(raw->p, raw->n);
	struct buf *const text = arg;
	struct record rec;

	assert_int_equal(record_next(&in, &rec, NULL), 0);
	assert_int_equal(bytes_left(&in), 0);
	if (rec.type == REC_process) {
		assert_int_equal(rec.u.process.restated, 1);
		(void)buf_printf(text, "%llu:%.*s%.*s ", (unsigned long long)rec.u.process.pid,
				 (int)rec.u.process.comm.n, rec.u.process.comm.p, (int)rec.u.process.exe.n,
				 rec.u.process.exe.p);
	} else {
		assert_int_equal(rec.type, REC_interface);
		(void)buf_printf(text, "%.*s ", (int)rec.u.interface.name.n, rec.u.interface.name.p);
	}
	return 0;
}

static void
expect(const struct live *l, const char *restated)
{
	struct buf text = {.data = NULL};

	assert_int_equal(live_restate(l, put_restated, &text), 0);
	assert_string_equal(buf_cstr(&text), restated);
	buf_free(&text);
}

static void
processes_come_and_go(void **state)
{
	struct live *const l = live_new(10, 10);

	(void)state;
	expect(l, "");
	for (uint64_t pid = 1; pid <= 4; pid++)
		(void)process(l, pid, "p", false);
	expect(l, "1:p 2:p 3:p 4:p ");
	tell(l, REC_exit, &(struct rec_exit){.pid = 4});	/* the last, a middle one, the first */
	tell(l, REC_exit, &(struct rec_exit){.pid = 2});
	tell(l, REC_exit, &(struct rec_exit){.pid = 1});
	tell(l, REC_exit, &(struct rec_exit){.pid = 99});
	expect(l, "3:p ");
	(void)process(l, 5, "q", false);
	expect(l, "3:p 5:q ");
	tell(l, REC_exit, &(struct rec_exit){.pid = 3});
	tell(l, REC_exit, &(struct rec_exit){.pid = 5});
	expect(l, "");
	(void)process(l, 3, "again", false);
	expect(l, "3:again ");
	live_free(l);
	live_free(NULL);
}

/* An exec or a rename by the leader changes what is restated, in its place; one by a thread does not. */
static void
names_follow(void **state)
{
	struct live *const l = live_new(10, 10);

	(void)state;
	(void)process(l, 1, "a", false);
	(void)process(l, 2, "b", false);
	tell(l, REC_exec, &(struct rec_exec){.pid = 1, .comm = rec_str("next"), .path = rec_str("/x")});
	tell(l, REC_rename, &(struct rec_rename){.pid = 2, .tid = 2, .comm = rec_str("B")});
	tell(l, REC_rename, &(struct rec_rename){.pid = 2, .tid = 3, .comm = rec_str("thread")});
	tell(l, REC_exec, &(struct rec_exec){.pid = 77, .comm = rec_str("nobody")});
	tell(l, REC_rename, &(struct rec_rename){.pid = 77, .tid = 77, .comm = rec_str("nobody")});
	expect(l, "1:next/x 2:B ");
	live_free(l);
}

/* Known is only what an epoch has in every byte; anything else must be written. */
static void
what_is_known_already(void **state)
{
	struct live *const l = live_new(10, 10);

	(void)state;
	assert_false(process(l, 1, "a", false));
	assert_true(process(l, 1, "a", true));
	assert_false(process(l, 1, "a", false));	/* told as news: it is to be told */
	assert_false(process(l, 1, "b", true));
	assert_true(process(l, 1, "b", true));
	assert_false(process(l, 2, "b", true));
	expect(l, "1:b 2:b ");
	live_free(l);
}

/* situation: 112 */
static void
interfaces(void **state)
{
	struct live *const l = live_new(10, 2);
	const struct rec_interface eth0 = {.ifindex = 2, .name = rec_str("eth0")};
	const struct rec_interface lo = {.ifindex = 1, .name = rec_str("lo")};
	const struct rec_interface more = {.ifindex = 3, .name = rec_str("more")};
	bool known;

	(void)state;
	tell(l, REC_interface, &eth0);
	(void)process(l, 1, "a", false);
	assert_int_equal(live_record(l, REC_interface, &eth0, &known, NULL), 0);
	assert_true(known);
	tell(l, REC_interface, &lo);
	tell(l, REC_interface, &more);
	assert_int_equal(live_refused(l), 1);
	expect(l, "1:a eth0 lo ");		/* processes first */
	live_free(l);
}

/* Over the limit: not restated, and counted; those that are in can still change and leave. */
static void
processes_are_bounded(void **state)
{
	struct live *const l = live_new(2, 10);

	(void)state;
	(void)process(l, 1, "a", false);
	(void)process(l, 2, "b", false);
	(void)process(l, 3, "c", false);
	assert_int_equal(live_refused(l), 1);
	(void)process(l, 2, "B", false);
	assert_int_equal(live_refused(l), 1);
	expect(l, "1:a 2:B ");
	tell(l, REC_exit, &(struct rec_exit){.pid = 1});
	(void)process(l, 3, "c", false);
	expect(l, "2:B 3:c ");
	live_free(l);
}

static void
other_records_are_no_concern(void **state)
{
	struct live *const l = live_new(2, 2);

	(void)state;
	tell(l, REC_target, &(struct rec_target){.id = 1});
	tell(l, REC_end, &(struct rec_end){.reason = 1});
	expect(l, "");
	live_free(l);
}

static int
fail_at_second(void *arg, const struct bytes *raw)
{
	(void)raw;
	return ++*(int *)arg == 2 ? IOTAP_EIO : 0;
}

static void
a_failure_stops_restating(void **state)
{
	struct live *const l = live_new(5, 5);
	int n = 0;

	(void)state;
	for (uint64_t pid = 1; pid <= 4; pid++)
		(void)process(l, pid, "p", false);
	assert_int_equal(live_restate(l, fail_at_second, &n), IOTAP_EIO);
	assert_int_equal(n, 2);
	live_free(l);
}

/* Of three interfaces the first is told of again: it is known, and all three are restated once. */
static void
the_first_of_several_interfaces(void **state)
{
	static const char *const names[] = {"eth0", "eth1", "lo"};
	struct live *const l = live_new(10, 10);
	const struct rec_interface again = {.ifindex = 1, .name = rec_str("eth0")};
	bool known = false;

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		const struct rec_interface rec = {.ifindex = i + 1, .name = rec_str(names[i])};

		tell(l, REC_interface, &rec);
	}
	assert_int_equal(live_record(l, REC_interface, &again, &known, NULL), 0);
	assert_true(known);
	expect(l, "eth0 eth1 lo ");
	live_free(l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_come_and_go),
		cmocka_unit_test(names_follow),
		cmocka_unit_test(what_is_known_already),
		cmocka_unit_test(interfaces),
		cmocka_unit_test(processes_are_bounded),
		cmocka_unit_test(other_records_are_no_concern),
		cmocka_unit_test(a_failure_stops_restating),
		cmocka_unit_test(the_first_of_several_interfaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
