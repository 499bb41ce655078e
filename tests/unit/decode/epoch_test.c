/* epoch_test.c - decode/epoch.h: the table of an epoch, and that it knows what the writer takes for known */
#include "decode/epoch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/iotap.h"
#include "formats/kernel_record.h"
#include "tests/lib/rig.h"
#include "tests/lib/sample.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

static void
define(struct epoch *e, uint64_t id, const char *path)
{
	const struct rec_target def = {.id = id, .kind = KR_KIND_FILE, .text = rec_str(path)};

	assert_int_equal(story_define(e, &def), 0);
}

static struct target *
find(struct epoch *e, uint64_t id)
{
	struct target *t;

	assert_int_equal(epoch_find(e, id, &t), 0);
	return t;
}

static void
an_epoch_forgets_at_its_end(void **state)
{
	struct epoch e;

	(void)state;
	assert_int_equal(epoch_init(&e), 0);
	define(&e, 5, "/a");
	define(&e, 5, "/b");	/* damaged recording: the later one counts */
	assert_string_equal(find(&e, 5)->pub.text, "/b");
	for (uint64_t id = 6; id < 6 + EPOCH_TARGETS_MAX; id++)
		define(&e, id, "/x");	/* 5 is a record now */
	epoch_clear(&e);
	assert_null(find(&e, 5));
	assert_null(find(&e, 6));
	assert_string_equal(epoch_get(&e, &(struct call_target){.id = 5, .kind = KR_KIND_PIPE})->pub.text,
			    "<pipe>");
	assert_string_equal(e.unknown->pub.text, "<unknown>");
	assert_string_equal(e.socket->pub.text, "socket");
	epoch_fini(&e);
}

static void
what_is_used_lately_stays(void **state)
{
	const struct call_target used = {.id = 1, .kind = KR_KIND_FILE};
	struct epoch e;

	(void)state;
	assert_int_equal(epoch_init(&e), 0);
	define(&e, 1, "/used");
	define(&e, 2, "/not-used");
	for (uint64_t id = 3; id < 3 + EPOCH_TARGETS_MAX + EPOCH_RECORDS_MAX; id++) {
		if (id % 1000 == 0) {
			epoch_next_block(&e);
			assert_string_equal(epoch_get(&e, &used)->pub.text, "/used");
		}
		define(&e, id, "/x");
		assert_true(e.n <= EPOCH_TARGETS_MAX && e.bytes <= EPOCH_BYTES_MAX);
	}
	assert_null(find(&e, 2));
	assert_string_equal(find(&e, 1)->pub.text, "/used");
	epoch_fini(&e);
}

/* One that is no target any more is made anew as it was, with the calls counted in it. */
static void
what_went_comes_back(void **state)
{
	const struct rec_target socket = {
		.id = 1, .kind = KR_KIND_SOCKET, .origin = KR_ORIGIN_ATTACH, .flags = KT_CONFIRMED, .family = 2,
		.sock_type = 1, .dev = 8, .ino = 77, .local = rec_bytes("\x01\x02\x03\x04", 4), .local_port = 5,
		.remote = rec_bytes("\x05\x06\x07\x08", 4), .remote_port = 9, .device = rec_str("eth0"),
	};
	struct epoch e;
	struct target *t;
	char *json;

	(void)state;
	assert_int_equal(epoch_init(&e), 0);
	assert_int_equal(story_define(&e, &socket), 0);
	t = find(&e, 1);
	t->ops = 3;
	json = strdup(t->pub.json);
	for (int round = 0; round < 2; round++) {
		for (uint64_t id = 2; id < 2 + EPOCH_TARGETS_MAX; id++)
			define(&e, id, "/x");
		assert_null(map_find(&e.by_id, 1));
		if (round == 1) {	/* that its name was let go is no news, either */
			const struct rec_target gone = {.id = 1, .kind = KR_KIND_SOCKET, .flags = TARGET_EVICTED};

			assert_int_equal(story_define(&e, &gone), 0);
			assert_null(map_find(&e.by_id, 1));
		}
		t = epoch_get(&e, &(struct call_target){.id = 1, .kind = KR_KIND_SOCKET});
		assert_string_equal(t->pub.json, json);
		assert_string_equal(t->pub.device, "eth0");
		assert_int_equal(t->pub.resolved, IOTAP_RESOLVED_SNAPSHOT);
		assert_int_equal(t->ops, 3);
	}
	free(json);
	epoch_fini(&e);
}

/* Long names reach the bound of bytes before that of targets, and of records. */
static void
long_names_make_room_too(void **state)
{
	static char path[8192];
	struct epoch e;

	(void)state;
	memset(path, 'p', sizeof(path) - 1);
	path[0] = '/';
	assert_int_equal(epoch_init(&e), 0);
	for (uint64_t id = 1; id <= 6000; id++) {
		define(&e, id, path);
		assert_true(e.bytes <= EPOCH_BYTES_MAX);
	}
	assert_true(e.n < 3000);
	assert_null(find(&e, 1));
	assert_non_null(find(&e, 3001));
	assert_non_null(find(&e, 6000));
	epoch_fini(&e);
}

