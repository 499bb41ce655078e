/* selection_test.c - which calls the sets of --calls mean */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "capture/selection.h"
#include "formats/sets.h"

static void
none_given_is_all(void **state)
{
	const struct selection s = {.given = false};

	(void)state;
	assert_true(selection_has(&s, CALL_read));
	assert_true(selection_has(&s, CALL_close));
}

static void
names_ops_and_classes(void **state)
{
	struct selection s = {.given = false};
	struct iotap_error err = {0};

	(void)state;
	assert_int_equal(selection_add(&s, "fsync,pread", &err), 0);
	assert_true(selection_has(&s, CALL_fsync));
	assert_true(selection_has(&s, CALL_pread64));	/* by its op */
	assert_false(selection_has(&s, CALL_read));
	assert_false(selection_has(&s, CALL_write));
	assert_int_equal(selection_add(&s, "write", &err), 0);
	assert_true(selection_has(&s, CALL_write));
	assert_false(selection_has(&s, CALL_pwrite64));
	assert_int_equal(selection_add(&s, "%write", &err), 0);
	assert_true(selection_has(&s, CALL_pwrite64));	/* of the class */
	assert_true(selection_has(&s, CALL_sendto));
	assert_false(selection_has(&s, CALL_recvfrom));
}

/* Each twin is selected by what it does, and its number looked at for either. */
static void
a_twin_is_looked_at_by_its_number(void **state)
{
	static const struct {
		const char *calls;
		bool has, has_twin;
	} rows[] = {{"%read", false, true}, {"%write", true, false}, {"data", true, true}, {"vmsplice", true, true},
		    {"meta", false, false}};
	unsigned int twins = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct selection s = {.given = false};
		struct iotap_error err = {0};

		assert_int_equal(selection_add(&s, rows[i].calls, &err), 0);
		for (unsigned int id = 1; id < call_id_end(); id++) {
			const unsigned int twin = call_that_moves(id, DIR_READ);

			assert_true(!selection_has(&s, id) || selection_looks_at(&s, id));
			if (call_spec(id)->effect != EFFECT_TURNS)
				continue;
			twins++;
			assert_int_equal(selection_has(&s, id), rows[i].has);
			assert_int_equal(selection_has(&s, twin), rows[i].has_twin);
			assert_int_equal(selection_looks_at(&s, id), rows[i].has || rows[i].has_twin);
		}
	}
	assert_true(twins >= sizeof(rows) / sizeof(rows[0]));
}

/* Without the set there is no such record: an empty trace would look like a program that does nothing. */
static void
requests_by_their_own_name_want_their_set(void **state)
{
	static const struct {
		const char *calls;
		uint32_t sets;
		const char *said;	/* NULL = goes */
	} rows[] = {
		{"uring_read", 0, "--with io_uring"},
		{"close,uring_read", SET_libaio, "--with io_uring"},
		{"aio_pread", SET_io_uring, "--with libaio"},
		{"aio_pread,uring_read", SET_io_uring | SET_libaio, NULL},
		{"read,pread,%write", 0, NULL},	/* names and classes of calls as well */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct selection s = {.given = false};
		struct iotap_error err = {0};

		assert_int_equal(selection_add(&s, rows[i].calls, &err), 0);
		assert_int_equal(selection_complete(&s, rows[i].sets, &err), rows[i].said ? IOTAP_EUSAGE : 0);
		if (rows[i].said)
			assert_non_null(strstr(err.text, rows[i].said));
	}
}

static void
requests_of_libaio_bring_their_calls(void **state)
{
	struct selection s = {.given = false};
	struct iotap_error err = {0};

	(void)state;
	assert_int_equal(selection_add(&s, "pread", &err), 0);
	assert_int_equal(selection_complete(&s, SET_io_uring, &err), 0);
	assert_false(selection_has(&s, CALL_io_submit));
	assert_int_equal(selection_complete(&s, SET_libaio, &err), 0);
	assert_true(selection_has(&s, CALL_io_submit));
	assert_true(selection_has(&s, CALL_io_getevents));
	assert_false(selection_has(&s, CALL_io_setup));
	s = (struct selection){.given = false};
	assert_int_equal(selection_add(&s, "close", &err), 0);
	assert_int_equal(selection_complete(&s, SET_libaio, &err), 0);
	assert_false(selection_has(&s, CALL_io_submit));
}

static void
every_call_is_in_a_class(void **state)
{
	struct selection s = {.given = false};
	struct iotap_error err = {0};

	(void)state;
	assert_int_equal(selection_add(&s, "data,net,%open,meta", &err), 0);
	for (unsigned int id = 1; id < call_id_end(); id++) {
		if (call_spec(id)->known && !selection_has(&s, id))
			fail_msg("%s is in none", call_name(id));
	}
}

static void
refused(void **state)
{
	static const char *const bad[] = {"", ",", "read,", ",read", "nosuch", "read,nosuch", "READ", "%", "%fsync",
					  "a123456789b123456789c123456789d123456789e123456789f123456789g1234"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct selection s = {.given = false};
		struct iotap_error err = {0};

		assert_int_equal(selection_add(&s, bad[i], &err), IOTAP_EUSAGE);
		assert_true(err.text[0] != '\0');
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_given_is_all),
		cmocka_unit_test(names_ops_and_classes),
		cmocka_unit_test(a_twin_is_looked_at_by_its_number),
		cmocka_unit_test(requests_by_their_own_name_want_their_set),
		cmocka_unit_test(requests_of_libaio_bring_their_calls),
		cmocka_unit_test(every_call_is_in_a_class),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
