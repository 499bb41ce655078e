/* dimension_test.c - analyze/dimension.h: one row each, the same after the maps were emptied */
#include "analyze/dimension.h"

#include <string.h>

#include "analyze/db.h"
#include "analyze/schema.h"
#include "tests/lib/unit.h"

#define UNDEFINED (UINT64_C(1) << 62)

struct fixture {
	sqlite3 *db;
	struct iotap_error err;
	struct dimension d;
};

static void
begin(struct fixture *f, int64_t recording, int64_t first_target)
{
	if (!f->db) {
		assert_int_equal(sqlite3_open(":memory:", &f->db), SQLITE_OK);
		assert_int_equal(schema_create(f->db, true, &f->err), 0);
	}
	assert_int_equal(dimension_init(&f->d, f->db, recording, first_target, &f->err), 0);
}

static void
end(struct fixture *f)
{
	dimension_fini(&f->d);
	sqlite3_close_v2(f->db);
}

static int64_t
integer(struct fixture *f, const char *sql)
{
	int64_t v;

	assert_int_equal(db_integer(f->db, sql, -99, &v, &f->err), 0);
	return v;
}

static struct iotap_target
file(uint64_t id, const char *path)
{
	return (struct iotap_target){
		.id = id, .kind = IOTAP_KIND_FILE, .klass = IOTAP_CLASS_FILE, .path = path, .path_len = strlen(path),
		.text = path, .text_len = strlen(path), .key = path, .key_len = strlen(path), .ino = 7,
	};
}

static struct dimension_target
get(struct fixture *f, const struct iotap_target *t)
{
	const struct dimension_target *row;

	assert_int_equal(dimension_target(&f->d, t, &row), 0);
	return *row;
}

/* What a full map does. */
static void
forget(struct fixture *f)
{
	map_clear(&f->d.targets);
	f->d.n_entries = 0;
	f->d.emptied = true;
	memset(f->d.recent_targets, 0, sizeof(f->d.recent_targets));
	map_clear(&f->d.processes);
	map_clear(&f->d.process_numbers);
	map_clear(&f->d.threads);
	memset(f->d.recent_threads, 0, sizeof(f->d.recent_threads));
}

static void
targets_keep_their_ids_and_share_definitions(void **state)
{
	struct fixture f = {.db = NULL};
	const struct iotap_target a = file(5, "/a"), again = file(6, "/a"), b = file(7, "/b");

	(void)state;
	begin(&f, 1, 0);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(get(&f, &a).id, 5);
		assert_int_equal(get(&f, &again).id, 6);
		assert_int_equal(get(&f, &again).sums, 5);
		assert_int_equal(get(&f, &b).sums, 7);
		forget(&f);
	}
	assert_int_equal(integer(&f, "SELECT count(*) FROM target_row WHERE id > 0"), 3);
	assert_int_equal(integer(&f, "SELECT count(*) FROM definition WHERE id > 3"), 2);
	assert_int_equal(integer(&f, "SELECT count(*) FROM target WHERE path = '/a'"), 2);
	end(&f);
}

static void
unknown_ones_are_shared_by_all_recordings(void **state)
{
	struct fixture f = {.db = NULL};
	const struct iotap_target unknown = {
		.id = UNDEFINED, .text = "<unknown>", .text_len = 9, .key = "<unknown>", .key_len = 9,
		.klass = IOTAP_CLASS_OTHER,
	};
	const struct iotap_target socket = {
		.id = UNDEFINED + 1, .kind = IOTAP_KIND_SOCKET, .klass = IOTAP_CLASS_NETWORK, .text = "socket",
		.text_len = 6, .key = "socket", .key_len = 6,
	};

	(void)state;
	for (int64_t recording = 1; recording <= 2; recording++) {
		begin(&f, recording, (recording - 1) * 100);
		assert_int_equal(get(&f, &unknown).id, TARGET_UNKNOWN);
		assert_int_equal(get(&f, &unknown).sums, TARGET_UNKNOWN);
		assert_int_equal(get(&f, &socket).id, TARGET_SOCKET);
		assert_int_equal(get(&f, &socket).sums, TARGET_SOCKET);
		assert_int_equal(dimension_target_id(&socket), TARGET_SOCKET);
		if (recording == 1)
			dimension_fini(&f.d);
	}
	assert_int_equal(integer(&f, "SELECT count(*) FROM target_row"), 3);
	end(&f);
}

