/* encoder_full_test.c - capture/encoder.h, formats/room.h: a full output, wherever in a page the last whole
 * block ends: the end is there every time, and calls that are not in the recording are counted
 */
#include "capture/encoder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/reader.h"
#include "tests/lib/unit.h"

enum {
	PAGE = 4096,
	STEP = 512,
	ROOM = 64 * 1024,	/* of the output */
	EACH = 700,		/* calls a batch */
	N_BATCHES = 400,
};

struct place {
	char folder[64];
	bool is_small;		/* a file system of ROOM bytes */
};

static int
make_place(void **state)
{
	struct place *const p = calloc(1, sizeof(*p));

	(void)snprintf(p->folder, sizeof(p->folder), "/tmp/iotap-full.XXXXXX");
	(void)signal(SIGXFSZ, SIG_IGN);
	*state = p;
	return mkdtemp(p->folder) && chdir(p->folder) == 0 ? 0 : -1;
}

static int
leave_place(void **state)
{
	struct place *const p = *state;
	char command[96];

	(void)chdir("/");
	if (p->is_small)
		(void)umount(p->folder);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", p->folder);
	free(p);
	return system(command);
}

/* Over the folder, seen by this process alone. */
static void
make_small(struct place *p)
{
	char options[32];

	(void)snprintf(options, sizeof(options), "size=%d", ROOM);
	if (p->is_small)
		return;
	if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 ||
	    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", p->folder, "tmpfs", 0, options) != 0)
		skip();
	p->is_small = true;
	assert_int_equal(chdir(p->folder), 0);
}

static void
limit(rlim_t bytes)
{
	struct rlimit now;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
	now.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
}

