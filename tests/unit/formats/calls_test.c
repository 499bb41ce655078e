/* calls_test.c - formats/calls.h: the table is sound, and numbers, names and ids lead to each other */
#include "formats/calls.h"

#include <stdbool.h>
#include <string.h>

#include "formats/kernel_record.h"
#include "tests/lib/unit.h"

struct row {
	unsigned int id;
	const char *tag, *name;
	long nr[4];
};

static const struct row rows[] = {
#define CALL(id, name, x86, arm64, i386, ...) {id, #name, #name, {-1, x86, arm64, i386}},
#define TWIN(id, tag, name, ...) {id, #tag, #name, {-1, -1, -1, -1}},
#define ALIAS(arch, nr, name)
#include "formats/calls.def"
#undef CALL
#undef ALIAS
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

static void
ids_rise_and_fit_the_kernel_half(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < N_ROWS; i++) {
		assert_true(rows[i].id > (i ? rows[i - 1].id : 0));
		assert_true(rows[i].id < KR_MAX_CALLS);
	}
	assert_int_equal(call_id_end(), rows[N_ROWS - 1].id + 1);
}

/* situation: 56 */
static void
numbers_are_unique_and_lead_to_ids(void **state)
{
	(void)state;
	for (int arch = ARCH_X86_64; arch <= ARCH_I386; arch++) {
		for (unsigned int i = 0; i < N_ROWS; i++) {
			const long nr = rows[i].nr[arch];

			assert_int_equal(call_nr((enum call_arch)arch, rows[i].id), nr);
			if (nr >= 0)
				assert_int_equal(call_from_nr((enum call_arch)arch, nr), rows[i].id);
			for (unsigned int k = 0; nr >= 0 && k < i; k++)
				assert_int_not_equal(rows[k].nr[arch], nr);
		}
		assert_int_equal(call_from_nr((enum call_arch)arch, -1), CALL_NONE);
		assert_int_equal(call_from_nr((enum call_arch)arch, 100000), CALL_NONE);
	}
	assert_int_equal(call_from_nr(ARCH_I386, 221), CALL_fcntl);
	assert_int_equal(call_from_nr(ARCH_I386, 239), CALL_sendfile);
	assert_int_equal(call_from_nr(ARCH_I386, 417), CALL_recvmmsg);
	assert_int_equal(call_from_nr(ARCH_X86_64, 221), CALL_NONE);
}

static void
names_lead_to_ids(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < N_ROWS; i++) {
		assert_string_equal(call_name(rows[i].id), rows[i].name);
		assert_string_equal(call_tag(rows[i].id), rows[i].tag);
		assert_int_equal(call_from_name(rows[i].tag), rows[i].id);
		assert_non_null(call_op(rows[i].id));
	}
	assert_null(call_tag(UINT32_MAX));
	assert_null(call_name(0));
	assert_null(call_name(UINT32_MAX));
	assert_null(call_op(call_id_end()));
	assert_int_equal(call_from_name("reads"), CALL_NONE);
	assert_string_equal(call_op(CALL_pread64), "pread");
}

/* Two rows of one call: its name leads to the one with the numbers, the direction to either. */
static void
twins_are_told_apart(void **state)
{
	(void)state;
	assert_string_equal(call_name(CALL_vmsplice_read), "vmsplice");
	assert_int_equal(call_from_name("vmsplice"), CALL_vmsplice);
	assert_int_equal(call_that_moves(CALL_vmsplice, DIR_READ), CALL_vmsplice_read);
	assert_int_equal(call_that_moves(CALL_vmsplice_read, DIR_WRITE), CALL_vmsplice);
	assert_int_equal(call_that_moves(CALL_vmsplice, DIR_WRITE), CALL_vmsplice);
	assert_int_equal(call_that_moves(CALL_read, DIR_WRITE), CALL_read);
	assert_int_equal(call_that_moves(CALL_NONE, DIR_READ), CALL_NONE);
	assert_int_equal(call_that_moves(UINT32_MAX, DIR_READ), UINT32_MAX);
	assert_int_equal(call_is_request(CALL_vmsplice_read), 0);
}