static void
ids_of_a_second_recording_move_out_of_the_way(void **state)
{
	struct fixture f = {.db = NULL};
	struct iotap_target a = file(5, "/a"), undefined = file(UNDEFINED + 77, "/u"), high = file(UNDEFINED - 3, "/h");
	int64_t moved;

	(void)state;
	begin(&f, 1, 0);
	assert_int_equal(get(&f, &a).id, 5);
	assert_true(get(&f, &undefined).id == (int64_t)(UNDEFINED + 77));
	dimension_fini(&f.d);
	begin(&f, 2, 100);
	for (int round = 0; round < 2; round++) {
		assert_int_equal(get(&f, &a).id, 105);
		assert_int_equal(get(&f, &a).sums, 5);
		moved = get(&f, &undefined).id;
		assert_int_equal(moved, TARGET_FURTHER - 1);
		assert_int_equal(get(&f, &high).id, TARGET_FURTHER - 2);
		forget(&f);
	}
	assert_int_equal(integer(&f, "SELECT count(*) FROM target_raw"), 2);
	assert_int_equal(integer(&f, "SELECT recording FROM target WHERE id = -3"), 2);
	end(&f);
}

static void
processes_and_threads_are_one_row_each(void **state)
{
	struct fixture f = {.db = NULL};
	struct iotap_process p = {.id = 1000, .pid = 10, .start_ns = 1, .name = "a", .name_len = 1,
				    .last_ns = IOTAP_UNKNOWN};
	struct iotap_process q = {.id = 1001, .pid = 10, .start_ns = 2, .uid = UINT32_MAX, .last_ns = IOTAP_UNKNOWN};
	int64_t thread, process, other;

	(void)state;
	begin(&f, 1, 0);
	for (int round = 0; round < 2; round++) {
		assert_int_equal(dimension_thread(&f.d, &p, 10, &thread, &process), 0);
		assert_int_equal(thread, 1);
		assert_int_equal(process, 1000);
		assert_int_equal(dimension_thread(&f.d, &p, 10 + DIMENSION_RECENT_THREADS, &thread, &process), 0);
		assert_int_equal(thread, 2);
		assert_int_equal(dimension_thread(&f.d, &q, 10, &other, &process), 0);
		assert_int_equal(other, 3);
		assert_int_equal(process, 1001);
		forget(&f);
	}
	p.name = "b";
	p.exited = 1;
	p.exit_status = 256;
	assert_int_equal(dimension_process_update(&f.d, &p, &process), 0);
	assert_int_equal(integer(&f, "SELECT count(*) FROM process"), 2);
	assert_int_equal(integer(&f, "SELECT count(*) FROM process WHERE name = 'b' AND exit_status = 256"), 1);
	assert_int_equal(integer(&f, "SELECT count(*) FROM process WHERE uid IS NULL"), 1);
	assert_int_equal(integer(&f, "SELECT count(*) FROM thread"), 3);
	end(&f);
}

/* The same pid and start time on another machine. */
static void
equal_process_ids_of_two_recordings_are_two(void **state)
{
	struct fixture f = {.db = NULL};
	const struct iotap_process p = {.id = INT64_MAX, .pid = 10, .start_ns = 1, .last_ns = IOTAP_UNKNOWN};
	int64_t id;

	(void)state;
	begin(&f, 1, 0);
	assert_int_equal(dimension_process(&f.d, &p, &id), 0);
	assert_true(id == INT64_MAX);
	dimension_fini(&f.d);
	begin(&f, 2, 0);
	assert_int_equal(dimension_process(&f.d, &p, &id), 0);
	assert_int_equal(id, 1);
	assert_int_equal(integer(&f, "SELECT count(DISTINCT recording) FROM process WHERE pid = 10"), 2);
	end(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets_keep_their_ids_and_share_definitions),
		cmocka_unit_test(unknown_ones_are_shared_by_all_recordings),
		cmocka_unit_test(ids_of_a_second_recording_move_out_of_the_way),
		cmocka_unit_test(processes_and_threads_are_one_row_each),
		cmocka_unit_test(equal_process_ids_of_two_recordings_are_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