static int
open_at(off_t first)
{
	const int fd = open("x", O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(lseek(fd, first, SEEK_SET), first);
	return fd;
}

/* Calls that do not compress: the number of those that were handed over. later: a limit that nobody knew
 * of when the recording began, 0 = none. */
static uint64_t
capture(int fd, rlim_t later)
{
	const struct encoder_options o = {
		.writer = {.fd = fd, .codec = CODEC_NONE, .session = 9, .index = true, .keeps_room = true}};
	const struct rec_host host = {.os = OS_LINUX, .arch = 1};
	const struct rec_clock clock = {.boot_ns = 1};
	const struct rec_end end = {.time_ns = 50, .reason = 1};
	struct counters counters = {.values = {6}, .n_values = 1};
	struct iotap_error err = {0};
	struct encoder *const e = encoder_new(&o, &err);
	struct batch *b;
	uint64_t n = 0;
	unsigned int seed = 1;

	assert_non_null(e);
	assert_int_equal(encoder_start(e, &host, &clock, NULL, 0, NULL, &err), 0);
	for (int i = 0; i < N_BATCHES && (b = encoder_batch(e, true)) != NULL; i++) {
		while (b->n_calls < EACH)
			b->calls[b->n_calls++] = (struct kr_call){
				.key_ns = 1000 + n++ * 100, .tid = 7, .tgid = 7, .call = 2, .flags = KF_FD,
				.fd = 3, .result = rand_r(&seed)};
		b->until_ns = (uint64_t)(i + 1) * WRITER_FAST_NS * 2;
		encoder_put(e, b);
		if (later && i == 1)
			limit(later);
	}
	assert_int_equal(encoder_end(e, &clock, &counters, &end, &err), IOTAP_EIO);
	encoder_salvage(e, &clock, &counters, n, &end);
	encoder_free(e);
	return n;
}

struct found {
	uint64_t calls, lost, ends;
};

static void
find(const struct reader_item *item, struct found *found)
{
	struct bytes_in in = bytes_in(item->payload, item->payload_bytes);
	struct record rec;

	if (item->head.type == BLOCK_CALLS) {
		found->calls += item->head.count;
		return;
	}
	while (record_next(&in, &rec, NULL) == 0) {
		if (rec.type == REC_loss)
			found->lost += rec.u.loss.count;
		else if (rec.type == REC_counters && item->head.type == BLOCK_END)
			assert_int_equal(rec.u.counters.written, found->calls);
		else if (rec.type == REC_end)
			found->ends += rec.u.end.calls == found->calls;
	}
}

/* Whole, with its end, and nothing is missing without a word; nothing is reserved any more. */
static void
check(int fd, off_t first, uint64_t n)
{
	struct reader *const reader = reader_new_fd(fd, "x");
	struct found found = {0};
	struct reader_item item;
	struct stat st;

	assert_int_equal(lseek(fd, first, SEEK_SET), first);
	while (reader_next(reader, &item) == 0) {
		if (item.what != READER_BLOCK)
			fail_msg("from %ld: %s", (long)first, item.text);
		find(&item, &found);
	}
	assert_int_equal(reader_error(reader)->code, 0);
	assert_int_equal(found.ends, 1);
	assert_true(found.calls > 0);
	assert_int_equal(found.calls + found.lost, n);
	assert_int_equal(fstat(fd, &st), 0);
	assert_in_range(st.st_blocks * 512, 0, (st.st_size + PAGE - 1) / PAGE * PAGE);
	reader_free(reader);
	assert_int_equal(close(fd), 0);
}

static void
the_disk_is_full(void **state)
{
	make_small(*state);
	for (off_t first = 0; first < PAGE; first += STEP) {
		const int fd = open_at(first);

		check(fd, first, capture(fd, 0));
	}
}

static void
the_file_may_not_be_larger(void **state)
{
	(void)state;
	for (off_t more = 0; more < PAGE; more += STEP) {
		const int fd = open_at(0);
		uint64_t n;

		limit(ROOM / 2 + (rlim_t)more);
		n = capture(fd, 0);
		limit(RLIM_INFINITY);
		check(fd, 0, n);
	}
}

/* Nothing could be set aside: the newest block goes to make room. */
static void
a_limit_that_nobody_knew(void **state)
{
	(void)state;
	for (off_t more = 0; more < PAGE; more += STEP / 4) {
		const int fd = open_at(0);
		uint64_t n = capture(fd, ROOM / 2 + (rlim_t)more);

		limit(RLIM_INFINITY);
		check(fd, 0, n);
	}
}

/* What stood in the file before stays. */
static void
behind_something_else(void **state)
{
	const int fd = open_at(0);
	char before[100], after[100];
	uint64_t n;

	(void)state;
	memset(before, 'b', sizeof(before));
	assert_int_equal(write(fd, before, sizeof(before)), sizeof(before));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(fcntl(fd, F_SETFL, O_APPEND), 0);
	limit(ROOM / 2);
	n = capture(fd, 0);
	limit(RLIM_INFINITY);
	assert_int_equal(pread(fd, after, sizeof(after), 0), sizeof(after));
	assert_memory_equal(before, after, sizeof(before));
	check(fd, sizeof(before), n);
}

/* Not even the header: nothing can be said, and nothing hangs. */
static void
no_room_at_all(void **state)
{
	const struct encoder_options o = {.writer = {.fd = open_at(0), .keeps_room = true}};
	const struct rec_host host = {.os = OS_LINUX, .arch = 1};
	const struct rec_clock clock = {.boot_ns = 1};
	struct iotap_error err = {0};
	struct encoder *e;

	(void)state;
	limit(100);
	e = encoder_new(&o, &err);
	assert_non_null(e);
	assert_int_equal(encoder_start(e, &host, &clock, NULL, 0, NULL, &err), IOTAP_EIO);
	assert_non_null(strstr(err.text, strerror(EFBIG)));
	assert_int_equal(lseek(o.writer.fd, 0, SEEK_END), 0);
	limit(RLIM_INFINITY);
	encoder_free(e);
	(void)close(o.writer.fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_may_not_be_larger),
		cmocka_unit_test(a_limit_that_nobody_knew),
		cmocka_unit_test(behind_something_else),
		cmocka_unit_test(no_room_at_all),
		cmocka_unit_test(the_disk_is_full),
	};

	return cmocka_run_group_tests(tests, make_place, leave_place);
}