/* Pieces of calls move nothing of their own: their bytes are the call's. */
static void
parts_move_nothing(void **state)
{
	unsigned int parts = 0;

	(void)state;
	for (unsigned int id = 0; id < call_id_end() + 2; id++) {
		parts += (unsigned int)call_is_part(id);
		assert_true(!call_is_part(id) || call_spec(id)->dir == DIR_NONE);
		assert_true(!call_is_part(id) || !call_is_request(id));
	}
	assert_int_equal(parts, 3);
	assert_true(call_is_part(CALL_sendmmsg_message));
	assert_false(call_is_part(CALL_sendmmsg));
}

/* Ids and what a file means by them never change. */
static void
some_ids_are_pinned(void **state)
{
	(void)state;
	assert_int_equal(CALL_read, 1);
	assert_int_equal(CALL_write, 2);
	assert_int_equal(CALL_openat, 5);
	assert_int_equal(CALL_sendfile, 22);
	assert_int_equal(CALL_connect, 36);
	assert_int_equal(CALL_pidfd_getfd, 55);
	assert_int_equal(CALL_splice, 56);
	assert_int_equal(CALL_newfstatat, 98);
	assert_int_equal(CALL_open_tree, 139);
	assert_int_equal(CALL_vmsplice_read, 144);
	assert_int_equal(CALL_dedupe_range, 147);
	assert_int_equal(DIR_READ, 1);
	assert_int_equal(DIR_WRITE, 2);
	assert_int_equal(ARCH_ARM64, 2);
}

/* situation: 55 */
static void
an_unknown_id_has_a_spec_that_says_so(void **state)
{
	(void)state;
	assert_int_equal(call_spec(0)->known, 0);
	assert_int_equal(call_spec(UINT32_MAX)->known, 0);
	assert_int_equal(call_spec(0)->fd, -1);
	assert_int_equal(call_spec(CALL_read)->known, 1);
	assert_int_equal(call_spec(CALL_read)->dir, DIR_READ);
	assert_int_equal(call_spec(CALL_read)->size, SIZE_A2);
	assert_int_equal(call_spec(CALL_writev)->size, SIZE_IOV1);
	assert_int_equal(sizeof(struct call_spec), 16);
}

static void
second_targets_are_named(void **state)
{
	(void)state;
	assert_int_equal(call_second(CALL_read), SECOND_NONE);
	assert_int_equal(call_second(CALL_sendfile), SECOND_SOURCE);
	assert_int_equal(call_second(CALL_splice), SECOND_SOURCE);
	assert_int_equal(call_second(CALL_copy_file_range), SECOND_SOURCE);
	assert_int_equal(call_second(CALL_ioctl), SECOND_SOURCE);
	assert_int_equal(call_second(CALL_accept4), SECOND_FROM);
	assert_int_equal(call_second(CALL_dup2), SECOND_FROM);
	assert_int_equal(call_second(CALL_pipe2), SECOND_FROM);
	assert_int_equal(call_second(CALL_fcntl), SECOND_FROM);
	assert_int_equal(call_second(CALL_socket), SECOND_NONE);
	assert_int_equal(call_second(CALL_open), SECOND_NONE);
	assert_int_equal(call_second(CALL_openat), SECOND_BASE);
	assert_int_equal(call_second(CALL_newfstatat), SECOND_BASE);
	assert_int_equal(call_second(CALL_rename), SECOND_PATH);
	assert_int_equal(call_second(CALL_linkat), SECOND_PATH);
	assert_int_equal(call_second(CALL_sendto), SECOND_PEER);
	assert_int_equal(call_second(CALL_recvmsg), SECOND_PEER);
	assert_int_equal(call_second(CALL_connect), SECOND_NONE);
	assert_int_equal(call_second(UINT32_MAX), SECOND_NONE);
}

/* Arguments are 0 to 5 or absent; what returns bytes has a direction; what has a direction has a fd,
 * or moves data of a process or a queue. */
