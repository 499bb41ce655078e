/* kernel_types_test.c - the copy of the kernel's types ends after what ours need, and is sound */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "capture/kernel_types.h"
#include "tests/lib/unit.h"

enum { INT = 1, INNER, OUTER, POINTER, ALIAS, PLACE, ARRAY, FAR, LAST, COLOUR };

/* outer { place p; far *q; } where place is another word for inner; far and what follows nobody needs. */
static struct btf *
kernel_has(void)
{
	struct btf *const b = btf__new_empty();

	assert_int_equal(btf__add_int(b, "int", 4, BTF_INT_SIGNED), INT);
	assert_int_equal(btf__add_struct(b, "inner", 4), INNER);
	assert_int_equal(btf__add_field(b, "number", INT, 0, 0), 0);
	assert_int_equal(btf__add_struct(b, "outer", 16), OUTER);
	assert_int_equal(btf__add_field(b, "p", ALIAS, 0, 0), 0);
	assert_int_equal(btf__add_field(b, "q", POINTER, 64, 0), 0);
	assert_int_equal(btf__add_ptr(b, FAR), POINTER);
	assert_int_equal(btf__add_typedef(b, "alias", PLACE), ALIAS);
	assert_int_equal(btf__add_typedef(b, "place", INNER), PLACE);
	assert_int_equal(btf__add_array(b, INT, INNER, 3), ARRAY);
	assert_int_equal(btf__add_struct(b, "far", 12), FAR);
	assert_int_equal(btf__add_field(b, "three", ARRAY, 0, 0), 0);
	assert_int_equal(btf__add_struct(b, "unheard_of", 0), LAST);
	assert_int_equal(btf__add_enum(b, "colour", 4), COLOUR);
	assert_int_equal(btf__add_enum_value(b, "red", 7), 0);
	assert_int_equal(btf__add_enum_value(b, "inner", 8), 0);
	return b;
}

static struct btf *
ours_is(const char *name)
{
	struct btf *const b = btf__new_empty();

	assert_true(btf__add_struct(b, name, 0) > 0);
	return b;
}

static size_t
needed(const char *name)
{
	struct btf *const kernel = kernel_has(), *const ours = ours_is(name);
	uint32_t n;
	const void *const bytes = btf__raw_data(kernel, &n);
	const size_t found = kernel_types_needed(bytes, n, ours);

	btf__free(kernel);
	btf__free(ours);
	return found;
}

static void
what_a_type_holds_is_needed_and_not_what_it_points_to(void **state)
{
	(void)state;
	assert_int_equal(needed("inner"), 2);
	assert_int_equal(needed("outer"), 6);	/* by way of two other words for it; the pointer too */
	assert_int_equal(needed("far"), 4);
	assert_int_equal(needed("outer___old"), 6);
	assert_int_equal(needed("nothing_of_that_name"), 0);
}

static void
bytes_that_are_no_types_need_nothing(void **state)
{
	struct btf *const kernel = kernel_has(), *const ours = ours_is("far");
	uint32_t n;
	const char *const bytes = btf__raw_data(kernel, &n);

	(void)state;
	for (uint32_t cut = 0; cut < n; cut++) {	/* a copy each: what lies behind is not ours */
		char *const part = malloc(cut + 1);

		memcpy(part, bytes, cut);
		assert_int_equal(kernel_types_needed(part, cut, ours), 0);
		free(part);
	}
	for (uint32_t at = 0; at < n; at++) {
		char *const wrong = malloc(n);

		memcpy(wrong, bytes, n);
		wrong[at] = (char)(wrong[at] ^ 0xff);
		(void)kernel_types_needed(wrong, n, ours);
		free(wrong);
	}
	btf__free(kernel);
	btf__free(ours);
}

static bool
has_text(const struct btf *b, const char *text)
{
	uint32_t n;
	const void *const bytes = btf__raw_data(b, &n);

	return memmem(bytes, n, text, strlen(text) + 1) != NULL;
}

/* The copy for what `name` holds, parsed, and the number that the kernel has for it. */
static struct btf *
copied(const char *name, uint32_t *number)
{
	struct btf *const kernel = kernel_has(), *const ours = ours_is(name), *copy;
	struct kernel_types t = {.fd = memfd_create("test", MFD_CLOEXEC)};
	struct iotap_error err = {0};
	uint32_t n;
	const void *const bytes = btf__raw_data(kernel, &n);

	t.bytes = malloc(n);
	t.n = n;
	memcpy(t.bytes, bytes, n);
	(void)snprintf(t.path, sizeof(t.path), "/proc/self/fd/%d", t.fd);
	assert_int_equal(kernel_types_copy(&t, ours, &err), 0);
	*number = kernel_types_struct(&t, name);
	assert_int_equal(kernel_types_struct(&t, "unheard_of"), 0);
	copy = btf__parse(t.path, NULL);
	assert_non_null(copy);
	btf__free(kernel);
	btf__free(ours);
	kernel_types_close(&t);
	return copy;
}

