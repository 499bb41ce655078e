/* selection_test.c - which calls the sets of --calls mean */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
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

static void
requests_of_libaio_bring_their_calls(void **state)
{
	struct selection s = {.given = false};
	struct iotap_error err = {0};

	(void)state;
	assert_int_equal(selection_add(&s, "pread", &err), 0);
	selection_complete(&s, SET_io_uring);
	assert_false(selection_has(&s, CALL_io_submit));
	selection_complete(&s, SET_libaio);
	assert_true(selection_has(&s, CALL_io_submit));
	assert_true(selection_has(&s, CALL_io_getevents));
	assert_false(selection_has(&s, CALL_io_setup));
	s = (struct selection){.given = false};
	assert_int_equal(selection_add(&s, "close", &err), 0);
	selection_complete(&s, SET_libaio);
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
		cmocka_unit_test(requests_of_libaio_bring_their_calls),
		cmocka_unit_test(every_call_is_in_a_class),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