/* situation: 56 */
static void
rows_are_consistent(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < N_ROWS; i++) {
		const struct call_spec *const s = call_spec(rows[i].id);
		const signed char args[] = {s->fd, s->fd2, s->taken, s->keep0, s->keep1};

		for (size_t k = 0; k < sizeof(args); k++)
			assert_true(args[k] >= -1 && args[k] <= 5);
		assert_int_equal(s->taken >= 0, s->take != TAKE_NONE);
		assert_int_equal(s->dir != DIR_NONE,
				 s->ret == RET_BYTES || s->ret == RET_MESSAGES || s->ret == RET_SIZE);
		assert_true(s->dir == DIR_NONE || s->fd >= 0 || s->take == TAKE_PROCESS ||
			    s->take == TAKE_QUEUE);
		assert_true(s->ret != RET_SIZE || s->size < 8);
		assert_true(s->keep1 < 0 || s->keep0 >= 0 || s->keep0 == -1);
	}
}

static void
the_table_of_numbers_is_filled(void **state)
{
	uint16_t table[512];

	(void)state;
	memset(table, 0xff, sizeof(table));
	call_fill_numbers(ARCH_I386, table, 512);
	for (long nr = 0; nr < 512; nr++)
		assert_int_equal(table[nr], call_from_nr(ARCH_I386, nr));
	for (enum call_arch arch = ARCH_X86_64; arch <= ARCH_I386; arch++) {
		memset(table, 0xff, sizeof(table));
		call_fill_numbers(arch, table, 2);
		assert_int_equal(table[2], 0xffff);
	}
	call_fill_numbers(ARCH_I386, table, 512);
	call_fill_numbers(ARCH_X86_64, table, 2);
	assert_int_equal(table[0], CALL_read);
	assert_int_equal(table[1], CALL_write);
	assert_int_equal(table[3], call_from_nr(ARCH_I386, 3));
}

/* Requests are calls that have a number on no architecture; tables of them hold what fits. */
static void
requests_have_numbers_of_their_own(void **state)
{
	static const enum call_arch archs[] = {ARCH_X86_64, ARCH_ARM64, ARCH_I386};
	uint16_t whole[256], part[256];

	(void)state;
	call_fill_uring(whole, 256);
	memset(part, 0xff, sizeof(part));
	call_fill_uring(part, 3);
	assert_memory_equal(part, whole, 3 * sizeof(part[0]));
	assert_int_equal(part[3], 0xffff);
	assert_int_equal(whole[255], CALL_uring_other);
	for (size_t i = 0; i < 256; i++)
		assert_int_equal(call_is_request(whole[i]), 1);
	call_fill_aio(whole, 256);
	call_fill_aio(part, 1);
	assert_int_equal(part[0], whole[0]);
	assert_int_equal(part[3], 0xffff);
	for (size_t i = 0; i < 256; i++)
		assert_int_equal(call_is_request(whole[i]), whole[i] != 0);
	for (unsigned int id = 0; id < call_id_end() + 2; id++) {
		bool numbered = false;

		for (size_t k = 0; k < 3; k++)
			numbered = numbered || call_nr(archs[k], id) >= 0;
		assert_true(!call_is_request(id) || !numbered);
		assert_int_equal(numbered || call_is_request(id) || call_is_part(id) || id == CALL_vmsplice_read,
				 call_name(id) != NULL);
	}
	assert_int_equal(call_nr(ARCH_X86_64, UINT32_MAX), -1);
}

static void
the_host_is_known(void **state)
{
	(void)state;
#if defined(__x86_64__)
	assert_int_equal(call_host_arch(), ARCH_X86_64);
#elif defined(__aarch64__)
	assert_int_equal(call_host_arch(), ARCH_ARM64);
#else
	assert_int_equal(call_host_arch(), 0);
#endif
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_rise_and_fit_the_kernel_half),
		cmocka_unit_test(numbers_are_unique_and_lead_to_ids),
		cmocka_unit_test(names_lead_to_ids),
		cmocka_unit_test(twins_are_told_apart),
		cmocka_unit_test(parts_move_nothing),
		cmocka_unit_test(some_ids_are_pinned),
		cmocka_unit_test(an_unknown_id_has_a_spec_that_says_so),
		cmocka_unit_test(second_targets_are_named),
		cmocka_unit_test(rows_are_consistent),
		cmocka_unit_test(the_table_of_numbers_is_filled),
		cmocka_unit_test(requests_have_numbers_of_their_own),
		cmocka_unit_test(the_host_is_known),
	};

	return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
