/* error_test.c - formats/error.h: pinned numbers, one printable line, nothing lost on the way up */
#include "formats/error.h"

#include <errno.h>
#include <string.h>

#include "tests/lib/unit.h"

/* The numbers are an interface: this list is written by hand and may only grow. */
static const struct {
	int code;
	int number;
} pinned[] = {
	{IOTAP_ENOMEM, -1},    {IOTAP_EIO, -2},      {IOTAP_ECORRUPT, -3},  {IOTAP_ENOTREC, -4},
	{IOTAP_EVERSION, -5},  {IOTAP_ETRUNC, -6},   {IOTAP_EUSAGE, -7},    {IOTAP_EPERM, -8},
	{IOTAP_ENOTFOUND, -9}, {IOTAP_EUNSUPPORTED, -10}, {IOTAP_EABORT, -11}, {IOTAP_ESQL, -12},
	{IOTAP_ELIMIT, -13},   {IOTAP_EEXIST, -14},  {IOTAP_EBUSY, -15},    {IOTAP_EPIPE, -16},
	{IOTAP_EKERNEL, -17},  {IOTAP_ESYSTEM, -18},
};

static const int listed[] = {
#define ERROR(name, number, text) -(number),
#include "formats/errors.def"
#undef ERROR
};

static void
numbers_are_pinned_and_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(pinned) / sizeof(pinned[0]); i++)
		assert_int_equal(pinned[i].code, pinned[i].number);
	for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++) {
		assert_true(listed[i] < 0);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(listed[i], listed[j]);
	}
}

static void
text_is_stored_printable(void **state)
{
	struct iotap_error err = {0};

	(void)state;
	errno = ENOENT;
	assert_int_equal(error_set(&err, IOTAP_ECORRUPT, "block at %d: %s", 8192, "a\nb"), IOTAP_ECORRUPT);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(err.code, IOTAP_ECORRUPT);
	assert_string_equal(err.text, "block at 8192: a?b");
	assert_int_equal(error_set(NULL, IOTAP_EIO, "x"), IOTAP_EIO);
	error_clear(&err);
	assert_int_equal(err.code, 0);
	assert_string_equal(err.text, "");
}

static void
errno_text_is_added(void **state)
{
	struct iotap_error err;

	(void)state;
	assert_int_equal(error_errno(&err, IOTAP_EIO, EACCES, "cannot open %s", "f"), IOTAP_EIO);
	assert_string_equal(err.text, "cannot open f: Permission denied");
	assert_int_equal(error_errno(NULL, IOTAP_EIO, EACCES, "x"), IOTAP_EIO);
}

static void
prefixes_name_the_subject(void **state)
{
	struct iotap_error err;
	char longer[2 * IOTAP_ERROR_TEXT_SIZE];

	(void)state;
	error_set(&err, IOTAP_ETRUNC, "ends at byte 5");
	assert_int_equal(error_prefix(&err, "%s", "t.iotap"), IOTAP_ETRUNC);
	assert_string_equal(err.text, "t.iotap: ends at byte 5");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(error_prefix(&err, "%s", longer), IOTAP_ETRUNC);
	assert_int_equal(strlen(err.text), IOTAP_ERROR_TEXT_SIZE - 1);
	assert_int_equal(error_prefix(NULL, "x"), 0);
}

static void
codes_have_meanings(void **state)
{
	(void)state;
	assert_string_equal(error_text(IOTAP_ECORRUPT), "damaged data");
	assert_string_equal(error_text(0), "no error");
	assert_string_equal(error_text(-12345), "unknown error");
	assert_string_equal(error_name(IOTAP_ENOTREC), "IOTAP_ENOTREC");
	assert_null(error_name(7));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_pinned_and_unique),
		cmocka_unit_test(text_is_stored_printable),
		cmocka_unit_test(errno_text_is_added),
		cmocka_unit_test(prefixes_name_the_subject),
		cmocka_unit_test(codes_have_meanings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