/* A made-up block that names all there is, each name six times as long as JSON: what finds no room is nameless
 * until the next block. */
static void
a_block_that_names_everything(void **state)
{
	enum { N = 3000, BYTES = 7000 };
	static char path[BYTES + 1];
	struct epoch e;
	uint32_t nameless = 0;

	(void)state;
	memset(path, '\001', BYTES);
	assert_int_equal(epoch_init(&e), 0);
	for (uint64_t id = 1; id <= N; id++)
		define(&e, id, path);
	assert_int_equal(epoch_next_block(&e), 0);
	for (uint64_t id = 1; id <= N; id++) {
		const struct target *const t = epoch_get(&e, &(struct call_target){.id = id, .kind = KR_KIND_FILE});

		assert_non_null(t);
		nameless += t->pub.path_len != BYTES;
	}
	assert_true(nameless > N / 2 && e.bytes < EPOCH_BYTES_HELD + 1024 * 1024);
	assert_int_equal(epoch_next_block(&e), 0);
	assert_true(e.bytes <= EPOCH_BYTES_MAX);
	for (uint64_t id = N; id > N - 20; id--)
		assert_int_equal(epoch_get(&e, &(struct call_target){.id = id})->pub.path_len, BYTES);
	for (uint64_t id = 1; id <= N; id++) {
		assert_non_null(find(&e, id));
		assert_true(e.bytes <= EPOCH_BYTES_MAX + 100 * 1024);
	}
	epoch_fini(&e);
}

/* An id defined over and over: what makes room is the one that nobody can ask for any more. */
static void
an_id_defined_over_and_over(void **state)
{
	struct epoch e;

	(void)state;
	assert_int_equal(epoch_init(&e), 0);
	for (uint64_t i = 0; i < EPOCH_TARGETS_MAX + 10; i++)
		define(&e, 5, "/x");
	define(&e, 5, "/last");
	assert_true(e.n <= EPOCH_TARGETS_MAX);
	assert_string_equal(find(&e, 5)->pub.text, "/last");
	epoch_fini(&e);
}

/* -- what the writer takes for known -- */

enum { IDS = 220000, CALLS = 400000 };

struct play {
	struct rig rig;
	uint64_t lot;
	uint32_t n_ids, n_calls, n_known;
	uint32_t longest;		/* bytes of a name */
	uint32_t far;			/* so many ids ago: about where the writer lets go */
	bool known[IDS + 1];		/* by the writer: its name may be asked for */
	uint32_t said[CALLS];		/* the id of a call whose name must be told, 0 = of others */
};

static void
forgotten(void *arg, uint64_t id)
{
	((struct play *)arg)->known[id] = false;
}

/* The name of an id: of a length that is the same every time. */
static struct bytes
name_of(const struct play *p, uint64_t id, char name[8192])
{
	uint64_t lot = id;
	const uint32_t room = id % 7 == 0 ? p->longest : p->longest / 4;
	const uint32_t n = 24 + (uint32_t)(sample_lot(&lot) % room);

	memset(name, 'n', n);
	name[0] = '/';
	(void)snprintf(name + 1, 22, "%llu", (unsigned long long)id);
	name[strlen(name)] = '/';
	name[n] = '\0';
	return rec_bytes(name, n);
}

static void
play_define(struct play *p)
{
	char name[8192];
	const struct rec_target def = {.id = ++p->n_ids, .kind = KR_KIND_FILE, .dev = 8, .ino = p->n_ids,
				       .mode = 0100644, .text = name_of(p, p->n_ids, name)};

	p->known[def.id] = true;
	assert_int_equal(writer_record(p->rig.w, REC_target, &def), 0);
}

static void
play_use(struct play *p, uint32_t id)
{
	const struct kr_call call = {.key_ns = RIG_START_NS + 1 + p->n_calls, .tid = 10, .tgid = 10, .call = 1, .fd = 3,
				     .flags = KF_IDENTITY | KF_FD, .id = id, .dev = 8, .ino = id, .mode = 0100644};

	if (!p->known[id] && sample_lot(&p->lot) % 256 != 0)
		return;		/* the kernel was told to define it anew: only calls under way still name it */
	p->said[p->n_calls++] = p->known[id] ? id : 0;
	p->n_known += p->known[id];
	assert_int_equal(writer_calls(p->rig.w, &call, 1), 0);
}

/* Definitions and uses in turns of any length: of the latest, of some that are used from time to time, of
 * those about to be let go, and of one after the other so that a block names as many as it can. */
static void
play(struct play *p)
{
	while (p->n_ids < IDS && p->n_calls < CALLS - 40000) {
		const uint32_t turn = (uint32_t)(sample_lot(&p->lot) % 6);
		const uint32_t n = (uint32_t)(sample_lot(&p->lot) % (turn < 3 ? 300 : 9000));

		for (uint32_t i = 0; i < n; i++) {
			const uint32_t back = (uint32_t)(sample_lot(&p->lot) % p->far);

			if (turn % 3 == 0 && p->n_ids < IDS)
				play_define(p);
			else if (turn % 3 == 1 && p->n_ids > 0)
				play_use(p, 1 + (uint32_t)(sample_lot(&p->lot) % (p->n_ids < 40 ? p->n_ids : 40)));
			else if (p->n_ids > p->far)
				play_use(p, turn == 2 ? p->n_ids - back : p->n_ids - p->far + i);
		}
		if (sample_lot(&p->lot) % 8 == 0)
			assert_int_equal(writer_flush(p->rig.w), 0);
	}
	assert_int_equal(writer_flush(p->rig.w), 0);
}