static void
the_copy_is_numbered_anew_and_refers_to_nothing_else(void **state)
{
	uint32_t number;
	struct btf *copy = copied("far", &number);
	int32_t far;

	(void)state;
	assert_int_equal(number, FAR);
	assert_int_equal(btf__type_cnt(copy), 1 + 4);
	far = btf__find_by_name_kind(copy, "far", BTF_KIND_STRUCT);
	assert_int_equal(far, 4);
	assert_int_equal(btf_members(btf__type_by_id(copy, 4))->type, 3);
	assert_int_equal(btf_array(btf__type_by_id(copy, 3))->nelems, 3);
	assert_int_equal(btf_array(btf__type_by_id(copy, 3))->type, INNER);
	assert_int_equal(btf__resolve_size(copy, far), 12);
	btf__free(copy);
	copy = copied("outer", &number);
	assert_int_equal(number, OUTER);
	assert_int_equal(btf__type_by_id(copy, POINTER)->type, 0);	/* to far, which is not there */
	assert_int_equal(btf__type_by_id(copy, ALIAS)->type, PLACE);
	assert_int_equal(btf__type_by_id(copy, PLACE)->type, INNER);
	btf__free(copy);
}

static const char *
text_at(const struct btf *b, uint32_t at)
{
	return btf__name_by_offset(b, at);
}

static void
the_copy_has_the_names_that_its_types_have_and_no_others(void **state)
{
	uint32_t number;
	struct btf *copy = copied("far", &number);

	(void)state;
	assert_string_equal(text_at(copy, btf_members(btf__type_by_id(copy, 4))->name_off), "three");
	assert_string_equal(text_at(copy, btf__type_by_id(copy, 3)->name_off), "");
	assert_false(has_text(copy, "outer") || has_text(copy, "colour") || has_text(copy, "red"));
	btf__free(copy);
	copy = copied("colour", &number);
	assert_int_equal(btf__type_cnt(copy), 1 + 1);
	assert_string_equal(text_at(copy, btf__type_by_id(copy, 1)->name_off), "colour");
	assert_string_equal(text_at(copy, btf_enum(btf__type_by_id(copy, 1))[0].name_off), "red");
	assert_string_equal(text_at(copy, btf_enum(btf__type_by_id(copy, 1))[1].name_off), "inner");
	assert_int_equal(btf_enum(btf__type_by_id(copy, 1))[1].val, 8);
	assert_false(has_text(copy, "far"));
	btf__free(copy);
}

static void
types_that_are_not_understood_are_copied_whole(void **state)
{
	struct btf *const ours = ours_is("far");
	struct kernel_types t = {.fd = memfd_create("test", MFD_CLOEXEC), .bytes = strdup("no types"), .n = 8};
	struct iotap_error err = {0};
	char back[16] = "";

	(void)state;
	assert_int_equal(kernel_types_copy(&t, ours, &err), 0);
	assert_int_equal(pread(t.fd, back, sizeof(back), 0), 8);
	assert_string_equal(back, "no types");
	btf__free(ours);
	kernel_types_close(&t);
}

static void
a_name_is_there_as_a_whole_or_not(void **state)
{
	char names[] = "\0btf_bpf_loop\0bpf_loop\0last";
	const struct kernel_types all = {.bytes = names, .n = sizeof(names)};
	const struct kernel_types one = {.bytes = names, .n = sizeof("\0btf_bpf_loop")};
	const struct kernel_types none = {.bytes = names, .n = 0};

	(void)state;
	assert_true(kernel_types_function(&all, "bpf_loop"));
	assert_true(kernel_types_function(&all, "last"));
	assert_false(kernel_types_function(&all, "bpf_lo"));
	assert_false(kernel_types_function(&all, "ast"));
	assert_false(kernel_types_function(&one, "bpf_loop"));
	assert_true(kernel_types_function(&one, "btf_bpf_loop"));
	assert_false(kernel_types_function(&none, "last"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_type_holds_is_needed_and_not_what_it_points_to),
		cmocka_unit_test(bytes_that_are_no_types_need_nothing),
		cmocka_unit_test(the_copy_is_numbered_anew_and_refers_to_nothing_else),
		cmocka_unit_test(the_copy_has_the_names_that_its_types_have_and_no_others),
		cmocka_unit_test(types_that_are_not_understood_are_copied_whole),
		cmocka_unit_test(a_name_is_there_as_a_whole_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