static void
play_compare(const struct play *p)
{
	char why[256] = "", name[8192];
	const int fd = memfd_create("play", MFD_CLOEXEC);
	struct iotap_batch b = {.size = sizeof(b)};
	uint32_t n = 0, missing = 0;
	iotap_t *h;
	int r;

	assert_true(fd >= 0 && io_write_all(fd, p->rig.bytes.data, p->rig.bytes.len));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	h = iotap_open(fd, "play", NULL, why, sizeof(why));
	assert_non_null(h);
	while ((r = iotap_next_batch(h, IOTAP_COL_TARGET, NULL, NULL, &b)) == 1) {
		for (uint32_t i = 0; i < b.n; i++, n++) {
			const struct bytes is = p->said[n] ? name_of(p, p->said[n], name) : rec_bytes(NULL, 0);

			if (p->said[n])
				missing += b.target[i]->path_len != is.n || memcmp(b.target[i]->path, is.p, is.n) != 0;
		}
	}
	assert_int_equal(n, p->n_calls);
	assert_int_equal(missing, 0);
	iotap_close(h);
}

static void
played(uint32_t longest, uint32_t far, uint64_t lot)
{
	struct play *const p = calloc(1, sizeof(*p));
	struct writer_options options;

	assert_non_null(p);
	options = rig_options(&p->rig);
	options.evicted = forgotten;
	options.evicted_arg = p;
	p->longest = longest;
	p->far = far;
	p->lot = lot;
	rig_open(&p->rig, &options);
	play(p);
	assert_true(p->n_known < p->n_calls);	/* it comes to the bounds */
	play_compare(p);
	rig_close(&p->rig);
	free(p);
}

static void
what_the_writer_knows_is_known(void **state)
{
	(void)state;
	for (uint64_t lot = 1; lot <= 3; lot++) {
		played(60, WRITER_DEFINITIONS + 2000, lot);
		played(4096, 22000, lot);	/* bytes are the bound */
	}
}

/* Who reads a window only passes over calls that use a definition, and has it all the same. */
static void
what_was_used_outside_of_a_window_is_known(void **state)
{
	enum { ROUNDS = 100, LOT = 2000 };
	const uint64_t from_ns = RIG_START_NS + ROUNDS;
	const struct iotap_window window = {.size = sizeof(window), .from_time_ns = INT64_MIN,
					    .to_time_ns = INT64_MAX, .first_number = ROUNDS - 1,
					    .last_number = UINT64_MAX};
	const struct iotap_filter late = {.from_ns = from_ns, .to_ns = UINT64_MAX};
	struct writer_options options;
	struct rig rig;

	(void)state;
	options = rig_options(&rig);
	rig_open(&rig, &options);
	rig_define(&rig, 1, "/used");
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		const struct kr_call call = {.key_ns = RIG_START_NS + i, .tid = 10, .tgid = 10, .call = 1, .fd = 3,
					     .flags = KF_IDENTITY | KF_FD, .id = 1, .dev = 8, .ino = 1,
					     .mode = 0100644};

		for (uint64_t id = i * LOT; id < (i + 1) * LOT; id++)
			rig_define(&rig, id, "/not-used");
		assert_int_equal(writer_calls(rig.w, &call, 1), 0);
		assert_int_equal(writer_flush(rig.w), 0);
	}
	for (int by_number = 0; by_number <= 1; by_number++) {
		struct iotap_batch b = {.size = sizeof(b)};
		char why[256] = "";
		const int fd = memfd_create("window", MFD_CLOEXEC);
		iotap_t *h;

		assert_true(fd >= 0 && io_write_all(fd, rig.bytes.data, rig.bytes.len));
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		h = iotap_open(fd, "window", by_number ? NULL : &late, why, sizeof(why));
		assert_non_null(h);
		if (by_number)
			assert_int_equal(iotap_set_window(h, &window), 0);
		assert_int_equal(iotap_next_batch(h, IOTAP_COL_TARGET, NULL, NULL, &b), 1);
		assert_int_equal(b.n, 1);
		assert_string_equal(b.target[0]->text, "/used");
		iotap_close(h);
	}
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_epoch_forgets_at_its_end),
		cmocka_unit_test(what_is_used_lately_stays),
		cmocka_unit_test(what_went_comes_back),
		cmocka_unit_test(long_names_make_room_too),
		cmocka_unit_test(a_block_that_names_everything),
		cmocka_unit_test(an_id_defined_over_and_over),
		cmocka_unit_test(what_the_writer_knows_is_known),
		cmocka_unit_test(what_was_used_outside_of_a_window_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
